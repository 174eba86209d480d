"""The error that ends a local command with a message and no traceback."""

import sys
from collections.abc import Callable
from typing import NoReturn


class LocalError(Exception):
    """A failure that the person at the keyboard can put right; the message says how."""


def run_command(main: Callable[[], int | None], *expected: type[Exception]) -> NoReturn:
    """Exits with the command's status; a LocalError, or another that is ``expected``, becomes its message and 1."""
    messages: tuple[type[Exception], ...] = (LocalError, *expected)
    try:
        sys.exit(main())
    except messages as failure:
        sys.exit(str(failure))
