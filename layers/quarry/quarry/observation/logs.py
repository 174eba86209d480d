"""Log lines: Powertools' Logger, and what a line may say of an unexpected error."""

import json
import logging
import sys
import traceback
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, TextIO

import psycopg
from aws_lambda_powertools.logging import Logger

from quarry.data.environment import kept
from quarry.data.settings import settings

MOST_CAUSES = 4
MOST_FRAMES = 8
ABOUT_NAMES = "42"
"""SQLSTATE class whose messages speak of tables, columns and syntax: of our own code, not of a caller's data."""


class _StandardOutput(logging.StreamHandler[TextIO]):
    """Writes to standard output as it is at that moment, which tests replace."""

    @property
    def stream(self) -> TextIO:
        return sys.stdout

    @stream.setter
    def stream(self, value: TextIO) -> None:
        """The constructor's."""


@kept
def logger(service: str) -> Logger:
    """Writes lines of one JSON object: the event under `message`, its keys beside it.

    Arguments, secrets and embeddings are never among them.
    """
    made = Logger(
        service=service,
        level=settings().log_level,
        logger_handler=_StandardOutput(),
        # In ASCII, because half a surrogate pair in somebody's text cannot be written.
        json_serializer=partial(json.dumps, default=str),
        use_rfc3339=True,
        utc=True,
        location=None,
    )
    made.setLevel(settings().log_level)  # of a logger that exists already, the constructor leaves it
    return made


def log_failure(service: str, event: str, error: BaseException, *, extra: Mapping[str, Any]) -> None:
    """An unexpected error, without its text unless the level is DEBUG."""
    log = logger(service)
    whole = {"exception": "".join(traceback.format_exception(error))} if log.log_level == logging.DEBUG else {}
    log.error(event, extra={**extra, "errors": described(error), **whole})


def described(error: BaseException) -> list[dict[str, object]]:
    """Kind and place of the error, then of what caused it: not its text, which may repeat arguments.

    Frames run towards the place where it was raised.
    """
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
