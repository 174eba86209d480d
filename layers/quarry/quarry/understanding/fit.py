"""How well a row meets a need: met, close, unknown or contradicted."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from quarry.understanding.extremes import EXTREMES
from quarry.understanding.figures_fit import RULES, UNITS, Traits, net_flow, own_figure
from quarry.understanding.measured import HOT_INLET_F
from quarry.understanding.needs import VERDICTS, Finding, Item, Judgement, Need, Verdict
from quarry.understanding.text import fold
from quarry.understanding.traits import PLEX, row_traits
from quarry.understanding.units import figure
from quarry.understanding.words_fit import answer_in_words

NAMES = {
    "manufacturer": "maker", "dewpoint_f": "dew point", "gallons": "gal", "dba": "noise", "inhg": "vacuum",
    "quiet": "noise", "altitude_ft": "altitude", "inlet_f": "inlet", "net_cfm": "net flow",
    "ambient_f": "ambient",
}  # fmt: skip
SIDE_ISSUES = frozenset((
    "industry", "use", "price", "reason", "service", "in", "ppm",
    "micron", "ambient_f", "feature", "certificate", "currency", "customer", "salesperson", "contact", "redundancy",
    "quiet", "motor", "altitude_ft", "purge", "particle_class", "water_class", "oil_class",
))  # fmt: skip
"""Needs that a row rarely answers; not knowing them leaves the whole judgement as it is."""
MEDICAL = re.compile(r"medic|medizin|nfpa|surgical")
OF_A_HOSPITAL = re.compile(r"hospital|krankenh|klinik|hopital|clinique")
HOSPITAL = re.compile(r"hospital|\bhosp\b|krankenh|klinik|hopital|clinique")
BREATHED = re.compile(r"breath|atem|respir|patient|paciente")
"""What the air of a hospital is for where it is no plain compressed air."""
LABORATORY = re.compile(r"\blab|dental|dentist|sterili")
VACUUM = re.compile(r"vacuum|vakuum|vacio|\bvide\b")
VACUUM_VESSEL = re.compile(
    r"vacuum (receiver|tank|vessel|reservoir)|full vacuum|vakuum(behalter|kessel|tank)"
    r"|(tanque|deposito) de vacio|(cuve|reservoir) (a|de|sous) vide"
)
NO_PRESSURE_PSI = 15.0
"""Up to which a vessel is stamped that holds a vacuum and no compressed air."""
WISHES = frozenset(("voltage", "lubrication", "cooling", "drive", "compression", "dryer_kind", "portability"))
"""What "if possible" makes a wish: a row that lacks it is close."""


def fit(need: Need, row: Mapping[str, object], *, traits: Traits | None = None) -> Finding:
    """How a row answers one need. Rows are mappings by the columns of products, line items or past quotes."""
    traits = row_traits(row) if traits is None else traits
    rule = own_figure if need.unit is not None else RULES.get(need.attribute)
    if need.operator in ("one_of", "none_of") or rule is None:
        verdict, has = answer_in_words(need, row, traits)
    else:
        verdict, has = rule(need, row, traits)
    if verdict == "contradicted" and is_a_wish(need):
        verdict = "close"
    return Finding(verdict, has, need)


def is_a_wish(need: Need) -> bool:
    """Whether it is said to be wanted "if possible"; what a competitor's machine implies is no wish."""
    return not need.hard and need.attribute in WISHES and need.implied_by is None


