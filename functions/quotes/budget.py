"""Fits verbatim descriptions into a token budget, only when the caller set one."""

from collections.abc import Sequence
from dataclasses import dataclass

CHARACTERS_PER_TOKEN = 4
"""A common rule of thumb for English; quote language with its numbers comes out slightly over."""

SMALLEST_CUT = 200
"""Characters; less of a description than this tells a reader nothing."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """``texts`` are the first ones that fit, in order; the last may be cut (``cut``), ``omitted`` are left out."""

    texts: list[str]
    cut: bool
    omitted: int


def fit(texts: Sequence[str], *, max_tokens: int) -> Fitted:
    """Whole texts while they fit, then one cut at a blank, then nothing."""
    room = max_tokens * CHARACTERS_PER_TOKEN
    kept: list[str] = []
    for text in texts:
        if len(text) <= room:
            kept.append(text)
            room -= len(text)
            continue
        if room >= SMALLEST_CUT or not kept:
            kept.append(_cut(text, room=room))
            return Fitted(kept, True, len(texts) - len(kept))
        break
    return Fitted(kept, False, len(texts) - len(kept))


def _cut(text: str, *, room: int) -> str:
    head = text[:room]
    return head[: max(head.rfind(" "), head.rfind("\n"), 0)] or head
