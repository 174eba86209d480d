"""The trades of ``trades.toml`` as the reader takes them."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from quarry.attributes.model import Attribute, Attributes, NamedModel, Names
from quarry.needs.model import KindOfRow
from quarry.reading.reader import Reading, read
from quarry.text import key_of, part_key

TRADES = ("pumps", "valves", "air")
_DECLARED: dict[str, Any] = tomllib.loads(Path(__file__).with_name("trades.toml").read_text("utf-8"))
WORDS = (*_DECLARED["words"].split(), "\u00a0", "\u202f")


@cache
def trade(name: str) -> tuple[Attributes, Names]:
    declared = _DECLARED[name]
    attributes = Attributes(
        by_name={key: _attribute(key, each) for key, each in declared["attributes"].items()},
        families={family: tuple(words) for family, words in declared["families"].items()},
        listed={key: frozenset(values) for key, values in declared.get("listed", {}).items()},
        terms={
            (attribute, key_of(term)): tuple(values)
            for attribute, terms in declared.get("terms", {}).items()
            for term, values in terms.items()
        },
    )
    models = {part_key(model): NamedModel(model, maker) for model, maker in declared.get("models", {}).items()}
    people = {kind: declared.get(kind, {}) for kind in ("customers", "salespeople")}
    skus = {part_key(sku): tuple(named) for sku, named in declared.get("skus", {}).items()}
    sold_in = frozenset(declared.get("sold_in", ()))
    names = Names(models=models, manufacturers=declared.get("makers", {}), skus=skus, sold_in=sold_in, **people)
    return attributes, names


def _attribute(name: str, declared: dict[str, Any]) -> Attribute:
    frozen: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in declared.items()
    }
    frozen["families"] = frozenset(frozen.get("families", ()))
    return Attribute(name, **frozen)


def reading(text: str, *, of: str = "pumps", kind_of_row: KindOfRow = "product") -> Reading:
    attributes, names = trade(of)
    return read(text, attributes=attributes, names=names, kind_of_row=kind_of_row)


def asked(text: str, *, of: str = "pumps", kind_of_row: KindOfRow = "product") -> dict[str, str]:
    """What was read by attribute; several needs of one are joined by "; "."""
    found: dict[str, str] = {}
    for need in reading(text, of=of, kind_of_row=kind_of_row).needs:
        found[need.name] = "; ".join(filter(None, (found.get(need.name), need.asked)))
    return found
