"""Making a document once: typeset, put into S3, recorded, audited; afterwards it is only looked up."""

import hashlib
from dataclasses import dataclass
from datetime import datetime

from cpq import audit
from cpq.documents import layouts, queries, s3
from cpq.documents.composition import compose
from cpq.documents.edition import Edition
from cpq.documents.typesetting import typeset
from quarry.data import database
from quarry.data.database import Connection
from quarry.tool.errors import Conflict
from quarry.tool.identity import Caller


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A document in the bucket; ``generated_at`` is when it was first made."""

    bucket: str
    key: str
    sha256: str
    bytes: int
    generated_at: datetime


def find(connection: Connection, edition: Edition) -> Stored | None:
    """As recorded; whether the bucket still has it is another question."""
    row = queries.stored(connection, **edition.names)
    return None if row is None else Stored(**row)


def make(edition: Edition, caller: Caller, *, bucket: str) -> Stored:
    """Raises Conflict, retryable, when the quote was changed meanwhile."""
    layout = layouts.published()
    layout.require(f"{edition.template}.typ")
    document = compose(edition, seller=layout.seller(caller.tenant))
    pdf = typeset(document, template=edition.template, layouts=layout.folder, at=edition.header["priced_at"])
    digest = hashlib.sha256(pdf)
    key = edition.object_key(caller.tenant, sha256=digest.hexdigest())
    labels = {"quote": edition.header["id"], "version": str(edition.header["version"])}
    s3.put_pdf(bucket, key, pdf, sha256=digest.digest(), metadata=labels)
    with database.transaction(caller.tenant) as connection:
        return _record(
            connection, edition, caller=caller, bucket=bucket, key=key, sha256=digest.hexdigest(), bytes=len(pdf)
        )


def _record(connection: Connection, edition: Edition, *, caller: Caller, **made: object) -> Stored:
    _require_unchanged(connection, edition)
    row = queries.store(connection, options=edition.options, generated_by=caller.subject, **edition.names, **made)
    if row.pop("is_new"):
        audit.record(
            connection,
            caller=caller,
            action="quote.document_generated",
            subject=("quote", edition.header["id"]),
            before=None,
            after={**edition.names, "key": row["key"], "sha256": row["sha256"]},
        )
    return Stored(**row)


def _require_unchanged(connection: Connection, edition: Edition) -> None:
    """The quote was free while its document was made; what is recorded must be what it says now."""
    header = queries.current(connection, quote_id=edition.header["id"])
    if header is None or header["content_hash"] != edition.header["content_hash"]:
        raise Conflict(f"{edition.header['id']} changed while it was printed: call again.", retryable=True)
