"""Rows of a quote in, the document that is printed out; notes, margins and policies stay behind."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC
from decimal import Decimal

from psycopg.rows import DictRow

from cpq.documents import wording
from cpq.documents.content import (
    Approval,
    Customer,
    Line,
    Others,
    QuoteDocument,
    Tax,
    Totals,
    TraceStep,
)
from cpq.documents.edition import Edition
from cpq.documents.heading import heading
from cpq.documents.profile import Seller
from cpq.pricing.trace import Trace

HIGHLIGHTS = 5
"""As many lines as a summary lists."""


def compose(edition: Edition, *, seller: Seller) -> QuoteDocument:
    trace = Trace.model_validate(edition.header["trace"])
    ranked = sorted(edition.lines, key=lambda line: line["line_total"], reverse=True)
    return QuoteDocument(
        title="Quotation",
        watermark=edition.watermark,
        seller=seller,
        customer=_customer(edition.header),
        quote=heading(edition.header),
        lines=[_line(line, edition.header) for line in edition.lines],
        highlights=[line["sort_order"] for line in ranked[:HIGHLIGHTS]],
        others=_others(ranked[HIGHLIGHTS:]),
        totals=_totals(edition.header, trace),
        approvals=[_approval(row) for row in edition.approvals],
        trace=_steps(trace) if edition.with_trace else [],
        previous=edition.previous,
    )


def _customer(header: DictRow) -> Customer:
    account = header["account"]
    return Customer(
        name=account["name"],
        contact=account.get("contact_name"),
        email=account.get("contact_email"),
        address=wording.address(account),
        country=wording.country(account),
        tax_id=account.get("tax_id"),
    )


def _line(line: DictRow, header: DictRow) -> Line:
    return Line(
        position=line["sort_order"],
        name=line["product_name"],
        sku=line["sku"],
        description=line["description"] or None,
        attributes=wording.attributes(line["attributes"]),
        note=line["notes"],
        quantity=line["quantity"],
        unit=wording.unit(line["unit"], term_months=header["term_months"]),
        list_price=_price(line["base_unit_price"], header),
        unit_price=_price(line["unit_price"], header),
        subtotal=line["subtotal"],
        discount_pct=wording.percent(line["effective_discount_pct"]),
        discount=line["discount_amount"] or None,
        amount=line["line_total"],
    )


def _price(value: Decimal, header: DictRow) -> Decimal:
    """With the currency's digits at least; a price may have more of them."""
    digits = Decimal(1).scaleb(-header["minor_units"])
    return value.quantize(digits) if value == value.quantize(digits) else value.normalize()


def _others(lines: Sequence[DictRow]) -> Others | None:
    if not lines:
        return None
    return Others(count=len(lines), amount=sum((line["line_total"] for line in lines), Decimal(0)))


def _totals(header: DictRow, trace: Trace) -> Totals:
    return Totals(
        subtotal=header["subtotal"],
        discount=header["discount_total"] or None,
        net=header["subtotal"] - header["discount_total"],
        taxes=_taxes(trace),
        tax=header["tax_total"],
        total=header["total"],
    )


def _taxes(trace: Trace) -> list[Tax]:
    """One row per rule, by falling rate; its lines were rounded one by one, and are summed."""
    rules = {line.tax.id: line.tax for line in trace.lines if line.tax is not None}
    base: defaultdict[str, Decimal] = defaultdict(Decimal)
    amount: defaultdict[str, Decimal] = defaultdict(Decimal)
    for line in trace.lines:
        if line.tax is not None:
            base[line.tax.id] += line.line_total
            amount[line.tax.id] += line.tax_amount
    ordered = sorted(rules.values(), key=lambda rule: (-rule.rate_pct, rule.name))
    return [
        Tax(name=_tax_name(rule.name, rule.rate_pct), base=base[rule.id], amount=amount[rule.id]) for rule in ordered
    ]


def _tax_name(name: str, rate: Decimal) -> str:
    return name if "%" in name else f"{name} {wording.percent(rate) or 0:f}%"


def _approval(row: DictRow) -> Approval:
    return Approval(
        name=row["approver_name"] or wording.role(row["approver_role"]),
        role=wording.role(row["approver_role"]),
        decided=row["decided_at"].astimezone(UTC).date(),
    )


def _steps(trace: Trace) -> list[TraceStep]:
    return [
        TraceStep(
            subject=f"{position}. {line.product_name}", rules=line.steps, result=line.line_total + line.tax_amount
        )
        for position, line in enumerate(trace.lines, start=1)
    ]
