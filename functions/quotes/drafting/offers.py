"""What to offer for a thing: products that fit, several of a smaller one, the nearest, or what the customer has."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from quarry.precedents import past_prices
from quarry.products import PRODUCTS
from quarry.retrieval import requests
from quarry.retrieval.confidence import Confidence
from quarry.retrieval.hits import Hit, Outcome
from quarry.retrieval.part_numbers import model_key
from quarry.retrieval.reasons import together
from quarry.retrieval.search import search
from quarry.understanding.extremes import EXTREMES
from quarry.understanding.figures_fit import PASSIVE
from quarry.understanding.needs import Finding, Item, Request
from quarry.units import Units, beside
from quotes.drafting.needed import NeededItem

MACHINES = frozenset(("compressor", "vacuum_pump", "blower", "dryer", "receiver"))
"""Of which a customer who names no size may want another of its own."""

SIZES_OF = {
    **dict.fromkeys(("compressor", "vacuum_pump", "blower"), frozenset(("hp", "cfm"))),
    **dict.fromkeys(("dryer", "filtration"), frozenset(("cfm",))),
    "receiver": frozenset(("gallons",)),
}
"""What tells the machines of a family apart by size; one of them has to be said."""

ABOUT = 1.12
"""Times that what is asked for about may be more than what a machine delivers."""

STEP = 1.25
"""Times between two sizes that a customer would tell apart."""

FILTERING = frozenset((
    "filter_kind", "micron", "ppm", "certificate", "oil_class", "particle_class", "water_class",
))  # fmt: skip
"""What tells the filters of a size apart."""

NEAREST = 3
"""Products that are told where none fits, so that a person may choose among them."""

KINDS = frozenset(("family", "accessory_kind", "filter_kind", "dryer_kind"))
"""What a thing is: where a product contradicts it, it is no answer at all."""

FACTS = (
    ("hp", "HP"), ("cfm", "cfm"), ("psi", "psi"), ("vacuum_inhg", "inHg"), ("dewpoint_f", "°F dew point"),
    ("gallons", "gal"), ("lubrication", ""), ("cooling", "cooled"), ("voltage", "V"), ("noise_dba", "dB(A)"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Chosen:
    """A product's hit, and how many of it together do what is asked."""

    hit: Hit
    machines: int = 1
    guessed: bool = False
    """True: it is what the customer has, and nothing tells that it is wanted again."""
    sized: bool = True
    """False where the request tells no size of a machine, or no kind of a filter: any is as good."""

    @property
    def name(self) -> tuple[str, str]:
        return self.hit.row["manufacturer"], self.hit.row["model"]

    @property
    def confidence(self) -> Confidence | None:
        """Of the hit; several together, a guess, and the equal of what is not in the catalogue are analogs, and so is
        what fits in all but a size that nobody has told.
        """
        if self.machines > 1 or self.guessed or _is_an_equal(self.hit) or _is_about(self.hit):
            return "analog"
        unsure = not self.sized or _is_far(self.hit)
        return "analog" if unsure and self.hit.confidence == "likely_good" else self.hit.confidence


def choices(outcome: Outcome, request: Request | None, *, most: int) -> list[Chosen]:
    """What may be offered, best first; where nothing may, the nearest, as the probable miss that it is."""
    sized = request is None or not request.items or is_sized(request.items[0])
    found = [Chosen(hit, sized=sized) for hit in outcome.hits]
    fitting = sorted((one for one in found if one.confidence != "probable_miss"), key=_place)[:most]
    needs = request.items[0].needs if request and request.items else ()
    pair = together(needs, ((hit.row, hit.answer) for hit in outcome.hits))
    if pair is None or any(_meets(one.hit) for one in fitting):
        return fitting or _nearest(found)[: min(most, NEAREST)]
    several = [Chosen(hit, pair.machines) for hit in outcome.hits if hit.row is pair.row]
    others = [one for one in fitting if one.hit.row is not pair.row]
    # One filter that is large for its flow costs less than two that are too small, and no air.
    return ([*others, *several] if pair.row["family"] in PASSIVE else [*several, *others])[:most]


def _place(one: Chosen) -> tuple[bool, bool, int, int, int]:
    """The surer first; of those as sure what is known to meet more, then what is nearest in size. What a superlative
    has put in order stays so.
    """
    answer = one.hit.answer
    unsure = one.confidence != "likely_good"
    if answer is None or answer.place is not None:
        return unsure, False, 0, 0, 0
    row, judged = one.hit.row, answer.judgement
    # A filter that is large for its flow is no worse a filter.
    large = row.get("family") in PASSIVE
    close = [
        each for each in judged.findings if each.verdict == "close" and not (large and each.need.attribute == "cfm")
    ]
    off = max((_off(each, row) for each in judged.findings), default=0)
    return unsure, judged.overall == "contradicted" and not _is_about(one.hit), len(close), judged.unknown, off


