"""Reads the problems that plants tell instead of naming a product: pressure that swings, oil in the condensate."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import product
from types import MappingProxyType

from quarry.understanding.heads import AUXILIARY, POWERED
from quarry.understanding.marked_text import MarkedText
from quarry.understanding.marks import Mark
from quarry.understanding.needs import SIZES
from quarry.understanding.problem_words import SENTENCE, STEM, KnownProblem, Phrase, Problems, phrase_at

REACH = 14
"""Words between a thing and its trouble."""
ASKING_REACH = 5
"""Words between "need" and the product."""
HAVING_REACH = 3
"""Words between "our" or "have" and the product."""
ENOUGH_REACH = 3
"""Words between a product and "is big enough"."""
DENIED_REACH = 3
"""Words between a problem and what denies it."""
FAMILIES_OF: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "accessory_kind": frozenset(("accessory",)),
        "filter_kind": frozenset(("filtration",)),
        "dryer_kind": frozenset(("dryer",)),
        **dict.fromkeys(("compression", "hp", "drive"), frozenset(("compressor", "vacuum_pump", "blower"))),
    }
)
"""What a kind is a kind of."""
KINDS = ("accessory_kind", "filter_kind", "dryer_kind", "compression")
MOST_PRODUCTS = 16
"""Who names more writes a list, and tells no problem."""
MOST_SPANS = 8
"""Words of one text for one part of a problem."""
OF = frozenset(("of", "de", "an", "von"))
"""Between a size and what it is of."""
HAS = frozenset(("have", "has", "had", "our", "my", "haben", "hat", "unser", "tenemos", "tiene", "avons", "notre"))
OF_PLACES = frozenset((*KINDS, "family", "oil", "industry", "use", "quiet", "date", "arrangement", "most", "least"))
"""What a word of a problem may have been read as beside; "water cooled" is no water."""
PURPOSE = frozenset((
    "for", "to", "that", "which", "who", "so", "because", "fur", "um", "damit", "para", "que", "pour", "qui",
    "of", "von",
))  # fmt: skip
"""After which a product that is named is what the one asked for is for."""


@dataclass(frozen=True, slots=True)
class _Span:
    first: int
    last: int
    words: int
    """Of the phrase, without the small ones that stand between."""


@dataclass(frozen=True, slots=True)
class _Told:
    problem: KnownProblem
    spans: Sequence[_Span]
    nearest: tuple[_Span, _Span]
    """The thing and the trouble that stand next to each other."""
    score: int

    def has(self, mark: Mark) -> bool:
        return any(span.first < mark.last and mark.first < span.last for span in self.spans)


def read_problem(marked: MarkedText) -> None:
    """Marks the product that a problem asks for, where the request names none; of one that it names the kind."""
    problems = marked.vocabulary.problems
    products = sum(mark.attribute == "family" for mark in marked.marks)
    told = _told(marked, problems) if problems.known and products <= MOST_PRODUCTS else None
    if told is None:
        return
    named = [mark for mark in marked.marks if mark.attribute == "family" or _is_a_kind(mark, marked)]
    asked = [mark for mark in named if _is_asked(mark, told, marked, problems)]
    says = told.problem.says
    if any(mark.attribute == "model" and not mark.absent for mark in marked.marks) and not says.keys() - {"family"}:
        return
    if asked:
        if any(not _families(mark) & told.problem.families for mark in asked):
            # The pressure that swings is no kind of dryer.
            marked.marks = [mark for mark in marked.marks if not _is_misread(mark, told)]
            return
        said = {mark.attribute for mark in marked.marks}
        says = {name: values for name, values in says.items() if name not in said}
        named = [mark for mark in named if told.has(mark)]
    there = {(mark.first, mark.last) for mark in named if mark not in asked}
    marked.marks = [
        mark
        for mark in marked.marks
        if ((mark.first, mark.last) not in there or mark.attribute not in ("family", *KINDS))
        and (asked or not told.has(mark) or not (mark.family or mark.attribute in (*KINDS, "lubrication")))
    ]
    _admit(marked, told)
    if says:
        _say(marked, told, says)


def _admit(marked: MarkedText, told: _Told) -> None:
    """Lets who wants no more water in the air have the dryer: what denies the trouble denies no product."""
    begin, end = min(span.first for span in told.spans), max(span.last for span in told.spans)
    others = [mark.first for mark in marked.marks if begin - DENIED_REACH <= mark.first < begin]
    marked.roles = [
        role
        for role in marked.roles
        if not (
            (role.value == "negation" and begin - DENIED_REACH <= role.first < end)
            or (role.value in ("waived", "excluded_after") and begin <= role.first <= end + DENIED_REACH)
        )
        or any(role.last <= at for at in others)
    ]


def _say(marked: MarkedText, told: _Told, says: Mapping[str, frozenset[str]]) -> None:
    begin, end = min(span.first for span in told.nearest), max(span.last for span in told.nearest)
    first, last = told.nearest[1].first, told.nearest[1].last
    start, stop = marked.span(first, last)
    for attribute, values in says.items():
        for value in sorted(values):
            marked.add(Mark(attribute, first, last, start, stop, values=frozenset({value}), problem=True))
    spans = told.spans if told.problem.families <= AUXILIARY else [told.nearest[1]]
    # What is blown or held is a word by which rows are found: koi, stone.
    whole = range(begin, end) if told.problem.families <= AUXILIARY else range(first, last)
    for at in {*whole, *(at for span in spans for at in range(span.first, span.last))}:
        if not marked.words[at].number:
            marked.take(at, at + 1)


def _told(marked: MarkedText, problems: Problems) -> _Told | None:
    """The problem of which most is said."""
    oil = {(mark.first, mark.last) for mark in marked.marks if mark.attribute == "oil"}
    barred = {
        at
        for mark in marked.marks
        if mark.attribute not in OF_PLACES
        and mark.operator == "one_of"
        and not mark.family
        and (mark.first, mark.last) not in oil
        for at in range(mark.first, mark.last)
    }
    # Who will not hear of oil wants it nowhere, and has none in the line.
    denied = {
        at for role in marked.roles if role.value == "negation" for at in range(role.last, role.last + DENIED_REACH)
    }
    barred |= {first for first, last in oil if last - first == 1 and first in denied}
    names = [mark for mark in marked.marks if mark.attribute == "family" and mark.values & AUXILIARY]
    at_names = {(mark.first, mark.last) for mark in names}
    kinds = [mark for mark in marked.marks if mark.attribute in KINDS and (mark.first, mark.last) in at_names]
    spans: dict[tuple[int, str], list[_Span]] = {}
    for place, token in enumerate(marked.words):
        for phrase, problem, part in problems.index.get(token.text[:STEM], ()):
            last = phrase_at(marked.words, place, phrase, stop=marked.vocabulary.stop)
            if not last or (part != "unless" and not barred.isdisjoint(range(place, last))):
                continue
            told = spans.setdefault((problem, part), [])
            if part == "trouble" and _is_another_kind(place, last, kinds, says=problems.known[problem].says):
                continue
            if len(told) < MOST_SPANS and not _in_a_name(place, last, names):
                told.append(_Span(place, last, len(phrase)))
    trades = [
        (_Span(mark.first, mark.last, mark.last - mark.first), mark.values)
        for mark in marked.marks
        if mark.attribute == "industry"
    ][:MOST_SPANS]
    best: _Told | None = None
    for number, known in enumerate(problems.known):
        things, troubles = spans.get((number, "thing"), []), spans.get((number, "trouble"), [])
        things = [*things, *(span for span, trade in trades if trade & known.trades)]
        if not things or not troubles or (number, "unless") in spans:
            continue
        found = _both(known, things, troubles)
        if found is not None and (best is None or found.score > best.score):
            best = found
    return best


def _both(problem: KnownProblem, things: Sequence[_Span], troubles: Sequence[_Span]) -> _Told | None:
    pairs = [(one, other) for one, other in product(things, troubles) if _together(one, other)]
    if not pairs:
        return None
    spans = list(dict.fromkeys(span for pair in pairs for span in pair))
    said = {at for span in spans for at in range(span.first, span.last)}
    nearest = min(pairs, key=lambda pair: _apart(*pair))
    skipped = sum(span.last - span.first - span.words for span in spans)
    return _Told(problem, spans, nearest, len(said) - skipped)


def _together(one: _Span, other: _Span) -> bool:
    return (one.first, one.last) == (other.first, other.last) or 0 <= _apart(one, other) <= REACH


def _apart(one: _Span, other: _Span) -> int:
    return max(one.first, other.first) - min(one.last, other.last)


def _in_a_name(first: int, last: int, names: Sequence[Mark]) -> bool:
    """Whether the words are a lesser part of a product's name: the condensate of a condensate drain."""
    return any(max(mark.first, first) < last < mark.last for mark in names)


