"""Values that a text names: families, values of attributes, makers; negated where a word at them says so."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from quarry.attributes.model import Attributes
from quarry.needs.model import BUILT_IN
from quarry.reading.context import Context, Mark
from quarry.reading.languages import Denial
from quarry.reading.lexicon import Called, Hit, Means

type Denials = dict[Hit, tuple[int, Denial]]
"""The word of negation that reaches a phrase, and where it starts."""


def denials_of(context: Context, hits: Iterable[Hit], *, flags: frozenset[str]) -> Denials:
    """Negation reaches the value that it stands at and those that are joined to it: "neither a nor b"."""
    valued = [hit for hit in hits if any(isinstance(sense, Means) for sense in hit.senses) or hit.names & flags]
    found: Denials = {}
    for hit in valued:
        own = frozenset(sense.attribute for sense in hit.senses if isinstance(sense, Means))
        if (denial := context.denial(hit.start, over=own)) is not None:
            found[hit] = denial
    joined = [_joined(context, one, other) for one, other in pairwise(valued)]
    for at, hit in enumerate(valued):
        if hit in found:
            _reach(valued, joined, at, found)
    return found


def _joined(context: Context, one: Hit, other: Hit) -> str | None:
    """How two values are joined: "same" are two senses of one word."""
    if one.last >= other.first:
        return "same"
    source, words = context.source, context.words
    between = source.folded[one.end : other.start]
    if between.strip() in (",", "/"):
        return "," if between.strip() == "," else "or"
    joins = {words.joins.get((piece.word,)) for piece in source.pieces[one.last + 1 : other.first]}
    plain = all(
        words.joins.get((piece.word,)) or piece.word in words.stop
        for piece in source.pieces[one.last + 1 : other.first]
    )
    return ("or" if "or" in joins else "and" if "and" in joins else None) if plain and joins else None


def _reach(valued: Sequence[Hit], joined: Sequence[str | None], at: int, found: Denials) -> None:
    denial = found[valued[at]]
    through = ("same", "or", "and") if denial[1] == "without" else ("same", "or")
    pending: list[Hit] = []
    for join, hit in zip(joined[at:], valued[at + 1 :], strict=True):
        if join is None or (join != "," and join not in through) or hit in found:
            break
        pending.append(hit)
        if join != ",":
            # Commas are of the list only where its last two are joined by a word.
            found.update(dict.fromkeys(pending, denial))
            pending = []


def families_of(hits: Iterable[Hit], denials: Denials) -> list[str]:
    """The families that the text names and does not exclude."""
    named = (
        value
        for hit in hits
        if hit not in denials
        for sense in hit.senses
        if isinstance(sense, Means) and sense.attribute == "family"
        for value in sense.values
    )
    return list(dict.fromkeys(named))


def values_of(
    context: Context, hits: Iterable[Hit], *, denials: Denials, families: Sequence[str], attributes: Attributes
) -> Iterator[Mark | Hit]:
    """A mark for each value and flag of the text; a phrase that may be values of different attributes comes as it is."""
    for hit in hits:
        if not context.source.is_free(hit.start, hit.end):
            continue
        denial = denials.get(hit)
        places = ((denial[0] if denial else hit.start, hit.end),)
        senses = [sense for sense in hit.senses if isinstance(sense, Means)]
        strong = [sense for sense in senses if not sense.weak]
        meant = _of_families(strong, families, attributes)
        if meant and denial is not None and "family" in meant:
            # What is excluded is the kind, where the term says one or its family is asked for: "a pump, no claw pump".
            own = meant.pop("family") if len(meant) > 1 or set(meant["family"]) & set(families) else None
            if own is not None and not meant:
                yield hit
        if meant is None:
            yield hit
            continue
        for name, values in meant.items():
            yield Mark(name, " | ".join(values), places, negated=denial is not None)
        for sense in senses:
            if sense.weak and (name_hit := context.name_beside(hit.first, hit.last, sense.attribute)) is not None:
                start = denial[0] if denial else hit.start
                named = tuple(sorted(((start, hit.end), (name_hit.start, name_hit.end))))
                yield Mark(sense.attribute, " | ".join(sense.values), named, negated=denial is not None)
        if not meant:
            yield from _flags(
                context, hit, negated=denial is not None, places=places, families=families, attributes=attributes
            )


def _of_families(
    strong: Sequence[Means], families: Sequence[str], attributes: Attributes
) -> dict[str, list[str]] | None:
    """The values by attribute; None where the text does not tell which of several attributes is meant."""
    meant: dict[str, list[str]] = {}
    for sense in strong:
        own = attributes.by_name.get(sense.attribute)
        if own is None or not families or any(own.is_of(family) for family in families):
            meant.setdefault(sense.attribute, []).extend(
                value for value in sense.values if value not in meant.get(sense.attribute, ())
            )
    if "family" in meant:
        # The family's own name says no more than the family.
        meant.pop("category", None)
    own_families = [
        attributes.by_name[name].families
        for name in meant
        if name not in BUILT_IN and attributes.by_name[name].families
    ]
    if not families and len(own_families) > 1 and not frozenset.intersection(*own_families):
        return None
    return meant


def _flags(
    context: Context,
    hit: Hit,
    *,
    negated: bool,
    places: tuple[tuple[int, int], ...],
    families: Sequence[str],
    attributes: Attributes,
) -> Iterator[Mark]:
    """An attribute's name says yes of a flag, unless a no stands behind it."""
    for sense in hit.senses:
        own = attributes.by_name.get(sense.attribute) if isinstance(sense, Called) else None
        if own is None or own.kind != "flag" or (families and not any(own.is_of(family) for family in families)):
            continue
        source, behind = context.source, hit.last + 1
        answer = source.pieces[behind] if behind < len(source.pieces) else None
        is_told = answer is not None and source.folded[hit.end : answer.start].strip() in (":", "=")
        if is_told and answer is not None and answer.word in context.words.yes | context.words.no:
            yield Mark(own.name, "yes" if answer.word in context.words.yes else "no", ((hit.start, answer.end),))
        else:
            yield Mark(own.name, "no" if negated else "yes", places)
