"""Finds the values that a text names: families, values of attributes, makers, customers and salespeople, and whether
they are denied; and models, as they are written or with one typing error.
"""

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise

from quarry.attributes.model import MOST_MEANT, Attributes, Names, digits_of, grouped, near_models
from quarry.needs.model import KindOfRow
from quarry.reading.context import Denial, Mark, TextContext
from quarry.reading.languages import yes_or_no
from quarry.reading.lexicon import Lexicon, LexiconHit, Sense, is_weak
from quarry.reading.source import SourceText, pieces_of, stems_of
from quarry.text import DECIMAL, decimal_marks, stem_of

_KINDS = frozenset(("family", "category"))

type Denials = dict[LexiconHit, Denial]


def denials_of(context: TextContext, hits: Iterable[LexiconHit], attributes: Attributes) -> Denials:
    """Finds the values that are denied: those at a negation and those joined to them, "neither a nor b"."""
    flags = {one.name for one in attributes.by_name.values() if one.kind == "flag"}
    # Misspelt names come behind all others.
    valued = sorted((hit for hit in hits if hit.meant or hit.names & flags), key=lambda hit: hit.start)
    found: Denials = {}
    for hit in valued:
        over = frozenset(sense.attribute for sense in hit.meant)
        if (denial := context.denial(hit.start, hit.end, over=over, verbs="model" not in over)) is not None:
            found[hit] = denial
    joined = [_joined(context, one, other) for one, other in pairwise(valued)]
    for at, hit in enumerate(valued):
        if hit in found:
            is_behind = found[hit].key == "behind_not"
            others, joins = (valued[:at][::-1], joined[:at][::-1]) if is_behind else (valued[at + 1 :], joined[at:])
            _reach(others, joins, found, found[hit])
    return found


def _joined(context: TextContext, one: LexiconHit, other: LexiconHit) -> str | None:
    """Returns how two values are joined, None if not at all; parts of one compound count as joined by an or."""
    source, words = context.source, context.words
    sign = source.folded[one.end : other.start].strip()
    if one.last >= other.first or sign in ("/", ","):
        return "," if sign == "," else "or"
    between = source.pieces[one.last + 1 : other.first]
    joins = {words.joins.get((piece.word,), "" if piece.word in words.stop else "apart") for piece in between}
    return None if "apart" in joins else "or" if "or" in joins else "and" if "and" in joins else None


def _reach(following: Sequence[LexiconHit], joined: Sequence[str | None], found: Denials, denial: Denial) -> None:
    if denial.key == "behind_not" and [*joined[:1]] == ["and"] and [*joined[1:2]] != [","]:
        return  # "316L and brass is not acceptable" may deny the last alone
    through = (",", "or") if denial.key in ("not", "does_not") else (",", "or", "and")
    pending: list[LexiconHit] = []
    is_list = False
    for join, hit in zip(joined, following, strict=True):
        if join not in through or hit in found:
            break
        pending.append(hit)
        is_list = join != "," or (is_list and denial.key == "behind_not")
        if is_list:
            # Commas are of the list only where its last two are joined by a word.
            found.update(dict.fromkeys(pending, denial))
            pending = []


