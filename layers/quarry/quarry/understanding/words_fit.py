"""What a row answers to one need that is words: of its column where it has one, else of what its text says."""

import re
from collections.abc import Mapping
from dataclasses import replace

from quarry.understanding.countries import answer_of_country
from quarry.understanding.figures_fit import UNHARMED, UNKNOWN, Answer, Traits, left_running, own_value
from quarry.understanding.inflection import plain
from quarry.understanding.marks import KIND_OF
from quarry.understanding.needs import VERDICTS, Need, Verdict
from quarry.understanding.text import STEM, WORD, fold, key_of, text_of

ENGINE = re.compile(r"diesel|engine|motor a gas|gas(oline|olina)? (driven|powered)")
KINDRED = (
    frozenset(("food", "dairy", "beverage", "brewing", "bakery")),
    frozenset(("hospital", "dental", "laboratory", "pharma")),
    frozenset(("machining", "metal", "stamping", "foundry", "automotive")),
    frozenset(("packaging", "plastics", "printing", "paper")),
)
AS_AN_OPTION = "as an option"
"""Behind what a machine comes with if that is ordered, as its text tells."""
PLAIN_STEEL = "not told"
LINED = re.compile(
    r"\blin(?:ed|ing)\b|internally (?:\w+ )?coated|innen ?beschichtet|revestid[oa] inter\w+|revetement interieur"
)
"""A vessel whose steel touches no air: what comes nearest to a stainless one."""
PAINTED = re.compile(
    r"\b(?:\w+ )?(?:epoxy )?(?:primer|paint(?:ed)?|powder coat(?:ed)?)(?: (?:outside|inside|in and out))?"
)
"""How the text of a vessel tells that its steel is painted, and so not galvanized."""
OF_VESSELS = frozenset(("stainless", "epoxy", "galvanized"))
WORKS_VOLTS = frozenset(("208 V", "400 V", "460 V", "575 V"))
LAMP_VOLTS = frozenset(("115 V", "230 V"))
"""Volts of what is plugged in, at one phase."""
EITHER_PHASE = frozenset(("230 V",))
"""Volts of a house and of a works; 208 V is a works' three-phase supply in the Americas."""
SINGLE_PHASE_HP = 7.5
"""Up to which machines are commonly had for one phase."""
TO_CONFIRM = "for the maker to confirm"
OFF_NOMINAL = re.compile(r"(?<!\d)(?:380|415)(?!\d)")
"""Volts that mains of 400 V once had, and have in places: IEC 60038 tells 400 V for them, a motor's plate may not."""
QUIET_DBA = 68.0
"""Up to which a machine is called quiet."""
NEARLY: Mapping[str, frozenset[str]] = {"control-panel": frozenset(("sequencer",))}
"""What does most of what a kind does."""
ENDING = 2
"""Letters by which a word bends: bottlers, bottling."""
TRADE_STEM = 4
"""Letters by which the name of a trade is known: brewery, brewing."""
JUST_ENOUGH = 0.95
"""Of a flow, as for any machine."""
TOLD_IN = ("project", "summary", "price_rationale")


def answer_in_words(need: Need, row: Mapping[str, object], traits: Traits) -> Answer:
    if need.attribute == "lubrication":
        return _lubrication(need, row, traits)
    if need.attribute == "manufacturer":
        return _maker(need, row)
    if need.attribute == "model":
        return _model(need, row, traits)
    if need.attribute in ("industry", "use"):
        return _use(need, row, traits)
    if need.attribute == "heading":
        heading = text_of(row, "category").lower()
        return ("met" if heading in need.values else "contradicted"), heading
    if need.attribute == "reference":
        return _reference(need, row)
    if need.attribute == "country":
        return answer_of_country(need, row)
    if need.attribute == "competitor":
        return _competitor(need, row)
    if need.attribute == "name":
        return _name(need, row)
    if need.attribute == "voltage":
        return _voltage(need, row, traits)
    if need.attribute == "optional":
        same = bool(row.get("optional")) == (need.operator == "one_of")
        return ("met" if same else "contradicted"), "option" if row.get("optional") else "in the price"
    if need.attribute == "quiet":
        return _quiet(row, traits)
    if need.attribute == "service" and need.operator == "one_of" and traits.get("heading"):
        return _headed(need, traits)
    if need.attribute in ("outcome", "family", "customer", "salesperson", "contact", "quote_number", "currency"):
        return _column(need, row)
    if need.attribute == "redundancy" and need.operator == "one_of":
        return _redundancy(need, row, traits)
    attribute = {"included": "feature"}.get(need.attribute, need.attribute)
    own = own_value(row, attribute)
    offered = frozenset({own}) if isinstance(own, str) else traits.get(attribute, frozenset())
    offered |= {KIND_OF[value] for value in offered if value in KIND_OF}
    optional = need.values & traits.get("option", frozenset())
    if optional and not offered & need.values and need.operator == "one_of":
        return "close", ", ".join([*sorted(offered), f"{', '.join(sorted(optional))} {AS_AN_OPTION}"])
    return _among(need, offered, row, traits)


