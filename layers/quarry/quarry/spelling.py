"""What was meant by a value that does not exist: one "did you mean" for every tool, on rapidfuzz."""

from collections.abc import Callable, Iterable

CLOSE = 0.6
"""Likeness from which on a value may be meant."""

SHORTEST_PART = 3
"""Letters that have to stand in a value before it counts as containing them."""


def alike(
    value: str,
    known: Iterable[str],
    *,
    most: int = 3,
    close: float = CLOSE,
    key: Callable[[str], str] = str.casefold,
) -> list[str]:
    """Known values that look like ``value``, the most alike first, then those that contain it.

    Both sides are compared by what ``key`` makes of them.
    """
    # rapidfuzz costs 7 ms to import, and only a value that was not found needs it.
    from rapidfuzz import fuzz, process

    wanted = key(value)
    if not wanted:
        return []
    names = sorted(set(known))
    keys = [key(name) for name in names]
    near = [at for _, _, at in process.extract(wanted, keys, scorer=fuzz.ratio, score_cutoff=100 * close, limit=most)]
    part = wanted.rstrip("/")
    containing = [at for at, each in enumerate(keys) if len(part) >= SHORTEST_PART and part in each]
    return [names[at] for at in list(dict.fromkeys([*near, *containing]))[:most]]
