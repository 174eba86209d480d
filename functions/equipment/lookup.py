"""Exact model look-up that forgives spelling of the separators, and names what is near when nothing is exact."""

import difflib
import re
from collections.abc import Sequence

from equipment import queries
from equipment.model import Product

CONFUSABLE = str.maketrans("oil", "011")
"""Letters read for digits on a name plate."""


def model_key(model: str) -> str:
    """As the column model_key: lower case, without blanks and punctuation, `$` read as s (Q$ync is Qsync)."""
    return re.sub(r"[^a-z0-9]", "", model.lower().replace("$", "s"))


def find(tenant: str, *, model: str, manufacturer: str | None = None) -> list[Product]:
    return queries.products_by_key(tenant, model=model, key=model_key(model), manufacturer=manufacturer)


def nearest(tenant: str, *, model: str, most: int = 5) -> list[str]:
    """Models that are spelt most alike, best first; empty when none is close."""
    key = model_key(model)
    return rank_alike(key, queries.nearby_models(tenant, key=key), most=most)


def rank_alike(key: str, candidates: Sequence[tuple[str, str]], *, most: int) -> list[str]:
    """``candidates`` are (model, key); O and 0, I, L and 1 count as the same character."""
    wanted = key.translate(CONFUSABLE)
    ratios = [
        (difflib.SequenceMatcher(None, wanted, other.translate(CONFUSABLE)).ratio(), model)
        for model, other in candidates
    ]
    alike = sorted((pair for pair in ratios if pair[0] >= 0.6), key=lambda pair: (-pair[0], pair[1]))
    return [model for _, model in alike[:most]]