def _among(need: Need, offered: frozenset[str], row: Mapping[str, object], traits: Traits) -> Answer:
    has = ", ".join(sorted(offered))
    denied = need.values & traits.get("denied", frozenset())
    if denied and not offered & need.values:
        # A past line that says so is still about it.
        missed: Verdict = "close" if "position" in row else "contradicted"
        verdict: Verdict = missed if need.operator == "one_of" else "met"
        return verdict, ", ".join(f"not {value}" for value in sorted(denied))
    if need.attribute == "portability" and ENGINE.search(fold(need.words)) and row.get("voltage") and not offered:
        return "contradicted", "electric"
    if need.attribute == "included":
        inside = offered & {f"integrated-{value}" for value in need.values} or (
            "tank-mounted" in offered and "receiver" in need.values
        )
        return ("contradicted", has) if inside else ("met", "none")
    if need.attribute == "certificate":
        return _certificate(need, offered, row)
    if need.operator == "none_of":
        return ("contradicted", has) if offered & need.values else ("met" if offered else "unknown", has)
    if offered & need.values:
        return "met", ", ".join(sorted(offered & need.values))
    if (
        need.attribute == "feature"
        and need.values & OF_VESSELS
        and row.get("family") == "receiver"
        and "position" not in row
    ):
        # A vessel's text tells its steel, and plain steel where it tells none.
        painted = PAINTED.search(fold(text_of(row, "description")))
        if painted and need.values == {"galvanized"}:
            return "contradicted", painted[0]
        return "close", "lined" if LINED.search(fold(text_of(row, "description"))) else PLAIN_STEEL
    if not offered or need.attribute in ("feature", "service", "redundancy", "reason", "price"):
        return "unknown", has if need.attribute != "feature" else ""
    if any(KIND_OF.get(value) in offered for value in need.values):
        return "unknown" if not offered & set(KIND_OF) else "close", has
    near = any(NEARLY.get(value, frozenset()) & offered for value in need.values)
    return ("close" if need.attribute in ("arrangement", "motor") or near else "contradicted"), has


def _redundancy(need: Need, row: Mapping[str, object], traits: Traits) -> Answer:
    """Told by its text, or reckoned: the others of its machines give the flow that is asked for with one out."""
    if told := traits.get("redundancy", frozenset()) & need.values:
        return "met", ", ".join(sorted(told))
    flow = row.get("cfm")
    left = left_running(float(flow), traits) if isinstance(flow, int | float) else None
    if left is None:
        return ("close", "one machine") if "simplex" in traits.get("arrangement", frozenset()) else UNKNOWN
    enough = need.low is None or left[0] >= JUST_ENOUGH * need.low
    return ("met" if enough else "contradicted"), f"{left[0]:g} cfm with one of {left[1]} out"


def _headed(need: Need, traits: Traits) -> Answer:
    """Of a line whose heading says what work it is: other work may be a part of it, if its text tells of that."""
    has = ", ".join(sorted(traits["heading"]))
    if traits["heading"] & need.values:
        return "met", has
    return ("unknown" if traits["told"] & need.values else "contradicted"), has


def _quiet(row: Mapping[str, object], traits: Traits) -> Answer:
    """A wish without a figure: it orders rows and excludes none."""
    value = row.get("noise_dba")
    if not isinstance(value, int | float):
        return ("met", "quiet") if traits.get("quiet") else UNKNOWN
    return ("met" if value <= QUIET_DBA else "close"), f"{value:g} dBA"


def _certificate(need: Need, offered: frozenset[str], row: Mapping[str, object]) -> Answer:
    quality = fold(text_of(row, "air_quality"))
    if offered & need.values or any(value in quality for value in need.values):
        verdict: Verdict = "contradicted" if need.operator == "none_of" else "met"
        return verdict, ", ".join(sorted(offered & need.values)) or quality
    if need.values == {"nfpa 99"} and need.operator == "one_of" and _is_no_medical_machine(need, row):
        return "contradicted", "not told"
    oiled = row.get("lubrication") == "oil-flooded" and "iso 8573-1 class 0" in need.values
    return ("contradicted", "oil-flooded") if oiled and need.operator == "one_of" else UNKNOWN


