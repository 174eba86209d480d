"""The internal notes of a draft: review blockquotes, attribution lines and price precedents."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

from local.demo.results import LineItemHit, QuoteContext, QuoteHit
from local.demo.trace import shown_score

REVIEW = "> **SALESPERSON REVIEW:**"


def review(headline: str, *, points: Sequence[str] = ()) -> str:
    return "\n".join([f"{REVIEW} {_one_line(headline)}", *(f"> - {_one_line(point)}" for point in points)])


def attribution(hit: LineItemHit) -> str:
    quote, item = hit.source_quote, hit.line_item
    dated = quote.quote_date.isoformat() if quote.quote_date else "undated"
    band = hit.confidence or "no score, matched by words only"
    return (
        f"> **Attribution:** {quote.customer}, quote {item.quote_number}, {dated}, line {item.position}"
        f" · score {shown_score(hit.score)} · {band}"
    )


def price_review(hits: Sequence[LineItemHit], *, contexts: Mapping[str, QuoteContext]) -> str:
    if not hits:
        return review("price needed. No priced precedent was found.")
    return review(
        "price needed. Precedents, not proposals:",
        points=[_precedent(hit, contexts.get(hit.line_item.quote_number)) for hit in hits],
    )


def _precedent(hit: LineItemHit, context: QuoteContext | None) -> str:
    item, quote = hit.line_item, hit.source_quote
    model = " ".join(part for part in (item.manufacturer, item.model) if part) or "no model recorded"
    each = money(item.unit_price, item.currency)
    parts = [
        f"{quote.customer}, {item.quote_number} line {item.position}, {quote.quote_date or 'undated'}"
        f"{f', {quote.status}' if quote.status else ''}: {model}, {_count(item.quantity)} × {each}",
        f"Why this price: {item.price_note}" if item.price_note else "No reason recorded for this price",
    ]
    if context and context.quote.price_rationale:
        parts.append(f"The quote as a whole: {context.quote.price_rationale}")
    return ". ".join(part.rstrip(".") for part in parts) + "."


def project_points(hits: Sequence[QuoteHit]) -> list[str]:
    return [
        f"{hit.quote.customer}, {hit.quote.quote_number}, {hit.quote.quote_date or 'undated'}: "
        f"{hit.quote.project or 'no project named'} · {hit.quote.status or 'status unknown'} · "
        f"{money(hit.quote.total_price, hit.quote.currency)} · score {shown_score(hit.score)} · "
        f"{hit.confidence or 'matched by words only'}"
        for hit in hits
    ]


def money(amount: Decimal | None, currency: str | None) -> str:
    if amount is None:
        return "no price"
    return f"${amount:,.2f}" if currency in (None, "USD") else f"{currency} {amount:,.2f}"


def _count(quantity: Decimal | None) -> str:
    return f"{quantity.normalize():f}" if quantity else "1"


def _one_line(text: str) -> str:
    return " ".join(text.split())
