"""Which way a text runs, and which of its pieces run from the left in one that runs from the right."""

import re
from collections.abc import Iterator

FROM_RIGHT = frozenset(("ar", "dv", "fa", "he", "ks", "ps", "sd", "ug", "ur", "yi"))
"""Languages that are written from the right, as Typst and Unicode's CLDR have them."""

MARK = "\u200e"
"""Stands on both sides of a piece that runs from the left: with it figures, signs and brackets keep their order
whatever stands beside them. Unlike isolates every program knows it.
"""

# Without digits and decimal marks, which run from the left. Patterns are read by Python and by Typst, so that none
# looks around.
_LETTERS = "\u0590-\u065f\u066d-\u06ef\u06fa-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
_OTHER = rf"[^\W_{_LETTERS}]"
_BRACKETS = rf"\([^{_LETTERS}()\n]{{0,60}}{_OTHER}[^{_LETTERS}()\n]{{0,60}}\)"
_ENCLOSED = rf'{_BRACKETS}|"[^{_LETTERS}"\n]{{0,60}}{_OTHER}[^{_LETTERS}"\n]{{0,60}}"'
_INCHES = "[0-9¼½¾](?:\"|'{1,2})"
PIECE = (
    rf"(?:\B(?:[+−-]|[±<>≤≥≈~#$€£¥]\s?){{1,4}}[0-9]|{_INCHES}|{_OTHER}|{_ENCLOSED})"
    rf"(?:(?:[^{_LETTERS}()\n]|{_BRACKETS})*(?:{_INCHES}|{_OTHER}|{_ENCLOSED}|[%‰°²³″′]))?"
)
"""Matches what runs from the left whole: a telephone number, 18000 BTU/h (5.28 kW), -5 %, 2", a name with brackets. A
plus or minus apart from its figure joins the words on both sides.
"""

_ANY, _FIRST = rf"[{_LETTERS}]", rf"^[\W\d_]*[{_LETTERS}]"
_PIECE, _HAS_LETTERS = re.compile(f"({PIECE})"), re.compile(_ANY)
_PLAIN = re.compile(r"[\w.,]+")
"""Matches what keeps its order in a text from the right by itself."""
_FOREIGN = re.compile(rf"([{_LETTERS}](?:[\W\d_{_LETTERS}]*[{_LETTERS}])?)")


def patterns(language: str) -> dict[str, str]:
    """Returns what layouts read directions by: what makes a text run from the right (its first letter; in a language
    that does one letter is enough) and there the ``piece`` to mark, empty where texts are marked already.
    """
    runs = language in FROM_RIGHT
    return {"from_right": _ANY if runs else _FIRST, "piece": PIECE if runs else ""}


def from_right(text: str, *, language: str) -> bool:
    """Whether a paragraph runs from the right; one without letters runs as its document does."""
    by_letters = re.search(patterns(language)["from_right"], text) is not None
    return by_letters or (language in FROM_RIGHT and not any(map(str.isalpha, text)))


def pieces(text: str, *, within_right: bool) -> Iterator[tuple[str, bool]]:
    """Yields the pieces of a paragraph's text, marked, each with whether it runs from the right."""
    parts = _PIECE.split(text) if within_right else _FOREIGN.split(marked(text))
    for place, part in enumerate(parts):
        if part:
            is_found = place % 2 == 1
            needs_marks = within_right and is_found and not _PLAIN.fullmatch(part)
            yield (f"{MARK}{part}{MARK}" if needs_marks else part), is_found != within_right


def marked[T](value: T) -> T:
    """Marks the pieces in every text of a JSON value that has letters of a script from the right."""
    told: object = value
    if isinstance(value, str) and _HAS_LETTERS.search(value):
        told = _PIECE.sub(rf"{MARK}\g<0>{MARK}", value)
    elif isinstance(value, list):
        told = [marked(each) for each in value]
    elif isinstance(value, dict):
        told = {name: marked(each) for name, each in value.items()}
    return told  # type: ignore[return-value]  # of the type that came in
