"""Arguments and results that all searches share: hits with their worth, tables, and what to know of the whole."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Self, get_args

from pydantic import BaseModel, Field

from quarry.attributes.model import Attributes
from quarry.attributes.points import points_of
from quarry.attributes.units import Units
from quarry.money import MONEY
from quarry.needs.arguments import FIT, READ, UNREAD, FilterRow, NeedRow, needs_of, sent_again, short_forms
from quarry.needs.grammar import FIELDS, attribute_of
from quarry.needs.model import BUILT_IN, DESCRIPTION, Need, Unread, amounts_in, of_families
from quarry.paging.pages import Paged, PagedArgs, Pages, room_of
from quarry.precedents.list_prices import in_words, pieces_in
from quarry.retrieval import reasons
from quarry.retrieval.corpus import Corpus
from quarry.retrieval.here import attributes_of
from quarry.retrieval.hits import Hit, Leg, Outcome, Query
from quarry.retrieval.listing import grouped, listing
from quarry.retrieval.search import search
from quarry.retrieval.tables import (
    COLUMNS,
    MOST_COLUMNS,
    NO_ATTRIBUTES,
    OF_SALES,
    WORDS,
    Table,
    table_of,
    unknown_columns,
)
from quarry.retrieval.weights import Confidence
from quarry.text import passage
from quarry.tool.contract import LeanResult, Part
from quarry.tool.errors import ValidationFailed
from quarry.tool.identity import Caller

TOLD = 3
"""Number of hits that come with their text."""

LONGEST_PASSAGE = 220
"""Most characters of a hit's text."""

ROWS = 25
PASSAGE = "Its best passage, verbatim. full: all of it."
DEGRADED = "True when embeddings were unavailable and only words were searched: say so in the draft."
NOTICE = "What to know about this answer, or null."


class SearchHit(Part):
    """Listed first among a hit's bases, so that what was found comes before what it is worth."""

    fit: list[str] | None = Field(default=None, description=FIT, exclude_if=lambda value: value is None)
    score: float | None = Field(
        description="Probability that it is right, 0 to 1: results come in its order. null when only words were "
        "searched."
    )
    confidence: Confidence | None = Field(
        description="likely_good: score from .8, use it; analog: similar, have it reviewed; probable_miss: below .2, "
        "not found, and where all are, nothing was. null without a score."
    )
    legs: list[Leg] | None = Field(
        description="Searches that found it: vector (meaning), text (words, part numbers); []: neither. Left out "
        "where both did, unless with full."
    )
    more: str | None = Field(
        default=None,
        description="The text is a part; this tool has all of it.",
        exclude_if=lambda value: value is None,
    )

    @classmethod
    def of(cls, hit: Hit, *, full: bool = True, **found: object) -> Self:
        one_alone = len(hit.legs) < len(get_args(Leg))
        return cls.model_validate(
            {
                **found,
                "fit": hit.fit or None,
                "score": hit.score,
                "confidence": hit.confidence,
                "legs": hit.legs if hit.legs and (full or one_alone) else None,
            }
        )


class SearchResult[H: SearchHit](Paged):
    results: list[H] = Field(description="Best first; empty when nothing matches.")
    degraded: bool = Field(description=DEGRADED)
    notice: str | None = Field(description=NOTICE)
    omitted: int = Field(default=0, description="Results left to the next pages.")


NOT_HERE = "rows of this search have none; those of another search may"


class TableArgs(PagedArgs):
    """Arguments of a search whose answer is a table; without words a list of what filters leave."""

    query: Query | None = Field(default=None, description="In words; unset: all that filters leave.")
    needs: list[NeedRow] = Field(default=[], max_length=20, description="Judged, never hide a row.")
    filters: list[FilterRow] = Field(default=[], max_length=12, description="Hide every row that does not meet them.")
    columns: list[str] = Field(default=[], max_length=MOST_COLUMNS, description=COLUMNS)
    sort: str | None = Field(
        default=None, max_length=100, description="Attribute or price; '-' before it: highest first."
    )
    group: str | None = Field(
        default=None,
        max_length=100,
        description="Without query: counts, prices, sums by an attribute, customer, year, …; sort by any of them.",
    )
    top_k: int = Field(default=ROWS, ge=1, le=200, description="Most rows.")
    full: bool = Field(default=False, description="Every row with its text; many rows share 15,000 characters.")

    @property
    def told(self) -> int:
        """Number of hits that come with their text: none for a list whose columns are chosen, and one where the text
        is a column, because it says what the search is worth.
        """
        if self.columns and self.query is None and not self.needs and not self.full:
            return 0
        if self.full:
            return self.top_k
        return min(1 if DESCRIPTION in self.columns else TOLD, self.top_k)


