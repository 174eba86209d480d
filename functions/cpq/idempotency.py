"""Writes that a retry cannot repeat: the answer is stored under the caller's key, in the write's own transaction."""

from collections.abc import Callable

from psycopg.sql import SQL
from psycopg.types.json import Jsonb
from pydantic import ValidationError

from cpq.quotes.versions import digest
from quarry.data.database import Connection
from quarry.tool.contract import Args, Result
from quarry.tool.errors import Conflict

# A key that is there already is updated to itself, so that the claim waits for whoever holds it and reads its answer.
CLAIM = SQL("""
    INSERT INTO cpq.idempotency_keys (tenant, tool, key, arguments_sha256)
    VALUES (quarry.current_tenant(), %(tool)s, %(key)s, %(sha256)s)
    ON CONFLICT (tenant, tool, key) DO UPDATE SET key = excluded.key RETURNING arguments_sha256, response
""")
STORE = SQL("""
    UPDATE cpq.idempotency_keys SET response = %(response)s
    WHERE tenant = quarry.current_tenant() AND tool = %(tool)s AND key = %(key)s
""")

# A policy of the database keeps younger keys from being deleted.
FORGET = SQL("""
    DELETE FROM cpq.idempotency_keys WHERE (tenant, tool, key) IN (
        SELECT tenant, tool, key FROM cpq.idempotency_keys
        WHERE tenant = quarry.current_tenant() AND created_at < now() - interval '30 days'
        ORDER BY created_at LIMIT %(most)s)
""")


def once[R: Result](
    connection: Connection,
    *,
    tool: str,
    key: str | None,
    args: Args,
    answer: type[R],
    write: Callable[[], R],
) -> R:
    """Returns what ``write`` answers, or answered when this key was used before; without a key it always writes.

    The claim waits for whoever holds the same key, so of two calls at once one writes. A write that fails
    takes its claim back with the transaction. Raises Conflict when the key was used with other arguments, or by a
    release whose answers had another form.
    """
    if key is None:
        return write()
    named = {"tool": tool, "key": key, "sha256": arguments_digest(args)}
    [claimed] = connection.execute(CLAIM, named).fetchall()
    if claimed["response"] is None:
        result = write()
        connection.execute(STORE, {**named, "response": Jsonb(result.model_dump(mode="json"))})
        return result
    if claimed["arguments_sha256"] != named["sha256"]:
        raise Conflict(
            f"The idempotency_key '{key}' was used for a {tool} with other arguments. Take a new key for a new write."
        )
    try:
        return answer.model_validate(claimed["response"])
    except ValidationError as error:
        raise Conflict(
            f"The idempotency_key '{key}' was used for a {tool} that an earlier release answered in another form. "
            "What it wrote is there: look it up. Take a new key for a new write."
        ) from error


def forget_old(connection: Connection, *, most: int) -> int:
    """Deletes keys that are older than a month, at most ``most`` of them, and returns how many it deleted."""
    return connection.execute(FORGET, {"most": most}).rowcount


def arguments_digest(args: Args) -> str:
    """Returns a digest of the validated arguments without the key itself. Defaults are left out, so that a call can
    be repeated to a release that knows more arguments.
    """
    return digest(args.model_dump(mode="json", exclude={"idempotency_key"}, exclude_defaults=True))
