"""Quantities as they are typed: numbers, ranges, bounds and units, each with the words that it was read from."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile

from quarry.understanding.needs import SIZES, Language, Operator
from quarry.understanding.numbers import Number, decimal, is_a_label, number_at, spoken_hundreds, token_after
from quarry.understanding.text import Token
from quarry.understanding.units import BY_NAME, Unit, unit_at
from quarry.understanding.words import Vocabulary

RANGE = re.compile(r"\s{0,2}(?:-|\.\.\.?|to|or|oder|o|ou|bis|a|hasta|jusqu'a|through|thru)\s{0,2}(?=[\d-])")
BETWEEN = re.compile(r"\s{0,2}(?:-|to|or|and|und|y|et|bis|a)\s{0,2}(?=[\d-])")
SIGNS: tuple[tuple[str, Operator], ...] = (
    ("<=", "at_most"), ("=<", "at_most"), ("≤", "at_most"), ("<", "at_most"), (">=", "at_least"), ("=>", "at_least"),
    ("≥", "at_least"), (">", "at_least"), ("+/-", "about"), ("±", "about"), ("~", "about"), ("≈", "about"),
)  # fmt: skip
BEFORE_UNIT = {
    **dict.fromkeys(("hp", "bhp", "horsepower"), "hp"),
    **dict.fromkeys(("cfm", "acfm", "scfm", "icfm"), "cfm"),
    **dict.fromkeys(("psi", "psig"), "psi"),
    **dict.fromkeys(("dba", "db"), "dba"),
    **dict.fromkeys(("gal", "gallons"), "gal"),
    **{name: name for name in ("kw", "bar", "inhg")},
}
SIGNED = ("temp", "pressure", "mbar")
"""What may lie below zero; a dash before any other figure is a dash."""
DEW_WORDS = frozenset(("dewpoint", "dew", "pdp", "taupunkt", "drucktaupunkt", "dtp", "rocio", "rosee"))
DEW_FOLLOWS = re.compile(r"(degrees? )?([fc] )?(pressure )?(dew ?point|pdp|dew pt)\b")
DRY_FOLLOWS = re.compile(r"(degrees? )?([fc] )?(dry|trocken|seco|sec)\b")
"""Behind degrees below zero: "air at -40 dry"; a figure before "dry" is else of something else: NFPA 99, dry."""
DRY = frozenset(("dry", "trocken", "trockene", "seco", "sec"))
"""Before degrees below zero that are a dew point: dry air -40."""
SPOKEN_SHORT = frozenset(("pressure", "cfm", "dba"))
"""What is sized in hundreds that are not said."""
ROUNDING: Mapping[str, Operator] = {
    **dict.fromkeys(("odd", "some", "ish", "something"), "about"), "plus": "at_least",
}  # fmt: skip
"""Between a number and its unit: two hundred some cfm."""
UNSAID = {
    "blower": ("psi", (1.5, 18.0)),
    "lobe": ("psi", (1.5, 18.0)),
    "vacuum_pump": ("inhg", (10.0, 29.9)),
    "compressor": ("psi", (80.0, 250.0)),
    "screw": ("psi", (80.0, 250.0)),
    "dryer": ("psi", (80.0, 250.0)),
}
BEFORE_A_SHARE = 30
VACUUM_OF = re.compile(
    r"\b(?:vacuum|vac|vakuum|vacio|vide)(?: (?:level|depth))?(?: (?:is|of|at|to|von|bei|ist|de|del|a|est))*[:=]? ?$"
)
OF_COLD = re.compile(
    r"\b(?:(?:cooling|refrigeration) (?:capacity|load|duty|power)|kalteleistung|kuhlleistung"
    r"|(?:potencia|capacidad|puissance) (?:frigorifi\w+|de (?:enfriamiento|refrigeracion|refroidissement)))"
    r"(?: (?:of|is|at|von|bei|de|est|es|ca|etwa|min|mindestens|about|env|unos))*[:=.]* ?$"
)
"""Before the kilowatts that a chiller cools."""
BOUND_REACH = 7
"""Words between a bound with its unit and the other end, which has none."""
BOUND_JOINS = frozenset(("but", "and", "yet", "aber", "und", "jedoch", "pero", "y", "mais", "et"))
MOST_FIGURES = 120
"""Figures of one text that are tried as quantities."""
MORE_THAN = ("than", "als", " de", " que")
DENYING_WORDS = frozenset(("not", "cannot", "never", "nicht", "nie", "kein", "keine", "no", "nunca", "pas"))
COUNT_JOINS = frozenset((
    "x", "at", "of", "a", "je", "mal", "de", "each", "pumps", "pump", "units", "unit",
    "machines", "machine", "zu", "mit", "by", "pcs", "stuck", "ea", "@",
))  # fmt: skip


PURGED = re.compile(
    r"(?:purge|purga|spulluft\w*|regenerationsluft\w*|(?:purge|regeneration|sweep) air|aire de regeneracion"
    r"|air de regeneration)(?: \S+){0,5}\s*$"
)
OF_PURGE = re.compile(
    r"\s*(?:of |de |d')?(?:(?:the |its )?(?:rated |inlet )?(?:flow |air )?(?:for |as )?|max(?:imum|imal)? )"
    r"(?:purge|sweep|purga|spulluft|regenerationsluft|regeneration)"
)
SAID_OF = {
    "purge": re.compile(r"purg|sweep|spulluft|regenera"),
    "tons": re.compile(r"frigorifi|kalteleistung|kuhlleistung"),
}
"""The words beside a figure, by what it is of, that say nothing more."""
NEAR_A_PURGE = 50
"""Characters between a share and the word that says of what it is."""
FEET_AND_INCHES = re.compile(
    r"[\s-]?(?:(?:ft\.?|feet|foot|fus|pies?|pieds?)(?![a-z])|'(?!'))[\s-]{0,2}(?:(?:and|und|y|et) )?"
    r"(?P<inches>\d{1,2}(?:\.\d{1,2})?(?![\d/]))(?:[\s-](?P<over>\d)/(?P<under>\d{1,2}))?[\s-]?"
    r"(?:(?:in\.?|inch(?:es)?|zoll|pulgadas?|pouces?)(?![a-z0-9])|\"|''|(?=\s*(?:$|[,;.)](?!\d)))"
    r"|(?=\s(?:wide|high|long|tall|deep|hoch|breit|lang|alto|ancho|largo|haut|large|long)\b))"
)
"""One length behind its feet: 9 ft 6 in, 9' 6", 9 foot 6."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A value in the base unit; `first` and `last` are the tokens that it was read from, `last` not included."""

    attribute: str
    operator: Operator
    low: float
    high: float
    first: int
    last: int
    start: int
    end: int
    unit: Unit
    machines: int | None = None