class Warned(BaseModel):
    """What a reader has to know before the rows: a filter that was not read has hidden none of them."""

    unread: list[str] = Field(default=[], description=UNREAD)
    notice: str | None = Field(default=None, description=NOTICE)


class TableResult[H: SearchHit](LeanResult, Paged, Table, Warned):
    """What such a search says; its rows are what pages are made of."""

    results: list[H] = Field(description="The first rows with their words, on their pages.")
    needs: list[NeedRow] = Field(default=[], description=READ)
    degraded: bool = Field(default=False, description=DEGRADED)
    omitted: int = Field(default=0, description="Rows left to the next pages.")


class Answer(NamedTuple):
    """A table, the outcome with the hits behind its rows, and what could not be read."""

    table: Table
    outcome: Outcome
    unread: Sequence[str]

    def page[R: Paged](
        self, result: type[R], told: Callable[[Hit, int], SearchHit], *, pages: Pages, args: TableArgs, caller: Caller
    ) -> R:
        """Returns a page of the tool's ``result``; ``told`` tells a hit among so many."""
        hits = self.outcome.hits[: args.told]
        page = result.model_validate(
            {
                "results": [],
                "columns": self.table.columns,
                "rows": [],
                "total": self.table.total,
                "needs": sent_again(self.outcome.needs),
                "unread": list(self.unread),
                "degraded": self.outcome.degraded,
                "notice": self.outcome.notice,
            }
        )
        rows, results = self.table.rows, [told(hit, len(hits)) for hit in hits]
        keys = [tuple(row.root) for row in rows]
        return pages.of_ranking(page, rows, keys=keys, args=args, caller=caller, results=results)


def answer(
    corpus: Corpus,
    args: TableArgs,
    *,
    tenant: str,
    bounds: Iterable[tuple[str, str, str]] = (),
    short: Iterable[tuple[str, object | None]] = (),
    sold: bool = True,
) -> Answer:
    """Answers a search, a list or a group. ``bounds`` are (argument, attribute, what it asks) that a seed fixed,
    ``short`` (built-in attribute, what is asked of it) filters that have arguments of their own; without ``sold``
    nothing is told of what goods were sold for.

    Raises ValidationFailed where words and groups are asked for at once.
    """
    by = args.sort.removeprefix("-") if args.sort else ""
    named = [row.attribute for row in (*args.filters, *args.needs)]
    named += [name for name in (args.group or by, *args.columns) if name and name not in NO_ATTRIBUTES]
    attributes = attributes_of(tenant, named=named)
    fixed, nobody = short_forms(bounds, attributes=attributes)
    rows = [*args.filters, *fixed, *(FilterRow(attribute=name, is_=str(asked)) for name, asked in short
                                     if asked is not None)]  # fmt: skip
    read, unread = needs_of(rows, attributes=attributes)
    filters = [need for need in read if need.name in corpus.built_in or need.name not in BUILT_IN]
    unread += tuple(Unread(need.name, need.asked, NOT_HERE) for need in read if need not in filters)
    needs, open_needs = needs_of(args.needs, attributes=attributes)
    said = [f"Not filtered by {each}" for each in unread]
    said += [*map(str, (*nobody, *open_needs)), *_judged_there(filters, attributes)]
    if args.group:
        if args.query or args.needs:
            raise ValidationFailed("group: counts what filters leave; put needs into filters and leave query out.")
        table, misread = grouped(
            corpus, tenant=tenant, by=args.group, filters=filters, sort=args.sort, limit=args.top_k
        )
        grouped_by_none = len(table.columns) == 1
        empty = (
            [] if table.rows or grouped_by_none else reasons.of(corpus, filters, attributes=attributes, tenant=tenant)
        )
        told = _currencies_apart(corpus, filters, Outcome([]), attributes=attributes, tenant=tenant)
        return Answer(table, Outcome([], notices=[*empty, *told]), [*said, *map(str, misread)])
    if args.query is None and not needs:
        outcome = listing(corpus, tenant=tenant, filters=filters, sort=args.sort, limit=args.top_k)
    else:
        outcome = search(
            corpus, tenant=tenant, query=args.query, needs=needs, filters=filters, sort=args.sort, limit=args.top_k,
        )  # fmt: skip
    if "price" in (FIELDS.get(by, by), *(need.name for need in filters)):
        told = _units_apart([hit.row for hit in outcome.hits], attributes.units)
        outcome = outcome._replace(notices=[*outcome.notices, *told])
    apart = _currencies_apart(corpus, filters, outcome, by=by, attributes=attributes, tenant=tenant)
    outcome = outcome._replace(notices=[*outcome.notices, *apart])
    sort = [by] if attribute_of(by, attributes) else []
    sized = [need.name for need in filters if need.attribute.kind == "number" and need.name not in BUILT_IN]
    chosen, beside = ([*sort, *args.columns], sized) if args.columns else ([], [*sort, *sized])
    table = table_of(corpus, outcome, tenant=tenant, columns=chosen, beside=beside, query=args.query or "",
                     sold=sold)  # fmt: skip
    said += unknown_columns(args.columns, attributes)
    if not sold and (hidden := [name for name in args.columns if name.replace("_", " ") in OF_SALES]):
        said.append(f"{', '.join(hidden)}: told to who has the scope quotes:read")
    return Answer(table, outcome, [*said, *map(str, outcome.unread)])


