"""A tenant's names in a text, as they are written or with one slip."""

from collections.abc import Callable, Collection, Container, Iterator, Mapping
from functools import lru_cache
from itertools import accumulate

from quarry.attributes.model import MOST_MEANT, Names, digits_of, grouped, near_models
from quarry.needs.model import KindOfRow
from quarry.reading.context import Mark, TextContext
from quarry.reading.lexicon import Lexicon, Means, is_weak
from quarry.reading.source import SourceText, pieces_of, stems_of
from quarry.text import stem_of

_MOST_PIECES = 6
_LONGEST_WORD = 40
_SHORTEST_OF_LETTERS = 4
_SHORTEST_OF_DIGITS = 5
_SHORTEST_SLIP = 5
_SHORTEST_SHORT_NAME = 5


@lru_cache(maxsize=16)
def lexicon_of_names(names: Names, kind_of_row: KindOfRow, plain: Lexicon) -> Lexicon:
    """``plain`` has the phrases of the tenant that are no names."""
    kinds = {"manufacturer": names.manufacturers}
    if kind_of_row != "product":
        kinds |= {"customer": names.customers, "salesperson": names.salespeople}
    phrases = [
        (stems_of(said), Means(kind, (name,), is_weak(said)))
        for kind, each in kinds.items()
        for said, name in each.items()
    ]
    short = _short_names(names, plain) if kind_of_row != "product" else {}
    return Lexicon([*phrases, *(((stem,), Means("customer", (name,))) for stem, name in short.items())])


@lru_cache(maxsize=16)
def _makers_by_first(names: Names) -> Mapping[str, list[str]]:
    """The stems of the names of makers whose models the tenant has, by their first letter."""
    own = {model.manufacturer for model in names.models.values()}
    said = (said for said, maker in names.manufacturers.items() if maker in own)
    return grouped({stem for each in said for stem in stems_of(each)}, lambda stem: stem[0])


def _short_names(names: Names, plain: Lexicon) -> dict[str, str]:
    """Customers by a word of their names that is in no other's, and no word of the goods: Petrodan."""
    having: dict[str, set[str]] = {}
    for customer in names.customers.values():
        for word in pieces_of(customer):
            if len(word) >= _SHORTEST_SHORT_NAME and word.isalpha() and word not in names.words and not is_weak(word):
                having.setdefault(stem_of(word), set()).add(customer)
    return {stem: next(iter(each)) for stem, each in having.items() if len(each) == 1 and stem not in plain.stems}


def mended(source: SourceText, names: Names, *, is_word: Callable[[str], bool]) -> list[str]:
    """The stems of a text in which words one slip away from one word of a maker's name are that word."""
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
    """Models as they are written, blanks and hyphens apart, longest first; ``values`` are the tenant's phrases."""
    for first, last, key in _windows(context, names.models.__contains__):
        stems = tuple(piece.stem for piece in context.source.pieces[first : last + 1])
        if key.isdigit():
            tells = len(key) >= _SHORTEST_OF_DIGITS
        else:
            tells = bool(digits_of(key)) or (len(key) >= _SHORTEST_OF_LETTERS and stems not in values)
        if tells:
            yield _mark(context, first, last, [names.models[key].name])


def slips_of(context: TextContext, names: Names, makers: Collection[str]) -> Iterator[Mark]:
    """Models in which a letter is wrong, missing or too much, or two signs are turned, of makers named if any."""

    for first, last, key in _windows(context, lambda key: not key.isalpha() and not key.isdigit()):
        near = sorted(set(near_models(key, names)))
        near = [one for one in near if names.models[one].manufacturer in makers] or near
        if 0 < len(near) <= MOST_MEANT:
            yield _mark(context, first, last, [names.models[one].name for one in near])


def _windows(context: TextContext, is_wanted: Callable[[str], bool]) -> Iterator[tuple[int, int, str]]:
    """Whole words that nothing read and whose part key is wanted, the most joined first."""
    source, pieces = context.source, context.source.pieces
    for first in (
        at for at, piece in enumerate(pieces) if not piece.glued and source.is_free(piece.start, piece.end)
    ):
        keys = list(accumulate(piece.word for piece in pieces[first : first + _MOST_PIECES]))
        for last in range(first + len(keys) - 1, first - 1, -1):
            key, start, end = keys[last - first], pieces[first].start, pieces[last].end
            if not is_wanted(key) or end - start > _LONGEST_WORD or not source.is_free(start, end):
                continue
            is_one = source.is_whole(first, last) and source.is_phrase(first, last)
            if is_one and not _is_plain(context, first, last):
                yield first, last, key


def _is_plain(context: TextContext, first: int, last: int) -> bool:
    """Whether a plain word of the language stands apart in it: "at 55" is no AT-55."""
    source = context.source
    return any(
        source.pieces[at].word in context.words.stop
        and (at == first or source.gap(at - 1, at).isspace())
        and (at == last or source.gap(at, at + 1).isspace())
        for at in range(first, last + 1)
    )


def _mark(context: TextContext, first: int, last: int, models: list[str]) -> Mark:
    start, end = context.source.pieces[first].start, context.source.pieces[last].end
    denial = context.denial(start)
    context.source.take(start, end)
    return Mark("model", " | ".join(models), ((denial[0] if denial else start, end),), negated=denial is not None)
