"""Things that are told by two words near each other: "swap of an airend", "class for the operators"."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Collocation:
    """``says`` are attributes with their values, ``sides`` words or pairs of words; ``alone`` where it says them only
    of a text that names no other family.
    """

    says: tuple[tuple[str, str], ...]
    alone: bool
    sides: tuple[frozenset[str], frozenset[str]]


def by_word(collocations: Iterable[Collocation]) -> Mapping[str, tuple[tuple[Collocation, int], ...]]:
    """Each collocation under the words of its two sides, with the number of the side."""
    found: dict[str, list[tuple[Collocation, int]]] = {}
    for one in collocations:
        for side, forms in enumerate(one.sides):
            for form in forms:
                found.setdefault(form, []).append((one, side))
    return {form: tuple(known) for form, known in found.items()}
