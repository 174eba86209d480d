"""maintain_search: checks the search indexes against their rows, or rebuilds them; one corpus, one tenant, or all."""

from typing import Any

import psycopg
from psycopg.rows import dict_row
from psycopg.sql import SQL

from quarry.data import database
from quarry.data.settings import settings
from quarry.tool.errors import NotFound, ValidationFailed
from quarry.tool.identity import Caller, LambdaContext
from quarry.tool.runtime import logger, operate

TIME_TO_FINISH_MS = 30_000
ACTIONS = ("check", "rebuild")

PAIRS = SQL("""
    SELECT t.tenant, c.corpus FROM quarry.tenants t CROSS JOIN search.corpora c
    WHERE (%(tenant)s::text IS NULL OR t.tenant = %(tenant)s) AND (%(corpus)s::text IS NULL OR c.corpus = %(corpus)s)
    ORDER BY t.tenant, c.corpus
""")
PROBLEMS = SQL("SELECT problem, count FROM search.inconsistencies(%(corpus)s)")
REBUILD = SQL("SELECT search.rebuild(%(corpus)s) AS rows")


def run(event: dict[str, Any], caller: Caller, context: LambdaContext) -> dict[str, Any]:  # noqa: ARG001
    """Takes {"action": "check" or "rebuild", "tenant"?, "corpus"?}; ``left`` says how many time did not suffice for.

    Each rebuild is one transaction under the lock that writes to that corpus and tenant take: writes wait, searches
    read the old index until it is done.
    """
    action, tenant, corpus = (event.get(name) for name in ("action", "tenant", "corpus"))
    if action not in ACTIONS or not all(isinstance(value, str | None) for value in (tenant, corpus)):
        raise ValidationFailed("Give 'action', check or rebuild, and if you like 'tenant' and 'corpus' as text.")
    reports: list[dict[str, Any]] = []
    configuration = settings()
    with psycopg.connect(**database.address(configuration), autocommit=True, row_factory=dict_row) as connection:
        pairs = connection.execute(PAIRS, {"tenant": tenant, "corpus": corpus}).fetchall()
        if not pairs:
            raise NotFound(f"There is no tenant {tenant or 'at all'} with a corpus {corpus or 'at all'}.")
        for pair in pairs:
            if context.get_remaining_time_in_millis() < TIME_TO_FINISH_MS:
                break
            reports.append({**pair, **_one(connection, pair, action=action)})
    wrong = [report for report in reports if report.get("problems")]
    if wrong:
        logger("maintain_search").error("index_inconsistent", extra={"indexes": wrong})
    shown = wrong if action == "check" else reports
    return {"action": action, "done": len(reports), "left": len(pairs) - len(reports), "indexes": shown}


def _one(connection: psycopg.Connection[dict[str, Any]], pair: dict[str, Any], *, action: str) -> dict[str, Any]:
    with connection.transaction():
        connection.execute(database.SET_TENANT, {"tenant": pair["tenant"]})
        if action == "check":
            return {"problems": connection.execute(PROBLEMS, {"corpus": pair["corpus"]}).fetchall()}
        [rebuilt] = connection.execute(REBUILD, {"corpus": pair["corpus"]})
        return rebuilt


handler = operate("maintain_search", run)
