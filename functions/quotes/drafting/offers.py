"""What to offer for a thing: products that fit, several of a smaller one, the nearest, or what the customer has."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from quarry.precedents.comparable_goods import TELLING
from quarry.precedents.past_lines import LINE_ITEMS
from quarry.products import PRODUCTS
from quarry.retrieval import requests
from quarry.retrieval.confidence import Confidence
from quarry.retrieval.hits import Hit, Outcome
from quarry.retrieval.nearness import how_far, is_of_another_kind, is_over_by_a_little, missed, off_by_a_limit
from quarry.retrieval.part_numbers import model_key
from quarry.retrieval.ranking import Answered
from quarry.retrieval.reasons import Together, together
from quarry.retrieval.search import search
from quarry.understanding.extremes import EXTREMES
from quarry.understanding.figures_fit import COLUMNS, FAR_APART, PASSIVE, REFRIGERATED_LIMIT_F, left_running
from quarry.understanding.fit import SIDE_ISSUES, is_a_booster_unasked, is_a_wish, short
from quarry.understanding.needs import SIZES, Finding, Item, Need, Request
from quarry.understanding.text import fold
from quarry.understanding.traits import row_traits
from quarry.understanding.words_fit import AS_AN_OPTION, TO_CONFIRM
from quarry.units import Units, beside
from quotes.drafting.needed import NeededItem

TREATING = PASSIVE | {"dryer"}
"""What takes so much air at most, and less as well."""

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

FACTS = (
    ("hp", "HP"), ("cfm", "cfm"), ("psi", "psi"), ("vacuum_inhg", "inHg"), ("dewpoint_f", "°F dew point"),
    ("gallons", "gal"), ("lubrication", ""), ("cooling", "cooled"), ("voltage", "V"), ("noise_dba", "dB(A)"),
)  # fmt: skip


LOOKED_AT, MANY = 20, 100
"""Products of which those to offer are chosen, and where none of the first fits."""

NAMING = frozenset(("manufacturer", "compression", "dryer_kind", "filter_kind", "accessory_kind", "service", "use"))
"""What tells of what kind a thing is beside its family."""

OF_A_USER = frozenset(("industry", "use", "price", "quiet", "altitude_ft", "ambient_f"))
"""What a product rarely says, and nobody chooses several machines by: whom it is for, and where it stands."""

BUILT_TO = frozenset(("nfpa 99",))
"""What a plant on which patients depend is built to or is not: one whose sheet is silent is no answer."""
PLANTS = frozenset(("compressor", "vacuum_pump"))

THE_SAME = re.compile(
    r"\b(?:(?:the|that) same (?:\w+ ){0,2}(?:unit|machine|pump|compressor|blower|dryer|tank|model|one|as)s?"
    r"|identical (?:unit|machine|pump|compressor|blower|dryer|tank|to|one)s?"
    r"|another one like|like the ones? (?:we|you|that)"
    r"|repeat order|reorder"
    r"|(?:dieselben?|derselben?|dasselbe|denselben|(?:die|der|das|den) gleichen?) (?:\w+ )?"
    r"\w*(?:pumpen?|kompressor|verdichter|trockner|anlage|maschinen?|geblase|gerat|behalter|modell|wie)|baugleich\w*"
    r"|(?:l[ao]s? mism[ao]s?|el mismo) (?:unidad|bomba|compresor|secador|soplador|maquina|equipo|modelo|que)\w*"
    r"|l(?:a|e|es) memes? (?:unite|pompe|compresseur|secheur|machine|surpresseur|modele|appareil|que)\w*)\b"
)
"""Of a folded text that it wants again what the customer has."""
SERIES = re.compile(r"[a-z]+\d*")
"""What a model begins with and people call it by: the R5, the claws of the MM series."""

NO_NAME = 2
"""Letters of a word that no rule read up to which it names nothing."""


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
        """Of the hit; several together, a guess, what has it as an option, what lacks a wish alone and the equal of
        what is not here are analogs, and so is what fits in all but a size that nobody has told.
        """
        hit = self.hit
        if _is_not_built_to(hit):
            return "probable_miss"
        like = (
            _is_an_equal(hit) or _is_about(hit) or _is_to_be_had_so(hit) or _lacks_a_wish(hit) or _does_no_harm(hit)
        )
        if self.machines > 1 or self.guessed or like:
            return "analog"
        unsure = not self.sized or _is_far(self.hit)
        return "analog" if unsure and self.hit.confidence == "likely_good" else self.hit.confidence


def found_of(
    query: str, request: Request | None, *, tenant: str, filters: Mapping[str, Any], units: Units
) -> Outcome:
    """What is like the query; where one machine that fits is not among the first, so many more that two or three of a
    smaller one are.
    """
    found = search(PRODUCTS, tenant=tenant, query=query, limit=LOOKED_AT, filters=filters, units=units)
    sized = request is not None and any(need.attribute in ("cfm", "hp") and need.low for need in request.needs)
    if not sized or any(hit.confidence != "probable_miss" for hit in found.hits):
        return found
    return search(PRODUCTS, tenant=tenant, query=query, limit=MANY, filters=filters, units=units)


def unknown_thing(request: Request) -> str | None:
    """The name of what nobody here knows: a model that is not here, or words that no rule read beside a volume, where
    nothing else tells what kind of thing it is. A figure in the name of such a model is no size.
    """
    item = request.items[0] if len(request.items) == 1 else None
    if item is None or any(need.implied_by == "equivalent" or need.attribute in NAMING for need in item.needs):
        return None
    family, model = item.need("family"), item.need("model")
    figures = [need for need in item.needs if need not in (family, model) and not need.implied_by]
    if family is not None and all(family.words != need.words for need in figures):
        return None
    unread = [word for word in request.not_understood if word.isalpha() and len(word) > NO_NAME]
    if model is not None and model.absent and model.operator == "one_of" and (unread or not figures):
        return " ".join([*unread, *sorted(model.values)])
    of_a_volume = model is None and [need.attribute for need in figures] == ["gallons"]
    return " ".join(unread) if of_a_volume and len(unread) > len(figures) else None


def choices(outcome: Outcome, request: Request | None, *, most: int) -> list[Chosen]:
    """What may be offered, best first; where nothing may, the nearest, as the probable miss that it is."""
    sized = request is None or not request.items or is_sized(request.items[0])
    item = request.items[0] if request and request.items else None
    # A booster makes no air of its own: it replaces no compressor.
    hits = [
        hit
        for hit in outcome.hits
        if item is None or not (is_a_booster_unasked(item, hit.row) or _is_oiled_for_surgery(item, hit.row))
    ]
    found = [Chosen(hit, sized=sized) for hit in hits]
    fitting = _without_far_larger(sorted((one for one in found if one.confidence != "probable_miss"), key=_place))[
        :most
    ]
    needs = item.needs if item else ()
    pair = together(needs, ((hit.row, _of_weight(hit.answer)) for hit in hits))
    if pair is None or any(_meets(one.hit) for one in fitting):
        return fitting or _nearest(found)[: min(most, NEAREST)]
    several = [Chosen(_of_all(hit, pair), pair.machines) for hit in hits if hit.row is pair.row]
    others = [one for one in fitting if one.hit.row is not pair.row]
    # One that is large for what is asked costs less than two that are too small.
    before = [one for one in others if pair.row["family"] in PASSIVE or _is_only_larger(one.hit)]
    after = [one for one in others if one not in before]
    # One that misses a single limit by a little may be the better answer than two of a small one.
    lone = [one for one in _nearest(found) if _is_over_by_a_little(one.hit)][:1]
    return [*before, *several, *after, *(one for one in lone if one not in before and one not in after)][:most]


def _is_oiled_for_surgery(item: Item, row: Mapping[str, Any]) -> bool:
    """Whether a compressor has oil in its air where a hospital asks for the air of its instruments."""
    asked = {value for need in item.needs if need.operator != "none_of" for value in need.values}
    return asked >= {"hospital", "instrument-air"} and row["lubrication"] == "oil-flooded"


def _is_over_by_a_little(hit: Hit) -> bool:
    off = missed(hit)
    return len(off) == 1 and is_over_by_a_little(off[0], hit.row)


def within_budget(offers: Sequence[Chosen], *, above: Mapping[tuple[str, str], float]) -> list[Chosen]:
    """The surer first; of those as sure what keeps to the budget before what is ``above`` it by least."""
    return sorted(offers, key=lambda one: (one.confidence != "likely_good", above[one.name]))


def _of_all(hit: Hit, pair: Together) -> Hit:
    """The hit as so many machines of it answer together."""
    if hit.answer is None:
        return hit
    judged = hit.answer.judgement
    of_all = tuple(
        replace(each, verdict="met", has=f"{pair.machines} × {each.has}")
        if each.need.attribute == pair.attribute
        else each
        for each in judged.findings
    )
    answer = replace(hit.answer, judgement=replace(judged, findings=of_all))
    return replace(hit, fit=short(of_all), answer=answer)


def _of_weight(answer: Answered | None) -> Answered | None:
    """The answer without what says whom it is for."""
    if answer is None:
        return None
    judged = answer.judgement
    kept = tuple(
        each for each in judged.findings if each.verdict == "contradicted" or each.need.attribute not in OF_A_USER
    )
    unknown = sum(each.verdict == "unknown" for each in kept)
    return replace(answer, judgement=replace(judged, findings=kept, unknown=unknown))


def _is_only_larger(hit: Hit) -> bool:
    """Whether nothing is amiss but that it does more than is asked."""
    if hit.answer is None or hit.answer.judgement.overall != "close":
        return False
    off = [each for each in hit.answer.judgement.findings if each.verdict == "close"]
    return all(
        each.need.attribute in SIZES and (hit.row.get(each.need.attribute) or 0) >= (each.need.low or math.inf)
        for each in off
        if each.need.attribute not in SIDE_ISSUES
    )


def _place(one: Chosen) -> tuple[bool, bool, int, int, int, int, float]:
    """The surer first; of those as sure what keeps the limits to the letter, then what is known to meet more, then
    what is nearest in size, and of these the quieter where that is wished. What a superlative has put in order stays
    so.
    """
    answer = one.hit.answer
    unsure = one.confidence != "likely_good"
    if answer is None or answer.place is not None:
        return unsure, False, 0, 0, 0, 0, 0.0
    row, judged = one.hit.row, answer.judgement
    close = [each for each in judged.findings if each.verdict == "close" and not _is_no_matter(each, row)]
    off = max((_off(each, row) for each in judged.findings), default=0)
    amiss = judged.overall == "contradicted" and not _is_about(one.hit)
    beyond = sum(_is_beyond(each, row) or _is_overdone(each, row) for each in judged.findings)
    return unsure, amiss, beyond, len(close), judged.unknown, off, _noise(one, judged.findings)


def _is_beyond(finding: Finding, row: Mapping[str, Any]) -> bool:
    """Whether a row is over a limit that is said, if only by what makers round."""
    value, most = row.get(COLUMNS.get(finding.need.attribute, finding.need.attribute)), finding.need.high
    # A pressure up to which a machine is used is a least one for its rating.
    limited = finding.need.operator == "at_most" and finding.need.attribute != "psi"
    return limited and isinstance(value, int | float) and most is not None and value > most


def _is_no_matter(finding: Finding, row: Mapping[str, Any]) -> bool:
    """Whether it makes no worse filter or dryer: large for its flow, plugged into a circuit of its own, too dry."""
    flow = finding.need.attribute == "cfm" and (row.get("cfm") or 0) >= (finding.need.low or math.inf)
    plugged = finding.need.attribute == "voltage" and row.get("family") == "dryer"
    harmless = flow or plugged or _is_overdone(finding, row)
    return row.get("family") in TREATING and finding.verdict == "close" and harmless


def _does_no_harm(hit: Hit) -> bool:
    """Whether a filter or dryer that is much larger than asked for is in no other respect amiss."""
    if hit.answer is None or hit.confidence != "probable_miss":
        return False
    open_or_off = [
        each
        for each in hit.answer.judgement.findings
        if each.verdict != "met" and each.need.attribute not in SIDE_ISSUES
    ]
    return bool(open_or_off) and all(_is_no_matter(each, hit.row) for each in open_or_off)


def _without_far_larger(fitting: list[Chosen]) -> list[Chosen]:
    """Those to offer without the filters and dryers that are far too large, where one of the right size is there."""
    if not fitting or fitting[0].confidence != "likely_good":
        return fitting
    return [one for one in fitting if not _does_no_harm(one.hit) and not _is_far_larger(one.hit)]


def _is_far_larger(hit: Hit) -> bool:
    findings = hit.answer.judgement.findings if hit.answer else ()
    flows = [each for each in findings if each.verdict == "close" and each.need.attribute == "cfm"]
    return any(_is_no_matter(each, hit.row) and _share(each, hit.row) > FAR_APART for each in flows)


def _is_overdone(finding: Finding, row: Mapping[str, Any]) -> bool:
    """Whether a dryer that spends air dries below freezing what a refrigerated one dries enough."""
    wanted, value = finding.need.high if finding.need.high is not None else finding.need.low, row.get("dewpoint_f")
    if finding.need.attribute != "dewpoint_f" or wanted is None or value is None:
        return False
    return bool(wanted >= REFRIGERATED_LIMIT_F > 0 > value)


def _noise(one: Chosen, findings: Sequence[Finding]) -> float:
    """dB(A) of a machine of the size asked for where it is to be quiet, else 0: of no stated size the least is the
    quietest. What does not say is loud.
    """
    asked = one.sized and any(each.need.attribute in ("quiet", "dba") for each in findings)
    return (one.hit.row.get("noise_dba") or math.inf) if asked else 0.0


def _off(finding: Finding, row: Mapping[str, Any]) -> int:
    """How many steps of STEP a row's size is from the one that is asked for."""
    value, low = row.get(finding.need.attribute), finding.need.low
    if (
        finding.need.attribute not in ("cfm", "hp", "gallons")
        or not value
        or not low
        or finding.need.machines
        or finding.need.spare
    ):
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
    """Those that meet anything, and are no other kind of thing than was asked for, the nearest first; where one is
    built for patients, no other.
    """
    near = [
        (how_far(one.hit.answer.judgement, one.hit.row), one)
        for one in found
        if one.hit.answer and one.hit.answer.judgement.met and not is_of_another_kind(one.hit)
    ]
    built = [each for each in near if not _is_not_built_to(each[1].hit)]
    return [one for _, one in sorted(built or near, key=lambda each: each[0])]