def _is_another_kind(first: int, last: int, kinds: Sequence[Mark], *, says: Mapping[str, frozenset[str]]) -> bool:
    """Whether the words name a product of another kind than the problem asks for: an enfriadora is a chiller, and
    says of no air that it has to be cooled.
    """
    return any(
        mark.first <= first and last <= mark.last and not mark.values & says.get(mark.attribute, mark.values)
        for mark in kinds
    )


def _is_asked(mark: Mark, told: _Told, marked: MarkedText, problems: Problems) -> bool:
    """Whether a product that is named is the one that is wanted, and not one that the plant has."""
    if _is_misread(mark, told):
        return False
    first = _described_from(marked, mark)
    counted = first > 0 and (
        marked.words[first - 1].number or marked.words[first - 1].text in marked.vocabulary.numbers
    )
    if counted and told.has(mark):
        return False
    if _is_what_a_size_is_of(marked, mark):
        return True
    if _before(marked, first, problems.asking, reach=ASKING_REACH, barred=PURPOSE) and not _before(
        marked, first, problems.having, reach=0
    ):
        return True
    there = _before(marked, first, problems.having, reach=HAVING_REACH) or _behind(marked, mark, problems.enough)
    thing, trouble = told.nearest
    between = min(thing.last, trouble.last) <= mark.first < max(thing.first, trouble.first)
    if there or ((told.has(mark) or between) and first == mark.first) or mark.attribute in ("hp", "drive"):
        return False
    if all(marked.words[at].text in marked.vocabulary.stop or marked.taken[at] for at in range(first)):
        return not any(other.last <= first for other in marked.marks if other.attribute == "family")
    return not told.problem.families <= AUXILIARY or bool(_families(mark) & AUXILIARY)


