"""find_for_request: all that a quote is drafted from, for several things asked for at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import Field

from quarry.characteristics import metric_of, tells_a_flow
from quarry.paging.budget import LongText, room_of, weight
from quarry.paging.pages import PagedArgs, PagedTexts, Pages
from quarry.retrieval.vocabulary import NamePart
from quarry.tool.contract import Part, retrieval_tool
from quarry.tool.errors import Unavailable
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve
from quarry.units import Units, units_of
from quotes.drafting import answering, customers, queries, usual, whereabouts
from quotes.drafting import asked as asked_for
from quotes.drafting.air_in_line import OfferedMachine
from quotes.drafting.answering import ROW, SHORT, WHOLE, AskedItem, Depth
from quotes.drafting.asked import Sought
from quotes.drafting.customers import KnownCustomer, OnRecord
from quotes.drafting.needed import AnsweredItem, NeededItem

TOOL = retrieval_tool(
    "find_for_request",
    title="Find all for a request",
    toolset="quotes",
    description="""
        Start a draft here. For each item of a mail: products that fit, proven text, past prices, filled
        characteristics, what to ask back. Once: customer and history, usual services, lead times.
    """,
)

PAGES = Pages(tool=TOOL, into="items", text=LongText("text"))

FEW, SOME = 6, 15
"""Items up to which each comes whole, and up to which with words and its block, unless the call says otherwise. Not
by max_tokens: pages of different budgets are one answer.
"""

MOST_ITEMS = 60
BUDGET = 8000


class FindForRequestArgs(PagedArgs):
    items: list[NeededItem] = Field(min_length=1, max_length=MOST_ITEMS, description="One for each thing asked for.")
    customer: NamePart | None = Field(default=None, description="Company as the mail has it, or its account_id.")
    units: Units | None = Field(default=None, description="Of filters; metric figures stand beside.")
    again: bool = Field(default=False, description="Without what was told of the whole.")
    full: bool | None = Field(default=None, description="Whole texts; unset: up to 6 items; above 15 a row each.")
    max_tokens: int | None = Field(default=BUDGET, ge=100, le=room_of(None), description="Budget of a page.")


class FoundForRequest(Part):
    items: list[AnsweredItem] = Field(description="In the order asked.")
    omitted: int = Field(default=0, description="Items left to the next pages.")
    customer: KnownCustomer | None = Field(default=None, description="First page only.")
    usual: list[str] | None = Field(default=None, description="Terms and services of the like; first page.")
    lead_times: list[str] | None = Field(default=None, description="Quoted lately; first page.")
    references: list[str] | None = Field(default=None, description="May be named, as written; none else; first page.")
    degraded: bool = Field(default=False, description="Embeddings were down: say so in the draft.")
    notice: str | None = Field(default=None, description="What to know of the whole.")


class FindForRequestResult(PagedTexts, FoundForRequest):
    """What was found for a request."""

    lean: ClassVar[bool] = True


def run(args: FindForRequestArgs, caller: Caller) -> FindForRequestResult:
    place = PAGES.place(args, caller)
    begin = int(place.after[0]) if place.after else 0
    by_id = customers.name_by_id(caller, args.customer) if args.customer else None
    asked = args if by_id is None else args.model_copy(update={"customer": by_id})
    whole = _whole(asked, caller)
    items = _answered(asked, caller, begin=begin, whole=whole)
    once = _once(asked, caller, items, whole=whole, again=args.again) if args.cursor is None else {}
    degraded = any(item.degraded for item in items)
    notices = [*_of_account(whole, caller), *_of_currencies(items)]
    page = FindForRequestResult(items=[], degraded=degraded, notice=" ".join(notices) or None, **once)
    return PAGES.of_listing(
        page,
        items,
        keys=[(item.item,) for item in items],
        more=begin + len(items) < len(args.items),
        args=args,
        caller=caller,
    )


@dataclass(frozen=True, slots=True)
class Whole:
    """A request as a whole: its customer, what it is quoted in, and what is looked for."""

    known: OnRecord | None
    currency: str | None
    sought: Sequence[Sought]

    @property
    def is_abroad(self) -> bool:
        return whereabouts.is_abroad(self.currency, next((one.hertz for one in self.sought), None))


def _whole(args: FindForRequestArgs, caller: Caller) -> Whole:
    language = asked_for.language_of(args.items, tenant=caller.tenant)
    texts = "\n".join(item.query for item in args.items)
    told = whereabouts.currency_told(texts, args.customer, language, units=args.units)
    known = customers.known(caller, args.customer, told=told) if args.customer else None
    sought = asked_for.sought(
        args.items,
        tenant=caller.tenant,
        language=language,
        country=known.customer.country if known else None,
        customer=args.customer,
        units=args.units,
    )
    currency = known.currency if known else told
    return Whole(known, currency or queries.house_currency(caller.tenant), sought)


def _answered(args: FindForRequestArgs, caller: Caller, *, begin: int, whole: Whole) -> list[AnsweredItem]:
    """Items from there on until a page is full; what could not be answered says so unless that is all of them."""
    units = units_of(args.units, tenant=caller.tenant)
    all_items = " ".join(item.query for item in args.items)
    depth = _depth(args)
    items: list[AnsweredItem] = []
    failure: Unavailable | None = None
    room = room_of(args.max_tokens)
    known, sought = whole.known, whole.sought
    asked_for.embed([one.query for one in sought[begin:]], tenant=caller.tenant)
    machines: dict[int, OfferedMachine] = {}
    for number, item in enumerate(args.items[begin:], start=begin + 1):
        one = sought[number - 1]
        metric = metric_of(item.query if tells_a_flow(item.query) else all_items, units=units)
        compressor = machines.get(one.behind or 0)
        if compressor is not None and compressor.cfm is not None and compressor.cfm >= one.least:
            one = one.with_flow(compressor.cfm / (item.quantity or 1), of=f"the {compressor.name}")
        asked = AskedItem(
            number=number, item=item, units=units, depth=depth, sought=one, metric=metric, customer=args.customer,
            currency=whole.currency, bought=known.bought if known else (), names=known.names if known else (),
            market=known.market if known else None,
            machines=list(machines.values()),
        )  # fmt: skip
        try:
            found, machine = answering.answer(asked, tenant=caller.tenant)
            if machine is not None:
                machines[number] = machine
        except Unavailable as error:
            failure = error
            found = AnsweredItem(item=number, query=item.told, degraded=True, notice=f"Not answered: {error.message}")
        items.append(found)
        room -= weight(found.model_dump_json())
        if room < 0:
            break
    if failure is not None and all(item.degraded and not item.offers and item.text is None for item in items):
        raise failure
    return items


def _of_account(whole: Whole, caller: Caller) -> list[str]:
    """That the customer has no account, for who may read accounts."""
    missing = whole.known is not None and whole.known.customer.account_id is None and caller.may("cpq:read")
    return ["The customer has no account: for quote_create a prospect."] if missing else []


def _of_currencies(items: Sequence[AnsweredItem]) -> list[str]:
    """That amounts are in several currencies, which a sum or a comparison would hide."""
    codes = sorted({code for item in items for code in item.currencies})
    if len(codes) < 2:
        return []
    return [f"Amounts are in {' and '.join(codes)}: neither add nor compare them without the house's rate."]


def _depth(args: FindForRequestArgs) -> Depth:
    count = len(args.items)
    if args.full or (args.full is None and count <= FEW):
        return WHOLE
    return SHORT if count <= SOME else ROW


def _once(
    args: FindForRequestArgs, caller: Caller, answered: Sequence[AnsweredItem], *, whole: Whole, again: bool
) -> dict[str, Any]:
    """What is said of the whole request, on its first page; lead times are of what that page offers. Who asks
    ``again`` has read what is on record.
    """
    offers = [offer for item in answered for offer in item.offers if offer.confidence != "probable_miss"]
    models = dict.fromkeys(offer.model for offer in offers)
    texts = [item.sought for item in args.items]
    known, currency = whole.known, whole.currency
    told = usual.told_of(
        caller.tenant, texts, models=models, customer=args.customer,
        industries=known.industries if known else (), currency=currency,
    )  # fmt: skip
    lead = list(told.lead_times) or (["None on record of what is offered: ask the maker."] if models else None)
    if again:
        return {"customer": KnownCustomer(name=known.customer.name) if known else None, "lead_times": lead}
    return {
        "customer": known.customer if known else None,
        "usual": [*(known.terms if known else ()), *told.services] or None,
        "lead_times": lead,
        "references": None if whole.is_abroad else list(told.references) or None,
    }


handler = serve(TOOL, FindForRequestArgs, run)