def _judged_there(filters: Sequence[Need], attributes: Attributes) -> Iterator[str]:
    """Tells of filters that hide no row of a curve, which is judged at what they say."""
    families = of_families(filters, attributes=attributes)
    for need in filters:
        along = (one for one in points_of(attributes) if one.condition == need.name)
        of = {one.of for one in along if attributes.by_name[one.name].is_of_any(families)}
        if of and not need.is_silence:
            dependent = " and ".join(sorted(of))
            yield f"{need.name} {need.asked} hides no row with points of {dependent}: ask it as a need, too"


def _currencies_apart(
    corpus: Corpus,
    filters: Sequence[Need],
    outcome: Outcome,
    *,
    by: str = "",
    attributes: Attributes,
    tenant: str,
) -> Iterator[str]:
    """Tells of amounts in other currencies than those that are compared; what a search leaves open it shows."""
    hidden, judged = (
        any(need.name in MONEY and not need.is_silence for need in asked) for asked in (filters, outcome.needs)
    )
    if not (hidden or judged or by in MONEY) or any(need.name == "currency" for need in outcome.needs):
        return
    counted: Mapping[str, int] = Counter(hit.row["currency"] for hit in outcome.hits if hit.row.get("currency"))
    if hidden or not outcome.needs:
        counted = reasons.currencies(corpus, filters, attributes=attributes, tenant=tenant) or counted
    own = amounts_in(filters, attributes=attributes)
    told = ", ".join(f"{count} in {currency}" for currency, count in sorted(counted.items()) if currency != own)
    if told and (len(counted) > 1 or (own and (hidden or judged))):
        beside = f"beside those in {own} there are" if own else "there are"
        text = f"Amounts in different currencies do not compare: {beside} {told}."
        yield f"{text} A filter on currency compares those of one."


def _units_apart(rows: Iterable[Mapping[str, Any]], units: Units) -> Iterator[str]:
    """Tells where prices that are sorted or filtered are by the month, the hour and for pieces."""
    said = (row.get("price_unit") or row.get("unit") for row in rows if row.get("price") or row.get("unit_price"))
    several = dict.fromkeys("each" if pieces_in(unit, units) else in_words(unit).strip() or "each" for unit in said)
    if len(several) > 1:
        yield f"Prices are for different units, which do not compare: {', '.join(several)}."


def passage_of(text: str, args: TableArgs, *, among: int, whole_in: str) -> tuple[str, str | None]:
    """Returns (what is shown of a hit's text beside those of ``among`` hits, the tool that has more of it); with
    ``full``, one that is told alone is told whole.
    """
    if args.full and among == 1:
        return text, None
    most = LONGEST_PASSAGE
    if args.full:
        most = max(LONGEST_PASSAGE, (room_of(args.max_tokens) // 2 if args.max_tokens else WORDS) // among)
    part = passage(text, query=args.query or "", most=most)
    return part, whole_in if len(part) < len(text) else None