def _off(finding: Finding, row: Mapping[str, Any]) -> int:
    """How many steps of STEP a row's size is from the one that is asked for."""
    value, low = row.get(finding.need.attribute), finding.need.low
    if finding.need.attribute not in ("cfm", "hp", "gallons") or not value or not low or finding.need.machines:
        return 0
    return round(abs(math.log(value / low)) / math.log(STEP))


def is_sized(item: Item) -> bool:
    """Whether the item says of what size it is, and a filter of what kind, or needs none: a drain, a named model."""
    said = {need.attribute for need in item.needs if need.operator != "none_of"}
    wanted = [SIZES_OF[family] for family in item.families if family in SIZES_OF]
    if "filtration" in item.families:
        wanted.append(FILTERING)
    return not wanted or bool(said & {"model", *EXTREMES}) or all(said & sizes for sizes in wanted)


def _nearest(found: Sequence[Chosen]) -> list[Chosen]:
    """Those that meet anything, and are no other kind of thing than was asked for."""
    return [
        one for one in found if one.hit.answer and one.hit.answer.judgement.met and not is_of_another_kind(one.hit)
    ]


def is_of_another_kind(hit: Hit) -> bool:
    findings = hit.answer.judgement.findings if hit.answer else ()
    return any(each.verdict == "contradicted" and each.need.attribute in KINDS for each in findings)


def as_before(
    item: NeededItem, *, bought: Sequence[Mapping[str, Any]], units: Units, tenant: str
) -> tuple[list[Chosen] | None, str | None]:
    """(what the customer has of the kind, a sentence that says so) where neither size nor model is named."""
    request = requests.read(PRODUCTS, item.sought, tenant=tenant).request
    if request is None or any(need.attribute in past_prices.TELLING for need in request.needs):
        return None, None
    families = request.families & MACHINES
    row = next((row for row in bought if row["family"] in families), None)
    if row is None:
        return None, None
    found = search(
        PRODUCTS, tenant=tenant, query=f"{row['manufacturer']} {row['model']}, {item.sought}", limit=1,
        filters={**item.given(), "model": row["model"]}, units=units,
    )  # fmt: skip
    same = [hit for hit in found.hits if model_key(hit.row["model"]) == model_key(row["model"])]
    where = f"{row['quote_number']} line {row['position']}, {row['quote_date']}, {row['status']}"
    has = f"Neither size nor model is named; this customer's own is {row['manufacturer']} {row['model']} ({where})"
    if not same:
        return None, f"{has}, which the catalogue has no more."
    return [Chosen(same[0], guessed=True)], f"{has}: ask whether it is meant."


def _meets(hit: Hit) -> bool:
    return hit.answer is not None and hit.answer.judgement.overall in ("met", "unknown")


def _is_about(hit: Hit) -> bool:
    """Whether nothing is amiss but that it delivers a little less than about what is asked for."""
    amiss = [each for each in hit.answer.judgement.findings if each.verdict == "contradicted"] if hit.answer else []
    return len(amiss) == 1 and _is_roughly(amiss[0]) and 1 / ABOUT <= _share(amiss[0], hit.row) < 1


def _is_far(hit: Hit) -> bool:
    """Whether it delivers much more than about what is asked for."""
    findings = hit.answer.judgement.findings if hit.answer else ()
    return any(_is_roughly(each) and _share(each, hit.row) > STEP for each in findings)


def _is_roughly(finding: Finding) -> bool:
    need = finding.need
    return need.attribute == "cfm" and need.operator == "about" and not need.machines and not need.implied_by


def _share(finding: Finding, row: Mapping[str, Any]) -> float:
    """Of what is asked for, 1 where it is unknown."""
    return row["cfm"] / finding.need.low if row.get("cfm") and finding.need.low else 1.0


def _is_an_equal(hit: Hit) -> bool:
    """Whether all that it misses is to be the maker and the model that are not here."""
    missed = [each for each in hit.answer.judgement.findings if each.verdict != "met"] if hit.answer else []
    return hit.confidence == "probable_miss" and bool(missed) and all(each.need.absent for each in missed)


def facts(row: Mapping[str, Any], *, metric: bool) -> str:
    """What tells products apart, in one line, with metric figures beside where they are wanted."""
    said = [str(row["category"]).lower()]
    for name, unit in FACTS:
        value = row.get(name)
        if value is None:
            continue
        plain = f"{value:g} {unit}" if isinstance(value, int | float) else f"{value} {unit}".strip()
        other = beside(name, value) if metric else None
        said.append(f"{plain} ({other})" if other else plain)
    return ", ".join(said)
