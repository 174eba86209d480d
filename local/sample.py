"""The sample corpus in its tenant: loaded when its rows changed."""

import json
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import psycopg

from local.corpus_loader import CORPUS, QUOTES, SAMPLE, drain, ingest, load_sample
from local.files import write_json
from local.stack import SAMPLE_TENANT, Stack, invoke

FILES = (*(CORPUS / name for _, name in SAMPLE), QUOTES)

_RECORD = "corpus.json"

FOREIGN = """
    SELECT id FROM quarry.ingests
    WHERE tenant = %(tenant)s AND content_sha256 IS NOT NULL AND NOT content_sha256 = ANY (%(ours)s)
    ORDER BY id LIMIT 1
"""


def digests(files: tuple[Path, ...] = FILES) -> list[str]:
    return [sha256(path.read_bytes()).hexdigest() for path in files]


def fingerprint(files: tuple[Path, ...] = FILES, *, cluster: str) -> str:
    """A digest that changes with any row of the sample, and with the database cluster that should hold it."""
    return sha256("\n".join([cluster, *digests(files)]).encode()).hexdigest()


def is_loaded(data_dir: Path, *, wanted: str) -> bool:
    return bool(_record(data_dir).get("fingerprint") == wanted)


def record(data_dir: Path, *, loaded: str | None) -> None:
    """Notes which files are the sample's, those of earlier releases among them, and the state that is loaded."""
    files = dict.fromkeys([*_record(data_dir).get("files", ()), *digests()])
    write_json(data_dir / _RECORD, {"fingerprint": loaded, "files": list(files)})


def _record(data_dir: Path) -> dict[str, Any]:
    try:
        content: dict[str, Any] = json.loads((data_dir / _RECORD).read_text("utf-8"))
    except FileNotFoundError:
        return {}
    return content


def bring_up_to_date(stack: Stack, *, wanted: str, on_progress: Callable[[str], None]) -> str:
    """Loads the sample and says so, or why it did not: a tenant that has rows of its own is left alone."""
    record(stack.data_dir, loaded=None)
    ours = _record(stack.data_dir)["files"]
    with psycopg.connect(stack.database.dsn) as connection:
        foreign = connection.execute(FOREIGN, {"tenant": SAMPLE_TENANT, "ours": ours}).fetchone()
    if foreign is not None:
        return (
            f"left as it is: the sample changed, but its tenant has rows of yours (ingest {foreign[0]}; see "
            f"`make ingests TENANT={SAMPLE_TENANT}`)"
        )
    load(stack, on_progress=on_progress)
    record(stack.data_dir, loaded=wanted)
    return "loaded"


def load(stack: Stack, *, on_progress: Callable[[str], None]) -> None:
    """Loads the sample corpus and waits until it is embedded. Raises LocalError when a row is rejected."""
    load_sample(
        lambda kind, path: ingest(stack, path, kind=kind, tenant=SAMPLE_TENANT),
        partial(invoke, stack, tenant=SAMPLE_TENANT),
        on_progress=on_progress,
    )
    drain(stack, on_progress=on_progress)