def asides_of(context: TextContext, hits: Sequence[LexiconHit]) -> frozenset[LexiconHit]:
    """Finds kinds of goods that are not asked for themselves: other goods come with them or are for them ("a pump
    with a motor"), or the word is an attribute's name at its value ("seal: PTFE" of a pump).
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
    """Returns the families that the text asks for and does not exclude."""
    asked = (hit for hit in hits if hit not in denials and hit not in asides)
    return list(dict.fromkeys(value for hit in asked for value in hit.values_of("family")))


@dataclass(frozen=True, slots=True)
class Values:
    context: TextContext
    denials: Denials
    asides: Container[LexiconHit]
    families: Sequence[str]
    attributes: Attributes
    figures: Container[tuple[int, int]]
    """The places of figures that have no unit and are in no range."""

    def marks(self, hits: Iterable[LexiconHit]) -> Iterator[Mark | LexiconHit]:
        """Yields a mark for each value and flag, and unchanged a phrase that may mean one of several attributes."""
        hits = list(hits)
        answers = {hit: name for hit in hits if (name := self._answered(hit)) is not None}
        answered = set(answers.values())
        for hit in hits:
            if self.context.source.is_free(hit.start, hit.end):
                yield from self._marks(hit, answers.get(hit), is_answered=hit in answered)

    def _answered(self, hit: LexiconHit) -> LexiconHit | None:
        """Returns the flag's name beside a word that the tenant has for its yes or no."""
        known = self.attributes.by_name
        flags = {
            each.attribute for each in hit.meant if each.attribute in known and known[each.attribute].kind == "flag"
        }
        beside = self.context.names_beside(hit.first, hit.last) if flags else ()
        return next((name for name in beside if flags & name.names), None)

    def _marks(self, hit: LexiconHit, flag: LexiconHit | None, *, is_answered: bool) -> Iterator[Mark | LexiconHit]:
        """``flag`` is the name that a hit answers with yes or no; ``is_answered`` says that another answers it."""
        denial = self.denials.get(hit)
        place = (min(denial.start, hit.start), max(denial.end, hit.end)) if denial else (hit.start, hit.end)
        if flag is not None:
            place = min(place[0], flag.start), max(place[1], flag.end)
            for name in sorted(flag.names & {sense.attribute for sense in hit.meant}):
                yield Mark(name, " | ".join(hit.values_of(name)), (place,), negated=denial is not None)
            return
        meant = self._meant(hit)
        if meant and denial and (len(meant) > 1 or set(meant.get("family", ())) & set(self.families)):
            # The family is not excluded if the term says more, or it is asked for itself: "a pump, no vane pump".
            meant.pop("family", None)
            meant = meant or None
        if meant is None:
            yield hit
            return
        for name, values in meant.items():
            yield Mark(name, " | ".join(values), (place,), negated=denial is not None)
        for sense in hit.meant:
            beside = self.context.names_beside(hit.first, hit.last) if sense.weak else ()
            named = next((name for name in beside if sense.attribute in name.names), None)
            if named is not None:
                places = ((min(place[0], named.start), max(place[1], named.end)),)
                yield Mark(sense.attribute, " | ".join(sense.values), places, negated=denial is not None)
        if not hit.meant and not is_answered:
            yield from self._flags(hit, place, negated=denial is not None)
        if self._is_sign(hit):
            yield hit

    def _is_sign(self, hit: LexiconHit) -> bool:
        """Returns whether a hit is a capital letter alone, a value of the tenant's and no word of the language."""
        source = self.context.source
        written, word = source.written(hit.start, hit.end), source.pieces[hit.first].word
        return bool(hit.meant) and len(written) == 1 and written.isupper() and word not in self.context.words.stop

    def _meant(self, hit: LexiconHit) -> dict[str, list[str]] | None:
        """Returns values by attribute; None where the text does not tell which of several attributes is meant."""
        meant: dict[str, list[str]] = {}
        for sense in hit.meant:
            if sense.attribute in _KINDS and hit in self.asides:
                continue
            own = self.attributes.by_name.get(sense.attribute)
            is_told = not sense.weak or self._is_signed(hit, sense)
            if is_told and (own is None or own.is_of_any(self.families)):
                meant.setdefault(sense.attribute, []).extend(sense.values)
        if named := self._named(hit, meant):
            # Of attributes that have the value the one whose name stands beside it is meant.
            meant = {
                name: each for name, each in meant.items() if name in named or name not in self.attributes.by_name
            }
        if "family" in meant:
            # The family's own name says no more than the family.
            meant.pop("category", None)
        known = (self.attributes.by_name.get(name) for name in meant)
        families = [one.families for one in known if one is not None and one.families]
        if not self.families and len(families) > 1 and not frozenset.intersection(*families):
            return None
        return meant

    def _named(self, hit: LexiconHit, meant: Collection[str]) -> Collection[str]:
        """Returns those of several attributes whose name stands before a value, or behind it without another."""
        for name in self.context.names_beside(hit.first, hit.last) if len(meant) > 1 else ():
            if found := name.names.intersection(meant):
                return found if name.start < hit.start or name.last + 1 not in self.context.known else ()
        return ()

    def _is_signed(self, hit: LexiconHit, sense: Sense) -> bool:
        """Returns whether a figure stands in the text with the sign that it has as a value: 8# and not 8, or 3.1."""
        before, _, behind = sense.signed.partition(self.context.source.folded[hit.start : hit.end])
        around = self.context.source.folded[max(hit.start - len(before), 0) : hit.end + len(behind)]
        return bool(sense.signed) and around == sense.signed and (hit.start, hit.end) in self.figures

    def _flags(self, hit: LexiconHit, place: tuple[int, int], *, negated: bool) -> Iterator[Mark]:
        """Reads an attribute's name as a yes to its flag, unless a no stands behind it."""
        source = self.context.source
        for name in sorted(hit.names):
            own = self.attributes.by_name[name]
            if own.kind != "flag" or not own.is_of_any(self.families):
                continue
            is_yes, end = not negated, place[1]
            for answer in source.pieces[hit.last + 1 : hit.last + 2]:
                said = yes_or_no(answer.word)
                if said is not None and source.folded[end : answer.start].strip() in (":", "="):
                    is_yes, end = said, answer.end
            yield Mark(name, "yes" if is_yes else "no", ((place[0], end),))


_MOST_PIECES = 9
_LONGEST_WORD = 40
_SHORTEST_OF_LETTERS = 4
_SHORTEST_OF_DIGITS = 5
_SHORTEST_SLIP = 5
_SHORTEST_SKU = 5
_SHORTEST_SHORT_NAME = 5