def _is_no_medical_machine(need: Need, row: Mapping[str, object]) -> bool:
    """Whether a product is no plant for air that patients breathe, nor for a vacuum by the standard: such a one says
    so.
    """
    category, family = text_of(row, "category").lower(), row.get("family")
    asked = family == "compressor" or (family == "vacuum_pump" and "nfpa" in fold(need.words))
    return asked and "position" not in row and bool(category) and "medical" not in category


def _lubrication(need: Need, row: Mapping[str, object], traits: Traits) -> Answer:
    column = text_of(row, "lubrication")
    offered = frozenset({column}) if column else traits.get("lubrication", frozenset())
    known = offered & {"oilless", "oil-free", "oil-flooded"}
    if len(known) > 1:
        known = known - {"oil-free"} if "oilless" in known and "oil-flooded" not in known else frozenset()
    if not known:
        screw = "screw" in text_of(row, "category").lower() and "oil-free" not in text_of(row, "category").lower()
        return (
            ("close", "not stated")
            if screw and need.values == {"oil-flooded"} and need.operator == "one_of"
            else UNKNOWN
        )
    has = next(iter(known))
    admitted = has in need.values
    if not column and admitted and need.operator != "none_of":
        return "close", f"{has} by its text"
    return ("met" if admitted == (need.operator != "none_of") else "contradicted"), has


def _maker(need: Need, row: Mapping[str, object]) -> Answer:
    maker = text_of(row, "manufacturer")
    if not maker:
        return UNKNOWN
    same = fold(maker) in {fold(value) for value in need.values}
    if need.operator == "none_of":
        return ("contradicted" if same else "met"), maker
    return ("met" if same else "contradicted" if need.hard else "close"), maker


def _model(need: Need, row: Mapping[str, object], traits: Traits) -> Answer:  # noqa: ARG001  # rules share one form
    model = text_of(row, "model")
    if not model:
        said = key_of(text_of(row, "description")[:2000])
        named = any(key_of(value) in said for value in need.values)
        return ("met", "named in its text") if named and need.operator != "none_of" else UNKNOWN
    same = key_of(model) in {key_of(value) for value in need.values}
    if need.operator == "none_of":
        return ("contradicted" if same else "met"), model
    other: Verdict = "close" if need.operator == "about" or need.absent else "contradicted"
    return ("met" if same else other), model


def _competitor(need: Need, row: Mapping[str, object]) -> Answer:
    """Who won an order that was lost, as the quote tells it."""
    told = fold(f"{text_of(row, 'price_rationale')} {text_of(row, 'summary')}")
    named = any(fold(value).split()[0] in told for value in need.values)
    return ("met", "named in its text") if named and need.operator != "none_of" else UNKNOWN


def _name(need: Need, row: Mapping[str, object]) -> Answer:
    """Whether any text of the row has a name that the tenant's customers and people do not have."""
    texts = (value for value in row.values() if isinstance(value, str))
    told = f" {' '.join(plain(text) for text in texts)} "
    return ("met", "named in its text") if any(f" {name} " in told for name in need.values) else UNKNOWN


def _reference(need: Need, row: Mapping[str, object]) -> Answer:
    """Whether other customers may be told of the sale."""
    named = row.get("reference") is True
    return ("met" if named == (need.operator == "one_of") else "contradicted"), "yes" if named else "no"


def _use(need: Need, row: Mapping[str, object], traits: Traits) -> Answer:
    offered = traits.get(need.attribute, frozenset())
    column = text_of(row, "industry").lower()
    theirs = column or text_of(row, "_industry").lower()
    if theirs and need.attribute == "industry":
        offered |= {theirs}
    has = ", ".join(sorted(offered))
    if need.operator == "none_of":
        return ("contradicted", has) if offered & need.values else ("met", has)
    if offered & need.values:
        return "met", ", ".join(sorted(offered & need.values))
    if column and need.operator == "one_of" and _is_told(need, row):
        return "met", "named in its text"
    kin = any(group & need.values and group & offered for group in KINDRED)
    if kin:
        return "close", has
    # A quote to another trade is not the one that is looked for; a machine or its words serve any trade.
    other: Verdict = "contradicted" if column else "close" if theirs else "unknown"
    return (other if need.attribute == "industry" else "unknown"), has


