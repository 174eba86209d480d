"""Bounds on a JSON message's depth and number of values, found without parsing it."""

import re

# Possessive, and content with a string that never ends: one pass, whatever it is given.
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_BRACKET = re.compile(rb"[\[\]{}]")
_OPENING = (b"[", b"{")


def too_complex(body: bytes, *, most_depth: int, most_values: int) -> bool:
    """Whether it nests deeper or holds more members and items than allowed."""
    # What text may hold counts too here, so this can only be too high, and is enough for nearly all.
    opened = body.count(b"[") + body.count(b"{")
    if opened <= most_depth and body.count(b",") + opened <= most_values:
        return False
    bare = _STRING.sub(b"", body)
    opened = bare.count(b"[") + bare.count(b"{")
    if bare.count(b",") + opened > most_values:
        return True
    return opened > most_depth and _depth(bare) > most_depth


def _depth(bare: bytes) -> int:
    depth = deepest = 0
    for bracket in _BRACKET.findall(bare):
        depth += 1 if bracket in _OPENING else -1
        deepest = max(deepest, depth)
    return deepest
