"""Removes characters that hide or reorder what a person reads."""

import re

_CONTROLS = r"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]+"
"""Matches C0 and C1 control characters except tab, line ends and NUL, which is refused."""

_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_LATIN = "0-9A-Za-z\u00aa-\u024f"
_UNSEEN = (
    "[\u00ad\u034f\u061c\u115f\u1160\u180e\u200b\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"
    "\U0001d173-\U0001d17a\U000e0000-\U000e007f]"
    f"|(?<=[{_SELECTORS}])[{_SELECTORS}]|(?<=[{_LATIN}])[\u200c-\u200f]|[\u200c-\u200f](?=[{_LATIN}])"
)
"""Matches changes of direction (Unicode's bidirectional embeddings, overrides and isolates), invisible characters,
tags, and variation selectors behind another one, in rows of which bytes can be hidden.

The marks U+200E and U+200F and the joiners stay where no Latin letter stands beside them: Arabic, Hebrew, Persian and
emoji are written with them.
"""

_EITHER = re.compile(f"({_CONTROLS})|{_UNSEEN}")


def plain(text: str) -> str:
    """Replaces control characters by blanks and removes invisible ones."""
    return counted(text)[0]


def counted(text: str) -> tuple[str, int]:
    """Returns the ``plain`` text, and how many characters were replaced or removed."""
    if text.isascii() and text.isprintable():
        return text, 0
    taken = 0

    def blank(found: re.Match[str]) -> str:
        nonlocal taken
        taken += len(found[0])
        return " " if found[1] else ""

    return _EITHER.sub(blank, text), taken


def all_plain[T](value: T) -> T:
    """Makes every text in a JSON value ``plain``, except keys of objects."""
    cleaned: object = value
    if isinstance(value, str):
        cleaned = plain(value)
    elif isinstance(value, list):
        cleaned = [all_plain(item) for item in value]
    elif isinstance(value, dict):
        cleaned = {key: all_plain(item) for key, item in value.items()}
    return cleaned  # type: ignore[return-value]  # of the type that came in


def taken_from(value: object) -> int:
    """Counts the characters that ``all_plain`` replaces or removes in a JSON value."""
    if isinstance(value, str):
        return counted(value)[1]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return sum(map(taken_from, items))