def as_before(
    item: NeededItem, *, bought: Sequence[Mapping[str, Any]], units: Units, tenant: str
) -> tuple[list[Chosen] | None, str | None]:
    """(what the customer has of the kind, a sentence that says so) where neither size nor model is named. What the
    item points at, by its series or as the same again, is offered even where it misses a limit.
    """
    request = requests.read(PRODUCTS, item.sought, tenant=tenant).request
    if request is None or any(need.attribute in TELLING and not need.absent for need in request.needs):
        return None, None
    families = (request.families or MACHINES) & MACHINES
    rows = [row for row in bought if row["family"] in families]
    plain = fold(item.sought)
    called = [row for row in rows if is_called(row["model"], plain)]
    meant, wanted = bool(called), bool(called) or THE_SAME.search(plain) is not None
    likely = _of_its_year(called or rows, item.sought, tenant=tenant)
    row = likely[0] if likely and (called or request.families) else None
    if row is None:
        return None, None
    found = search(
        PRODUCTS, tenant=tenant, query=f"{row['manufacturer']} {row['model']}, {item.sought}", limit=1,
        filters={**item.given(), "model": row["model"]}, units=units,
    )  # fmt: skip
    same = [hit for hit in found.hits if model_key(hit.row["model"]) == model_key(row["model"])]
    where = f"{row['quote_number']} line {row['position']}, {row['quote_date']}, {row['status']}"
    own = f"this customer's own is {row['manufacturer']} {row['model']} ({where})"
    has = f"As the item calls it, {own}" if meant else f"Neither size nor model is named; {own}"
    if not same:
        return None, f"{has}, which the catalogue has no more."
    amiss = missed(same[0])
    if amiss and not wanted:
        return None, f"{has}, which does not fit: {short(amiss)}."
    ask = "" if meant else ": ask whether it is meant"
    if amiss:
        return [Chosen(same[0], guessed=off_by_a_limit(same[0]))], f"{has}{ask}. An exception: {short(amiss)}."
    return [Chosen(same[0], guessed=True)], f"{has}{ask}."