def as_depth(folded: str, measure: Measure) -> Measure:
    """A share that stands behind the word for it as the depth of a vacuum: "a vacuum of 95 percent"."""
    before = folded[max(0, measure.start - BEFORE_A_SHARE) : measure.start]
    if measure.attribute != "percent" or VACUUM_OF.search(before) is None:
        return measure
    depth = BY_NAME["% vacuum"]
    low, high = measure.low * depth.factor, measure.high * depth.factor
    return replace(measure, attribute=depth.attribute, low=low, high=high, unit=depth)


def as_cold(folded: str, measure: Measure) -> Measure:
    """Kilowatts behind the word for it as what a chiller cools: "Kälteleistung 15 kW"."""
    before = folded[max(0, measure.start - NEAR_A_PURGE) : measure.start]
    if measure.unit.name != "kw" or OF_COLD.search(before) is None:
        return measure
    cold, motor = BY_NAME["kw cold"], measure.unit.factor
    low, high = (value / motor * cold.factor for value in (measure.low, measure.high))
    return replace(measure, attribute=cold.attribute, low=low, high=high, unit=cold)


def as_purge(folded: str, measure: Measure) -> Measure:
    """A share that stands beside the word for it as what a dryer takes to regenerate: "purge not exceeding 7 %"."""
    if measure.attribute != "percent":
        return measure
    before = re.split(r"[;,.]", folded[max(0, measure.start - NEAR_A_PURGE) : measure.start])[-1]
    behind = re.split(r"[;,.]", folded[measure.end : measure.end + NEAR_A_PURGE])[0]
    of_purge = PURGED.search(before) or OF_PURGE.match(behind)
    return replace(measure, attribute="purge") if of_purge else measure


