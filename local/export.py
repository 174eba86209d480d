"""`python -m local.export FOLDER [--load]`: everything that was loaded into a tenant as files, and back again.

What people made of it, which is quotes, drafts, approvals, printed documents and the audit, is in a backup alone.
"""

import argparse
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, get_args

import psycopg
from psycopg.sql import SQL, Composed

from local import corpus_loader
from local.failure import LocalError, run_command
from local.stack import Stack
from local.tenants import running_stack
from operations.ingest import KINDS

# jsonb puts names in one order: the same rows are the same bytes. Amounts are text, for whoever reads JSON's numbers
# loses digits of them.
LINES = """
    SELECT (SELECT jsonb_object_agg(
                e.key, CASE WHEN e.key = ANY (%(amounts)s) THEN to_jsonb(e.value #>> '{{}}') ELSE e.value END)
            FROM jsonb_each(s.content) e
            WHERE e.key = ANY (%(columns)s) AND e.value <> 'null')::text
    FROM ({held}) s
"""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m local.export", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--load", action="store_true", help="load the files of such a folder")
    arguments = parser.parse_args()
    stack, tenant = running_stack(absent="made" if arguments.load else "refused")
    if arguments.load:
        rejected = load(stack, tenant=tenant, folder=arguments.folder, on_progress=print)
        return 1 if rejected else 0
    export(stack, tenant=tenant, folder=arguments.folder, on_progress=print)
    return 0


def export(stack: Stack, *, tenant: str, folder: Path, on_progress: Callable[[str], None]) -> None:
    """A file of JSON Lines for each kind that has rows; the folder must not hold others."""
    if folder.exists() and any(folder.iterdir()):
        raise LocalError(f"{folder} is not empty: name a new folder, FOLDER=…")
    folder.mkdir(parents=True, exist_ok=True)
    with psycopg.connect(stack.database.dsn) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        for kind in KINDS.values():
            if not kind.exported:
                continue
            query = SQL(LINES).format(held=kind.rows_held)
            fields = kind.row.model_fields
            amounts = [name for name, field in fields.items() if _is_amount(field.annotation)]
            asked = {"tenant": tenant, "columns": list(fields), "amounts": amounts}
            if rows := _write(folder / f"{kind.name}.jsonl", _lines(connection, query, asked)):
                on_progress(f"{kind.name}: {rows} rows")
    on_progress(f"Written to {folder}. Into another tenant: make import FOLDER={folder} TENANT=… NEW_TENANT=1")
    on_progress("Without quotes, drafts, approvals, printed documents and the audit: make backup has everything.")


def _is_amount(annotation: Any) -> bool:
    return annotation is Decimal or any(_is_amount(part) for part in get_args(annotation))


def _lines(connection: psycopg.Connection[Any], query: Composed, asked: dict[str, Any]) -> Iterator[str]:
    with connection.cursor(name="export") as cursor:
        cursor.execute(query, asked)
        for row in cursor:
            yield row[0]


def _write(path: Path, lines: Iterator[str]) -> int:
    """How many; without any there is no file."""
    rows = 0
    with path.open("w", encoding="utf-8") as file:
        for line in lines:
            file.write(line + "\n")
            rows += 1
    if not rows:
        path.unlink()
    return rows


def load(stack: Stack, *, tenant: str, folder: Path, on_progress: Callable[[str], None]) -> int:
    """Loads an export in the order in which its files refer to each other; how many rows were rejected."""
    files = [(kind, folder / f"{kind}.jsonl") for kind in KINDS]
    if not any(file.exists() for _, file in files):
        raise LocalError(f"There is no export in {folder}: a file <kind>.jsonl for each kind.")
    rejected = 0
    for kind, file in files:
        if file.exists():
            report = corpus_loader.ingest(stack, file, kind=kind, tenant=tenant)
            rejected += report["rejected"]
            on_progress(f"{kind}: {report['rows_read']} rows, {report['rejected']} rejected")
    corpus_loader.drain(stack, on_progress=on_progress)
    return rejected


if __name__ == "__main__":
    run_command(main)
