"""The error that ends a local command with a message and no traceback."""

import sys
from collections.abc import Callable
from typing import NoReturn


class LocalError(Exception):
    """A failure that the person at the keyboard can put right; the message says how."""


class Refused(LocalError):
    """A function's expected failure, with its ``code``."""

    def __init__(self, function: str, *, code: str, message: str) -> None:
        super().__init__(f"{function}: {message}")
        self.code = code


def require_typed(word: str, *, prompt: str, otherwise: str) -> None:
    """Has the person at the keyboard type the word before something is lost. Raises LocalError for another."""
    try:
        typed = input(prompt).strip()
    except EOFError:
        typed = None
    if typed != word:
        raise LocalError(otherwise)


def run_command(main: Callable[[], int | None], *expected: type[Exception]) -> NoReturn:
    """Exits with the command's status; a LocalError, or another that is ``expected``, becomes its message and 1."""
    messages: tuple[type[Exception], ...] = (LocalError, *expected)
    try:
        sys.exit(main())
    except messages as failure:
        sys.exit(str(failure))
