"""find_for_request: tables of candidates for every item of a request, and what is on record of its customer."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any

from psycopg.rows import DictRow
from pydantic import Field

from quarry.attributes.model import Attributes, values_of
from quarry.corpora import LINE_ITEMS, PRODUCTS
from quarry.data import database
from quarry.money import Currency
from quarry.needs.arguments import NeedRow, sent_again
from quarry.needs.grammar import attribute_of
from quarry.needs.model import SIGNS, Need
from quarry.paging.pages import Paged, PagedArgs, Pages, room_of
from quarry.precedents import sold_with as precedents
from quarry.precedents.list_prices import Market, list_entries, price_for
from quarry.retrieval.here import attributes_of
from quarry.retrieval.hits import Hit, Outcome
from quarry.retrieval.judging import words_in
from quarry.retrieval.own_words import OwnWords
from quarry.retrieval.search import search
from quarry.retrieval.tables import COLUMNS, MOST_COLUMNS, Cells, Table, table_of, unknown_columns
from quarry.text import part_key, words_of
from quarry.tool.contract import LeanResult, Part, retrieval_tool
from quarry.tool.errors import Unavailable
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve
from quotes import queries
from quotes.customers import NOBODY, KnownCustomer, OnRecord, known
from quotes.request_items import MOST_ITEMS, First, RequestItem, asked_for

TOOL = retrieval_tool(
    "find_for_request",
    title="Find all for a request",
    toolset="quotes",
    description="""
        Start a quote here. For each item of a mail, as you read it, a table of candidates with a verdict per need,
        prices and last sales, and the past line nearest to it. Once: customer and history, what such goods were sold
        with, who may be named. Read list_attributes first; needs decide, words only order.
    """,
)

PAGES = Pages(tool=TOOL, into="items")

ROWS = 10
BUDGET = 8000
OTHERS = 4
"""Most candidates shown that do not meet every need, unless the call says how many rows it wants."""
LINES = 3
"""Past lines that are shown beside the candidates of an item."""


class FindForRequestArgs(PagedArgs):
    items: list[RequestItem] = Field(min_length=1, max_length=MOST_ITEMS, description="One for each thing asked for.")
    customer: str | None = Field(default=None, description="Company as the mail has it, or its account_id.")
    currency: Currency | None = Field(default=None, description="Unset: the account's.")
    columns: list[str] = Field(default=[], max_length=MOST_COLUMNS, description=COLUMNS)
    rows: int = Field(default=ROWS, ge=1, le=50, description="Most candidates an item.")
    max_tokens: int | None = Field(default=BUDGET, ge=100, le=room_of(None), description="Budget of a page.")


class FoundItem(Part):
    item: int = Field(description="Its place in the request, from 1.")
    what: str = Field(description="As asked.")
    needs: list[NeedRow] = Field(
        default=[], description="Judged too, from data and words; all that you asked count, but for unread."
    )
    unread: list[str] = Field(default=[], description="Needs that could not be read, with how to ask.")
    candidates: Table | None = Field(
        default=None, description="Fit: one sign per need. Nothing contradicts before -."
    )
    lines: Table | None = Field(default=None, description="Past lines nearest to it.")
    notice: str | None = Field(default=None, description="What to know: nobody has it, several together would do.")
    degraded: bool = Field(default=False, description="Only words were searched.")


class FindForRequestResult(LeanResult, Paged):
    """Tables for the items of a request, and what is on record for the request as a whole."""

    items: list[FoundItem] = Field(description="In the order asked.")
    omitted: int = Field(default=0, description="Items left to the next pages.")
    customer: KnownCustomer | None = Field(default=None, description="First page only.")
    sold_with: Table | None = Field(default=None, description="What such goods were sold with; first page.")
    services: Table | None = Field(default=None, description="What is sold beside goods, at list; first page.")
    references: list[str] = Field(
        default=[], description="May be named, nearest first, for that quote; nobody else. First page."
    )
    house: dict[str, str] = Field(
        default={}, description="Who answers what and how soon, where the house works; with a question. First page."
    )
    next: list[str] = Field(default=[], description="Calls that answer what is open.")


@dataclass(slots=True)
class Whole:
    """What all items share; ``firsts`` has each item's first candidate by its number, for items that serve it."""

    attributes: Attributes
    currency: str | None
    on_record: OnRecord
    firsts: dict[int, First] = field(default_factory=dict)
    families: set[str] = field(default_factory=set)