def _of_its_year(rows: Sequence[Mapping[str, Any]], text: str, *, tenant: str) -> Sequence[Mapping[str, Any]]:
    """Of what the customer has, what is of the year that a text tells, "the R5 of 2018"; all where none is."""
    request = requests.read(LINE_ITEMS, text, tenant=tenant).request
    spans = [need for need in (request.needs if request else ()) if need.attribute == "date"]
    return [row for row in rows if any(_is_of_then(row, need) for need in spans)] or rows


def is_called(model: str, folded: str) -> bool:
    """A series of two letters or more, which is no unit behind a number: "80 mm"."""
    series = SERIES.match(fold(model))
    if series is None or len(series[0]) < len("R5"):
        return False
    return re.search(rf"(?<![\w-])(?<!\d )(?<!\d){series[0]}(?![\w])", folded) is not None


def _is_of_then(row: Mapping[str, Any], need: Need) -> bool:
    day = int(row["quote_date"].strftime("%Y%m%d"))
    return (need.low or 0) <= day <= (need.high or math.inf)


def _is_not_built_to(hit: Hit) -> bool:
    """Whether a plant that patients breathe from or are treated with is not told to be built for it."""
    findings = hit.answer.judgement.findings if hit.answer else ()
    asked = [each for each in findings if each.need.attribute == "certificate" and each.need.values & BUILT_TO]
    return hit.row.get("family") in PLANTS and any(
        each.verdict != "met" and each.need.operator == "one_of" for each in asked
    )


