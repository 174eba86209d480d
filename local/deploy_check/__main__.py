"""`make deploy-check`: looks at a deployed stack without changing it, and says what is not as it should be.

Exit code 1 when something is not, or could not be looked at.
"""

import argparse
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from local.deploy_check.account import Account, Finding
from local.deploy_check.resources import alarms, costs, database, drift, functions, stack
from local.deploy_check.service import canary, certificates, tools
from local.failure import LocalError, run_command

PARTS: dict[str, Callable[[Account], Iterator[Finding]]] = {
    part.__name__: part for part in (stack, drift, functions, database, certificates, tools, canary, alarms, costs)
}


def checked(account: Account, parts: Iterable[str]) -> Iterator[tuple[str, Finding]]:
    """What each part found; one that could not look has found a fault."""
    for name in parts:
        try:
            yield from ((name, finding) for finding in PARTS[name](account))
        except (BotoCoreError, ClientError) as error:
            yield name, Finding(True, f"could not be looked at: {error}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="deploy-check", description=__doc__)
    parser.add_argument("stack", help="its name; the AWS account of the environment is asked")
    parser.add_argument("--without", nargs="*", default=[], choices=PARTS, help="parts that shall not be looked at")
    arguments = parser.parse_args()
    connect: Any = boto3.client
    account = Account(arguments.stack, connect)
    try:
        found = account.resources
    except (BotoCoreError, ClientError) as error:
        raise LocalError(f"{arguments.stack} cannot be looked at: {error}") from error
    if not found:
        raise LocalError(f"{arguments.stack} has no resources.")
    wrong = 0
    for name, finding in checked(account, [name for name in PARTS if name not in arguments.without]):
        print(f"{'WRONG' if finding.wrong else 'ok':<5}  {name:<12}  {finding.said}", flush=True)
        wrong += finding.wrong
    print("all as it should be" if not wrong else f"{wrong} things are not as they should be")
    return 1 if wrong else 0


if __name__ == "__main__":
    run_command(main)
