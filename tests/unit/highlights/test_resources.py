"""Chunks as Markdown."""

from datetime import UTC, datetime
from typing import Any

from highlights.resources import MOST_CHARACTERS, collection, label, one_chunk


def row(**fields: object) -> dict[str, Any]:
    return {
        "chunk_id": "a",
        "title": "On Rain",
        "author": "Ann",
        "source": "kindle",
        "category": None,
        "tags": [],
        "chunk_index": 0,
        "total_chunks": 1,
        "created_at": datetime(2024, 3, 1, tzinfo=UTC),
        "full_content": "It rains.",
        **fields,
    }


def test_a_label_names_the_place_only_where_there_are_several() -> None:
    assert label(row()) == "On Rain, Ann"
    assert label(row(author=None, chunk_index=1, total_chunks=3)) == "On Rain (2 of 3)"


def test_a_title_stays_in_its_heading() -> None:
    assert one_chunk(row(title="On\n# Rain"), previous=None, following=None).startswith(
        "# On # Rain\n\n- **Author:**"
    )


def test_the_passage_is_verbatim() -> None:
    text = "One.\n\n  * two *\n```three"
    assert one_chunk(row(full_content=text), previous=None, following=None).endswith(f"---\n\n{text}\n")


def test_a_collection_stops_before_it_is_too_long_but_never_before_the_first() -> None:
    long = row(full_content="x" * MOST_CHARACTERS)
    body = collection([long, row()], facet="tag", value="rain", total=2, uris=["u://1", "u://2"])
    assert body.count("\n## ") == 1
    assert "Left out: the 1 oldest. search_semantic finds them with the filter `tags`." in body
    longer = row(full_content="x" * (MOST_CHARACTERS + 1))
    assert collection([longer], facet="author", value="Ann", total=1, uris=["u://1"]).count("\n## ") == 1