def run(args: FindForRequestArgs, caller: Caller) -> FindForRequestResult:
    place = PAGES.place(args, caller)
    begin = int(place.after[0]) if place.after else 0
    on_record = known(caller, args.customer) if args.customer else NOBODY
    house_currency, facts = queries.house(caller.tenant)
    own_currency = on_record.customer.currency if on_record.customer else None
    named = (need.attribute for item in args.items for need in item.needs)
    whole = Whole(
        attributes_of(caller.tenant, named=named), args.currency or own_currency or house_currency, on_record
    )
    items = _found(args, caller, begin=begin, whole=whole)
    once = _once(args, whole, items, facts=facts, caller=caller) if begin == 0 else {}
    page = FindForRequestResult(items=[], **once)
    return PAGES.of_listing(
        page,
        items,
        keys=[(item.item,) for item in items],
        more=begin + len(items) < len(args.items),
        args=args,
        caller=caller,
    )


def _found(args: FindForRequestArgs, caller: Caller, *, begin: int, whole: Whole) -> list[FoundItem]:
    """Answers the items after ``begin``, those that serve another item last. An item that could not be searched says
    so; Unavailable is raised where that leaves no rows at all.
    """
    found, failure = [], None
    for number, item in sorted(
        enumerate(args.items, start=1), key=lambda each: (each[1].behind is not None, each[0])
    ):
        if number <= begin and number not in {one.behind for one in args.items}:
            continue
        try:
            one = _answer(number, item, args=args, whole=whole, tenant=caller.tenant)
        except Unavailable as error:
            failure = error
            one = FoundItem(item=number, what=item.what, degraded=True, notice=f"Not answered: {error.message}")
        if number > begin:
            found.append(one)
    if failure is not None and all(one.candidates is None and one.lines is None for one in found):
        raise failure
    return sorted(found, key=lambda one: one.item)


def _answer(number: int, item: RequestItem, *, args: FindForRequestArgs, whole: Whole, tenant: str) -> FoundItem:
    if item.kind == "question":
        return FoundItem(item=number, what=item.what)
    needs, unread, notices = asked_for(item, served=whole.firsts, attributes=whole.attributes, tenant=tenant)
    outcome = table = None
    if item.kind in ("goods", "service"):
        products = partial(
            search, PRODUCTS, tenant=tenant, query=item.what, needs=needs, machines=item.machines, down=item.down,
            currency=whole.currency,
        )  # fmt: skip
        outcome = products(filters=(), limit=args.rows)
        others = args.rows if "rows" in args.model_fields_set else OTHERS
        if item.kind == "service":
            told = _services(outcome.hits, what=item.what, had=whole.on_record.had)[:others]
        else:
            told = _shown_hits(outcome.hits, others=others)
            if named := _named(needs, told=told, products=products):
                told = sorted([*told, *named], key=_contradicts)
        table = table_of(
            PRODUCTS, outcome._replace(hits=told), tenant=tenant, columns=args.columns, currency=whole.currency,
            market=whole.on_record.market,
        )  # fmt: skip
        if item.kind == "goods":
            notices += outcome.notices
            _remember(number, item, outcome, whole)
    lines = search(
        LINE_ITEMS, tenant=tenant, query=item.what, needs=needs, filters=(), limit=LINES, currency=whole.currency
    )
    judged = outcome.needs if outcome else lines.needs
    meant = ((need.attribute, attribute_of(need.attribute, whole.attributes)) for need in item.needs)
    said = {attribute.name if attribute else name for name, attribute in meant}
    return FoundItem(
        item=number,
        what=item.what,
        needs=[need for need in sent_again(judged) if need.attribute not in said],
        unread=[str(each) for each in (*unread, *(outcome or lines).unread)],
        candidates=table if table and table.rows else None,
        lines=table_of(LINE_ITEMS, lines, tenant=tenant, values=False) if lines.hits else None,
        notice=" ".join(notices) or None,
        degraded=lines.degraded,
    )


