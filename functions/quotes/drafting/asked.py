"""What is asked for, read before anything is looked up: a thing of each item, and what the other items say for it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from quarry.embedding import query_vectors
from quarry.precedents.past_lines import LINE_ITEMS
from quarry.products import PRODUCTS
from quarry.retrieval import requests
from quarry.understanding.needs import SIZES, Item, Language, Request
from quarry.understanding.text import fold
from quarry.units import Units
from quotes.drafting.needed import NeededItem
from quotes.drafting.whereabouts import likely_mains, mains, of_country

POWERED = frozenset(("compressor", "vacuum_pump", "blower", "dryer"))
AIR_TREATMENT = frozenset(("dryer", "filtration"))
PARTS = frozenset(("filtration", "accessory"))
"""What a machine, dryer or tank is bought with, where no size says that it is a thing of its own."""
OF_A_PART = ("accessory_kind", "filter_kind", "family")
OF_ITS_OWN = frozenset((*SIZES, "model", "micron", "ppm", "tons"))
SEPARATOR = "oil-water-separator"
AGAIN = re.compile(
    r"\bsame (?:one|dryer|filter|model|thing|again)|\b(?:one|it|that) again\b"
    r"|\b(?:den|das|die) gleichen?\b|\bdenselben\b"
    r"|\b(?:el|la) mism[oa]\b|\b(?:le|la) meme\b"
)
"""What asks for what the customer has, whatever else he asks for."""


@dataclass(frozen=True, slots=True)
class Sought:
    """What is looked for: ``assumed`` is what another item says, ``left`` the things that it names beside it, and
    ``parts`` what is named with it and has no size of its own: "with prefilter and gauge".
    """

    query: str
    assumed: Sequence[str] = ()
    left: Sequence[str] = ()
    parts: Sequence[str] = ()
    behind: int | None = None
    """The place of the compressor whose flow it takes, where the request does not say the flow."""
    least: float = 0.0
    """What has to leave it, in cfm, where that is said: a compressor that gives less is not the one before it."""
    supply_assumed: bool = False
    """True: only the customer's country tells the current, or what his words tell of it."""
    mains_by: str | None = None
    """What tells the frequency that is assumed."""
    language: Language = "en"
    """Of the whole request: a list of models is in none."""
    hertz: str | None = None
    """The frequency of the whole request, said or assumed."""

    def with_flow(self, cfm: float, *, of: str) -> "Sought":
        """The same with the flow of the machines that were found for the compressor."""
        said = f"{cfm:.0f} cfm"
        return replace(self, query=f"{self.query}, {said}", assumed=[*self.assumed, f"{said} ({of})"])


def sought(
    items: Sequence[NeededItem],
    *,
    tenant: str,
    language: Language,
    country: str | None = None,
    customer: str | None = None,
    units: Units | None = None,
) -> list[Sought]:
    """The first thing of each item, with the current and the flow that it leaves open and another item names; the
    customer's country tells the frequency where no item does, or his legal form, language and units.
    """
    read = [requests.read(PRODUCTS, item.sought, tenant=tenant).request for item in items]
    texts = "\n".join(item.query for item in items)
    local = of_country(country) or (None if country else likely_mains(texts, customer, language, units=units))
    hertz = mains(read, local=local)
    compressors = [(place, one) for place, one in enumerate(read, 1) if one and "compressor" in one.families]
    flows = {_flow(one, items[place - 1].quantity): place for place, one in reversed(compressors)}
    # Of several that deliver differently nobody knows which the dryer stands behind.
    total, place = next(iter(flows.items())) if len(flows) == 1 else (None, 0)
    pressures = {_pressure(one): place for place, one in reversed(compressors)}
    said = next(iter(pressures)) if len(pressures) == 1 else None
    pressure = (f"{said:.0f} psi", f"item {pressures[said]}") if said else None
    found = []
    for item, request in zip(items, read, strict=True):
        query, parts, left = _things(item, request)
        query = _without_names(query, tenant=tenant, named=customer is not None)
        of_the_plant = (
            None if _net(request) or not total else (f"{total / (item.quantity or 1):.0f} cfm", f"item {place}")
        )
        taken = list(_left_open(request, hertz=hertz, flow=of_the_plant)) if request and not left else []
        if request and not left and pressure and request.families == {"receiver"} and _is_of_no_pressure(request):
            taken.append(pressure)
        assumed = [f"{words} ({source})" for words, source in taken]
        open_flow = not of_the_plant and _takes_a_flow(request)
        behind = compressors[0][0] if len(compressors) == 1 and open_flow else None
        together = ", ".join([query, *(words for words, _ in taken)])
        by_country = hertz in taken and hertz == local
        by = hertz[1] if hertz and hertz in taken else None
        found.append(
            Sought(
                together, assumed, left, parts, behind, _net(request), by_country, by, language, hertz and hertz[0]
            )
        )
    return found


