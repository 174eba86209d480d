"""Subsegments of X-Ray for what a call asks of the database; nothing where Lambda does not sample the call's trace.

AWS's own SDK would cost every cold start 0.2 s, and a subsegment is one datagram to the daemon beside the function:
https://docs.aws.amazon.com/xray/latest/devguide/xray-api-segmentdocuments.html
"""

import json
import os
import re
import socket
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
from psycopg.sql import Composable, Composed, Literal

from quarry.data.settings import settings

MOST_CHARACTERS = 2000
"""Of a statement's text; the datagram has to hold it."""

_PREFIX = b'{"format": "json", "version": 1}\n'
_SAMPLED = re.compile(r"Root=(1-[0-9a-f]{8}-[0-9a-f]{24});Parent=([0-9a-f]{16});Sampled=1")


@contextmanager
def database_call(queries: Iterable[object]) -> Iterator[None]:
    """One subsegment for all that happens within it, which shows the statements and none of their values."""
    # Lambda's runtime changes it with every invocation, so it is no setting.
    position = _SAMPLED.match(os.environ.get("_X_AMZN_TRACE_ID", ""))
    if position is None or (address := settings().aws_xray_daemon_address) is None:
        yield
        return
    configuration = settings()
    started = time.time()
    fault = True
    try:
        yield
        fault = False
    finally:
        subsegment = {
            "name": f"{configuration.db_name}@{configuration.db_host}",
            "id": os.urandom(8).hex(),
            "trace_id": position[1],
            "parent_id": position[2],
            "type": "subsegment",
            "namespace": "remote",
            "start_time": started,
            "end_time": time.time(),
            "fault": fault,
            "sql": {
                "database_type": "PostgreSQL",
                "user": configuration.db_user,
                "sanitized_query": "; ".join(map(_text, queries))[:MOST_CHARACTERS],
            },
        }
        _send(subsegment, address=address)


class TracedCursor(psycopg.Cursor[Any]):
    """Each statement is a subsegment of its own."""

    def execute(self, query: Any, *arguments: Any, **options: Any) -> "TracedCursor":
        with database_call([query]):
            return super().execute(query, *arguments, **options)

    def executemany(self, query: Any, *arguments: Any, **options: Any) -> None:
        with database_call([query]):
            super().executemany(query, *arguments, **options)


def _text(query: object) -> str:
    match query:
        case Literal():
            return "?"
        case Composed():
            return "".join(map(_text, query))
        case Composable():
            return query.as_string()
        case _:
            return "?"


def _send(subsegment: dict[str, Any], *, address: str) -> None:
    host, _, port = address.rpartition(":")
    # Nobody's call fails because nobody listens.
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as daemon:
        daemon.sendto(_PREFIX + json.dumps(subsegment).encode(), (host, int(port)))
