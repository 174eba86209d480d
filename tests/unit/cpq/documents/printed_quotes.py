"""Documents as a quote's composition makes them, for tests of what becomes of them on paper."""

import io
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from pypdf import PdfReader

from cpq.documents.composition import HIGHLIGHTS, in_language
from cpq.documents.content import Customer, Heading, Line, Others, QuoteDocument, Seller, Tax, Template, Totals
from cpq.documents.typesetting import seller_of, typeset
from cpq.documents.wording import DocumentLabels
from local.files import ROOT

LAYOUTS = ROOT / "templates" / "pdf"
PRICED_AT = datetime(2026, 2, 26, 11, 45, 7, 250_000, tzinfo=UTC)
MINOR = {"USD": Decimal("0.01"), "JPY": Decimal(1), "KWD": Decimal("0.001")}


def profile() -> Seller:
    """The company's, with its terms in every language."""
    return seller_of((LAYOUTS / "companies/sample.toml").read_text("utf-8"), file="sample.toml")


def seller() -> Seller:
    """As the company's own documents have it."""
    return in_language(profile(), DocumentLabels.read(LAYOUTS, "en"), own=True)


def line(position: int = 1, *, currency: str = "USD", price: str = "1200", **changes: Any) -> Line:
    amount = Decimal(price).quantize(MINOR[currency])
    values: dict[str, Any] = {
        "position": position,
        "name": f"Filter element {position}",
        "sku": f"FE-{position:03}",
        "description": "Coalescing element, 0.01 micron",
        "attributes": [],
        "note": None,
        "quantity": 1,
        "unit": None,
        "list_price": amount,
        "unit_price": amount,
        "subtotal": amount,
        "discount_pct": None,
        "discount": None,
        "amount": amount,
    }
    return Line(**{**values, **changes})


def customer(**changes: Any) -> Customer:
    values: dict[str, Any] = {
        "name": "Acme Corp",
        "contact": "Dana Whitfield",
        "email": "dana.whitfield@acme.example",
        "address": ["1 Anvil Square", "Portland, OR 97209"],
        "country": "US",
        "tax_id": None,
    }
    return Customer(**{**values, **changes})


def heading(**changes: Any) -> Heading:
    values: dict[str, Any] = {
        "id": "Q-2026-0042",
        "version": 3,
        "issued": date(2026, 2, 26),
        "valid_until": date(2026, 4, 1),
        "reference": "deal_123",
        "term": "12 months",
        "start_date": date(2026, 3, 1),
        "end_date": date(2027, 2, 28),
        "billing": "Monthly",
        "payment": "Net 30 days",
        "currency": "USD",
    }
    return Heading(**{**values, **changes})


def document(*lines: Line, currency: str = "USD", **changes: Any) -> QuoteDocument:
    rows = list(lines or [line(currency=currency)])
    net = sum((row.amount for row in rows), Decimal(0))
    ranked = sorted(rows, key=lambda row: row.amount, reverse=True)
    discount = sum((row.discount or Decimal(0) for row in rows), Decimal(0))
    tax = (net * Decimal("0.06")).quantize(MINOR[currency])
    rest = ranked[HIGHLIGHTS:]
    values: dict[str, Any] = {
        "title": "Quotation",
        "watermark": None,
        "seller": seller(),
        "customer": customer(),
        "quote": heading(currency=currency),
        "lines": rows,
        "highlights": [row.position for row in ranked[:HIGHLIGHTS]],
        "others": Others(count=len(rest), amount=sum((row.amount for row in rest), Decimal(0))),
        "totals": Totals(
            subtotal=net + discount,
            discount=discount or None,
            net=net,
            taxes=[Tax(name="Sales tax 6%", base=net, amount=tax)],
            tax=tax,
            total=net + tax,
        ),
        "approvals": [],
        "trace": [],
        "previous": None,
    }
    return QuoteDocument(**{**values, **changes})


def printed(shown: QuoteDocument, *, template: Template = "standard", layouts: Path = LAYOUTS) -> PdfReader:
    return PdfReader(io.BytesIO(typeset(shown, template=template, layouts=layouts, at=PRICED_AT)))


def pages(pdf: PdfReader) -> list[str]:
    """Text of each page, every blank a single space."""
    return [" ".join(page.extract_text().split()) for page in pdf.pages]
