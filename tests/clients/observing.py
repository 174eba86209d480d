"""How the Python programs say what their client saw: a line of JSON each, on standard output.

Imports nothing but the standard library, for these programs run in the clients' own environments.
"""

import json
import sys
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Task:
    """What every client is to do; `guarded_url` is the same server, but asks for a key."""

    url: str
    era: str
    search: dict[str, Any]
    failing: dict[str, Any]
    resource: str
    templated: str
    prompt: dict[str, Any]
    completion: dict[str, Any]
    guarded_url: str
    key: str
    wrong_key: str


def task() -> Task:
    return Task(**json.loads(sys.stdin.read()))


def saw(what: str, value: object) -> None:
    print(json.dumps({"saw": what, "value": value}), flush=True)


def refusal(error: BaseException) -> str:
    """What is said inside of the groups and chains that asynchronous clients wrap a refusal in."""
    if isinstance(error, BaseExceptionGroup):
        return "; ".join(refusal(inner) for inner in error.exceptions)
    return f"{type(error).__name__}: {error}" + (f" ({refusal(error.__cause__)})" if error.__cause__ else "")
