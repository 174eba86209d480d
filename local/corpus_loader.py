"""Loads files through the real pipeline: S3, the ingest function, the embedding queue."""

import hashlib
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
from psycopg.rows import dict_row

from local.failure import LocalError, Refused
from local.files import ROOT
from local.stack import INGEST_BUCKET, Stack, invoke

CORPUS = ROOT / "local" / "corpus"
SAMPLE = (
    ("units", "units.csv"),
    ("families", "families.csv"),
    ("attributes", "attributes.csv"),
    ("products", "products.csv"),
    ("past_quotes", "past_quotes.jsonl"),
    ("line_items", "line_items.jsonl"),
    ("vocabulary", "vocabulary.csv"),
    ("equivalents", "equivalents.csv"),
    ("documents", "knowledge/documents.jsonl"),
    ("highlights", "highlights/highlights.jsonl"),
    ("readwise", "highlights/readwise.csv"),
    ("stories", "stories/stories.csv"),
    ("house", "cpq/house.csv"),
    ("discount_policies", "cpq/discount_policies.jsonl"),
    ("approvers", "cpq/approvers.csv"),
    ("exchange_rates", "cpq/exchange_rates.csv"),
    ("products_for_sale", "cpq/products.jsonl"),
    ("product_relationships", "cpq/relationships.csv"),
    ("accounts", "cpq/accounts.jsonl"),
    ("price_books", "cpq/price_books.csv"),
    ("prices", "cpq/prices.jsonl"),
    ("tax_rules", "cpq/tax_rules.csv"),
)
QUOTES = CORPUS / "cpq" / "quotes.jsonl"
IDLE_SECONDS = 5
"""Without progress for so long, another worker is asked for; a busy one is not disturbed."""

STALLED_SECONDS = 150
"""Longer than a worker that died keeps its rows."""
INGEST_SECONDS = 900
"""The function's own time-out; it ends before that and goes on in another run."""

ACCOUNT = """
    SELECT rows_read, inserted, updated, unchanged, rejected, merged, removed, finished_at IS NOT NULL AS finished
    FROM quarry.ingests WHERE id = %s
"""
PENDING = """
    SELECT count(*), max(last_error) FILTER (WHERE available_at > now())
    FROM quarry.embedding_queue WHERE dead_at IS NULL
"""


def ingest(
    stack: Stack,
    path: Path,
    *,
    kind: str,
    tenant: str,
    name: str | None = None,
    replace: bool = False,
    mapping: str | None = None,
) -> dict[str, Any]:
    """Uploads the file, under its own name or ``name``, and sends the event S3 would send; returns the report.

    With ``replace`` the file is the whole truth of its kind; ``mapping`` is the TOML by which it is read.
    """
    key = f"{tenant}/{kind}/{name or path.name}"
    marked = {"Metadata": {"replaces": "1"}} if replace else None
    stack.client("s3").upload_file(str(path), INGEST_BUCKET, key, ExtraArgs=marked)
    event: dict[str, Any] = {"Records": [{"s3": {"bucket": {"name": INGEST_BUCKET}, "object": {"key": key}}}]}
    event |= {"mapping": mapping} if mapping else {}
    report: dict[str, Any] = invoke(stack, "ingest", event, seconds=INGEST_SECONDS)["reports"][0]
    return report if report["finished"] else _follow(stack, report)


def _follow(stack: Stack, report: dict[str, Any]) -> dict[str, Any]:
    """Waits for the function's later runs on a large file, and returns the report; LocalError when they stop."""
    moved, rows_read = time.monotonic(), report["rows_read"]
    with psycopg.connect(stack.database.dsn, autocommit=True, row_factory=dict_row) as connection:
        while True:
            account = connection.execute(ACCOUNT, [report["ingest_id"]]).fetchone()
            if account is None or account["finished"]:
                return {**report, **(account or {})}
            if account["rows_read"] != rows_read:
                moved, rows_read = time.monotonic(), account["rows_read"]
            elif time.monotonic() - moved > STALLED_SECONDS:
                raise LocalError(
                    f"Ingest {report['ingest_id']} stopped after {rows_read} rows; ingest the file again."
                )
            time.sleep(0.5)


def drain(stack: Stack, *, on_progress: Callable[[str], None]) -> None:
    """Waits until the deployed worker has drained the embedding queue. Raises LocalError when it cannot."""
    with psycopg.connect(stack.database.dsn, autocommit=True) as connection:
        total = left = _pending(connection)[0]
        moved = asked = time.monotonic()
        if left:
            _start_worker(stack)
            on_progress(f"embedding {left} rows")
        while left:
            time.sleep(0.5)
            if time.monotonic() - max(moved, asked) > IDLE_SECONDS:
                _start_worker(stack)
                asked = time.monotonic()
            before = left
            left, trouble = _pending(connection)
            total = max(total, left)
            if left < before:
                moved = time.monotonic()
                on_progress(f"embedded {total - left} of {total}")
            elif trouble or time.monotonic() - moved > STALLED_SECONDS:
                reason = trouble or f"no row in {STALLED_SECONDS} s"
                raise LocalError(
                    f"Embedding stopped: {reason}. {left} rows wait in the queue; search finds their text."
                )


def _pending(connection: psycopg.Connection[Any]) -> tuple[int, str | None]:
    """How many rows wait to be embedded, and why they were put off."""
    row = connection.execute(PENDING).fetchone()
    return (row[0], row[1]) if row else (0, None)


def _start_worker(stack: Stack) -> None:
    stack.client("lambda").invoke(FunctionName="quarry-embed_pending:live", InvocationType="Event", Payload=b"{}")


Call = Callable[[str, dict[str, Any]], dict[str, Any]]
"""Invokes a function with an event and returns its result."""


def load_sample(
    ingest: Callable[[str, Path], dict[str, Any]], call: Call, *, on_progress: Callable[[str], None]
) -> None:
    """Loads the sample's files in the order they need, each by ``ingest`` of its kind, then writes the quotes.

    Embeddings follow by themselves. Raises LocalError when a row is rejected.
    """
    for kind, name in SAMPLE:
        report = ingest(kind, CORPUS / name)
        on_progress(f"{kind}: {report['rows_read']} rows")
        if report["rejected"]:
            raise LocalError(f"The sample corpus has rejects in {name}: {report['rejects']}")
    on_progress(f"quotes: {write_quotes(call, QUOTES)}")


def write_quotes(call: Call, path: Path) -> int:
    """Writes the sample quotes through the quoting tools, as an agent would, and returns how many there are.

    Each line's content is its idempotency key, so that loading it again
    writes nothing.
    """
    lines = path.read_text("utf-8").splitlines()
    for line in lines:
        asked = json.loads(line)
        key = f"sample-{hashlib.sha256(line.encode()).hexdigest()[:16]}"
        try:
            created = call("quote_create", {**asked["create"], "idempotency_key": key})
            if "price" in asked:
                quote_id = created["quote"]["id"]
                call("quote_price", {**asked["price"], "quote_id": quote_id, "idempotency_key": key})
        except Refused as refusal:
            # An earlier release wrote it, which understood or answered the same line otherwise.
            if refusal.code != "CONFLICT":
                raise
    return len(lines)
