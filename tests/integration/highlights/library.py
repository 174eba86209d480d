"""A small library for the tests, loaded as an ingest loads it."""

from collections.abc import Sequence
from typing import Any

from highlights.ingestion import HIGHLIGHTS, NUMBER
from quarry.ingestion import Kind
from tests.deployment import TENANT, Deployment, as_tenant

Fields = dict[str, Any]


def highlight(id_: str, content: str, **fields: object) -> Fields:
    """A highlight of Ann Poole's from a Kindle, unless ``fields`` say otherwise."""
    return {
        "id": id_,
        "parent_doc_id": "still-water",
        "title": "Still Water",
        "author": "Ann Poole",
        "source": "kindle",
        "tags": ["nature"],
        "content": content,
        "created_at": "2024-01-01T00:00:00Z",
        **fields,
    }


LONG = " ".join(f"Paragraph {n} on canals says that water finds its level in the end." for n in range(40))
LIBRARY = (
    highlight("sw.1", "A pond is a river that has found a reason to stay.", created_at="2024-01-01T10:00:00Z"),
    highlight("sw.2", "Ripples are the memory of a stone.", created_at="2024-01-02T10:00:00Z", tags=["Memory"]),
    highlight("of.1", "Bread rises when the kitchen is warm and the baker is patient.", parent_doc_id="oven",
              title="The Oven", author="Bo Lind", source="readwise", tags=["food", "patience"],
              created_at="2024-02-01T10:00:00Z"),
    highlight("of.2", "A cold oven forgives nothing.", parent_doc_id="oven", title="The Oven", author="Bo Lind",
              source="readwise", tags=["food"], created_at="2024-02-02T10:00:00Z"),
    {"id": "canals", "title": "Canals", "author": "Ann Poole", "source": "articles", "category": "articles",
     "tags": ["nature", "engineering"], "content": LONG, "created_at": "2024-03-01T10:00:00Z"},
    {"id": "anon", "title": "Found on a wall", "source": "articles", "content": "Forgive the rain.",
     "created_at": "2023-05-01T10:00:00Z"},
)  # fmt: skip
CHUNKS = 5 + 3
"""The article on canals makes three."""


def load(
    deployment: Deployment, rows: Sequence[Fields] = LIBRARY, *, kind: Kind = HIGHLIGHTS, tenant: str = TENANT
) -> None:
    """Upserted and numbered, not embedded."""
    deployment.put(kind, rows, tenant=tenant)
    with deployment.connect("quarry_ingest") as connection, as_tenant(connection, tenant):
        connection.execute(NUMBER, {"tenant": tenant})
