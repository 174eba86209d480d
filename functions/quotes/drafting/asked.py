"""What is asked for, read before anything is looked up: a thing of each item, and what the other items say for it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from quarry.embedding import query_vectors
from quarry.precedents.past_lines import LINE_ITEMS
from quarry.products import PRODUCTS
from quarry.retrieval import requests
from quarry.understanding.countries import COMPANIES, PLACES, SPOKEN
from quarry.understanding.needs import SIZES, Item, Language, Request
from quarry.understanding.text import fold
from quarry.units import Units
from quotes.drafting.needed import NeededItem
from quotes.drafting.proven_words import METRIC, US

POWERED = frozenset(("compressor", "vacuum_pump", "blower", "dryer"))
AIR_TREATMENT = frozenset(("dryer", "filtration"))
PARTS = frozenset(("filtration", "accessory"))
"""What a machine, dryer or tank is bought with, where no size says that it is a thing of its own."""
OF_A_PART = ("accessory_kind", "filter_kind", "family")
OF_ITS_OWN = frozenset((*SIZES, "model", "micron", "ppm", "tons"))
SEPARATOR = "oil-water-separator"

AT_60_HZ = frozenset((
    "AG", "AI", "AS", "AW", "BM", "BR", "BS", "BZ", "CA", "CO", "CR", "CU", "DO", "EC", "FM", "GT", "GU", "GY", "HN",
    "HT", "KN", "KR", "KY", "MF", "MS", "MX", "NI", "PA", "PE", "PH", "PR", "PW", "SA", "SR", "SV", "TC", "TT", "TW",
    "US", "VE", "VG", "VI",
))  # fmt: skip
"""ISO 3166 codes of the countries with mains at 60 Hz. Source: IEC World Plugs, https://www.iec.ch/world-plugs."""
UNTOLD = frozenset(("JP", "KP", "LR", "MH", "MP", "SX", "UM"))
"""Countries that the same source has at both frequencies, or not at all. All others are at 50 Hz."""
OF_60_HZ = frozenset(("208 V", "460 V", "575 V"))
"""Voltages of three-phase mains at 60 Hz alone, as motors are rated for them: 120/208, 480 and 600 V in table 1 of
IEC 60038:2009."""
OF_50_HZ = "400 V"
"""The same table has 230/400 V at either frequency: it tells 50 Hz unless the customer's country is at 60 Hz."""


SPEAKING_AT_60_HZ = frozenset(("mexico", "canada", "united-states"))
"""Of the countries that a legal form or a language tells, those with mains at 60 Hz."""
OF_CANADA = re.compile(r"quebec|montreal|canad|\bcad\b")
OF_SPAIN = re.compile(rf"€|\beur(?:os?)?\b|{PLACES['spain'].pattern}")


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
    supply_assumed: bool = False
    """True: only the customer's country tells the current, or what his words tell of it."""
    mains_by: str | None = None
    """What tells the frequency that is assumed."""
    language: Language = "en"
    """Of the whole request: a list of models is in none."""

    def with_flow(self, cfm: float, *, of: str) -> "Sought":
        """The same with the flow of the machine that was found for the compressor."""
        said = f"{cfm:.0f} cfm"
        return replace(self, query=f"{self.query}, {said}", assumed=[*self.assumed, f"{said} ({of})"])


def sought(
    items: Sequence[NeededItem],
    *,
    tenant: str,
    country: str | None = None,
    customer: str | None = None,
    units: Units | None = None,
) -> list[Sought]:
    """The first thing of each item, with the current and the flow that it leaves open and another item names; the
    customer's country tells the frequency where no item does, or his legal form, language and units.
    """
    read = [requests.read(PRODUCTS, item.sought, tenant=tenant).request for item in items]
    language: Language = next((one.language for one in read if one and one.language != "en"), "en")
    texts = "\n".join(item.query for item in items)
    local = of_country(country) or (None if country else likely_mains(texts, customer, language, units=units))
    hertz = mains(read, local=local)
    compressors = [(place, one) for place, one in enumerate(read, 1) if one and "compressor" in one.families]
    flows = {_flow(one): place for place, one in reversed(compressors)}
    # Of several that deliver differently nobody knows which the dryer stands behind.
    flow = next(((said, f"item {place}") for said, place in flows.items() if said and len(flows) == 1), None)
    found = []
    for item, request in zip(items, read, strict=True):
        query, parts, left = _things(item, request)
        query = _without_names(query, tenant=tenant) if customer else query
        of_the_plant = None if _is_net(request) else flow
        taken = list(_left_open(request, hertz=hertz, flow=of_the_plant)) if request and not left else []
        assumed = [f"{words} ({source})" for words, source in taken]
        open_flow = not of_the_plant and _takes_a_flow(request)
        behind = compressors[0][0] if len(compressors) == 1 and open_flow else None
        together = ", ".join([query, *(words for words, _ in taken)])
        by_country = hertz in taken and hertz == local
        by = hertz[1] if hertz and hertz in taken else None
        found.append(Sought(together, assumed, left, parts, behind, by_country, by, language))
    return found


