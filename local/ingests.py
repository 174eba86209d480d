"""`python -m local.ingests [--undo NUMBER | --document NAME]`: what was loaded into the running stack, and taking it
back.
"""

import argparse
import sys
from collections.abc import Mapping
from typing import Any

from local import corpus_loader
from local.failure import run_command
from local.stack import invoke
from local.tenants import running_stack

_SECONDS = 600


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m local.ingests", description=__doc__)
    parser.add_argument("--undo", type=int, metavar="NUMBER", help="take this ingest back")
    parser.add_argument("--document", metavar="NAME", help="take out this document, whichever ingest brought it")
    arguments = parser.parse_args()
    stack, tenant = running_stack(absent="refused")
    if arguments.document is not None:
        [report] = invoke(stack, "ingest", {"take_out": arguments.document}, tenant=tenant)["reports"]
        print(f"{arguments.document}: {report['removed']} passages were taken out.")
        print(f"make undo INGEST={report['ingest_id']} brings them back.")
        return
    if arguments.undo is None:
        print("\n".join(listed(invoke(stack, "ingest", {"ingests": True}, tenant=tenant)["ingests"], tenant=tenant)))
        return
    answer = invoke(stack, "ingest", {"undo": arguments.undo}, seconds=_SECONDS, tenant=tenant)
    print("\n".join(told(answer)))
    corpus_loader.drain(stack, on_progress=lambda line: print(line, file=sys.stderr))


def listed(ingests: list[dict[str, Any]], *, tenant: str) -> list[str]:
    """A line for each ingest, the newest first."""
    if not ingests:
        return [f"Nothing was ingested into the tenant {tenant}."]
    return [f"{each['ingest_id']:>5}  {each['started_at'][:16]}  {_line(each)}" for each in ingests]


def _line(each: Mapping[str, Any]) -> str:
    counts = ", ".join(
        f"{each[name]} {name}"
        for name in ("inserted", "updated", "removed", "unchanged", "merged", "rejected")
        if each[name]
    )
    changed = each["inserted"] + each["updated"] + each["removed"]
    if each["undone_at"]:
        state = f"undone {each['undone_at'][:16]}"
    elif each["can_be_undone"]:
        state = f"make undo INGEST={each['ingest_id']}"
    else:
        state = "too old to be undone" if changed else "changed nothing"
    unfinished = "" if each["finished_at"] else " (unfinished)"
    return f"{each['kind']}  {each['file']}  {counts or 'no rows'}{unfinished}  {state}"


def told(answer: Mapping[str, Any]) -> list[str]:
    lines = [
        f"Ingest {answer['ingest_id']}: {answer['removed']} rows removed, {answer['restored']} as they were before."
    ]
    if answer["kept_rows"]:
        lines.append(f"{answer['kept_rows']} stay, inactive, because quotes or earlier prices rely on them:")
        lines += [f"  {kept['table']} {' '.join(map(str, kept['key'].values()))}" for kept in answer["kept"]]
    if answer["quotes"]:
        lines.append(f"Look at these quotes before they go out: {answer['quotes']}.")
    return lines


if __name__ == "__main__":
    run_command(main)
