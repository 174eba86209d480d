"""The family of machine that is meant where none is named: by its quantities, its kind, or an absent maker."""

from collections.abc import Mapping, Sequence

from quarry.understanding.lengths import is_of_a_vacuum
from quarry.understanding.marks import Mark, Role
from quarry.understanding.needs import Need

BLOWN_PSI = 18
"""Up to which air is blown and not compressed."""
INFERRED: tuple[tuple[str, frozenset[str], str], ...] = (
    ("inhg", frozenset(), "vacuum_pump"),
    ("ppm", frozenset(), "filtration"),
    ("dewpoint_f", frozenset(), "dryer"),
    ("dryer_kind", frozenset(), "dryer"),
    ("filter_kind", frozenset(("coalescing", "particulate", "carbon")), "filtration"),
    ("accessory_kind", frozenset(), "accessory"),
    ("portability", frozenset(), "compressor"),
    ("compression", frozenset(("claw", "liquid-ring")), "vacuum_pump"),
    ("compression", frozenset(("lobe", "regenerative", "turbo")), "blower"),
    ("compression", frozenset(("scroll", "reciprocating", "centrifugal", "booster")), "compressor"),
)


def measured_as(text: str, roles: Sequence[Role], marks: Sequence[Mark]) -> frozenset[str]:
    """The machine as whose the quantities of an item are read that names none."""
    if is_of_a_vacuum(text, roles, marks):
        return frozenset({"vacuum_pump"})
    return frozenset({"compressor"}) if any(mark.attribute == "hp" for mark in marks) else frozenset()


def with_family(needs: list[Need], families: frozenset[str], *, makes: Mapping[str, str]) -> list[Need]:
    """Adds the family that only one kind of machine can mean: 27 inHg is a vacuum pump."""
    if families or any(need.attribute == "model" and not need.absent for need in needs):
        return needs
    of_a_machine = any(need.attribute in ("hp", "compression") for need in needs)
    for attribute, values, family in INFERRED:
        # "Screw with heat recovery" is a machine that has it.
        for need in () if family == "accessory" and of_a_machine else needs:
            if need.attribute != attribute or need.operator == "none_of" or (values and not need.values & values):
                continue
            return [*needs, _family(need, family)]
    said = {need.attribute for need in needs}
    if "gallons" in said and said & {"hp", "compression"} and "inhg" not in said:
        # A machine with a tank: "10 hp screw, 120 gallon".
        return [
            *needs,
            _family(next(need for need in needs if need.attribute in ("hp", "compression")), "compressor"),
        ]
    if "gallons" in said and not said & {"hp", "cfm", "lubrication", "compression"}:
        return [*needs, _family(next(need for need in needs if need.attribute == "gallons"), "receiver")]
    pressed = next((need for need in needs if need.attribute == "psi" and (need.low or need.high or 0) >= 40), None)
    blown = next(
        (need for need in needs if need.attribute == "psi" and 1 <= (need.high or need.low or 0) <= BLOWN_PSI),
        None,
    )
    if blown is not None and "cfm" in said:
        return [*needs, _family(blown, "blower")]
    if pressed is not None and said & {"hp", "lubrication", "compression"}:
        return [*needs, _family(pressed, "compressor")]
    return [*needs, *_made(needs, makes)]


def _made(needs: Sequence[Need], makes: Mapping[str, str]) -> list[Need]:
    """The family that an absent maker is known for; one that is here makes what the catalogue says."""
    named = [need for need in needs if need.attribute == "manufacturer" and need.operator == "one_of" and need.absent]
    families = {family for need in named for value in need.values if (family := makes.get(value))}
    return [_family(named[0], family) for family in families] if len(families) == 1 else []


def _family(need: Need, family: str) -> Need:
    """The family that a need implies, with the words of that need."""
    return Need(
        "family",
        "one_of",
        values=frozenset({family}),
        words=need.words,
        shown=family.replace("_", " "),
        start=need.start,
    )
