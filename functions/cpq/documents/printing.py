"""Prints a quote if its state allows it: typesets it, puts it into S3, and records and audits it once."""

import hashlib
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote as encoded

from cpq import audit
from cpq.approvals import queries as approvals
from cpq.documents import queries, s3, typesetting, wording
from cpq.documents.composition import Edition, compose
from cpq.documents.content import Template, Watermark
from cpq.documents.queries import StoredDocument
from cpq.documents.typesetting import Layouts
from cpq.documents.wording import LABELS, DocumentLabels
from cpq.model import QuoteVersion
from cpq.quotes import versions
from quarry.data import database
from quarry.data.database import Connection
from quarry.tool.errors import Conflict, ValidationFailed
from quarry.tool.identity import Caller

PRINTABLE = ("priced", "pending_approval", "approved", "sent")
APPROVED = ("approved", "sent")


def edition_of(
    connection: Connection,
    version: QuoteVersion,
    *,
    template: Template,
    watermark: Watermark | None,
    with_trace: bool,
    letterhead: str,
    layouts: Path,
) -> Edition:
    """Reads what is to be printed, under the lock that queries.current has taken.

    Raises ValidationFailed when the quote's state allows no document, or not this watermark, and Conflict when its
    rows are no longer what was priced.
    """
    _require_printable(version)
    quote = queries.with_lines(connection, version)
    content_hash = versions.content_hash(version, quote.lines)
    given = approvals.given(connection, version, content_hash=content_hash)
    if content_hash != version.content_hash or (version.status in APPROVED and not given):
        raise Conflict(
            f"{version.name} is not what was priced{' and approved' if version.status in APPROVED else ''}: its rows "
            "were changed by something else than these tools, or by an update of Quarry. Price it again with "
            "quote_price.",
            details={"status": version.status},
        )
    product_ids, before = [line.product_id for line in quote.lines], None
    if template == "renewal":
        before = queries.agreement_before(connection, version, product_ids=product_ids)
    house = queries.house(connection)
    said = house.get("language") or wording.ENGLISH
    own = said if said in wording.languages(layouts) else wording.ENGLISH
    theirs = wording.language_of(version.account, layouts)
    language = theirs or own
    return Edition(
        quote=replace(quote, approvals=given),
        previous=queries.with_lines(connection, before) if before else None,
        template=template,
        watermark=_watermark(version, wanted=watermark),
        with_trace=with_trace,
        letterhead=letterhead,
        language=language,
        own_language=language == own,
        at_home=house.get("country") in (None, wording.country(version.account)),
        product_names=queries.product_names(connection, product_ids=product_ids, language=language),
        lacks=None if theirs or said == own else said,
    )


def make(edition: Edition, caller: Caller, *, layout: Layouts, bucket: str) -> StoredDocument:
    """Typesets, stores and records a document. Raises Conflict, retryable, when the quote was changed meanwhile."""
    layout.require(f"{edition.template}.typ")
    layout.require(f"{LABELS}/{edition.language}.toml")
    version = edition.quote.version
    labels = DocumentLabels.read(layout.folder, edition.language, wording.country(version.account))
    document = compose(edition, seller=layout.seller(caller.tenant), labels=labels)
    pdf = typesetting.typeset(document, template=edition.template, layouts=layout.folder, at=edition.quote.priced_at)
    digest = hashlib.sha256(pdf).hexdigest()
    key = edition.object_key(caller.tenant, sha256=digest)
    number = encoded(version.quote_id, safe=" /#+")  # metadata are ASCII
    s3.put(bucket, key, pdf, metadata={"quote": number, "version": str(version.version)})
    with database.transaction(caller.tenant) as connection:
        return _record(connection, edition, caller=caller, bucket=bucket, key=key, sha256=digest, bytes=len(pdf))


def _require_printable(version: QuoteVersion) -> None:
    if version.ended:
        raise ValidationFailed(
            f"{version.name} was valid until {version.valid_until}, and an offer that has expired is not printed. "
            "Revise it with quote_create and a later valid_until, then price it.",
            details={"status": "expired"},
        )
    if (missing := version.tax_missing) is not None:
        raise ValidationFailed(f"{version.name}: {missing}", details={"status": version.status})
    if version.status not in PRINTABLE:
        cures = {"draft": "Price it with quote_price first.", "discarded": "Draft another and price it."}
        raise ValidationFailed(
            f"{version.name} is {version.status}: only a priced or approved quote is printed. "
            f"{cures.get(version.status, 'Revise it with quote_create and price it first.')}",
            details={"status": version.status},
        )


def _watermark(version: QuoteVersion, *, wanted: Watermark | None) -> Watermark | None:
    """Returns the wanted watermark; a quote whose discount still needs a person's approval is always a DRAFT."""
    approved = version.status in APPROVED
    if wanted == "APPROVED" and not approved:
        raise ValidationFailed(
            f"{version.name} is {version.status}, not approved, so it cannot be marked APPROVED. "
            "Leave watermark out, or ask with approval_request.",
            details={"status": version.status},
        )
    within_policy = version.evaluation is not None and version.evaluation.auto_approved
    return wanted if approved or within_policy else "DRAFT"


def _record(connection: Connection, edition: Edition, *, caller: Caller, **made: object) -> StoredDocument:
    # The quote was not locked while its document was made, so it may have changed since.
    quote_id = edition.quote.version.quote_id
    version = queries.current(connection, quote_id=quote_id)
    if (
        version is None
        or version.content_hash != edition.quote.version.content_hash
        or version.status not in PRINTABLE
    ):
        raise Conflict(f"{quote_id} changed while it was printed: call again.", retryable=True)
    document, is_new = queries.store(
        connection, options=edition.options, generated_by=caller.subject, **edition.names, **made
    )
    if is_new:
        audit.record(
            connection,
            caller=caller,
            action="quote.document_generated",
            quote_id=quote_id,
            after={**edition.names, "key": document.key, "sha256": document.sha256},
        )
    return document
