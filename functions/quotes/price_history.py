"""price_history: what a model or comparable goods were sold, lost and offered for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Annotated

from pydantic import Field, WithJsonSchema

from quarry.corpora import LINE_ITEMS
from quarry.needs.arguments import NeedRow, needs_of, sent_again
from quarry.needs.grammar import figure_of_day
from quarry.needs.model import BUILT_IN, Choice, Need
from quarry.precedents.accounts import company_key
from quarry.precedents.list_prices import list_entries
from quarry.precedents.past_prices import past_price, with_lists
from quarry.precedents.price_history import PastPrice, PriceHistory
from quarry.retrieval.here import attributes_of
from quarry.retrieval.hits import Query
from quarry.retrieval.search import search
from quarry.tool.contract import Args, LeanResult, retrieval_tool
from quarry.tool.errors import ValidationFailed
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve
from quotes.model import NamePart

TOOL = retrieval_tool(
    "price_history",
    title="What was charged before",
    toolset="quotes",
    description="""
        What a model or comparable goods were sold, lost and offered for: figures by outcome with their quotes, a
        customer's own, beside list, and where a price stands. Comparable is what meets every need.
    """,
)

Amount = Annotated[
    Decimal,
    Field(gt=0, max_digits=14, decimal_places=4, allow_inf_nan=False),
    WithJsonSchema({"type": "number", "exclusiveMinimum": 0}),
]


class PriceHistoryArgs(Args):
    query: Annotated[Query, Field(description="One thing: a model, or words of goods.")] | None = None
    needs: list[NeedRow] = Field(default=[], max_length=20, description="What the goods have to meet, by attribute.")
    customer: NamePart | None = Field(default=None, description="Whose own prices to show, or a part of the name.")
    price: Amount | None = Field(default=None, description="Per unit: where does it stand?")
    currency: str | None = Field(
        default=None, pattern=r"^[A-Z]{3}$", description="Of price; ISO 4217. Needed where several are on record."
    )
    date_from: date | None = Field(default=None, description="Earliest quote date.")


class PriceHistoryResult(LeanResult):
    """What was charged, currency by currency."""

    histories: list[PriceHistory] = Field(
        description="One per currency and unit, never mixed; empty when nothing compares."
    )
    needs: list[NeedRow] = Field(default=[], description="What was asked for, as it can be sent again.")
    unread: list[str] = Field(default=[], description="Needs that could not be read, with how to ask.")
    notice: str | None = Field(description="What the reader should know, such as that there are fewer than three.")


def run(args: PriceHistoryArgs, caller: Caller) -> PriceHistoryResult:
    if args.query is None and not args.needs:
        raise ValidationFailed("query: say what the prices are of: a model or words in query, or needs.")
    needs, unread = needs_of(args.needs, attributes=attributes_of(caller.tenant))
    found = comparable(caller.tenant, args.query, needs=needs, customer=args.customer, since=args.date_from)
    currencies = sorted({price.currency for price in found.prices})
    if args.price is not None and args.currency is None and len(currencies) > 1:
        raise ValidationFailed(f"currency: prices are on record in {', '.join(currencies)}; say which yours is in.")
    currency = args.currency or (currencies[0] if len(currencies) == 1 else None)
    histories = with_lists(
        found.prices,
        entries=list_entries(caller.tenant, found.models) if len(found.models) == 1 else [],
        today=date.today(),
        asked=args.price,
        currency=currency,
    )
    said = [found.notice] if found.notice else []
    said += [
        f"Only {each.count} in {each.currency}: too few to call any price usual."
        for each in histories
        if not each.enough
    ]
    said += [f"Today's list is below {line}." for each in histories for line in each.above_list]
    if args.price is not None and currencies and currency not in currencies:
        said.append(f"No price in {currency} is on record to hold yours against.")
    if not histories and not said:
        said.append("No priced line of a past quote meets all that was asked for.")
    return PriceHistoryResult(
        histories=histories,
        needs=sent_again(found.needs),
        unread=[str(each) for each in unread],
        notice=" ".join(said) or None,
    )


COMPARABLE = replace(LINE_ITEMS, copies=False)
"""Line items without the merging of those with the same words, because each was charged by itself."""

MOST = 200
"""Most lines that a search for comparable goods looks at."""

TOO_WIDE = "Nothing asked for makes two things comparable: name a model, or goods with a figure or a value of theirs."
"""The notice where only a family was named, which is too little to compare prices by."""


@dataclass(frozen=True, slots=True)
class ComparablePrices:
    """Prices of comparable goods; ``models`` are those that the needs name, ``notice`` says what is missing."""

    prices: Sequence[PastPrice]
    models: Sequence[str]
    needs: Sequence[Need]
    notice: str | None


def comparable(
    tenant: str, query: str | None, *, needs: Sequence[Need] = (), customer: str | None, since: date | None = None
) -> ComparablePrices:
    """Finds the priced lines that meet every need, including the needs that the query's words express.

    Raises Unavailable when embeddings are down and no word matches.
    """
    filters = []
    if since:
        figure = figure_of_day(since)
        filters = [Need(BUILT_IN["date"], (Choice(">=", figure, figure),), f">= {since}")]
    outcome = search(COMPARABLE, tenant=tenant, query=query, needs=needs, filters=filters, limit=MOST)
    asked = outcome.needs
    models = [choice.value for need in asked if need.name == "model" and not need.negated for choice in need.choices]
    if not any(need.name != "family" for need in asked):
        return ComparablePrices([], models, asked, TOO_WIDE)
    met = [hit.row for hit in outcome.hits if hit.judgement is not None and hit.judgement.is_met]
    own = company_key(tenant, customer)
    prices = [past_price(row, own=own) for row in met if (row["unit_price"] or 0) > 0]
    return ComparablePrices(prices, models, asked, _without_price(met))


def _without_price(rows: Sequence[Mapping[str, object]]) -> str | None:
    missing = sum(not row["unit_price"] for row in rows)
    return f"{missing} of the lines that fit have no price." if missing else None


handler = serve(TOOL, PriceHistoryArgs, run)
