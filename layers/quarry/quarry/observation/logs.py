"""Structured log lines on standard output, one JSON object each: what happened under `message`, then its keys."""

import json
import sys
import traceback
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any

from quarry.data.settings import settings
from quarry.observation.unexpected import described

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")


class Log:
    """Writes the lines of one service at its level or above. Never arguments, secrets or embeddings."""

    def __init__(self, service: str, *, level: str) -> None:
        self._service = service
        self._from = LEVELS.index(level)

    def info(self, event: str, *, extra: Mapping[str, Any]) -> None:
        self._write("INFO", event, extra)

    def warning(self, event: str, *, extra: Mapping[str, Any]) -> None:
        self._write("WARNING", event, extra)

    def error(self, event: str, *, extra: Mapping[str, Any]) -> None:
        self._write("ERROR", event, extra)

    def failure(self, event: str, error: BaseException, *, extra: Mapping[str, Any]) -> None:
        """An unexpected error, without its text unless the level is DEBUG."""
        whole = {"exception": "".join(traceback.format_exception(error))} if self._from == 0 else {}
        self._write("ERROR", event, {**extra, "errors": described(error), **whole})

    def _write(self, level: str, event: str, extra: Mapping[str, Any]) -> None:
        if LEVELS.index(level) >= self._from:
            now = datetime.now(UTC).isoformat(timespec="milliseconds")
            line = {"level": level, "message": event, "timestamp": now, "service": self._service, **extra}
            sys.stdout.write(json.dumps(line, default=str) + "\n")
            sys.stdout.flush()


@cache
def logger(service: str) -> Log:
    return Log(service, level=settings().log_level)
