"""What the embeddings server is told: command line first, then DATA_DIR, then defaults."""

import argparse
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Precision = Literal["fp32", "int8"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    host: str
    port: int
    model_dir: Path | None
    cache_dir: Path
    precision: Precision
    threads: int


def read_settings(arguments: Sequence[str], *, environment: Mapping[str, str] = os.environ) -> Settings:
    cache_dir = Path(environment.get("DATA_DIR") or ".quarry") / "models"
    # More threads than this only add hand-overs: the matrices of a six-layer encoder are small.
    threads = min(os.cpu_count() or 1, 4)
    parser = argparse.ArgumentParser(prog="python -m local.embeddings", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True, help="0 takes any free port and prints it")
    parser.add_argument("--model-dir", type=Path, help="folder with model.safetensors and tokenizer.json")
    parser.add_argument("--cache-dir", type=Path, default=cache_dir, help="keeps the built graph")
    parser.add_argument("--precision", choices=("fp32", "int8"), default="fp32")
    parser.add_argument("--threads", type=int, default=threads, help="threads inside one model run")
    return Settings(**vars(parser.parse_args(arguments)))
