"""Where the repository's parts are, and writing a file that readers never see half-written."""

import json
import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
IMPORT_ROOTS = (ROOT, ROOT / "functions", ROOT / "layers" / "quarry")
"""What PYTHONPATH holds in every process here, as the Makefile sets it."""


def write_json(path: Path, content: object) -> None:
    """Replaces the file, which its owner alone may read, in one step: nobody sees it half-written."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(content, file, indent=2)
        file.write("\n")
    draft.replace(path)
