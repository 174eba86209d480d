"""Answers one thing that is asked for: what to offer, in which words, at which past prices, and what to ask back."""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from quarry import characteristics
from quarry.precedents.comparable_goods import part_of_a_model
from quarry.precedents.line_parts import line_text
from quarry.precedents.past_lines import own_disagreement
from quarry.products import PRODUCTS
from quarry.retrieval import requests
from quarry.retrieval.hits import Hit, Outcome
from quarry.retrieval.nearness import is_of_another_kind, off_by_a_limit
from quarry.retrieval.nearness import missed as contradicted
from quarry.retrieval.part_numbers import model_key
from quarry.retrieval.passages import passage
from quarry.retrieval.reasons import label_of
from quarry.retrieval.unread_words import untold
from quarry.tool.errors import Unavailable
from quarry.understanding.fit import short
from quarry.understanding.needs import SIZES, Need, Request
from quarry.units import Units
from quotes.drafting import air_in_line, troubles, unmet
from quotes.drafting.air_in_line import OfferedMachine, in_front
from quotes.drafting.asked import Sought
from quotes.drafting.commercial import notice_of, topic_of
from quotes.drafting.customers import Market
from quotes.drafting.needed import AnsweredItem, NeededItem, Offer
from quotes.drafting.offer_prices import OfferPrices, list_price_of_service, list_prices, list_prices_above
from quotes.drafting.offers import (
    FACTS,
    LOOKED_AT,
    Chosen,
    as_before,
    choices,
    facts,
    found_of,
    unknown_thing,
    within_budget,
)
from quotes.drafting.proven_words import best_line, own_work, part_lines, source_of
from quotes.drafting.questions import WHAT_IS_IT, to_ask
from quotes.drafting.trade_in import WHICH_MACHINE
from quotes.drafting.usual import service_for_sale, services_told

OF_A_THING = frozenset((*SIZES, "family", "model", "service", "compression"))
"""Attributes of which one is said of anything that is asked for."""
GIVEN_IN_PAYMENT = 'Trade-in, "{given}": a person has to answer it; put it as an open point, [ANSWER].'
TOLD_BY_FACTS = frozenset((
    *(name for name, _ in FACTS), "inhg", "dba", "dewpoint_f", "family", "manufacturer", "model", "industry",
))  # fmt: skip
"""Attributes that stand in the facts of an offer, or say nothing of it."""
NOTHING_MEETS_ALL = "Nothing meets all of it."
SAID_APART = re.compile(r"Not understood: [^.]*\.(?=\s|$)\s?")
"""What `not_understood` has."""
NOTHING_OF_THE_KIND = "Nothing of this kind is in the catalogue."


@dataclass(frozen=True, slots=True, kw_only=True)
class Depth:
    """Most offers, precedents, sentences on prices and characters of proven text of an item."""

    offers: int
    precedents: int
    prices: int
    text: int
    block: bool = False
    told: bool = True
    """False: no more than an offer and its newest price, where the item has an offer."""


