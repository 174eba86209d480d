"""Drafts as they are stored: a row for each version, which is never changed."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.types.json import Jsonb

from cpq import audit, house
from cpq.drafts import queries
from cpq.drafts.blocks import Letter
from cpq.drafts.value import DraftArgs
from cpq.quotes import queries as quotes
from quarry.data.database import Connection, row_of
from quarry.text import alike
from quarry.tool.errors import Conflict, NotFound
from quarry.tool.identity import Caller


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredDraft:
    id: str
    version: int
    customer: str
    open: int
    content: dict[str, Any]
    letter: dict[str, Any]
    created_at: datetime

    @property
    def asked(self) -> DraftArgs:
        return DraftArgs.model_validate(self.content)

    @property
    def composed(self) -> Letter:
        return Letter.model_validate(self.letter)


def read(connection: Connection, *, draft_id: str, version: int | None = None) -> StoredDraft:
    """Returns the version, or the newest. Raises NotFound with the nearest drafts, or with the draft's versions."""
    named = {"draft_id": draft_id.upper(), "version": version}
    found = row_of(connection, StoredDraft, queries.NEWEST_DRAFT, named)
    if found is not None:
        return found
    newest = row_of(connection, StoredDraft, queries.NEWEST_DRAFT, {**named, "version": None})
    if newest is not None:
        versions = ", ".join(str(each) for each in range(1, newest.version + 1))
        raise NotFound(f"{draft_id} has no version {version}; it has {versions}.")
    near = alike(draft_id, [row["id"] for row in connection.execute(queries.DRAFT_IDS)])
    hint = f"Nearest: {', '.join(near)}." if near else "Find it with draft_list."
    raise NotFound(f"No draft '{draft_id}'. {hint}", details={"nearest": near})


def write(
    connection: Connection,
    content: DraftArgs,
    letter: Letter,
    *,
    before: StoredDraft | None,
    customer: str,
    caller: Caller,
) -> tuple[str, int]:
    """Writes a version and returns its (id, version). Raises Conflict where somebody wrote that version meanwhile."""
    year = quotes.today(connection).year
    version = before.version + 1 if before else 1
    # The number is taken last, because others wait for it.
    draft_id = before.id if before else f"D-{year}-{house.next_number(connection, kind='D', year=year):04}"
    row = {
        "id": draft_id,
        "version": version,
        "account_id": content.account_id,
        "customer": customer,
        "quote_ids": content.quote_ids,
        "open": len(letter.still_open),
        "content": Jsonb(content.model_dump(mode="json", by_alias=True, exclude_unset=True)),
        "letter": Jsonb(letter.model_dump(mode="json")),
        "created_by": caller.subject,
    }
    if connection.execute(queries.INSERT_DRAFT, row).fetchone() is None:
        raise Conflict(f"{draft_id} got a version {version} meanwhile: read it with draft_get, then try again.")
    audit.record(
        connection,
        caller=caller,
        action="draft.revised" if before else "draft.composed",
        draft_id=draft_id,
        before={"version": before.version, "open": before.open} if before else None,
        after={
            "version": version,
            "open": row["open"],
            "account_id": content.account_id,
            "quotes": content.quote_ids,
        },
    )
    return draft_id, version
