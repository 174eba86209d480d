"""Text without the characters that hide, reorder or smuggle what a person reads."""

import re

_CONTROLS = re.compile(r"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]+")
"""C0 and C1 but for NUL, which is refused, tab and line ends."""

_UNSEEN = re.compile("[\u200b\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]")
"""Turns of direction (Unicode's bidirectional embeddings, overrides and isolates), what is invisible, and tags.

The marks U+200E and U+200F and the joiners stay: Arabic, Hebrew, Persian and emoji are written with them.
"""

_EITHER = re.compile(f"{_CONTROLS.pattern}|{_UNSEEN.pattern}")


def plain(text: str) -> str:
    """``text`` with control characters as blanks and without what is unseen."""
    if text.isascii() and text.isprintable():
        return text
    return _UNSEEN.sub("", _CONTROLS.sub(" ", text)) if _EITHER.search(text) else text


def all_plain[T](value: T) -> T:
    """The same JSON value with every text in it ``plain``, keys of objects apart."""
    cleaned: object = value
    if isinstance(value, str):
        cleaned = plain(value)
    elif isinstance(value, list):
        cleaned = [all_plain(item) for item in value]
    elif isinstance(value, dict):
        cleaned = {key: all_plain(item) for key, item in value.items()}
    return cleaned  # type: ignore[return-value]  # of the type that came in
