"""Whether the sample corpus in the database is the one on disk."""

import json
from hashlib import sha256
from pathlib import Path

from local.files import ROOT, write_json

CORPUS = ROOT / "local" / "corpus"

_RECORD = "corpus.json"


def fingerprint(corpus: Path, *, cluster: str) -> str:
    """Changes with any corpus file, and with the database cluster that should hold it."""
    digest = sha256(cluster.encode())
    for path in sorted(path for path in corpus.rglob("*") if path.is_file()):
        digest.update(str(path.relative_to(corpus)).encode() + b"\0")
        digest.update(sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def is_loaded(data_dir: Path, *, wanted: str) -> bool:
    try:
        return bool(json.loads((data_dir / _RECORD).read_text())["fingerprint"] == wanted)
    except FileNotFoundError:
        return False


def record_loaded(data_dir: Path, *, wanted: str) -> None:
    write_json(data_dir / _RECORD, {"fingerprint": wanted})
