"""Where the repository's parts are, and writing a file that readers never see half-written."""

import json
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
IMPORT_ROOTS = (ROOT, ROOT / "functions", ROOT / "layers" / "quarry")


def add_import_roots() -> None:
    """Lets `python -m local.…` import functions and layers as the deployed system does."""
    sys.path.extend(str(root) for root in IMPORT_ROOTS if str(root) not in sys.path)


def write_json(path: Path, content: object, *, mode: int = 0o600) -> None:
    """Replaces the file in one step: a reader, or a crash half-way, sees the old content or the new."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(content, file, indent=2)
        file.write("\n")
    draft.replace(path)
