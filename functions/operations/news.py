"""news: what the front tells a client that waits: how far its call is, and in which toolsets rows were loaded."""

from typing import Any

from psycopg.sql import SQL

from equipment.ingestion import PRODUCTS
from highlights.ingestion import CLIPPINGS, HIGHLIGHTS, READWISE
from operations.own_words import ATTRIBUTES, EQUIVALENTS, FAMILIES, UNITS, VOCABULARY
from quarry.data import database
from quarry.ingestion import Kind
from quarry.tool import progress
from quarry.tool.identity import Caller, LambdaContext
from quarry.tool.runtime import operate
from stories.ingestion import STORIES

LIVE: dict[str, tuple[Kind, ...]] = {
    "equipment": (PRODUCTS, FAMILIES, UNITS, ATTRIBUTES, VOCABULARY, EQUIVALENTS),
    "highlights": (HIGHLIGHTS, READWISE, CLIPPINGS),
    "stories": (STORIES,),
}
"""Toolsets whose resources are made of rows, and the kinds of data that bring those."""

# Counts only ever grow, so a sum that differs says that something was loaded or taken back since.
CHANGES = SQL("""
    SELECT kind, (sum(inserted + updated + removed) + count(undone_at))::bigint AS rows
    FROM quarry.ingests WHERE tenant = %(tenant)s GROUP BY kind
""")


def run(event: dict[str, Any], caller: Caller, context: LambdaContext) -> dict[str, Any]:  # noqa: ARG001
    """``{"of": "call"}`` asks for the call of the client context's request id, anything else for the data."""
    if event.get("of") == "call":
        return {"said": progress.last(caller.tenant, request_id=caller.request_id)}
    loaded = {row["kind"]: row["rows"] for row in database.fetch(caller.tenant, CHANGES, {"tenant": caller.tenant})}
    return {
        "changes": {toolset: sum(loaded.get(kind.name, 0) for kind in kinds) for toolset, kinds in LIVE.items()},
    }


handler = operate("news", run, repeat=True)
