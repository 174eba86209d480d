"""`python -m local.ingest KIND FILE`: ingests a file into the running stack and reports."""

import argparse
import os
import sys
from pathlib import Path

from local import corpus_loader
from local.failure import LocalError
from local.settings import read_settings
from local.stack import require


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m local.ingest", description=__doc__)
    kinds = (
        "products, past_quotes, line_items; vocabulary (your own words and what they ask for), equivalents (what "
        "competitors' machines are worth); stories, documents, highlights, readwise or clippings"
    )
    parser.add_argument("kind", help=kinds)
    parser.add_argument("file", type=Path, help="a .csv or .jsonl file; for clippings a .txt")
    parser.add_argument("--tenant", default="default")
    arguments = parser.parse_args()
    try:
        if not arguments.file.is_file():
            raise LocalError(f"There is no file {arguments.file}.")
        stack = require(read_settings(os.environ).data_dir)
        report = corpus_loader.ingest(stack, arguments.file, kind=arguments.kind, tenant=arguments.tenant)
        print(
            f"{report['rows_read']} rows read: {report['inserted']} inserted, {report['updated']} updated, "
            f"{report['unchanged']} unchanged, {report['rejected']} rejected."
        )
        for repair in report["repairs"]:
            print(f"  line {repair['line']} mended: {repair['reason']}")
        for reject in report["rejects"]:
            print(f"  line {reject['line']}: {reject['reason']}")
        if report["rejected"]:
            print(f"All rejects are in quarry.ingest_rejects, ingest {report['ingest_id']}.")
        if report["awaiting_embedding"] is not None:
            print(f"{report['awaiting_embedding']} rows still await an embedding.")
        corpus_loader.drain(stack, on_progress=lambda line: print(line, file=sys.stderr))
    except LocalError as failure:
        print(failure, file=sys.stderr)
        return 1
    return 1 if report["rejected"] else 0


if __name__ == "__main__":
    sys.exit(main())
