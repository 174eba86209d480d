"""What is asked for, read before anything is looked up: a thing of each item, and what the other items say for it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from quarry.embedding import query_vectors
from quarry.precedents.past_lines import LINE_ITEMS
from quarry.products import PRODUCTS
from quarry.retrieval import requests
from quarry.understanding.needs import Request
from quotes.drafting.needed import NeededItem

POWERED = frozenset(("compressor", "vacuum_pump", "blower", "dryer"))
AIR_TREATMENT = frozenset(("dryer", "filtration"))
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


@dataclass(frozen=True, slots=True)
class Sought:
    """What is looked for: ``assumed`` is what another item says, ``left`` the things that it names beside it."""

    query: str
    assumed: Sequence[str] = ()
    left: Sequence[str] = ()
    behind: int | None = None
    """The place of the compressor whose flow it takes, where the request does not say the flow."""
    supply_assumed: bool = False
    """True: only the customer's country tells the current."""

    def with_flow(self, cfm: float, *, of: str) -> "Sought":
        """The same with the flow of the machine that was found for the compressor."""
        said = f"{cfm:.0f} cfm"
        return replace(self, query=f"{self.query}, {said}", assumed=[*self.assumed, f"{said} ({of})"])


def sought(items: Sequence[NeededItem], *, tenant: str, country: str | None = None) -> list[Sought]:
    """The first thing of each item, with the current and the flow that it leaves open and another item names; the
    customer's country tells the frequency where no item does.
    """
    read = [requests.read(PRODUCTS, item.sought, tenant=tenant).request for item in items]
    hertz = mains(read, country=country)
    compressors = [(place, one) for place, one in enumerate(read, 1) if one and "compressor" in one.families]
    flows = {_flow(one): place for place, one in reversed(compressors)}
    # Of several that deliver differently nobody knows which the dryer stands behind.
    flow = next(((said, f"item {place}") for said, place in flows.items() if said and len(flows) == 1), None)
    found = []
    for item, request in zip(items, read, strict=True):
        things = [thing.text.strip() for thing in request.items if thing.families] if request else []
        query, *left = things if len(things) > 1 else [item.sought]
        taken = list(_left_open(request, hertz=hertz, flow=flow)) if request and not left else []
        assumed = [f"{words} ({source})" for words, source in taken]
        behind = compressors[0][0] if len(compressors) == 1 and not flow and _takes_a_flow(request) else None
        together = ", ".join([query, *(words for words, _ in taken)])
        of_country = hertz in taken and hertz == _of_country(country)
        found.append(Sought(together, assumed, left, behind, supply_assumed=of_country))
    return found


def mains(read: Sequence[Request | None], *, country: str | None) -> tuple[str, str] | None:
    """The frequency that an item tells, else the customer's country, and which of them it was."""
    local = _of_country(country)
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


def _frequency(request: Request | None, local: tuple[str, str] | None) -> str | None:
    """The frequency that a request names, or that its voltage tells in the customer's country."""
    needs = request.needs if request else ()
    said = {value for need in needs if need.attribute == "voltage" for value in need.values}
    told = said & {"50 Hz", "60 Hz"}
    if not told:
        at_50 = OF_50_HZ in said and (local is None or local[0] == "50 Hz")
        told = {hertz for hertz, tells in (("60 Hz", bool(said & OF_60_HZ)), ("50 Hz", at_50)) if tells}
    return told.pop() if len(told) == 1 else None


def _of_country(country: str | None) -> tuple[str, str] | None:
    if not country or country in UNTOLD:
        return None
    return "60 Hz" if country in AT_60_HZ else "50 Hz", f"the customer's country, {country}"


def _flow(request: Request) -> str | None:
    """What the compressor that is asked for delivers; None where several of a size are asked for."""
    need = request.items[0].need("cfm")
    if need is None or need.machines:
        return None
    return f"{need.low if need.low is not None else need.high:.0f} cfm"