def _things(item: NeededItem, request: Request | None) -> tuple[str, Sequence[str], Sequence[str]]:
    """(the first thing with all that is said of it, its parts, the things that stand beside it). What stands behind a
    part, "…; with prefilter; 115 V", is of the thing itself.
    """
    named = [thing for thing in request.items if thing.families] if request else []
    if len(named) < 2:
        return item.sought, (), ()
    first, *others = named
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


def _without_names(query: str, *, tenant: str) -> str:
    """The query without the names of people and companies in it, where the call says who asks."""
    request = requests.read(LINE_ITEMS, query, tenant=tenant).request
    for need in request.needs if request else ():
        if need.attribute in ("customer", "contact", "name"):
            query = query.replace(need.words, " ")
    return query


def _has_a_size(thing: Item) -> bool:
    """Whether it has a size, a model or a number of its own, and not of what it goes with."""
    own = (need for need in thing.needs if need.attribute in OF_ITS_OWN and not need.implied_by)
    return thing.quantity is not None or any(need.words in thing.text for need in own)


def _named(thing: Item) -> str:
    return next((need.words for need in thing.needs if need.attribute in OF_A_PART), thing.text.strip(" ;,"))


def mains(read: Sequence[Request | None], *, local: tuple[str, str] | None) -> tuple[str, str] | None:
    """The frequency that an item tells, else that of the customer's country, and what told it."""
    told = ((said, f"item {place}") for place, one in enumerate(read, 1) if (said := _frequency(one, local)))
    return next(told, local)


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
    if request is None or said & {"cfm", "hp", "model"}:
        return False
    return bool(request.families & AIR_TREATMENT) or any(SEPARATOR in need.values for need in request.needs)


def _is_net(request: Request | None) -> bool:
    """Whether it is said what leaves a dryer: what enters is all that its compressor delivers."""
    return request is not None and any(need.attribute == "net_cfm" for need in request.needs)


def _frequency(request: Request | None, local: tuple[str, str] | None) -> str | None:
    """The frequency that a request names, or that its voltage tells in the customer's country."""
    needs = request.needs if request else ()
    said = {value for need in needs if need.attribute == "voltage" for value in need.values}
    told = said & {"50 Hz", "60 Hz"}
    if not told:
        at_50 = OF_50_HZ in said and (local is None or local[0] == "50 Hz")
        told = {hertz for hertz, tells in (("60 Hz", bool(said & OF_60_HZ)), ("50 Hz", at_50)) if tells}
    return told.pop() if len(told) == 1 else None


def likely_mains(
    texts: str, customer: str | None, language: Language, *, units: Units | None
) -> tuple[str, str] | None:
    """50 Hz of a company whose legal form is of Europe, or of a metric request in a language that is; else None."""
    name, said = fold(customer or ""), fold(f"{customer or ''}\n{texts}")
    formed = next((countries for form, countries in COMPANIES if form.search(name)), ())
    if formed and not SPEAKING_AT_60_HZ & set(formed):
        return "50 Hz", "the customer's legal form"
    metric = METRIC.search(texts) is not None or units == "metric"
    elsewhere = OF_CANADA.search(said) or (language == "es" and not OF_SPAIN.search(said))
    if not metric or US.search(texts) or elsewhere or language not in SPOKEN or "mexico" in formed[:1]:
        return None
    return "50 Hz", "the language and the units of the request"


def of_country(country: str | None) -> tuple[str, str] | None:
    """The frequency of a country by its ISO 3166 code, and what told it."""
    if not country or country in UNTOLD:
        return None
    return "60 Hz" if country in AT_60_HZ else "50 Hz", f"the customer's country, {country}"


def _flow(request: Request) -> str | None:
    """What the compressor that is asked for delivers; None where several of a size are asked for."""
    need = request.items[0].need("cfm")
    if need is None or need.machines:
        return None
    return f"{need.low if need.low is not None else need.high:.0f} cfm"
