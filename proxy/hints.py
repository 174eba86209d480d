"""What a caller is told who names what there is not: the nearest names, or all."""

import difflib
from collections.abc import Sequence

_MOST_SHOWN = 80


def did_you_mean(name: str, known: Sequence[str], *, noun: str) -> str:
    """A sentence that leads from a wrong name to the right ones, of which at most three are said to be near."""
    if close := difflib.get_close_matches(name, known, n=3, cutoff=0.5):
        return f"Did you mean {' or '.join(map(repr, close))}?"
    return f"Known {noun}: {', '.join(known) or 'none'}."


def shown(value: object) -> str:
    """`value` as the caller wrote it, cut to a readable length."""
    text = repr(value)
    return text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 1] + "…"