def _is_told(need: Need, row: Mapping[str, object]) -> bool:
    """Whether a quote's story has the word that a trade was read from, where that names no trade: an oil film."""
    word = fold(need.words)
    names_a_trade = any(word.startswith(value[:TRADE_STEM]) for value in need.values)
    told = fold(f"{text_of(row, 'project')} {text_of(row, 'summary')}")
    stem = word[: max(STEM, len(word) - ENDING)]
    return need.attribute == "industry" and not names_a_trade and bool(re.search(rf"\b{re.escape(stem)}", told))


def _tells(row: Mapping[str, object], need: Need) -> bool:
    """Whether the text of a quote has the very words that were read: "film" is not of a packaging plant alone."""
    told = fold(" ".join(text_of(row, column) for column in TOLD_IN))
    said = [word[:STEM] for word in WORD.findall(fold(need.words)) if len(word) > 2]
    return bool(said) and all(stem in told for stem in said)


def _voltage(need: Need, row: Mapping[str, object], traits: Traits) -> Answer:
    offered = traits.get("voltage", frozenset())
    has = ", ".join(sorted(offered))
    if need.operator == "none_of":
        return ("contradicted" if need.values <= offered else "met" if offered else "unknown"), has
    if need.alternatives:
        each = [_voltage(replace(need, values=values, alternatives=()), row, traits) for values in need.alternatives]
        return min(each, key=lambda answer: VERDICTS.index(answer[0]))
    kinds = [suffix for suffix in (" V", " ph", " Hz") if any(value.endswith(suffix) for value in need.values)]
    told = [any(value.endswith(suffix) for value in offered) for suffix in kinds]
    agreed = [any(value in offered for value in need.values if value.endswith(suffix)) for suffix in kinds]
    if any(there and not same for there, same in zip(told, agreed, strict=True)):
        if not _is_plugged_in(need, row, offered):
            return "contradicted", has
        # "400 V three-phase or 230 V": the phases are of the first.
        return ("met" if offered & LAMP_VOLTS & need.values else "close"), has
    if not row.get("voltage") and "membrane" in traits.get("dryer_kind", frozenset()):
        return "met", "none, it takes no current"
    power = row.get("hp")
    if phases_unsaid(need.values):
        has = ", ".join(value for value in sorted(offered) if not value.endswith(" ph"))
    small = not isinstance(power, int | float) or power <= SINGLE_PHASE_HP
    if phases_unsaid(need.values) and small and "3 ph" in offered and "1 ph" not in offered:
        return "unknown", f"{has}, 3 ph, which is not said"
    if all(agreed) and (volts := OFF_NOMINAL.search(need.words)) and volts[0] not in text_of(row, "voltage"):
        return "close", f"{has}: {volts[0]} V {TO_CONFIRM}"
    return ("met" if all(agreed) else "unknown"), has


def _is_plugged_in(need: Need, row: Mapping[str, object], offered: frozenset[str]) -> bool:
    """Whether a dryer or a control takes the lamp circuit of a works at the frequency of its mains."""
    works = need.values & WORKS_VOLTS or "3 ph" in need.values
    hertz = {value for value in need.values if value.endswith(" Hz")}
    hertz = hertz or ({"60 Hz"} if need.values & {"208 V", "460 V", "575 V"} else set())
    single = bool(offered & LAMP_VOLTS) and "3 ph" not in offered
    theirs = {value for value in offered if value.endswith(" Hz")}
    return row.get("family") in UNHARMED and bool(works) and single and (not theirs or bool(theirs & hertz))


def phases_unsaid(values: frozenset[str]) -> bool:
    """Whether a supply is said by volts that are had of one phase and of three."""
    volts = {value for value in values if value.endswith(" V")}
    return bool(volts) and volts <= EITHER_PHASE and not any(value.endswith(" ph") for value in values)


def _column(need: Need, row: Mapping[str, object]) -> Answer:
    value = text_of(row, {"outcome": "status"}.get(need.attribute, need.attribute))
    if not value and need.attribute == "outcome":
        value = text_of(row, "outcome")
    if not value:
        return UNKNOWN
    alike = key_of if need.attribute == "quote_number" else fold
    same = alike(value) in {alike(each) for each in need.values}
    return ("met" if same == (need.operator != "none_of") else "contradicted"), value.replace("_", " ")
