"""`python -m local.ingest KIND FILE`: ingests a file into the running stack and reports."""

import argparse
import sys
from pathlib import Path
from typing import Any

from local import corpus_loader
from local.failure import LocalError, Refused, run_command
from local.preview import constants_of, to_guess_by
from local.settings import read_settings
from local.stack import SAMPLE_TENANT
from local.tenants import running_stack
from operations.bounds import MOST_KEPT_REJECTS
from operations.documents import FORMS
from operations.ingest import KINDS
from quarry.tool.errors import ToolError

BESIDE_THE_SAMPLE = (
    "These rows stand beside the sample's. A tenant of your own starts empty: "
    "NEW_TENANT=1 SAMPLE=0 TENANT=acme make serve"
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m local.ingest", description=__doc__)
    parser.add_argument("kind", help=", ".join(KINDS))
    parser.add_argument(
        "file",
        type=Path,
        help="a table (.xlsx, .xls, .ods, .csv), .jsonl; for documents .md, .txt, .html, .docx, .pdf or a folder",
    )
    parser.add_argument("--map", type=Path, help="the mapping that make preview wrote for a file of this shape")
    parser.add_argument("--set", default="", help="an encoding that is detected wrong: 'encoding=cp1250'")
    arguments = parser.parse_args()
    said = constants_of(arguments.set)
    if said.keys() - {"encoding"} or (said and arguments.map is not None):
        raise LocalError("SET says the encoding of a file that needs no mapping; all else stands in the mapping.")
    files = files_of(arguments.file, kind=arguments.kind)
    stack, tenant = running_stack()
    replace = read_settings().replace
    mapping = to_guess_by(arguments.kind, said) if said else None
    if arguments.map is not None:
        if not arguments.map.is_file():
            raise LocalError(f"There is no mapping {arguments.map}.")
        mapping = arguments.map.read_text("utf-8")
        corpus_loader.ingest(stack, arguments.map, kind="mappings", tenant=tenant)
    rejected = 0
    for name, file in files:
        if len(files) > 1:
            print(f"{name}:")
        try:
            report = corpus_loader.ingest(
                stack, file, kind=arguments.kind, tenant=tenant, name=name, replace=replace, mapping=mapping
            )
        except Refused as refusal:
            if len(files) == 1:
                raise
            print(refusal)
            rejected += 1
            continue
        rejected += report["rejected"]
        _show(report)
    corpus_loader.drain(stack, on_progress=lambda line: print(line, file=sys.stderr))
    if tenant == SAMPLE_TENANT:
        print(BESIDE_THE_SAMPLE, file=sys.stderr)
    return 1 if rejected else 0


def files_of(path: Path, *, kind: str) -> list[tuple[str, Path]]:
    """(name, file): the one given, or the documents of a folder under their paths in it."""
    if path.is_file():
        return [(path.name, path)]
    if kind != "documents" or not path.is_dir():
        raise LocalError(f"There is no file {path}.")
    found = [(file.relative_to(path).as_posix(), file) for file in sorted(path.rglob("*")) if file.is_file()]
    found = [(name, file) for name, file in found if not any(part.startswith(".") for part in name.split("/"))]
    files = [(name, file) for name, file in found if file.suffix.lower() in FORMS]
    if others := [name for name, file in found if (name, file) not in files]:
        print(f"Not loaded, for documents are {', '.join(FORMS)}: {', '.join(others)}.", file=sys.stderr)
    if files:
        return files
    raise LocalError(f"There is no document in {path}: {', '.join(FORMS)}.")


def _show(report: dict[str, Any]) -> None:
    print(
        f"{report['rows_read']} rows read: {report['inserted']} inserted, {report['updated']} updated, "
        f"{report['unchanged']} unchanged, {report['merged']} merged, {report['rejected']} rejected."
    )
    separated = f", separated by {report['separator']!r}" if report["separator"] else ""
    print(f"Read as {report['encoding']}{separated}.")
    if report["replaces"]:
        _show_replaced(report)
    elif report["removed"]:
        print(f"{report['removed']} passages that the document no longer has were taken out.")
    if report["rejected"]:
        print("Rejected, by cause:")
    for line in (*report["causes"], *report["doubts"], *report["leftover"]):
        print(f"  {line}")
    if report["rejected"]:
        kept = (
            "All rejects" if report["rejected"] <= MOST_KEPT_REJECTS else f"The first {MOST_KEPT_REJECTS:,} rejects"
        )
        print(f"{kept} are in quarry.ingest_rejects, ingest {report['ingest_id']}.")
    if report["stopped"]:
        print(f"The file was not read to its end: {report['stopped']}")
    if report["awaiting_embedding"] is not None:
        print(f"{report['awaiting_embedding']} rows still await an embedding.")


def _show_replaced(report: dict[str, Any]) -> None:
    if report["rejected"]:
        print("Nothing was taken out, because rows were rejected: mend them and ingest the file again.")
        return
    print(f"{report['removed']} rows that the file does not name were taken out.")
    if report["kept"]:
        print(f"  of which {len(report['kept'])} stay, inactive, because quotes rely on them:")
        print("\n".join(f"  {' '.join(map(str, key.values()))}" for key in report["kept"]))


if __name__ == "__main__":
    run_command(main, ToolError)
