"""Decides which product and which earlier words a line item gets, and what speaks against them."""

import re
from collections.abc import Sequence

from local.demo.limits import UNIT_NAMES, Bounds
from local.demo.request import LineRequest
from local.demo.results import LineItem, LineItemHit, Product, ProductHit, shown

DRY = frozenset({"oilless", "oil-free"})
BANDS = ("likely_good", "analog", None)
SHORTLIST = 3
MOTOR_FACTS = {
    "RPM": r"\d\s*rpm",
    "enclosure": r"\b(?:odp|tefc|tenv|teao|tebc|wp-?ii|drip)",
    "service factor": r"s\.?f\b|service factor",
}


def unmet(line: LineRequest, product: Product) -> list[str]:
    """Requirements this product is known to miss. Unknown is not a miss: `unchecked` has those."""
    missed = [
        f"{UNIT_NAMES[name]}: asked {bounds}, this one {shown(value)}"
        for name, bounds in line.limits.items()
        if (value := _value(product, name)) is not None and not bounds.admits(value)
    ]
    if line.lubrication and product.lubrication and product.lubrication != line.lubrication:
        missed.append(f"lubrication: asked {line.lubrication}, this one {product.lubrication}")
    if line.voltage and product.voltage and not _digits(line.voltage) & _digits(product.voltage):
        missed.append(f"voltage: asked {line.voltage}, this one {product.voltage}")
    return missed


def unchecked(line: LineRequest, product: Product) -> list[str]:
    """Requirements the catalogue cannot confirm for this product."""
    unknown = [UNIT_NAMES[name] for name in line.limits if _value(product, name) is None]
    unknown += ["lubrication"] if line.lubrication and not product.lubrication else []
    return unknown + (["voltage"] if line.voltage and not product.voltage else [])


def motor_gaps(product: Product) -> list[str]:
    if not product.motor:
        return []
    return [name for name, words in MOTOR_FACTS.items() if not re.search(words, product.motor, re.I)]


def _value(product: Product, name: str) -> float | None:
    value = getattr(product, name)
    return value if isinstance(value, float) else None


def _digits(voltage: str) -> set[str]:
    return set(re.findall(r"\d{3}", voltage))


def shortlist(hits: Sequence[ProductHit], *, line: LineRequest, language: Sequence[LineItemHit]) -> list[Product]:
    """The few worth comparing: nothing missed first, then what was sold before, then the search's order."""
    sold = {_sold_as(hit.line_item) for hit in language if hit.confidence != "probable_miss"}
    near = [hit.product for hit in hits[: SHORTLIST + 2]]
    return sorted(near, key=lambda product: (len(unmet(line, product)), _key(product.model) not in sold))[:SHORTLIST]


def barred(item: LineItem, line: LineRequest) -> bool:
    """Language that may not stand in: another kind of equipment, or oil where the request forbids it."""
    other_kind = bool(item.family and line.family and item.family != line.family)
    return other_kind or (line.lubrication in DRY and item.lubrication == "oil-flooded")


def differences(item: LineItem, *, line: LineRequest, product: Product | None) -> list[str]:
    found: list[str] = []
    if product and _sold_as(item) != _key(product.model):
        found.append(f"it describes {_described(item)}; the item is {product.name}")
    if line.lubrication and item.lubrication != line.lubrication:
        found.append(f"lubrication: asked {line.lubrication}, the source says {item.lubrication or 'nothing'}")
    power: Bounds | None = line.limits.get("hp")
    if power and (item.hp is None or not power.admits(item.hp)):
        found.append(f"power: asked {power} HP, the source says {f'{item.hp:g} HP' if item.hp else 'nothing'}")
    return found


def pick_language(hits: Sequence[LineItemHit], *, line: LineRequest, product: Product | None) -> LineItemHit | None:
    ranked = rank_language(hits, line=line, product=product)
    return next((hit for hit in ranked if hit.confidence != "probable_miss"), None)


def rank_language(hits: Sequence[LineItemHit], *, line: LineRequest, product: Product | None) -> list[LineItemHit]:
    def rank(hit: LineItemHit) -> tuple[bool, int, int, float]:
        apart = differences(hit.line_item, line=line, product=product)
        band = BANDS.index(hit.confidence) if hit.confidence in BANDS else len(BANDS)
        same = product is not None and _sold_as(hit.line_item) == _key(product.model)
        return (not same, len(apart), band, -(hit.score or 0.0))

    return sorted((hit for hit in hits if not barred(hit.line_item, line)), key=rank)


def _described(item: LineItem) -> str:
    return " ".join(part for part in (item.manufacturer, item.model) if part) or "an unnamed model"


def _sold_as(item: LineItem) -> str:
    """The catalogue's spelling where the line is linked to it: quotes misspell models."""
    return _key(item.catalogue_model or item.model)


def _key(model: str | None) -> str:
    return re.sub(r"[^a-z0-9$]", "", (model or "").lower())
