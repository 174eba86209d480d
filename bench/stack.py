"""The stack that a benchmark runs on."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from local.stack import Stack, running, start


@contextmanager
def stack_of(data_dir: Path) -> Iterator[Stack]:
    """The running stack of this data directory, or one of its own for as long as the benchmark takes."""
    if (stack := running(data_dir)) is not None:
        yield stack
        return
    print("No stack is running; starting one ...", file=sys.stderr)
    with start(data_dir) as started:
        yield started
