"""What a text is read with beside a tenant's attributes, and what comes of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple

from quarry.needs.model import Need

KindOfRow = Literal["product", "line", "quote"]
"""What the needs are for. Lines and quotes also have customers, salespeople and industries; a quote is asked for by
what was offered in it.
"""


class Model(NamedTuple):
    name: str
    manufacturer: str | None = None


@dataclass(frozen=True, eq=False)
class Names:
    """A tenant's names: models by part key; makers (full and short), customers and salespeople by folded name.

    ``words`` are the folded words of the tenant's own rows: what stands there is no slip of a maker's name.
    """

    models: Mapping[str, Model] = field(default_factory=dict)
    manufacturers: Mapping[str, str] = field(default_factory=dict)
    customers: Mapping[str, str] = field(default_factory=dict)
    salespeople: Mapping[str, str] = field(default_factory=dict)
    words: frozenset[str] = frozenset()

    @cached_property
    def by_digits(self) -> Mapping[str, tuple[str, ...]]:
        """Part keys of models by their digits in order of size, for a slip may turn two of them."""
        found: dict[str, list[str]] = {}
        for key in self.models:
            found.setdefault("".join(sorted(filter(str.isdigit, key))), []).append(key)
        return {digits: tuple(keys) for digits, keys in found.items()}

    @cached_property
    def by_look(self) -> Mapping[str, tuple[str, ...]]:
        """Part keys of models as they look: the letter O is like the figure 0."""
        found: dict[str, list[str]] = {}
        for key in self.models:
            found.setdefault(look_of(key), []).append(key)
        return {look: tuple(keys) for look, keys in found.items()}


_ALIKE = str.maketrans("oil", "011")


def look_of(key: str) -> str:
    return key.translate(_ALIKE)


@dataclass(frozen=True, slots=True)
class Reading:
    """``said`` has the words of the text that each need was read from. ``rest`` are the words that nothing read;
    ``unread`` those of them that say a figure or a value without telling which attribute is meant. ``cut`` counts the
    characters at the end that were not looked at.
    """

    needs: tuple[Need, ...] = ()
    said: tuple[tuple[str, ...], ...] = ()
    rest: str = ""
    unread: tuple[str, ...] = ()
    language: str | None = None
    cut: int = 0