def judge(item: Item, row: Mapping[str, object], *, traits: Traits | None = None) -> Judgement:
    """How a row answers an item. Off in one respect is close, off in two is contradicted; a wish that it lacks leaves
    it close at most.

    A superlative is answered by comparing rows (extremes.py) and not here.
    """
    traits = row_traits(row) if traits is None else traits
    found = (_found(need, item, row, traits) for need in item.needs if need.attribute not in EXTREMES)
    vessel = _is_a_vacuum_vessel(item, row)
    findings = _of_one_work(
        tuple(
            replace(each, verdict="contradicted", has="vacuum receiver")
            if vessel and each.need.attribute == "family"
            else each
            for each in found
        )
    )
    count = {verdict: sum(finding.verdict == verdict for finding in findings) for verdict in VERDICTS}
    missed = [finding for finding in findings if finding.verdict == "close" and _weighs(finding.need, row)]
    off = [finding for finding in missed if not is_a_wish(finding.need)]
    # A maker that is not here and its model are one thing that is not here.
    absent = sum(finding.need.absent and finding.need.operator != "none_of" for finding in off)
    # Plugged into a circuit of its own it stands in the way of nothing else that is not quite so.
    plugged = sum(finding.need.attribute == "voltage" for finding in off)
    close = len(off) - plugged - max(0, absent - 1) + sum(differs(item, row) for differs in OTHER_KINDS)
    # Work is not done on the machine that its line names in passing: what that one is like leaves nothing open.
    of_work = row.get("family") == "service"
    open_questions = not of_work and any(each.verdict == "unknown" and _leaves_open(each, row) for each in findings)
    overall: Verdict
    if count["contradicted"] or close > 1:
        overall = "contradicted"
    elif open_questions:
        overall = "unknown"
    else:
        overall = "close" if close or missed else "met"
    return Judgement(findings, count["met"], count["close"], count["unknown"], count["contradicted"], overall)


def _found(need: Need, item: Item, row: Mapping[str, object], traits: Traits) -> Finding:
    """The answer to one need, of those that another need says more of: what leaves a dryer is what enters less its
    purge, and a plant that runs on with one machine out may have more machines than were asked for.
    """
    if need.attribute == "net_cfm":
        return Finding(*net_flow(need, item.need("cfm"), row, traits), need)
    if need.attribute == "arrangement" and _runs_on(item):
        machines = max((int(count) for count in traits.get("pumps", frozenset())), default=0)
        wanted = max((count for count, name in PLEX.items() if name in need.values), default=0)
        if machines >= wanted > 1:
            return Finding("met", f"{machines} machines", need)
    return fit(need, row, traits=traits)


def _runs_on(item: Item) -> bool:
    wanted = item.need("redundancy")
    return wanted is not None and wanted.operator == "one_of" and "n+1" in wanted.values


