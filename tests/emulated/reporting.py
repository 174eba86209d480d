"""What the run prints: a line for each step, or what was not as it should be."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.emulated.stack import Unexpected


@contextmanager
def step(what: str) -> Iterator[Callable[[str], None]]:
    """Prints the step with its time, and what it has to say of itself."""
    started = time.monotonic()
    said: list[str] = []
    yield said.append
    print(f"ok    {what:<62} {time.monotonic() - started:6.1f} s  {'; '.join(said)}", flush=True)


def require(condition: object, message: str) -> None:
    if not condition:
        raise Unexpected(message)
