"""Cuts a long text into chunks at the best boundary in reach; pure."""

import re

MOST_CHARACTERS = 1000
"""About 250 tokens: small embedding models read no more, and a reader takes it in at a glance."""

BOUNDARIES = (
    re.compile(r"\n\s*\n\s*"),
    re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+|\n\s*"),
    re.compile(r"\s+"),
)
"""Paragraph, sentence or line, word: the first kind that occurs in the second half of the room is taken."""


def chunk(text: str, *, most: int = MOST_CHARACTERS) -> list[str]:
    """Chunks of at most ``most`` characters, in order; only white space at the cuts is lost."""
    chunks = []
    rest = text.strip()
    while len(rest) > most:
        cut = _cut(rest, most=most)
        chunks.append(rest[:cut].rstrip())
        rest = rest[cut:].lstrip()
    return [*chunks, rest] if rest else chunks


def _cut(text: str, *, most: int) -> int:
    """Where the first chunk ends: 1 to ``most``; in the middle of a word only if it fills half the room."""
    # The boundary itself may lie beyond the room: the white space after a chunk that fits exactly.
    window = text[: most + 1]
    for boundary in BOUNDARIES:
        ends = [found.start() + len(found.group().rstrip()) for found in boundary.finditer(window)]
        if in_reach := [end for end in ends if max(most // 2, 1) <= end <= most]:
            return in_reach[-1]
    return most
