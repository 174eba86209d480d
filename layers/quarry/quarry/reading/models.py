"""Models that a text names, as they are written or with one slip."""

from collections.abc import Collection, Iterator

from quarry.reading.context import Context, Mark
from quarry.reading.lexicon import Lexicon, is_one_slip
from quarry.reading.model import Names, look_of

_MOST_PIECES = 6
_LONGEST_KEY = 40
_SHORTEST_OF_LETTERS = 4
_SHORTEST_OF_DIGITS = 5
_LETTERS_FOR_A_SLIP = 3
_LETTERS_FOR_A_TURN = 2
_MOST_MEANT = 3


def models_of(context: Context, names: Names, lexicon: Lexicon) -> Iterator[Mark]:
    """Models as they are written, blanks and hyphens apart, the longest first."""
    for first, last, key in _windows(context):
        model = names.models.get(key)
        if model is not None and _tells(context, lexicon, first, last, key):
            yield _mark(context, first, last, [model.name])


def slips_of(context: Context, names: Names, makers: Collection[str]) -> Iterator[Mark]:
    """Models in which one letter is wrong, missing or too much, or two signs are turned, of the makers named if any."""
    for first, last, key in _windows(context):
        if not (any(map(str.isdigit, key)) and any(map(str.isalpha, key))):
            continue
        near = sorted(set(_near(key, names)))
        of_makers = [one for one in near if names.models[one].manufacturer in makers]
        if 0 < len(of_makers or near) <= _MOST_MEANT:
            yield _mark(context, first, last, [names.models[one].name for one in of_makers or near])


def _near(key: str, names: Names) -> Iterator[str]:
    """The part keys that may be meant: they look alike, or have the same digits and one slip in the letters, or two
    signs of them are turned.
    """
    yield from names.by_look.get(look_of(key), ())
    digits = "".join(filter(str.isdigit, key))
    for one in names.by_digits.get("".join(sorted(digits)), ()):
        if is_one_slip(key, one):
            letters = min(sum(map(str.isalpha, each)) for each in (key, one))
            is_turned = sorted(key) == sorted(one)
            same = digits == "".join(filter(str.isdigit, one))
            if letters >= (_LETTERS_FOR_A_TURN if is_turned else _LETTERS_FOR_A_SLIP) and (same or is_turned):
                yield one


def _windows(context: Context) -> Iterator[tuple[int, int, str]]:
    """Whole words that nothing read, several joined, with their part key; what is taken meanwhile is left out."""
    source, pieces = context.source, context.source.pieces
    for first in range(len(pieces)):
        if pieces[first].glued:
            continue
        for last in range(min(first + _MOST_PIECES, len(pieces)) - 1, first - 1, -1):
            key = "".join(piece.word for piece in pieces[first : last + 1])
            if (
                len(key) <= _LONGEST_KEY
                and source.is_whole(first, last)
                and source.is_free(pieces[first].start, pieces[last].end)
                and source.is_phrase(first, last)
                and not _is_plain(context, first, last)
            ):
                yield first, last, key


def _is_plain(context: Context, first: int, last: int) -> bool:
    """Whether a plain word of the language stands apart in it: "at 55" is no AT-55."""
    source, stop = context.source, context.words.stop
    return any(
        source.pieces[at].word in stop
        and (at == first or source.gap(at - 1, at).isspace())
        and (at == last or source.gap(at, at + 1).isspace())
        for at in range(first, last + 1)
    )


def _tells(context: Context, lexicon: Lexicon, first: int, last: int, key: str) -> bool:
    """Whether it can be nothing else: words alone may be a value, digits alone a figure."""
    if key.isdigit():
        return len(key) >= _SHORTEST_OF_DIGITS
    if any(map(str.isdigit, key)):
        return True
    stems = tuple(piece.stem for piece in context.source.pieces[first : last + 1])
    return len(key) >= _SHORTEST_OF_LETTERS and stems not in lexicon.senses


def _mark(context: Context, first: int, last: int, models: list[str]) -> Mark:
    start, end = context.source.pieces[first].start, context.source.pieces[last].end
    denial = context.denial(start)
    context.source.take(start, end)
    return Mark("model", " | ".join(models), ((denial[0] if denial else start, end),), negated=denial is not None)
