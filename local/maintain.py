"""`python -m local.maintain check|rebuild|verify-audit`: the running stack's search indexes and its audit chains.

Exit code 1 when an index differs from its rows, when work is left, or when a chain is broken.
"""

import argparse
import os
from typing import Any

from local.failure import run_command
from local.settings import read_settings
from local.stack import invoke, require
from local.tenants import tenant_of

_SECONDS = 900


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m local.maintain", description=__doc__)
    parser.add_argument("action", choices=("check", "rebuild", "verify-audit"))
    parser.add_argument("--tenant", help="only this one")
    parser.add_argument("--corpus", help="only this one, such as equipment.products")
    arguments = parser.parse_args()
    event = {name: value for name, value in vars(arguments).items() if value is not None}
    settings = read_settings({**os.environ, **({"TENANT": arguments.tenant} if arguments.tenant else {})})
    stack = require(settings.data_dir)
    if arguments.tenant is not None:
        tenant_of(settings, stack, absent="refused")
    if arguments.action == "verify-audit":
        return _tell_audit(invoke(stack, "verify_audit", {}))
    return _tell_indexes(arguments.action, invoke(stack, "maintain_search", event, seconds=_SECONDS))


def _tell_audit(report: dict[str, Any]) -> int:
    print(f"{report['rows']} audit rows of {report['tenants']} tenants read.")
    for broken in report["broken"]:
        print(f"  {broken['tenant']}: broken at row {broken['seq']}: {broken['reason']}.")
    print("Every chain is intact." if report["intact"] else "Restore the database from before that row's time.")
    return 0 if report["intact"] else 1


def _tell_indexes(action: str, answer: dict[str, Any]) -> int:
    for index in answer["indexes"]:
        name = f"{index['tenant']} {index['corpus']}"
        if action == "rebuild":
            print(f"{name}: {index['rows']} rows")
        for problem in index.get("problems", ()):
            print(f"{name}: {problem['count']} {problem['problem']}")
    wrong = action == "check" and bool(answer["indexes"])
    done = "inconsistent" if wrong else {"check": "consistent", "rebuild": "rebuilt"}[action]
    print(f"{answer['done']} indexes looked at, {done}." + (f" {answer['left']} left." if answer["left"] else ""))
    return 1 if wrong or answer["left"] else 0


if __name__ == "__main__":
    run_command(main)
