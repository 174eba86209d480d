"""`python -m local.maintain check|rebuild`: the running stack's search indexes against their rows."""

import argparse
import os
import sys

from local.failure import LocalError
from local.invoke import invoke
from local.settings import read_settings
from local.stack import require

_SECONDS = 900


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m local.maintain", description=__doc__)
    parser.add_argument("action", choices=("check", "rebuild"))
    parser.add_argument("--tenant", help="only this one")
    parser.add_argument("--corpus", help="only this one, such as equipment.products")
    arguments = parser.parse_args()
    event = {name: value for name, value in vars(arguments).items() if value is not None}
    try:
        stack = require(read_settings(os.environ).data_dir)
        answer = invoke(stack, "maintain_search", event, seconds=_SECONDS)
    except LocalError as failure:
        print(failure, file=sys.stderr)
        return 1
    for index in answer["indexes"]:
        name = f"{index['tenant']} {index['corpus']}"
        if arguments.action == "rebuild":
            print(f"{name}: {index['rows']} rows")
        for problem in index.get("problems", ()):
            print(f"{name}: {problem['count']} {problem['problem']}")
    wrong = arguments.action == "check" and bool(answer["indexes"])
    done = "inconsistent" if wrong else {"check": "consistent", "rebuild": "rebuilt"}[arguments.action]
    print(f"{answer['done']} indexes looked at, {done}." + (f" {answer['left']} left." if answer["left"] else ""))
    return 1 if wrong or answer["left"] else 0


if __name__ == "__main__":
    sys.exit(main())