def _of_one_work(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Of several services that are asked for as one item, a line that is headed by one of them leaves others open."""
    works = [finding.verdict for finding in findings if finding.need.attribute == "service"]
    if "met" not in works or "contradicted" not in works:
        return findings
    return tuple(
        replace(each, verdict="unknown")
        if each.need.attribute == "service" and each.verdict == "contradicted"
        else each
        for each in findings
    )


def short(findings: Iterable[Finding]) -> str:
    """Findings in one line: "hp 100 met; cfm 308, asked 350: contradicted". That a row names no industry or no price
    is no news: hardly any does.
    """
    return "; ".join(_short(each) for each in findings if not (each.verdict == "unknown" and _is_rare(each.need)))


def _is_rare(need: Need) -> bool:
    return need.attribute == "industry" or (need.attribute in EXTREMES and need.values == {"price"})


def _short(finding: Finding) -> str:
    need = finding.need
    if need.attribute in EXTREMES:
        return f"{need.shown} {finding.has} {finding.verdict}" if finding.has else f"{need.shown} unknown"
    name = NAMES.get(need.attribute, need.attribute.replace("_", " "))
    unit = UNITS.get(need.attribute, "") if need.unit is None else need.unit
    has = finding.has.removesuffix(" " + unit) if unit and unit == name else finding.has
    asked = need.shown
    ends = [figure(end) for end in (need.low, need.high) if end is not None]
    if need.operator not in ("one_of", "none_of") and ends and need.attribute != "date":
        sign = {"at_least": "≥ ", "at_most": "≤ "}.get(need.operator, "")
        asked = sign + "–".join(dict.fromkeys(ends)) + (f" {unit}" if unit and unit != name else "")
    if finding.verdict == "unknown":
        if need.attribute == "voltage" and finding.has:
            return f"{name} {finding.has}, asked {asked}: unknown"
        return f"{name} unknown, asked {asked}"
    if finding.verdict == "met":
        return f"{name} {has} met"
    return f"{name} {has}, asked {asked}: {finding.verdict}"


def _leaves_open(finding: Finding, row: Mapping[str, object]) -> bool:
    """An amount in another currency may or may not be what was asked for; the volume beside a drain is the tank's,
    and warm air costs any dryer capacity.
    """
    if finding.need.attribute == "gallons" and row.get("family") == "accessory":
        return False
    if finding.need.attribute == "inlet_f" and (finding.need.high or 0.0) < HOT_INLET_F:
        return False
    return finding.need.attribute not in SIDE_ISSUES or (finding.need.attribute == "price" and bool(finding.has))


def _weighs(need: Need, row: Mapping[str, object]) -> bool:
    """A product that is not known for a trade is not off for it; a quote to another trade is, and a finer filter."""
    of_its_trade = need.attribute == "industry" and bool(row.get("industry"))
    of_a_vessel = need.attribute == "feature" and row.get("family") == "receiver"
    return need.attribute not in SIDE_ISSUES or of_its_trade or of_a_vessel or need.attribute == "micron"


def _is_a_vacuum_vessel(item: Item, row: Mapping[str, object]) -> bool:
    """Whether the row is a vessel for vacuum and the item one for compressed air."""
    if item.families != {"receiver"} or row.get("family") not in ("receiver", None):
        return False
    if item.need("inhg") or item.need("model") or VACUUM.search(fold(item.text)):
        return False
    stamped = row.get("psi")
    # A past line tells of what was sold, whatever its model is stamped for.
    weak = stamped is None or "position" in row or (isinstance(stamped, int | float) and stamped <= NO_PRESSURE_PSI)
    return weak and VACUUM_VESSEL.search(fold(str(row.get("description") or ""))) is not None


def _is_of_a_hospital(asked: str) -> bool:
    return bool(MEDICAL.search(asked) or OF_A_HOSPITAL.search(asked)) and not LABORATORY.search(asked)


def _is_a_hospital_package(item: Item, row: Mapping[str, object]) -> bool:
    """A medical plant is close at most for who asks for a plain pump or compressor."""
    if "medical" not in str(row.get("category") or "").lower():
        return False
    asked = {
        value
        for need in item.needs
        for value in need.values
        if need.attribute in ("industry", "certificate", "model")
    }
    named = item.need("model") is not None or _is_of_a_hospital(fold(item.text))
    return not asked & {"hospital", "nfpa 99"} and not named


def is_a_booster_unasked(item: Item, row: Mapping[str, object]) -> bool:
    """A machine that takes in compressed air is close at most for who does not ask to boost."""
    if "booster" not in str(row.get("category") or "").lower() or item.need("model") is not None:
        return False
    return not any("booster" in need.values for need in item.needs)


def _is_no_vacuum_vessel(item: Item, row: Mapping[str, object]) -> bool:
    """A vessel for compressed air is close at most for who asks for one for vacuum."""
    if item.families != {"receiver"} or row.get("family") != "receiver" or item.need("model") is not None:
        return False
    told = VACUUM_VESSEL.search(fold(f"{row.get('series') or ''} {row.get('description') or ''}"))
    return VACUUM_VESSEL.search(fold(item.text)) is not None and told is None


def _is_no_hospital_package(item: Item, row: Mapping[str, object]) -> bool:
    """A plain pump or compressor is close at most for who asks for medical air or for a hospital's vacuum."""
    category = str(row.get("category") or "").lower()
    if not category or "medical" in category or row.get("family") not in ("compressor", "vacuum_pump"):
        return False
    asked = fold(item.text)
    of_patients = row.get("family") == "vacuum_pump" or BREATHED.search(asked)
    of_a_hospital = of_patients and HOSPITAL.search(asked) and not LABORATORY.search(asked)
    named = item.need("model") is not None
    of_medical = any("nfpa 99" in need.values for need in item.needs if need.operator == "one_of")
    return not named and bool(of_medical or MEDICAL.search(asked) or of_a_hospital)


OTHER_KINDS = (_is_a_hospital_package, _is_no_hospital_package, is_a_booster_unasked, _is_no_vacuum_vessel)
"""In what a row differs from what is asked for though no need says so."""