def _meets(hit: Hit) -> bool:
    met = hit.answer is not None and hit.answer.judgement.overall in ("met", "unknown")
    return met or _is_to_be_had_so(hit)


def _is_to_be_had_so(hit: Hit) -> bool:
    """Whether all that it misses is an option of it, as its text tells, or a voltage for its maker to confirm."""
    if hit.answer is None or hit.answer.judgement.overall != "close":
        return False
    missed = [each for each in hit.answer.judgement.findings if each.verdict == "close"]
    return all(each.has.endswith((AS_AN_OPTION, TO_CONFIRM)) for each in missed)


def _lacks_a_wish(hit: Hit) -> bool:
    """Whether all that it does not meet is wished and not needed: "preferably oilless"."""
    findings = hit.answer.judgement.findings if hit.answer else ()
    lacking = [each.need for each in findings if each.verdict != "met" and each.need.attribute not in SIDE_ISSUES]
    return bool(lacking) and all(map(is_a_wish, lacking))


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
    """Of what is asked for, with one of its machines out where that is asked; 1 where it is unknown."""
    if not row.get("cfm") or not finding.need.low:
        return 1.0
    left = left_running(row["cfm"], row_traits(row)) if finding.need.spare else None
    return (left[0] if left else row["cfm"]) / finding.need.low


def _is_an_equal(hit: Hit) -> bool:
    """Whether all that it misses is to be the maker and the model that are not here."""
    findings = hit.answer.judgement.findings if hit.answer else ()
    told = (each for each in findings if each.verdict != "unknown" or each.need.attribute not in SIDE_ISSUES)
    missed = [each for each in told if each.verdict != "met"]
    return hit.confidence == "probable_miss" and bool(missed) and all(each.need.absent for each in missed)


def facts(row: Mapping[str, Any], *, metric: bool) -> str:
    """What tells products apart, in one line, with metric figures beside where they are wanted."""
    said = [str(row["category"]).lower()]
    for name, unit in FACTS:
        value = row.get(name)
        if value is None:
            continue
        plain = f"{value:g} {unit}" if isinstance(value, int | float) else f"{value} {unit}".strip()
        other = beside(name, row) if metric else None
        said.append(f"{plain} ({other})" if other else plain)
    return ", ".join(said)
