"""price_history: what a model or comparable goods were sold, lost and offered for."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Annotated

from pydantic import Field, WithJsonSchema

from quarry.attributes.units import Units
from quarry.corpora import LINE_ITEMS
from quarry.money import Currency
from quarry.needs.arguments import NeedRow, needs_of, sent_again
from quarry.needs.grammar import figure_of_day
from quarry.needs.model import BUILT_IN, Choice, Need
from quarry.precedents.accounts import company_key
from quarry.precedents.list_prices import in_words, list_entries
from quarry.precedents.price_history import PriceHistory, histories, past_price
from quarry.retrieval.here import attributes_of, names_of
from quarry.retrieval.hits import Outcome, Query
from quarry.retrieval.search import search
from quarry.text import part_key
from quarry.tool.contract import Args, LeanResult, retrieval_tool
from quarry.tool.errors import ValidationFailed
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve

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
    customer: str | None = Field(
        default=None, description="Whose own prices to show: name, a part of it or account_id."
    )
    price: Amount | None = Field(default=None, description="Per unit: where does it stand?")
    currency: Currency | None = Field(
        default=None, description="Of price; ISO 4217. Needed where several are on record."
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
    attributes = attributes_of(caller.tenant, named=(need.attribute for need in args.needs))
    needs, unread = needs_of(args.needs, attributes=attributes)
    found = _comparable(args, needs, tenant=caller.tenant)
    if _is_wide(found) and (numbered := _by_number(args.query or "", tenant=caller.tenant)):
        found = _comparable(args, [*found.needs, *numbered], tenant=caller.tenant)
    is_wide = _is_wide(found)
    rows = [] if is_wide else [hit.row for hit in found.hits if hit.judgement is not None and hit.judgement.is_met]
    own = company_key(caller.tenant, args.customer, is_id=caller.may("cpq:read"))
    prices = [past_price(row, own=own) for row in rows if (row["unit_price"] or 0) > 0]
    named = [need for need in found.needs if need.name == "model" and not need.negated]
    models = [choice.value for need in named for choice in need.choices]
    currencies = sorted({price.currency for price in prices})
    if args.price is not None and args.currency is None and len(currencies) > 1:
        raise ValidationFailed(f"currency: prices are on record in {', '.join(currencies)}; say which yours is in.")
    currency = args.currency or (currencies[0] if len(currencies) == 1 else None)
    entries = list_entries(caller.tenant, models) if len(models) == 1 else []
    told = histories(
        prices,
        entries=entries,
        units=attributes.units,
        today=date.today(),
        asked=args.price,
        currency=currency,
    )
    said = [TOO_WIDE] if is_wide else [*_notices(rows, told, units=attributes.units if entries else None)]
    if args.price is not None and currencies and currency not in currencies:
        said.append(f"No price in {currency} is on record to hold yours against.")
    if own and told and not any(each.own for each in told):
        said.append(f"None of these is of a customer found as '{args.customer}'.")
    if not told and not said:
        said.append("No priced line of a past quote meets all that was asked for.")
    return PriceHistoryResult(
        histories=told,
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


def _notices(
    rows: Sequence[Mapping[str, object]], found: Sequence[PriceHistory], *, units: Units | None
) -> Iterator[str]:
    """Yields what the reader should know; ``units`` are those declared, where a list price is on record."""
    if missing := sum(not row["unit_price"] for row in rows):
        yield f"{missing} of the lines that fit have no price."
    for each in found:
        if not each.enough:
            yield f"Only {each.count} in {each.currency}{in_words(each.unit)}: too few to call any price usual."
    if later := sum(each.later for each in found):
        yield (
            f"list_then of {later} is the first list price on record, loaded after their quotes: what the list said "
            "then is not known."
        )
    for line in (line for each in found for line in each.above_list):
        yield f"Today's list is below {line}."
    strange = {
        each.unit for each in found if each.unit and not each.list_book and units and not units.named(each.unit)
    }
    if strange:
        yield f"No unit is declared as {', '.join(sorted(strange))}: held against no list price of another unit."


def _is_wide(found: Outcome) -> bool:
    return all(need.name == "family" for need in found.needs)


def _by_number(query: str, *, tenant: str) -> list[Need]:
    """Returns a need for the models that words of the query are the house's own numbers of, however few digits these
    have: where nothing else is asked they are no figures.
    """
    skus = names_of(tenant).skus
    models = [model for word in query.split() for model in skus.get(part_key(word), ())]
    choices = tuple(Choice(value=model) for model in models)
    return [Need(BUILT_IN["model"], choices, " | ".join(models))] if models else []


def _comparable(args: PriceHistoryArgs, needs: Sequence[Need], *, tenant: str) -> Outcome:
    """Searches the priced lines by the needs, and by those that the query's words express.

    Raises Unavailable when embeddings are down and no word matches.
    """
    filters = []
    if since := args.date_from:
        figure = figure_of_day(since)
        filters = [Need(BUILT_IN["date"], (Choice(">=", figure, figure),), f">= {since}")]
    return search(
        COMPARABLE, tenant=tenant, query=args.query, needs=needs, filters=filters, limit=MOST, currency=args.currency
    )


handler = serve(TOOL, PriceHistoryArgs, run)
