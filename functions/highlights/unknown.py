"""Says which name was meant when nothing has the one that was given."""

import difflib
from collections.abc import Sequence

from highlights import queries
from highlights.queries import Facet

CONSIDERED = 2000
"""The most frequent values are compared; more would cost more than a hint is worth."""


def nearest(tenant: str, *, facet: Facet, value: str) -> list[str]:
    """Values in use that are spelt most alike, best first."""
    known = [row["value"] for row in queries.largest(tenant, facet=facet, limit=CONSIDERED)]
    by_key = {name.lower(): name for name in known}
    return [by_key[key] for key in difflib.get_close_matches(value.lower(), by_key, n=3, cutoff=0.5)]


def notice(tenant: str, *, tags: Sequence[str] | None, author: str | None, source: str | None) -> str | None:
    """What is wrong with filters that nothing satisfied; None when each has chunks, only not together."""
    asked: list[tuple[Facet, str]] = [("tag", tag) for tag in tags or ()]
    asked += [("author", author)] if author else []
    asked += [("source", source)] if source else []
    sentences = []
    for facet, value in asked:
        if queries.one_value(tenant, facet=facet, value=value) is None:
            near = nearest(tenant, facet=facet, value=value)
            hint = f"Nearest: {', '.join(near)}." if near else "get_stats lists what there is."
            sentences.append(f"No chunk has the {facet} '{value}'. {hint}")
    return " ".join(sentences) or None