def language_of(items: Sequence[NeededItem], *, tenant: str) -> Language:
    """Of the first item that is not in English."""
    read = (requests.language_of(PRODUCTS, item.sought, tenant=tenant) for item in items)
    return next((language for language in read if language != "en"), "en")


def _things(item: NeededItem, request: Request | None) -> tuple[str, Sequence[str], Sequence[str]]:
    """(the first thing with all that is said of it, its parts, the things that stand beside it). What stands behind a
    part, "…; with prefilter; 115 V", is of the thing itself.
    """
    named = [thing for thing in request.items if thing.families] if request else []
    if len(named) < 2:
        return item.sought, (), ()
    first, *others = named
    others = [thing for thing in others if not _is_done_on(thing, first)]
    if not others:
        return item.sought, (), ()
    own = [thing for thing in others if not thing.families <= PARTS or _has_a_size(thing)]
    parts = [thing for thing in others if thing not in own]
    said = {need.attribute for need in first.needs if need.words in first.text}
    of_the_first = [
        need.words
        for thing in parts
        for need in thing.needs
        if need.words in thing.text and need.attribute not in {*said, *OF_A_PART}
    ]
    query = ", ".join(dict.fromkeys([first.text.strip(" ;,"), *of_the_first]))
    return query, [_named(thing) for thing in parts], [thing.text.strip() for thing in own]


def _is_done_on(thing: Item, work: Item) -> bool:
    """Whether it tells but one more machine that the work is done on: "PM of the two 15 HP and of the 10 HP"."""
    named = any(need.attribute in ("family", "service") and need.words in thing.text for need in thing.needs)
    return work.families == thing.families == {"service"} and not named


def _without_names(query: str, *, tenant: str, named: bool) -> str:
    """The query without the dates of what the customer has, and without the names of people and companies in it
    where the call says who asks, ``named``.
    """
    request = requests.read(LINE_ITEMS, query, tenant=tenant).request
    for need in request.needs if request else ():
        if need.attribute == "date" or (named and need.attribute in ("customer", "contact", "name")):
            query = query.replace(need.words, " ")
    return query


def _has_a_size(thing: Item) -> bool:
    """Whether it has a size, a model or a number of its own, and not of what it goes with."""
    own = (need for need in thing.needs if need.attribute in OF_ITS_OWN and not need.implied_by)
    return thing.quantity is not None or any(need.words in thing.text for need in own)


def _named(thing: Item) -> str:
    return next((need.words for need in thing.needs if need.attribute in OF_A_PART), thing.text.strip(" ;,"))


def embed(queries: Sequence[str], *, tenant: str) -> None:
    """Has the vectors of all that will be searched for in one call of the provider, instead of one for each."""
    words = [
        requests.read(corpus, query, tenant=tenant).words for query in queries for corpus in (PRODUCTS, LINE_ITEMS)
    ]
    query_vectors.prepare(words, tenant=tenant)


def _left_open(
    request: Request, *, hertz: tuple[str, str] | None, flow: tuple[str, str] | None
) -> Iterator[tuple[str, str]]:
    """What is assumed, with what says it."""
    said = {need.attribute for need in request.needs}
    if hertz and request.families & POWERED and not said & {"voltage", "model"}:
        yield hertz
    if flow and _takes_a_flow(request):
        yield flow


def _takes_a_flow(request: Request | None) -> bool:
    """Whether it treats the air of a compressor, and nothing says how much."""
    said = {need.attribute for need in request.needs if not need.implied_by} if request else set()
    if request is None or said & {"cfm", "hp", "model"} or AGAIN.search(fold(request.items[0].text)):
        return False
    return bool(request.families & AIR_TREATMENT) or any(SEPARATOR in need.values for need in request.needs)


def _net(request: Request | None) -> float:
    """What is said to leave a dryer, in cfm, else 0: what enters it is all that its compressor delivers."""
    said = (need for need in request.needs if need.attribute == "net_cfm") if request else ()
    return max((need.low or need.high or 0.0 for need in said), default=0.0)


def _pressure(request: Request) -> float | None:
    need = request.items[0].need("psi")
    return None if need is None else need.high if need.low is None else need.low


def _is_of_no_pressure(request: Request) -> bool:
    return not {need.attribute for need in request.needs} & {"psi", "model", "inhg"}


def _flow(request: Request, quantity: int | None) -> float | None:
    """The cfm that all compressors of an item deliver, or that what is left of them has to with one out."""
    need = request.items[0].need("cfm")
    flow = None if need is None else need.low if need.low is not None else need.high
    if need is None or flow is None:
        return None
    return flow * (1 if need.spare else quantity or need.machines or 1)
