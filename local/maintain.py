"""`python -m local.maintain check|rebuild|verify-audit`: the running stack's search indexes and its audit chains.

Exit code 1 when an index differs from its rows, when work is left, or when a chain is broken.
"""

import argparse
from typing import Any

from local.failure import run_command
from local.settings import read_settings
from local.stack import Stack, invoke, require
from local.tenants import tenant_of

_SECONDS = 900


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m local.maintain", description=__doc__)
    parser.add_argument("action", choices=("check", "rebuild", "verify-audit"))
    parser.add_argument("--corpus", help="only this one, such as equipment.products")
    arguments = parser.parse_args()
    settings = read_settings()
    stack = require(settings.data_dir)
    if arguments.action == "verify-audit":
        return verify_audit(stack)
    event = {"action": arguments.action, "corpus": arguments.corpus}
    if settings.tenant is not None:
        event["tenant"] = tenant_of(settings, stack, absent="refused")
    return maintain_search(stack, {name: value for name, value in event.items() if value is not None})


def verify_audit(stack: Stack) -> int:
    """Tells of the chains, and returns 1 where one is broken."""
    report = invoke(stack, "verify_audit", {})
    print(f"{report['rows']} audit rows of {report['tenants']} tenants read.")
    for broken in report["broken"]:
        print(f"  {broken['tenant']}: broken at row {broken['seq']}: {broken['reason']}.")
    print("Every chain is intact." if report["intact"] else "Restore the database from before that row's time.")
    return 0 if report["intact"] else 1


def maintain_search(stack: Stack, event: dict[str, Any]) -> int:
    """Tells of the indexes, and returns 1 where one differs from its rows or work is left."""
    action, answer = event["action"], invoke(stack, "maintain_search", event, seconds=_SECONDS)
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
