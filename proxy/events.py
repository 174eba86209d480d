"""Structured log lines on stderr, one JSON object each; never arguments, results or secrets."""

import json
import logging
import os
import sys
import time
import traceback
from datetime import UTC, datetime

_EVENT = "event_fields"
_QUOTING = ("mcp", "aiohttp")
_INTERNAL = "InternalErrors"
_ENCODER = json.JSONEncoder(separators=(",", ":"), default=str)


class JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "ts": datetime.fromtimestamp(record.created, tz=UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": _event(record),
        }
        if (own := lambda_segment()) is not None:
            line["xray_trace_id"] = own.partition(";")[0].removeprefix("Root=")
        line.update(getattr(record, _EVENT, {}))
        if record.exc_info and record.exc_info[1] is not None:
            line["exception"] = _trace(record.exc_info[1])
        return _ENCODER.encode(line)


def _event(record: logging.LogRecord) -> str:
    # The SDK's own messages quote what a client sent, headers and bodies; the place says as much as we may know.
    if record.name.startswith(_QUOTING):
        return f"sdk_message at {record.filename}:{record.lineno}"
    return record.getMessage()


def _trace(exception: BaseException) -> dict[str, object]:
    # The exception's own text stays out: it may echo arguments, results or a signed URL.
    frames = traceback.extract_tb(exception.__traceback__)[-6:]
    return {
        "type": type(exception).__qualname__,
        "frames": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames],
    }


def lambda_segment() -> str | None:
    """The front's own position in X-Ray's trace, which Lambda's runtime changes with every request."""
    return os.environ.get("_X_AMZN_TRACE_ID")


def configure() -> None:
    """Send every logger of the process to stderr. stdout belongs to the stdio transport."""
    # No line shows them, and each record would look them up.
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("proxy").setLevel(logging.INFO)


def log(logger: logging.Logger, event: str, *, level: int = logging.INFO, **fields: object) -> None:
    """One event with its keys."""
    if logger.isEnabledFor(level):
        # Past Logger.log, which walks the stack for a place in the code that no line shows.
        logger.handle(logger.makeRecord(logger.name, level, "", 0, event, (), None, extra={_EVENT: fields}))


def internal_error(tool: str, *, stack: str, release: str) -> dict[str, object]:
    """Keys of a log line by which CloudWatch counts one, as functions count theirs (embedded metric format).

    For the stack, for the tool, and for the release, whose roll-out it ends; without a stack there is no CloudWatch.
    """
    if not stack:
        return {"tool": tool}
    dimensions = [["Stack"], ["Stack", "Tool"], ["Stack", "Release"]][: 3 if release else 2]
    counted = {"Namespace": "Quarry", "Dimensions": dimensions, "Metrics": [{"Name": _INTERNAL, "Unit": "Count"}]}
    return {
        "_aws": {"Timestamp": int(time.time() * 1000), "CloudWatchMetrics": [counted]},
        "Stack": stack,
        "Tool": tool,
        "Release": release,
        _INTERNAL: 1,
    }