def _is_what_a_size_is_of(marked: MarkedText, mark: Mark) -> bool:
    """Whether the product is named behind its size: 280 cfm of vacuum, 300 m3/h Vakuum."""
    at = mark.first - (mark.first > 0 and marked.words[mark.first - 1].text in OF)
    sized = next((each for each in marked.marks if each.last == at and each.attribute in SIZES), None)
    if sized is None or mark.attribute != "family" or not mark.values <= POWERED or at == mark.first:
        return False
    return not any(token.text in HAS for token in marked.words[max(0, sized.first - HAVING_REACH) : sized.first])


def _is_misread(mark: Mark, told: _Told) -> bool:
    """Whether a kind was read of words that tell the problem."""
    return told.has(mark) and mark.attribute in KINDS and not mark.family


def _is_a_kind(mark: Mark, marked: MarkedText) -> bool:
    """Whether a kind is said that stands for its product: an oil-free screw."""
    named = any(
        other.attribute == "family" and mark.first <= other.last and other.first <= mark.last
        for other in marked.marks
    )
    return mark.attribute in FAMILIES_OF and not mark.family and not named


def _families(mark: Mark) -> frozenset[str]:
    return FAMILIES_OF.get(mark.attribute, mark.values)


def _described_from(marked: MarkedText, mark: Mark) -> int:
    """Where the words begin that tell a product's kind and size: 30 hp oil-free compressor."""
    first = mark.first
    while marked.words[first].soft:
        before = min((each.first for each in marked.marks if each.last == first and not each.machines), default=first)
        if before == first:
            break
        first = before
    return first


def _behind(marked: MarkedText, mark: Mark, phrases: Sequence[Phrase]) -> bool:
    """Whether one of the phrases begins right behind a mark."""
    return any(
        phrase_at(marked.words, at, phrase, stop=frozenset())
        for at in range(mark.last, min(mark.last + ENOUGH_REACH, len(marked.words)))
        for phrase in phrases
    )


def _before(
    marked: MarkedText, first: int, phrases: Sequence[Phrase], *, reach: int, barred: Set[str] = frozenset()
) -> bool:
    """Whether one of the phrases ends at most ``reach`` words before a place in its sentence."""
    for place in range(first - 1, max(-1, first - reach - 4), -1):
        if SENTENCE.search(marked.words[place + 1].gap) or marked.words[place].text in barred:
            return False
        for phrase in phrases:
            last = phrase_at(marked.words, place, phrase, stop=frozenset())
            if last and last <= first <= last + reach:
                return True
    return False
