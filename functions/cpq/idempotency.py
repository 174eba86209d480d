"""Writes that a retry cannot repeat: the answer is stored under the caller's key, in the write's own transaction."""

from collections.abc import Callable

from psycopg.sql import SQL
from psycopg.types.json import Jsonb

from cpq.content import digest
from quarry.data.database import Connection
from quarry.tool.contract import Args, Result
from quarry.tool.errors import Conflict
from quarry.tool.identity import Caller

CLAIM = SQL("""
    INSERT INTO cpq.idempotency_keys (tenant, tool, key, arguments_sha256)
    VALUES (%(tenant)s, %(tool)s, %(key)s, %(sha256)s) ON CONFLICT DO NOTHING RETURNING key
""")
STORED = SQL("""
    SELECT arguments_sha256, response FROM cpq.idempotency_keys
    WHERE tenant = %(tenant)s AND tool = %(tool)s AND key = %(key)s
""")
STORE = SQL("""
    UPDATE cpq.idempotency_keys SET response = %(response)s
    WHERE tenant = %(tenant)s AND tool = %(tool)s AND key = %(key)s
""")

# The database lets nobody delete a younger one.
FORGET = SQL("""
    DELETE FROM cpq.idempotency_keys WHERE (tenant, tool, key) IN (
        SELECT tenant, tool, key FROM cpq.idempotency_keys
        WHERE tenant = quarry.current_tenant() AND created_at < now() - interval '30 days'
        ORDER BY created_at LIMIT %(most)s)
""")


def once[R: Result](
    connection: Connection,
    *,
    caller: Caller,
    tool: str,
    key: str | None,
    args: Args,
    answer: type[R],
    write: Callable[[], R],
) -> R:
    """What ``write`` answers, or answered when this key was used before; without a key it always writes.

    The claim waits for whoever holds the same key, so of two calls at once one writes. A write that fails
    takes its claim back with the transaction. Raises Conflict when the key was used with other arguments.
    """
    if key is None:
        return write()
    named = {"tenant": caller.tenant, "tool": tool, "key": key}
    sha256 = _digest(args)
    if connection.execute(CLAIM, {**named, "sha256": sha256}).fetchone() is not None:
        result = write()
        connection.execute(STORE, {**named, "response": Jsonb(result.model_dump(mode="json"))})
        return result
    stored = connection.execute(STORED, named).fetchone()
    if stored is None or stored["arguments_sha256"] != sha256:
        raise Conflict(
            f"The idempotency_key '{key}' was used for a {tool} with other arguments. Take a new key for a new write."
        )
    return answer.model_validate(stored["response"])


def forget_old(connection: Connection, *, most: int) -> int:
    """Forgets keys of more than a month ago, at most so many, and says how many: they can be used anew then."""
    return connection.execute(FORGET, {"most": most}).rowcount


def _digest(args: Args) -> str:
    """Of the arguments as they were understood: defaults filled in, the key itself left out."""
    return digest(args.model_dump(mode="json", exclude={"idempotency_key"}))
