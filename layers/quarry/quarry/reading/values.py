"""Values that a text names: families, values of attributes, makers; negated where a word at them says so."""

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from quarry.attributes.model import Attribute, Attributes
from quarry.reading.context import Denial, Mark, TextContext
from quarry.reading.lexicon import LexiconHit

_KINDS = frozenset(("family", "category"))

type Denials = dict[LexiconHit, Denial]


def denials_of(context: TextContext, hits: Iterable[LexiconHit], attributes: Attributes) -> Denials:
    """Negation reaches the value that it stands at and those that are joined to it: "neither a nor b"."""
    flags = {one.name for one in attributes.by_name.values() if one.kind == "flag"}
    valued = [hit for hit in hits if hit.meant or hit.names & flags]
    found: Denials = {}
    for hit in valued:
        if (denial := context.denial(hit.start, over=frozenset(sense.attribute for sense in hit.meant))) is not None:
            found[hit] = denial
    joined = [_joined(context, one, other) for one, other in pairwise(valued)]
    for at, hit in enumerate(valued):
        if hit in found:
            _reach(valued[at + 1 :], joined[at:], found, found[hit])
    return found


def _joined(context: TextContext, one: LexiconHit, other: LexiconHit) -> str | None:
    """How two values are joined; senses of one compound are as good as by an or."""
    source, words = context.source, context.words
    sign = source.folded[one.end : other.start].strip()
    if one.last >= other.first or sign in ("/", ","):
        return "," if sign == "," else "or"
    between = source.pieces[one.last + 1 : other.first]
    joins = {words.joins.get((piece.word,), "" if piece.word in words.stop else "apart") for piece in between}
    return None if "apart" in joins else "or" if "or" in joins else "and" if "and" in joins else None


def _reach(following: Sequence[LexiconHit], joined: Sequence[str | None], found: Denials, denial: Denial) -> None:
    through = (",", "or", "and") if denial[1] == "without" else (",", "or")
    pending: list[LexiconHit] = []
    for join, hit in zip(joined, following, strict=True):
        if join not in through or hit in found:
            break
        pending.append(hit)
        if join != ",":
            # Commas are of the list only where its last two are joined by a word.
            found.update(dict.fromkeys(pending, denial))
            pending = []


def asides_of(context: TextContext, hits: Sequence[LexiconHit]) -> frozenset[LexiconHit]:
    """Kinds of goods that are not asked for themselves: the goods come with them ("a pump with a motor"), or the
    word is an attribute's name at its value ("seal: PTFE" of a pump).
    """
    kinds = [hit for hit in hits if any(sense.attribute in _KINDS for sense in hit.meant)]
    first = next((hit.last for hit in hits if any(not sense.weak for sense in hit.meant)), len(hits))
    beside = {hit for hit in kinds if (at := context.company(hit)) is not None and first < at}
    names = {hit for hit in kinds if hit.names}
    named = {
        name
        for hit in (hits if names else ())
        for name in context.names_beside(hit.first, hit.last)
        if name in names and any(sense.attribute in name.names for sense in hit.meant)
    }
    return frozenset(beside | (named if set(kinds) - named - beside else set()))


def families_of(hits: Iterable[LexiconHit], denials: Denials, asides: Container[LexiconHit] = ()) -> list[str]:
    """The families that the text asks for and does not exclude."""
    asked = (hit for hit in hits if hit not in denials and hit not in asides)
    return list(dict.fromkeys(value for hit in asked for value in hit.values_of("family")))


@dataclass(frozen=True, slots=True)
class Values:
    context: TextContext
    denials: Denials
    asides: Container[LexiconHit]
    families: Sequence[str]
    attributes: Attributes

    def marks(self, hits: Iterable[LexiconHit]) -> Iterator[Mark | LexiconHit]:
        """A mark for each value and flag; a phrase that may be values of different attributes comes as it is."""
        for hit in hits:
            if self.context.source.is_free(hit.start, hit.end):
                yield from self._marks(hit)

    def _marks(self, hit: LexiconHit) -> Iterator[Mark | LexiconHit]:
        denial = self.denials.get(hit)
        place = (denial[0] if denial else hit.start, hit.end)
        meant = self._meant(hit)
        if meant and denial and (len(meant) > 1 or set(meant.get("family", ())) & set(self.families)):
            # The kind is excluded, where the term says one or its family is asked for: "a pump, no vane pump".
            meant.pop("family", None)
            meant = meant or None
        if meant is None:
            yield hit
            return
        for name, values in meant.items():
            yield Mark(name, " | ".join(values), (place,), negated=denial is not None)
        for sense in hit.meant:
            named = self.context.name_beside(hit.first, hit.last, sense.attribute) if sense.weak else None
            if named is not None:
                places = ((min(place[0], named.start), max(place[1], named.end)),)
                yield Mark(sense.attribute, " | ".join(sense.values), places, negated=denial is not None)
        if not hit.meant:
            yield from self._flags(hit, place, negated=denial is not None)

    def _meant(self, hit: LexiconHit) -> dict[str, list[str]] | None:
        """The values by attribute; None where the text does not tell which of several attributes is meant."""
        meant: dict[str, list[str]] = {}
        for sense in hit.meant:
            if sense.attribute in _KINDS and hit in self.asides:
                continue
            if not sense.weak and self._is_of_families(self.attributes.by_name.get(sense.attribute)):
                meant.setdefault(sense.attribute, []).extend(sense.values)
        if "family" in meant:
            # The family's own name says no more than the family.
            meant.pop("category", None)
        known = (self.attributes.by_name.get(name) for name in meant)
        families = [one.families for one in known if one is not None and one.families]
        if not self.families and len(families) > 1 and not frozenset.intersection(*families):
            return None
        return meant

    def _is_of_families(self, attribute: Attribute | None) -> bool:
        return attribute is None or not self.families or any(attribute.is_of(family) for family in self.families)

    def _flags(self, hit: LexiconHit, place: tuple[int, int], *, negated: bool) -> Iterator[Mark]:
        """An attribute's name says yes of a flag, unless a no stands behind it."""
        source, words = self.context.source, self.context.words
        for name in sorted(hit.names):
            own = self.attributes.by_name[name]
            if own.kind != "flag" or not self._is_of_families(own):
                continue
            is_yes, end = not negated, place[1]
            for answer in source.pieces[hit.last + 1 : hit.last + 2]:
                if source.folded[end : answer.start].strip() in (":", "=") and answer.word in words.yes | words.no:
                    is_yes, end = answer.word in words.yes, answer.end
            yield Mark(name, "yes" if is_yes else "no", ((place[0], end),))
