"""SnapStart: what a snapshot must not hold, and what a restored environment does before its first call.

A snapshot is taken after the imports and restored many times, minutes or weeks later.
"""

import random
from contextlib import suppress
from functools import cache

import psycopg
from snapshot_restore_py import register_after_restore, register_before_snapshot

from quarry.data import database
from quarry.data.credentials import forget_secrets
from quarry.data.settings import settings
from quarry.embedding import embeddings
from quarry.tool.errors import ToolError


@cache
def register(*, connects: bool) -> None:
    """Tells Lambda's runtime once per process; without SnapStart it never calls back."""
    register_before_snapshot(_let_go)
    register_after_restore(_take_up, connects=connects)


def _let_go() -> None:
    """Validated settings stay; sockets would be dead, and secrets may have been rotated by then."""
    settings()
    database.close()
    embeddings.forget()
    forget_secrets()


def _take_up(*, connects: bool) -> None:
    # Copies of one snapshot would draw the same numbers, and their retries come at the same moments.
    random.seed()
    if connects:
        # A failed restore would take the environment away; the first call tries again and says why.
        with suppress(psycopg.OperationalError, ToolError):
            database.session()
