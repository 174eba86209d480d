"""Loads files through the real pipeline: S3, the ingest function, the embedding queue."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from local.failure import LocalError
from local.files import ROOT
from local.invoke import invoke
from local.stack import INGEST_BUCKET, Stack

CORPUS = ROOT / "local" / "corpus"
SAMPLE = (("products", "products.csv"), ("past_quotes", "past_quotes.jsonl"), ("line_items", "line_items.jsonl"))
DRAIN_SECONDS = 3600


def load(stack: Stack, *, on_progress: Callable[[str], None], tenant: str = "default") -> None:
    """The sample corpus, embedded to the last row. Raises LocalError when a row is rejected."""
    for kind, name in SAMPLE:
        report = ingest(stack, CORPUS / name, kind=kind, tenant=tenant)
        on_progress(f"{kind}: {report['rows_read']} rows")
        if report["rejected"]:
            raise LocalError(f"The sample corpus has rejects in {name}: {report['rejects']}")
    drain(stack, on_progress=on_progress)


def ingest(stack: Stack, path: Path, *, kind: str, tenant: str) -> dict[str, Any]:
    """Uploads the file and sends the event S3 would send; returns the function's report."""
    key = f"{tenant}/{kind}/{path.name}"
    stack.client("s3").upload_file(str(path), INGEST_BUCKET, key)
    event = {"Records": [{"s3": {"bucket": {"name": INGEST_BUCKET}, "object": {"key": key}}}]}
    report: dict[str, Any] = invoke(stack, "ingest", event)["reports"][0]
    return report


def drain(stack: Stack, *, on_progress: Callable[[str], None]) -> dict[str, Any]:
    """Embeds until nothing is pending; a provider that is down ends it with LocalError."""
    deadline = time.monotonic() + DRAIN_SECONDS
    embedded = 0
    while time.monotonic() < deadline:
        progress = invoke(stack, "embed_pending", {})
        embedded += progress["embedded"]
        on_progress(f"embedded {embedded}, {progress['pending']} to go")
        if progress["pending"] == 0:
            return progress
        if progress["stopped"] not in (None, "out of time"):
            raise LocalError(f"Embedding stopped: {progress['stopped']}. The rows wait in the queue.")
        time.sleep(0.1)  # another worker holds the rest
    raise LocalError("The embedding queue did not drain within an hour.")