WHOLE = Depth(offers=4, precedents=2, prices=1, text=3000, block=True)
SHORT = Depth(offers=2, precedents=1, prices=1, text=240, block=True)
ROW = Depth(offers=1, precedents=1, prices=0, text=0, told=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedItem:
    """``number`` is the item's place, from 1."""

    number: int
    item: NeededItem
    units: Units
    depth: Depth
    sought: Sought
    metric: characteristics.Metric | None
    customer: str | None
    currency: str | None = None
    market: Market | None = None
    bought: Sequence[Mapping[str, Any]] = ()
    """The customer's lines of products, won before open before lost, the newest first."""
    names: Sequence[str] = ()
    """Under which its past quotes are."""
    machines: Sequence[OfferedMachine] = ()
    """What is offered for the items before."""

    @property
    def compressors(self) -> list[str]:
        """How those of them are lubricated."""
        rows = [each.row for each in self.machines if each.row["family"] == "compressor"]
        return [row["lubrication"] for row in rows if row["lubrication"]]


def answer(asked: AskedItem, *, tenant: str) -> tuple[AnsweredItem, OfferedMachine | None]:
    """Raises Unavailable when embeddings are down and no word of the item matches."""
    item, depth = asked.item, asked.depth
    whole = requests.read(PRODUCTS, item.sought, tenant=tenant).request
    work = None if any(item.given().values()) else troubles.work_for(item.sought, whole)
    query = work or asked.sought.query
    read = requests.read(PRODUCTS, query, tenant=tenant).request
    given = item.given_in_payment
    if given is not None and not any(need.attribute in OF_A_THING for need in (read.needs if read else ())):
        return _given_in_payment(asked, given), None
    if read is not None and (name := unknown_thing(read)) and not any(item.given().values()):
        return _unknown(asked, read, name=name), None
    terms = notice_of(topic) if not work and (topic := topic_of(item.sought, read)) else None
    if terms and not any(need.attribute == "service" for need in (read.needs if read else ())):
        return AnsweredItem(item=asked.number, query=item.told, quantity=item.quantity, notice=terms), None
    products = found_of(query, read, tenant=tenant, filters=item.given(), units=asked.units)
    request = products.reading.request if products.reading else None
    needs = request.needs if request else ()
    services = request is not None and any(need.attribute == "service" for need in needs)
    of_service = request is not None and (request.families == {"service"} or (services and not request.families))
    again, hint = as_before(item, bought=asked.bought, units=asked.units, tenant=tenant)
    part = () if of_service else part_of_a_model(request)
    offered = [] if of_service or part else _offered(asked, products, request, again=again or [], tenant=tenant)
    good = offered[0] if offered and offered[0].confidence != "probable_miss" else None
    first = good or next((one for one in offered[:1] if _is_worth_talking_about(one.hit)), None)
    told_of = (
        []
        if good and good.confidence == "likely_good"
        else _lines_of_the_very_thing(asked, query, request, part, tenant=tenant)
    )
    if first:  # what this customer was sold without a model stands before a model that is but like it
        told_of = [hit for hit in told_of if not hit.row["model"] and hit.confidence == "likely_good"]
        good, first = (None, None) if told_of else (good, first)
    other_than = _other_than(first, request, asked.machines)
    most = 0 if other_than else SHORT.text if of_service and not depth.text else depth.text
    # What nothing is like has no price either; a service is found by its words alone.
    missed = bool(products.hits) and first is None and not of_service
    line, degraded = (
        (told_of[0], False)
        if told_of and most
        else best_line(
            query,
            first,
            request,
            bought=asked.bought,
            tenant=tenant,
            units=asked.units,
            plain=missed,
            language=asked.sought.language,
        )
        if most
        else (None, False)
    )
    if missed and not told_of and line is not None and line.confidence != "likely_good":
        line = None
    selling = None if line is None else line_text(line.row["description"]).selling
    text = None if selling is None else passage(selling, query=query, most=most)
    names = [one.name for one in offered if not (missed and line is not None)]
    prices = OfferPrices.of(
        names, query, lines=[hit.row for hit in told_of], work=of_service, tenant=tenant,
        customer=asked.customer, currency=asked.currency, market=asked.market,
    )  # fmt: skip
    if missed and line is None:
        prices = prices.own(named=[one.name for one in offered if _is_named(one, needs)])
    service = service_for_sale(request, tenant=tenant) if of_service and request else None
    by_words = _told_quantity(request, of_service=of_service)
    quantity = item.quantity or by_words
    count = _count(first, quantity, needs, told=by_words is not None)
    blocked, trouble = _block(first, asked, count=count, other_than=other_than)
    other = part or (products.hits and not offered and all(is_of_another_kind(hit) for hit in products.hits))
    nearest = NOTHING_OF_THE_KIND if other else _notice(products, offered)
    why = None if good or of_service or again else unmet.told(products.hits, offered, assumed=asked.sought.mains_by)
    odds = own_disagreement(first.hit.row) if first else None
    trouble = f"Conflict, to be settled: {odds}." if odds else trouble
    traded = None if given is None else GIVEN_IN_PAYMENT.format(given=given)
    if of_service and text is None and service is None and not prices.sentences:
        nearest = services_told(tenant)
    else:
        nearest = None if of_service or again else nearest
    machine = in_front(item.query, asked.machines, tenant=tenant)
    behind = air_in_line.told(offered, products.hits, machine, quantity=quantity or 1, units=asked.units)
    things = troubles.notice_of(work) if work else _of_several_things(asked.sought)
    said = [things, nearest, hint, why, behind, trouble, traded, terms]
    listed = list_price_of_service(service, tenant=tenant, currency=asked.currency) if service else None
    # What the precedents tell one by one is not counted again.
    counted = list(prices.sentences)[: depth.prices]
    told = request is not None and (depth.told or good is None)
    answered = AnsweredItem(
        item=asked.number,
        query=item.told,
        quantity=quantity,
        understood=[need.shown or need.words for need in needs if _is_said(need)] or None if told else None,
        assumed=[*asked.sought.assumed, *(_implied(need) for need in needs if need.implied_by)] or None,
        budget=_budget(needs, offered, prices, quantity=quantity or 1),
        not_understood=(untold(request, good.hit.row) if good else list(request.not_understood)) or None
        if request
        else None,
        offers=[_offer(one, prices, asked, first=one is offered[0]) for one in offered],
        text=text,
        more="get_quote" if text != selling else None,
        source=None
        if line is None or text is None
        else source_of(
            line,
            offered[0] if offered else None,
            request,
            text=text,
            compressors=asked.compressors,
            own=line.row["customer"] in asked.names,
            language=asked.sought.language,
            tenant=tenant,
        ),
        product_id=service,
        prices=[*(counted if len(prices.past) > depth.precedents else ()), *filter(None, [prices.doubt, listed])]
        or None,
        precedents=prices.newest(most=depth.precedents, reasons=depth.told) or None,
        ask=[
            *(to_ask(request, supply_assumed=asked.sought.supply_assumed) if told and not again else ()),
            *([WHICH_MACHINE] if given else ()),
        ]
        or None,
        characteristics=blocked,
        degraded=products.degraded or degraded,
        notice=" ".join(filter(None, said)) or None,
    )
    flow = next((need for need in needs if need.attribute == "cfm" and not need.implied_by), None)
    running = 1 if flow and flow.spare else quantity or 1
    demand = flow.low * running if flow and flow.low else None
    offered_first = (
        OfferedMachine(asked.number, first.hit.row, first.machines, demand, running, first.sized) if first else None
    )
    return answered.with_amounts_in(prices.currencies(most=depth.precedents)), offered_first


def _is_worth_talking_about(hit: Hit) -> bool:
    """Whether nothing speaks against the nearest of all, or one limit that can be bent."""
    return not contradicted(hit) or off_by_a_limit(hit)


def _is_named(one: Chosen, needs: Sequence[Need]) -> bool:
    """Whether the item asks for this very model."""
    named = {model_key(value) for need in needs if need.attribute == "model" for value in need.values}
    return model_key(one.name[1]) in named


def _told_quantity(request: Request | None, *, of_service: bool) -> int | None:
    """How many the item tells: of work on machines of several sizes, "two 15 HP and one 10 HP", all of them."""
    things = request.items if request else ()
    if of_service and len(things) > 1 and any(thing.quantity for thing in things):
        return sum(thing.quantity or 1 for thing in things)
    return things[0].quantity if things else None


def _offered(
    asked: AskedItem, products: Outcome, request: Request | None, *, again: Sequence[Chosen], tenant: str
) -> list[Chosen]:
    """What the customer has, alone where it fits; where it misses a limit, before what fits of its lubrication."""
    if again and not contradicted(again[0].hit):
        return list(again)
    chosen = _chosen(asked, products, request, tenant=tenant)
    if not again:
        return chosen
    own = again[0].hit.row["lubrication"]
    fitting = [one for one in chosen if one.confidence != "probable_miss" and one.name != again[0].name]
    alike = [one for one in fitting if own is None or one.hit.row["lubrication"] in (None, own)]
    return [*again, *alike][: asked.depth.offers]


def _lines_of_the_very_thing(
    asked: AskedItem, query: str, request: Request | None, part: Sequence[str], *, tenant: str
) -> list[Hit]:
    """This customer's own lines of work or parts, and of a part that no rule knows the line that is called so."""
    try:
        if part:
            return part_lines(part, query, names=asked.names, tenant=tenant)[:1]
        return own_work(query, request, names=asked.names, tenant=tenant)
    except Unavailable:
        return []


def _chosen(asked: AskedItem, products: Outcome, request: Request | None, *, tenant: str) -> list[Chosen]:
    """What to offer, in the order of a budget or of list prices where that is said."""
    most = asked.depth.offers
    if request is not None and any(map(_is_for_the_cheapest, request.needs)):
        found = choices(products, request, most=LOOKED_AT)
        names = [one.name for one in found]
        lists = list_prices(names, tenant=tenant, currency=asked.currency, market=asked.market)
        counts = {one.name: one.machines for one in found if one.name in lists}
        costs = {name: float(lists[name].amount) * count for name, count in counts.items()}
        return within_budget(found, above=dict.fromkeys((one.name for one in found), math.inf) | costs)[:most]
    budget = next((need for need in (request.needs if request else ()) if _is_a_budget(need)), None)
    if budget is None:
        return choices(products, request, most=most)
    found = choices(products, request, most=LOOKED_AT)
    if found and found[0].confidence == "probable_miss":
        return found[:most]
    quantity = asked.item.quantity or (request.items[0].quantity if request and request.items else None) or 1
    counts = {one.name: one.machines * quantity for one in found}
    above = list_prices_above(budget, counts, tenant=tenant, currency=asked.currency, market=asked.market)
    return within_budget(found, above=above)[:most]


def _unknown(asked: AskedItem, request: Request, *, name: str) -> AnsweredItem:
    """What nobody here knows has no offer: another thing of its size is none that was asked for."""
    return AnsweredItem(
        item=asked.number,
        query=asked.item.told,
        quantity=asked.item.quantity or request.items[0].quantity,
        not_understood=[name],
        ask=[WHAT_IS_IT.format(name=name)],
        notice=f"Not sold here and not understood: {name}. Nothing is offered for it.",
    )


def _given_in_payment(asked: AskedItem, given: str) -> AnsweredItem:
    """A machine that the customer has is none to offer him, nor has it a price here."""
    return AnsweredItem(
        item=asked.number,
        query=asked.item.told,
        quantity=asked.item.quantity,
        ask=[WHICH_MACHINE],
        notice=GIVEN_IN_PAYMENT.format(given=given),
    )


def _is_said(need: Need) -> bool:
    """False for what only a machine that the customer names implies, and for what he would spend."""
    return not need.implied_by and not _is_a_budget(need)


def _is_a_budget(need: Need) -> bool:
    return need.attribute == "price" and (need.low is not None or need.high is not None)


def _is_for_the_cheapest(need: Need) -> bool:
    return need.attribute == "least" and need.values == {"price"}


def _implied(need: Need) -> str:
    return f"{need.shown} (by {need.words})"


def _budget(needs: Sequence[Need], offered: Sequence[Chosen], prices: OfferPrices, *, quantity: int) -> str | None:
    budget = next((need for need in needs if _is_a_budget(need)), None)
    counts = {one.name: quantity * one.machines for one in offered if one.confidence != "probable_miss"}
    return None if budget is None else prices.against(budget, counts=counts)


def _other_than(
    first: Chosen | None, request: Request | None, machines: Sequence[OfferedMachine]
) -> OfferedMachine | None:
    """Where an option is asked for, the machine of its kind that it is an option to."""
    if first is None or request is None or not request.options:
        return None
    return next((each for each in machines if each.row["family"] == first.hit.row["family"]), None)


def _offer(one: Chosen, prices: OfferPrices, asked: AskedItem, *, first: bool) -> Offer:
    row = one.hit.row
    return Offer(
        manufacturer=row["manufacturer"],
        model=row["model"],
        machines=one.machines,
        facts=facts(row, metric=asked.units == "metric"),
        fit=_all_but(one.hit, keeping=TOLD_BY_FACTS if first and asked.depth.told else None),
        confidence=one.confidence,
        product_id=prices.product_ids.get(one.name),
        list_price=str(listed) if (listed := prices.lists.get(one.name)) else None,
        requires=prices.requires.get(one.name),
    )


def _all_but(hit: Hit, *, keeping: Collection[str] | None) -> str | None:
    """What it does not meet, or does not say; of the first offer also what it meets, but for what its facts tell."""
    findings = hit.answer.judgement.findings if hit.answer else ()
    said = [
        each
        for each in findings
        if each.verdict != "met" or (keeping is not None and each.need.attribute not in keeping)
    ]
    lacking = short(said)
    if not lacking:
        return "met" if findings else hit.fit
    return lacking + ("; else met" if len(said) < len(findings) else "")


def _count(first: Chosen | None, quantity: int | None, needs: Sequence[Need], *, told: bool) -> int:
    """Of the machines in all. Whose words ask for two, which together do it, asks for no two pairs: "two HGS-37 for
    9.5 m³/min"; of an item that is wanted twice each takes a pair.
    """
    machines = first.machines if first else 1
    if (told and quantity == machines) or (first is not None and _is_named(first, needs)):
        return max(quantity or 1, machines)
    return (quantity or 1) * machines


def _block(
    first: Chosen | None, asked: AskedItem, *, count: int, other_than: OfferedMachine | None
) -> tuple[str | None, str | None]:
    """(the filled block, of an option the lines of it that are other than its machine's; why there is none)."""
    if first is None or not asked.depth.block:
        return None, None
    metric, language = asked.metric, asked.sought.language
    try:
        block = characteristics.block(first.hit.row, quantity=count, metric=metric, language=language)
        if block is None or other_than is None:
            return block, None
        theirs = (
            characteristics.block(other_than.row, quantity=count * other_than.count, metric=metric, language=language)
            or ""
        )
    except Unavailable as error:
        return None, f"No characteristics block: {error}"
    lines = [line for line in block.splitlines() if line and line not in theirs.splitlines()]
    return "\n".join([f"As item {other_than.item}" + (", but:" if lines else "."), "", *lines]).strip(), None


def _notice(products: Outcome, offered: Sequence[Chosen]) -> str | None:
    """What the search says of the whole; what is nearest, and what it lacks, the offers say themselves."""
    notice = SAID_APART.sub("", products.notice or "")
    for one in offered[:1]:
        notice = notice.replace(f"No offer is like all of it; nearest is {one.name[1]}.", "")
    for hit in products.hits if offered else ():
        if hit.answer is not None:
            findings = short(hit.answer.judgement.findings)
            notice = notice.replace(f"; nearest is {label_of(hit.row)}: {findings}.", ".")
    several = next((one for one in offered if one.machines > 1), None)
    if several is not None and "would do." not in notice:
        cfm = several.hit.row.get("cfm")
        flow = f" = {several.machines * cfm:g} cfm" if cfm else ""
        notice = f"{several.machines} × {several.name[1]}{flow} would do. {notice}"
    if several is not None and several is offered[0]:
        notice = notice.replace(NOTHING_MEETS_ALL, "").replace("  ", " ")
    return " ".join(notice.split()) or None


def _of_several_things(sought: Sought) -> str | None:
    said = []
    if sought.parts:
        said.append(f"Named with it and not looked for: {', '.join(sought.parts)}; an item of its own has prices.")
    if sought.left:
        things = "; ".join([sought.query, *sought.left])
        count = 1 + len(sought.left)
        said.append(
            f"This reads as {count} things ({things}); the first was looked for: give each as an item of its own."
        )
    return " ".join(said) or None