@lru_cache(maxsize=16)
def lexicon_of_names(names: Names, kind_of_row: KindOfRow, plain: Lexicon) -> Lexicon:
    """Returns the phrases of names; ``plain`` has the phrases of the tenant that are no names."""
    kinds = {"manufacturer": names.manufacturers}
    if kind_of_row != "product":
        kinds |= {"customer": names.customers, "salesperson": names.salespeople}
    phrases = [
        (stems_of(said), Sense(kind, (name,), is_weak(said)))
        for kind, each in kinds.items()
        for said, name in each.items()
    ]
    short = _short_names(names, plain) if kind_of_row != "product" else {}
    return Lexicon([*phrases, *(((stem,), Sense("customer", (name,))) for stem, name in short.items())])


@lru_cache(maxsize=16)
def _makers_by_first(names: Names) -> Mapping[str, list[str]]:
    """Returns the stems of names of makers whose models the tenant has, by their first letter."""
    own = {model.manufacturer for model in names.models.values()}
    said = (said for said, maker in names.manufacturers.items() if maker in own)
    return grouped({stem for each in said for stem in stems_of(each)}, lambda stem: stem[0])


def _short_names(names: Names, plain: Lexicon) -> dict[str, str]:
    """Maps a word of a customer's name to it, if no other name has it and it is no word of the goods: Petrodan."""
    having: dict[str, set[str]] = {}
    for customer in names.customers.values():
        for word in pieces_of(customer):
            if len(word) >= _SHORTEST_SHORT_NAME and word.isalpha() and word not in names.words and not is_weak(word):
                having.setdefault(stem_of(word), set()).add(customer)
    return {stem: next(iter(each)) for stem, each in having.items() if len(each) == 1 and stem not in plain.stems}


def mended(source: SourceText, names: Names, *, is_word: Callable[[str], bool]) -> list[str]:
    """Returns the stems of a text; a word one typing error away from a word of makers' names is that word."""
    # rapidfuzz costs 7 ms to import, and only words that nothing else knows need it.
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    stems = [piece.stem for piece in source.pieces]
    for at, piece in enumerate(source.pieces):
        if _SHORTEST_SLIP <= len(piece.word) <= _LONGEST_WORD and source.is_whole(at, at) and not is_word(piece.word):
            known = _makers_by_first(names).get(piece.stem[0], ())
            found = process.extract(piece.stem, known, scorer=OSA.distance, score_cutoff=1)
            if len(found) == 1:
                stems[at] = found[0][0]
    return stems


def models_of(context: TextContext, names: Names, values: Container[tuple[str, ...]]) -> Iterator[Mark]:
    """Yields models as written, blanks and hyphens apart, longest first, or what the house's own number stands for;
    ``values`` are the tenant's phrases.
    """
    for first, last, key in _windows(context, lambda key: key in names.models or key in names.skus):
        pieces = context.source.pieces
        stems = tuple(piece.stem for piece in pieces[first : last + 1])
        if key not in names.models:
            # A number of digits alone may be any figure, unless nothing else is asked.
            tells = len(key) >= _SHORTEST_SKU and bool(digits_of(key))
            tells = tells and (not key.isdigit() or len(stems) == len(pieces))
        elif key.isdigit():
            tells = len(key) >= _SHORTEST_OF_DIGITS
        else:
            tells = bool(digits_of(key)) or (len(key) >= _SHORTEST_OF_LETTERS and stems not in values)
        if tells:
            models = [names.models[key].name] if key in names.models else names.skus[key]
            yield _mark(context, first, last, models)


def slips_of(context: TextContext, names: Names, makers: Collection[str]) -> Iterator[Mark]:
    """Yields models with one letter wrong, missing or added, or two characters swapped, of makers named if any."""
    for first, last, key in _windows(context, lambda key: not key.isalpha() and not key.isdigit()):
        near = sorted(set(near_models(key, names)))
        near = [one for one in near if names.models[one].manufacturer in makers] or near
        if 0 < len(near) <= MOST_MEANT:
            yield _mark(context, first, last, [names.models[one].name for one in near])


def _windows(context: TextContext, is_wanted: Callable[[str], bool]) -> Iterator[tuple[int, int, str]]:
    """Yields whole words not read yet whose part key is wanted, the most joined first: (first, last, key)."""
    source, pieces = context.source, context.source.pieces
    marks = decimal_marks(source.folded)
    ends = [DECIMAL if piece.end in marks else "" for piece in pieces]
    for first in (
        at for at, piece in enumerate(pieces) if not piece.glued and source.is_free(piece.start, piece.end)
    ):
        run = pieces[first : first + _MOST_PIECES]
        keys = [*accumulate(mark + piece.word for mark, piece in zip(["", *ends[first:]], run, strict=False))]
        for last in range(first + len(keys) - 1, first - 1, -1):
            key, start, end = keys[last - first], pieces[first].start, pieces[last].end
            if not is_wanted(key) or end - start > _LONGEST_WORD or not source.is_free(start, end):
                continue
            if source.is_whole(first, last) and source.is_phrase(first, last):
                yield first, last, key


def _mark(context: TextContext, first: int, last: int, models: Sequence[str]) -> Mark:
    start, end = context.source.pieces[first].start, context.source.pieces[last].end
    denial = context.denial(start, end)
    context.source.take(start, end)
    return Mark("model", " | ".join(models), (denial[:2] if denial else (start, end),), negated=denial is not None)
