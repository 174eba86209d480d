"""What a log may say of an unexpected error: its kind and its place, not its text, which may repeat arguments."""

import traceback
from collections.abc import Iterator

import psycopg

MOST_CAUSES = 4
MOST_FRAMES = 8
ABOUT_NAMES = "42"
"""SQLSTATE class whose messages speak of tables, columns and syntax: of our own code, not of a caller's data."""


def described(error: BaseException) -> list[dict[str, object]]:
    """The error, then what caused it; frames run towards the place where it was raised."""
    return [_one(each) for each in _chain(error)]


def _chain(error: BaseException) -> Iterator[BaseException]:
    following: BaseException | None = error
    for _ in range(MOST_CAUSES):
        if following is None:
            return
        yield following
        following = following.__cause__ or (None if following.__suppress_context__ else following.__context__)


def _one(error: BaseException) -> dict[str, object]:
    frames = traceback.extract_tb(error.__traceback__)[-MOST_FRAMES:]
    said: dict[str, object] = {
        "type": f"{type(error).__module__}.{type(error).__qualname__}",
        "frames": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames],
    }
    match getattr(error, "response", None):
        case {"Error": {"Code": str(code)}}:
            said["aws_error"] = code
    if isinstance(error, psycopg.Error) and error.sqlstate is not None:
        named = {"sqlstate": error.sqlstate, "table": error.diag.table_name, "constraint": error.diag.constraint_name}
        said |= {key: value for key, value in named.items() if value is not None}
        if error.sqlstate.startswith(ABOUT_NAMES):
            said["message"] = error.diag.message_primary
    return said