def _shown_hits(hits: Sequence[Hit], *, others: int) -> list[Hit]:
    """Returns hits that meet all needs and at most ``others`` more, which meet or nearly meet one if any hit does. Up
    to half of them fail a single need, because goods of which little is known stand above these.
    """
    answering = {SIGNS["met"], SIGNS["close"]}
    near = {id(hit) for hit in hits if hit.says_all or (hit.judgement and answering & set(hit.judgement.signs))}
    doubtful, failing = list[int](), list[int]()
    told = set[int]()
    for place, hit in enumerate(hits):
        if hit.judgement is None or hit.judgement.is_met:
            told.add(place)
        elif id(hit) in near or not near:
            (failing if _contradicts(hit) and _missed(hit) == 1 else doubtful).append(place)
    doubtful = doubtful[: others - min(len(failing), others // 2)]
    told |= {*doubtful, *failing[: others - len(doubtful)]}
    return [hit for place, hit in enumerate(hits) if place in told]


def _named(needs: Sequence[Need], *, told: Sequence[Hit], products: Callable[..., Outcome]) -> list[Hit]:
    """Returns the models that are asked for by name and not among those ``told``, whatever else they contradict;
    ``products`` searches for the item under filters.
    """
    filters = [need for need in needs if need.name == "model" and not need.negated]
    if not filters:
        return []
    outcome = products(filters=filters, limit=OTHERS)
    shown = {(hit.row["manufacturer"], hit.row["model"]) for hit in told}
    return [hit for hit in outcome.hits if (hit.row["manufacturer"], hit.row["model"]) not in shown]


def _services(hits: Sequence[Hit], *, what: str, had: Collection[str]) -> list[Hit]:
    """Returns hits that contradict no need, because other goods are no help where none is of the catalogue: of those
    that miss fewest needs first the ones that have all the words that any has, then what the customer ``had``, by its
    model's key.
    """
    fit = [hit for hit in _shown_hits(hits, others=len(hits)) if not _contradicts(hit)]
    least = min(map(_missed, fit), default=0)
    goods = OwnWords.of(what, what, [words_in(hit.row) for hit in fit]).goods

    def place(hit: Hit) -> tuple[bool, ...]:
        says_all = all(map(words_in(hit.row).have, goods))
        return _missed(hit) > least, not says_all, part_key(str(hit.row["model"])) not in had

    return sorted(fit, key=place)


def _missed(hit: Hit) -> int:
    """Returns how many needs the hit does not meet, unknown ones too."""
    signs = hit.judgement.signs if hit.judgement else ""
    return signs.count(SIGNS["contradicted"]) + signs.count(SIGNS["unknown"])


def _contradicts(hit: Hit) -> bool:
    return hit.judgement is not None and hit.judgement.contradicted > 0


def _remember(number: int, item: RequestItem, outcome: Outcome, whole: Whole) -> None:
    """Notes the candidate that misses fewest needs for the items that serve it, and the family of goods offered."""
    sold = [hit for hit in outcome.hits if not hit.row.get("withdrawn")]
    best = next((hit for hit in sold if not _contradicts(hit)), None)
    if best is not None:
        whole.families.add(str(best.row["family"]))
    if first := min(sold or outcome.hits, key=_missed, default=None):
        values = values_of(first.row.get("attributes"))
        whole.firsts[number] = First(str(first.row["model"]), values, max(item.machines, item.pieces))


NOBODY_NAMED = "nobody may be named: no other customer has agreed to it"
PROSPECT = "no account has this name: quote_create takes a prospect"
MAY_BE_ONE = f"again with the whole name, if the customer is one of similar; else {PROSPECT}"


def _once(
    args: FindForRequestArgs, whole: Whole, items: Sequence[FoundItem], *, facts: dict[str, str], caller: Caller
) -> dict[str, Any]:
    """Returns what the first page says of the request as a whole; ``facts`` are the house's, told with a question."""
    on_record, customer, may_quote = whole.on_record, whole.on_record.customer, caller.may("cpq:read")
    table, named = sold_with(
        caller.tenant,
        whole.families,
        words=" ".join(item.what for item in items),
        industries=on_record.industries,
        currency=whole.currency,
    )
    references = precedents.fitting(named, own=on_record.company_key, currency=whole.currency)
    asks_house = any(item.kind == "question" for item in args.items)
    missing = may_quote and customer is not None and customer.account_id is None
    following = {
        "get_specs with models and needs: characteristics, conflicts": bool(whole.firsts),
        "search_line_items, filter quote_number A | B, columns [description]: their words": any(
            item.lines for item in items
        ),
        PROSPECT if customer is None or customer.similar is None else MAY_BE_ONE: missing,
        NOBODY_NAMED: not references,
        "list_attributes of the family: how to ask what is unread": any(item.unread for item in items),
        "an item of kind question: who of the house answers what, and where it works": not asks_house,
    }
    calls = [call for call, applies in following.items() if applies]
    return {
        "customer": customer,
        "sold_with": table if table.rows else None,
        "services": services(caller.tenant, currency=whole.currency, market=on_record.market) if may_quote else None,
        "references": references,
        "house": facts if asks_house else {},
        "next": [*calls, *unknown_columns(args.columns, whole.attributes)],
    }


MOST_SERVICES = 30


def sold_with(
    tenant: str, families: Collection[str], *, words: str, industries: Collection[str], currency: str | None
) -> tuple[Table, list[DictRow]]:
    """Returns (what such goods were sold with, the customers who may be named as references)."""
    asked = precedents.parameters(families, currency=currency)
    stems = {word[: precedents.STEM] for word in words_of(words)}
    named = {**asked, "industries": list(industries), "stems": list(stems)}
    rows, may_be_named = database.fetch_each(tenant, [(precedents.SOLD_WITH, asked), (precedents.REFERENCES, named)])
    columns = ["what", "family", "quotes", "price each", "newest line", "product_id"]
    return Table(columns=columns, rows=[_cells(row) for row in rows], total=len(rows)), may_be_named


def services(tenant: str, *, currency: str | None, market: Market | None) -> Table | None:
    """Returns the house's services with today's list prices; None without a currency or without any service."""
    if currency is None:
        return None
    of_each: dict[str, list[DictRow]] = {}
    for entry in list_entries(tenant, (), services=True):
        of_each.setdefault(entry["product_id"], []).append(entry)
    today = datetime.now(UTC).date()
    rows = []
    for entries in of_each.values():
        if (price := price_for(entries, currency, today, market, of_a_term=True)) is not None:
            rows.append([entries[0]["sku"], entries[0]["name"], str(price)])
    if not rows:
        return None
    shown = [Cells(row) for row in sorted(rows)[:MOST_SERVICES]]
    return Table(columns=["sku", "service", "list price"], rows=shown, total=len(rows))


def _cells(row: Mapping[str, Any]) -> Cells:
    share = f"{row['quotes']} of {row['of_quotes']}"
    return Cells([row["what"], row["family"], share, precedents.prices(row), row["newest"], row["product_id"] or ""])


handler = serve(TOOL, FindForRequestArgs, run)
