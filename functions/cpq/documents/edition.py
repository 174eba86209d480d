"""Which document is meant: one state of a quote, a layout, and what is printed across it."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from psycopg.rows import DictRow

from cpq.documents import queries
from cpq.documents.content import Renewal, Template, Watermark
from cpq.documents.renewal import renewal
from quarry.data.database import Connection
from quarry.tool.errors import ValidationFailed

PRINTABLE = ("priced", "pending_approval", "approved", "sent")
APPROVED = ("approved", "sent")


@dataclass(frozen=True, slots=True, kw_only=True)
class Edition:
    """All that is printed, as rows of documents.queries; the same options have the same bytes for ever."""

    header: DictRow
    lines: Sequence[DictRow]
    approvals: Sequence[DictRow]
    previous: Renewal | None
    template: Template
    watermark: Watermark | None
    with_trace: bool

    @property
    def options(self) -> dict[str, Any]:
        before = self.previous.heading if self.previous else None
        return {
            "content_hash": self.header["content_hash"],
            "approvals": [row["id"] for row in self.approvals],
            "previous": f"{before.id} v{before.version}" if before else None,
            "watermark": self.watermark,
            "include_pricing_trace": self.with_trace,
        }

    @property
    def names(self) -> dict[str, Any]:
        """The key that cpq.documents holds it under."""
        digest = hashlib.sha256(json.dumps(self.options, sort_keys=True).encode()).hexdigest()
        quote = {"quote_id": self.header["id"], "version": self.header["version"]}
        return {**quote, "template": self.template, "options_sha256": digest}

    def object_key(self, tenant: str, *, sha256: str) -> str:
        parts = (self.template, "trace" if self.with_trace else "", (self.watermark or "").lower(), sha256[:8])
        name = "-".join(filter(None, parts))
        return f"{tenant}/quotes/{self.header['id']}/v{self.header['version']}/{name}.pdf"


def edition_of(
    connection: Connection, header: DictRow, *, template: Template, watermark: Watermark | None, with_trace: bool
) -> Edition:
    """Raises ValidationFailed when the quote's state allows no document, or not this watermark."""
    _require_printable(header)
    mark = _watermark(header, wanted=watermark)
    lines = queries.lines(connection, header)
    return Edition(
        header=header,
        lines=lines,
        approvals=queries.approvals(connection, header),
        previous=_previous(connection, header, lines) if template == "renewal" else None,
        template=template,
        watermark=mark,
        with_trace=with_trace,
    )


def _previous(connection: Connection, header: DictRow, lines: Sequence[DictRow]) -> Renewal | None:
    product_ids = [line["product_id"] for line in lines]
    before = queries.agreement_before(connection, header, product_ids=product_ids)
    if before is None:
        return None
    return renewal(before, queries.lines(connection, before), now=header, now_lines=lines)


def _require_printable(header: DictRow) -> None:
    status = header["status"]
    if status not in PRINTABLE:
        unpriced = status in ("draft", "expired")
        raise ValidationFailed(
            f"{header['id']} version {header['version']} is {status}: only a priced or approved quote is printed. "
            f"{'Price it with quote_price' if unpriced else 'Revise it with quote_create and price it'} first.",
            details={"status": status},
        )


def _watermark(header: DictRow, *, wanted: Watermark | None) -> Watermark | None:
    """As wanted; a quote whose discount still needs a person's approval is a DRAFT, asked for or not."""
    approved = header["status"] in APPROVED
    if wanted == "APPROVED" and not approved:
        raise ValidationFailed(
            f"{header['id']} version {header['version']} is {header['status']}, not approved, so it cannot be marked "
            "APPROVED. Leave watermark out, or see approval_status.",
            details={"status": header["status"]},
        )
    within_policy = (header["policy_evaluation"] or {}).get("status") == "AUTO_APPROVED"
    return wanted if approved or within_policy else "DRAFT"
