"""What in a query may be a model or part number, as the key that models are compared by."""

import re
from itertools import pairwise

from quarry.attributes.units import shipped

LONGEST_NAME = 6
"""Letters of a first word that a number may belong to: QMB 30, Q$ync 100, and no longer word."""

MOST = 24
"""Keys of one query; a long text is no list of models."""

MEASURE = re.compile(r"\d+([a-z]+)")
ORDINALS = frozenset(("st", "nd", "rd", "th", "x"))


def part_numbers(query: str) -> list[str]:
    """Keys, in order of appearance; a word of letters and digits, a short word and the number behind it, or a query
    that is nothing but one word with a digit.
    """
    words = query.split()
    keys = [model_key(word) for word in words]
    found = dict.fromkeys(key for key in keys if _mixed(key) and not _is_measure(key))
    for first, second in pairwise(keys):
        if first.isalpha() and len(first) <= LONGEST_NAME and second[:1].isdigit() and not _is_measure(second):
            found[first + second] = None
    if len(keys) == 1 and any(sign.isdigit() for sign in keys[0]):
        found[keys[0]] = None
    return list(found)[:MOST]


def model_key(model: str) -> str:
    """As the column model_key: lower case, without blanks and punctuation, `$` read as s (Q$ync is Qsync)."""
    return re.sub(r"[^a-z0-9]", "", model.lower().replace("$", "s"))


def _is_measure(key: str) -> bool:
    """Whether a key is a figure with its unit, such as 100hp, and no name."""
    found = MEASURE.fullmatch(key)
    return found is not None and (found[1] in ORDINALS or shipped().named(found[1]) is not None)


def _mixed(key: str) -> bool:
    return len(key) > 2 and any(sign.isalpha() for sign in key) and any(sign.isdigit() for sign in key)
