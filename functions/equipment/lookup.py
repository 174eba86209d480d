"""Exact model look-up that forgives spelling of the separators, and names what is near when nothing is exact."""

from collections.abc import Sequence

from equipment import queries
from equipment.model import Product
from quarry.retrieval.part_numbers import model_key
from quarry.spelling import alike

CONFUSABLE = str.maketrans("oil", "011")
"""Letters read for digits on a name plate."""


def find(tenant: str, *, model: str, manufacturer: str | None = None) -> list[Product]:
    return queries.products_by_key(tenant, model=model, key=model_key(model), manufacturer=manufacturer)


def nearest(tenant: str, *, model: str, most: int = 5) -> list[str]:
    """Models that are spelt most alike, best first; empty when none is close."""
    return rank_alike(model, queries.nearby_models(tenant, key=model_key(model)), most=most)


def rank_alike(model: str, candidates: Sequence[str], *, most: int) -> list[str]:
    """O and 0, I, L and 1 count as the same character."""
    return alike(model, candidates, most=most, key=lambda each: model_key(each).translate(CONFUSABLE))