class Reader:
    """Reads the measures of one text; the tokens that are already taken are left alone."""

    def __init__(self, folded: str, words: Sequence[Token], *, vocabulary: Vocabulary, language: Language) -> None:
        self.folded, self.words, self.vocabulary, self.language = folded, words, vocabulary, language
        self.taken = bytearray(len(words))

    def measures(self, taken: bytearray) -> list[Measure]:
        self.taken = taken
        found: list[Measure] = []
        place = 0
        tried = 0
        while place < len(self.words) and tried < MOST_FIGURES:
            token = self.words[place]
            if taken[place] or not (token.number or token.text in self.vocabulary.numbers):
                place += 1
                continue
            phrase = self.vocabulary.match(self.words, place)[0] if token.text in self.vocabulary.longest else 0
            if phrase > 1:
                place += phrase
                continue
            tried += 1
            measure = self._measure(place, taken)
            if measure is None:
                place += 1
                continue
            measure = self._other_bound(measure)
            found.append(measure)
            taken[measure.first : measure.last] = b"\1" * (measure.last - measure.first)
            place = measure.last
        return found

    def _other_bound(self, measure: Measure) -> Measure:
        """With the second bound that leaves out the unit: "at least 200 cfm but not more than 300"."""
        if measure.operator not in ("at_least", "at_most"):
            return measure
        within = range(measure.last, min(measure.last + BOUND_REACH, len(self.words)))
        place = next((at for at in within if self.words[at].number), None)
        if place is None or any(re.search(r"[.;:!?()\n]", self.words[at].gap) for at in within if at <= place):
            return measure
        operator, begin = self.bound_before(place)
        joined = all(self.words[at].text in BOUND_JOINS for at in range(measure.last, begin))
        number = number_at(self.folded, self.words, place, vocabulary=self.vocabulary)
        if {operator, measure.operator} != {"at_least", "at_most"} or not joined or number is None:
            return measure
        value = self._value(number, measure.unit)
        ends = sorted((measure.low, value or 0.0))
        least = measure.low if measure.operator == "at_least" else value
        if not value or least != ends[0] or unit_at(self.folded, number.end) is not None:
            return measure
        return replace(measure, operator="between", low=ends[0], high=ends[1], last=number.last, end=number.end)

    def _measure(self, place: int, taken: bytearray) -> Measure | None:
        if self._in_a_name(place) or is_a_label(self.words, place, self.folded):
            return None
        number = self._grouped(place) or self._hundreds(place) or self._thousands(place)
        number = number or number_at(self.folded, self.words, place, vocabulary=self.vocabulary)
        if number is None:
            return None
        if (length := self._feet_and_inches(place, number)) is not None:
            return length
        open_ended = self.folded[number.end : number.end + 1] == "+"
        unit_end = unit_at(self.folded, number.end + open_ended)
        inner = None
        if unit_end is None:
            inner, unit_end = self._bound_within(number)
        number, second, unit_end = self._second(place, number, unit_end)
        first = place
        if unit_end is None:
            named = (
                self._unit_before(place, taken)
                or self._dew_point(place, (second or number).last)
                or self._pressure_unsaid(place, second or number)
            )
            if named is None:
                return None
            unit, first, end = named[0], named[1], (second or number).end
        else:
            unit, end = unit_end
        values = [self._value(each, unit) for each in (number, second) if each is not None]
        if any(value is None for value in values):
            return None
        known = sorted(value for value in values if value is not None)
        sign = -1 if self._negative(place) and unit.attribute.startswith(SIGNED) else 1
        if sign < 0 and second is None:
            known = [-known[0]]
        elif sign < 0:
            known = sorted([-known[-1], -known[0]]) if self._negative_text(second) else sorted([-known[0], known[-1]])
        return self._bounded(first, place, known, unit, end, inner="at_least" if open_ended else inner)

    def _feet_and_inches(self, place: int, number: Number) -> Measure | None:
        """One length of both, in inches: 9 ft 6 in is 114."""
        match, feet = FEET_AND_INCHES.match(self.folded, number.end), self._value(number, BY_NAME["ft"])
        if match is None or feet is None:
            return None
        part = float(match["over"]) / (float(match["under"]) or 1) if match["over"] else 0.0
        inches = float(match["inches"]) + part
        if inches >= BY_NAME["ft"].factor:
            return None
        return self._bounded(place, place, [feet + inches], BY_NAME["in"], match.end(), inner=None)

    def _bounded(
        self, first: int, place: int, known: list[float], unit: Unit, end: int, *, inner: Operator | None
    ) -> Measure:
        last = token_after(self.words, place, end)
        signed = unit.attribute.startswith(SIGNED)
        if signed and self._minus(place):
            first = min(first, place - 1)
        before, begin = self.bound_before(first)
        after, over = self.bound_after(last)
        operator: Operator = "between" if len(known) > 1 else "exactly"
        if len(known) == 1:
            operator = before or inner or after or "exactly"
            operator = "exactly" if operator == "between" else operator
        if before is None and after is not None:
            last, end = over, self.words[over - 1].end
        begin = first if before is None or (before == "between" and len(known) == 1) else begin
        machines, begin = self._machines(begin, unit)
        start = self.words[begin].start
        if signed and begin == place and self._negative(place):
            start = max(0, start - 1)
        return Measure(
            unit.attribute, operator, known[0], known[-1], begin, max(last, begin + 1), start, end, unit, machines
        )

    def _grouped(self, place: int) -> Number | None:
        """Thousands parted by a blank: 1 200 m³/h; in English "2 300 cfm" is two of 300."""
        if place + 1 >= len(self.words):
            return None
        token, following = self.words[place], self.words[place + 1]
        grouped = (
            not self._negative(place)
            and token.number
            and following.number
            and following.gap == " "
            and len(following.text) == 3
        )
        if not grouped or not token.text.isdecimal() or len(token.text) > 3 or not following.text.isdecimal():
            return None
        unit = unit_at(self.folded, following.end)
        if unit is None or not unit[0].large or (self.language == "en" and unit[0].name not in ("m3/h", "l/min")):
            return None
        return Number(float(token.text + following.text), "", place + 2, following.end)

    def _thousands(self, place: int) -> Number | None:
        """ "1.2k cfm"."""
        token = self.words[place]
        following = self.words[place + 1] if place + 1 < len(self.words) else None
        if not token.number or following is None or following.text != "k" or following.gap:
            return None
        value = decimal(token.text, language=self.language, unit=None)
        return None if value is None else Number(value * 1000, "", place + 2, following.end)

    def _bound_within(self, number: Number) -> tuple[Operator | None, tuple[Unit, int] | None]:
        """The bound between a number and its unit: "85 or so cfm", "75-ish hp"; none where no unit follows."""
        if number.last >= len(self.words) or not self.words[number.last].soft:
            return None, None
        rest = [token.text for token in self.words[number.last : number.last + 3]]
        found = self.bound_after(number.last)
        if found[0] is None and rest[0] in ROUNDING:
            found = ROUNDING[rest[0]], number.last + 1
        unit_end = unit_at(self.folded, self.words[found[1] - 1].end) if found[0] is not None else None
        return (found[0], unit_end) if unit_end is not None else (None, None)

    def _hundreds(self, place: int) -> Number | None:
        """ "One twenty five psi"; before machines' sizes the first word may count them: two fifty hp."""
        if self.language != "en" or self.words[place].number:
            return None
        number = spoken_hundreds(self.words, place, vocabulary=self.vocabulary)
        unit = unit_at(self.folded, number.end) if number is not None else None
        said = unit is not None and unit[0].attribute in SPOKEN_SHORT
        return number if said or (number is not None and unit is None and self._at_a_pressure(place)) else None

    def _at_a_pressure(self, place: int) -> bool:
        """True behind "at" where a flow or a power stands before: 350 cfm at 125."""
        at = place > 0 and (self.words[place - 1].text == "at" or self.words[place].gap.strip() == "@")
        return at and any(token.text in BEFORE_UNIT for token in self.words[max(0, place - 8) : place])

    def _second(
        self, place: int, number: Number, unit_end: tuple[Unit, int] | None
    ) -> tuple[Number, Number | None, tuple[Unit, int] | None]:
        """The other end of a range: "350-400 cfm", "350 cfm to 400 cfm", "between 350 and 400 cfm"."""
        position = number.end if unit_end is None or unit_end[0].attribute == "" else unit_end[1]
        between = self.bound_before(place)[0] == "between"
        joined = (BETWEEN if between else RANGE).match(self.folded, position)
        if joined is None:
            return number, None, unit_end
        start = joined.end() + (self.folded[joined.end() : joined.end() + 1] == "-")
        following = token_after(self.words, place, start)
        if following >= len(self.words) or self.words[following].start != start:
            return number, None, unit_end
        second = number_at(self.folded, self.words, following, vocabulary=self.vocabulary)
        if second is None:
            return number, None, unit_end
        second_unit = unit_at(self.folded, second.end)
        if second_unit is None or second_unit[0].attribute == "":
            return number, None, unit_end
        if unit_end is not None and unit_end[0].attribute not in ("", second_unit[0].attribute):
            return number, None, unit_end
        return number, second, second_unit

    @cached_property
    def _dryer_asked(self) -> bool:
        """Whether the text asks for a dryer: "which dryer at minus 40?" gives degrees without saying so."""
        return any(
            (meaning.attribute == "family" and meaning.value == "dryer") or meaning.attribute == "dryer_kind"
            for token in self.words
            for meaning in self.vocabulary.phrases.get(token.text, ())
        )

    def _value(self, number: Number, unit: Unit) -> float | None:
        value = decimal(number.text, language=self.language, unit=unit) if number.text else number.value
        return None if value is None or value > 1e7 else value * unit.factor

    def _in_a_name(self, place: int) -> bool:
        """True for the figures of a part number: DSP-75, S100, 24KT."""
        token = self.words[place]
        if place == 0 or token.gap not in ("", "-") or self.words[place - 1].number:
            return False
        before = self.words[place - 1].text
        known = (
            before in self.vocabulary.stop or before in self.vocabulary.bounds or before in self.vocabulary.longest
        )
        if token.gap == "":
            return not (before in ("x", "ca", "min", "max") or before in BEFORE_UNIT)
        return not (known or before in BEFORE_UNIT or len(before) > 6)

    def _minus(self, place: int) -> bool:
        words = ("minus", "menos", "moins", "negative")
        return place > 0 and self.words[place - 1].text in words and self.words[place].soft

    def _negative(self, place: int) -> bool:
        token = self.words[place]
        if self._minus(place):
            return True
        before = self.folded[max(0, token.start - 2) : token.start]
        return before.endswith("-") and not before[:-1].isalnum()

    def _negative_text(self, number: Number | None) -> bool:
        if number is None or not number.text:
            return False
        position = number.end - len(number.text) - 1
        return position >= 0 and self.folded[position] == "-" and self.folded[position - 1] in " o-"

    def _unit_before(self, place: int, taken: bytearray) -> tuple[Unit, int] | None:
        """The unit of "hp: 100" and "psi 125"."""
        if place == 0 or taken[place - 1]:
            return None
        token, before = self.words[place], self.words[place - 1]
        name = BEFORE_UNIT.get(before.text)
        if name is None or len(token.gap) > 4 or (place > 1 and self.words[place - 2].number and before.soft):
            return None
        found = unit_at(before.text, 0)
        return (found[0], place - 1) if found is not None else None

    def _dew_point(self, place: int, last: int) -> tuple[Unit, int] | None:
        """Degrees that are not said: "dew point -40", "a minus forty dryer"; Celsius but in English."""
        if last < len(self.words) and self.words[last].gap == "":
            return None
        below = self._negative(place)
        before = self.words[max(0, place - 6) : place]
        named_at = max((at for at, token in enumerate(before) if token.text in DEW_WORDS), default=None)
        # Of "dew point -40 and 3 filters" the first figure is the dew point.
        told = named_at is not None and (below or not any(token.number for token in before[named_at:]))
        if not told:
            following = " ".join(
                token.text for token in takewhile(lambda token: token.soft, self.words[last : last + 3])
            )
            named = DEW_FOLLOWS.match(following) or (below and DRY_FOLLOWS.match(following))
            dried = self._dryer_asked or any(token.text in DRY for token in self.words[max(0, place - 3) : place])
            if not named and not (below and dried):
                return None
        if not below and self.words[place].gap.strip(" :=≤<+"):
            return None
        return BY_NAME["°f" if self.language == "en" else "°c"], place

    def _pressure_unsaid(self, place: int, number: Number) -> tuple[Unit, int] | None:
        """The unit that nobody says: "350 cfm at 125", "blower 2500 cfm at 7.5", "vacuum 300 cfm at 25"."""
        value = decimal(number.text, language=self.language, unit=None) if number.text else number.value
        name = "" if value is None else next((name for name, most in self._unsaid if most[0] <= value <= most[1]), "")
        if self.language != "en" or not name or not self._at_a_pressure(place):
            return None
        following = self.words[number.last] if number.last < len(self.words) else None
        if following is not None and following.gap.strip(" ") not in ("", ",", ";", ".", "?", "!"):
            return None
        apart = following is None or following.gap[:1] in (",", ";", ".", "?", "!", "\n")
        return (BY_NAME[name], place) if apart else None

    @cached_property
    def _unsaid(self) -> list[tuple[str, tuple[float, float]]]:
        """The units of pressure that go without saying, each between which figures, of machines that are named."""
        said = {
            meaning.value
            for token in self.words
            for meaning in self.vocabulary.phrases.get(token.text, ())
            if meaning.attribute in ("family", "compression")
        }
        return [UNSAID[name] for name in UNSAID if name in said] or [("psi", (80, 250))]

    def bound_before(self, place: int) -> tuple[Operator | None, int]:
        """The bound that stands before a number, with the first of its tokens; small words may stand between."""
        gap = self.words[place].gap[-5:]
        for sign, operator in SIGNS:
            if sign in gap:
                return operator, place
        for skipped in range(4):
            last = place - skipped
            if (
                last < 1
                or (skipped and self.words[last].text not in self.vocabulary.stop)
                or self.words[last - 1].number
                or self.taken[last - 1]
            ):
                break
            if not self._near(last) or (skipped and ". " in self.words[last + 1].gap):
                break
            if self.words[last - 1].text not in self.vocabulary.bound_words:
                continue
            for count in range(min(4, last), 0, -1):
                phrase = " ".join(token.text for token in self.words[last - count : last])
                found = self.vocabulary.bounds.get(phrase)
                compares = phrase.endswith("than") and "," not in self.words[last - count].gap
                if found is not None and compares and count < last and self.taken[last - count - 1]:
                    return None, place  # "100 cfm more than our 300 cfm" bounds nothing
                more = found == "at_least" and phrase.endswith(MORE_THAN)
                denied = self._denied_before(last - count) if more else None
                if denied is not None:
                    return "at_most", denied
                if found is not None and (not skipped or len(phrase) > 4 or phrase in ("min", "max", "mind")):
                    return found, last - count
        return None, place

    def _denied_before(self, place: int) -> int | None:
        """The negation of "must not weigh more than", which makes the most of a least; at most two words between."""
        for at in range(place - 1, max(-1, place - 4), -1):
            if self.taken[at] or self.words[at].number or not self._near(at + 1):
                return None
            if self.words[at].text in DENYING_WORDS:
                return at
        return None

    def _near(self, place: int) -> bool:
        gap = self.words[place].gap
        return len(gap) <= 3 and not re.search(r"[,;!?()\n]", gap)

    def bound_after(self, place: int) -> tuple[Operator | None, int]:
        if place >= len(self.words) or not self.words[place].soft:
            return None, place
        for count in range(min(3, len(self.words) - place), 0, -1):
            found = self.vocabulary.bounds_after.get(
                " ".join(token.text for token in self.words[place : place + count])
            )
            if found is not None:
                following = place + count
                if following < len(self.words) and self.words[following].number and self.words[following].soft:
                    return None, place
                return found, following
        return None, place

    def _machines(self, place: int, unit: Unit) -> tuple[int | None, int]:
        """How many machines stand before their size: "2 x 50 hp", "two at 50 HP", "(2) 50 HP"."""
        if unit.attribute not in SIZES or place == 0 or self.taken[place - 1]:
            return None, place
        back = place - 1
        joined = self.words[back].text in COUNT_JOINS or self.words[place].gap.strip() in ("@", "*")
        if self.words[back].text in COUNT_JOINS and back > 0:
            back -= 1
        named = back > 0 and self.words[back].number and self.words[back].gap == ""  # the figure of "R5 pump 100 cfm"
        count = None if self.taken[back] or named else self.count_at(back)
        plain = re.fullmatch(r"[\s)x*@]{0,4}", self.words[place].gap) is not None
        return (int(count), back) if count is not None and (joined or plain) and count > 1 else (None, place)

    def count_at(self, place: int) -> int | None:
        """A small whole number that counts machines."""
        token = self.words[place]
        if token.number:
            return (
                int(token.text)
                if token.text.isdecimal() and len(token.text) < 3 and 0 < int(token.text) < 25
                else None
            )
        value = self.vocabulary.numbers.get(token.text)
        return int(value) if value is not None and 0 < value < 25 else None
