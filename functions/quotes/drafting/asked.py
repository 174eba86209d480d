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

FREQUENCIES = {
    "400 V": "50 Hz",
    "380 V": "50 Hz",
    "415 V": "50 Hz",
    "460 V": "60 Hz",
    "208 V": "60 Hz",
    "575 V": "60 Hz",
}
"""Of the voltages that stand for one."""

AT_60_HZ = frozenset(("CA", "CO", "CR", "CU", "DO", "EC", "GT", "GU", "HN", "KR", "MX", "NI", "PA", "PE", "PH", "PR",
                      "SA", "SV", "TW", "US", "VE"))  # fmt: skip
AT_EITHER = frozenset(("BR", "JP"))
"""ISO 3166 codes of countries whose mains are not at 50 Hz, from memory and not all: what is assumed is told."""


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
    named = ((said, f"item {place}") for place, one in enumerate(read, 1) if (said := _frequency(one)))
    local = _of_country(country)
    hertz = next(named, None) or local
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
        found.append(Sought(together, assumed, left, behind, supply_assumed=local is not None and local in taken))
    return found


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
    if request is None or {need.attribute for need in request.needs} & {"cfm", "hp", "model"}:
        return False
    return bool(request.families & AIR_TREATMENT) or any(SEPARATOR in need.values for need in request.needs)


def _frequency(request: Request | None) -> str | None:
    needs = request.needs if request else ()
    volts = {value for need in needs if need.attribute == "voltage" for value in need.values}
    said = volts & set(FREQUENCIES.values()) or {FREQUENCIES[value] for value in volts & set(FREQUENCIES)}
    return said.pop() if len(said) == 1 else None


def _of_country(country: str | None) -> tuple[str, str] | None:
    if not country or country in AT_EITHER:
        return None
    return "60 Hz" if country in AT_60_HZ else "50 Hz", f"the customer's country, {country}"


def _flow(request: Request) -> str | None:
    """What the compressor that is asked for delivers; None where several of a size are asked for."""
    need = request.items[0].need("cfm")
    if need is None or need.machines:
        return None
    return f"{need.low if need.low is not None else need.high:.0f} cfm"
