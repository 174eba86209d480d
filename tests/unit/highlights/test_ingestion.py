"""The two kinds of files with highlights, row by row."""

import io
import json
from typing import Any, cast

import pytest

from highlights.entries import Entry, EntryRow
from highlights.ingestion import HIGHLIGHTS, READWISE, ReadwiseRow
from operations.reading import read
from quarry.ingestion import Accepted, Kind, Rejected
from quarry.tool.errors import ValidationFailed

HEADER = (
    "Highlight,Book Title,Book Author,Amazon Book ID,Note,Color,Tags,Location Type,Location,Highlighted at,"
    "Document tags\n"
)


def items(kind: Kind, content: str | bytes, file_name: str) -> list[Entry | Rejected]:
    stream = io.BytesIO(content.encode() if isinstance(content, str) else content)
    found: list[Entry | Rejected] = []
    for item in read(stream, kind, file_name=file_name):
        if isinstance(item, Accepted):
            assert isinstance(item.row, EntryRow)
            found.append(item.row.entry)
        else:
            found.append(item)
    return found


def row(**fields: object) -> Entry | Rejected:
    line = {"id": "a", "title": "T", "source": "s", "content": "Text.", **fields}
    [item] = items(HIGHLIGHTS, json.dumps(line), "h.jsonl")
    return item


def entry(**fields: object) -> Entry:
    found = row(**fields)
    assert isinstance(found, Entry), found
    return found


def readwise(**cells: str) -> Entry | Rejected:
    names = HEADER.strip().split(",")
    values = {"Highlight": "A line.", "Book Title": "Book", **cells}
    line = ",".join('"' + values.get(name, "").replace('"', '""') + '"' for name in names)
    [item] = items(READWISE, HEADER + line, "readwise-data.csv")
    return item


def test_a_document_is_cut_and_numbered_under_its_own_id() -> None:
    found = entry(id="doc", content="One sentence here. " * 120)
    assert [chunk.chunk_id for chunk in found.chunks] == ["doc~0", "doc~1", "doc~2"]
    assert [(chunk.chunk_index, chunk.total_chunks) for chunk in found.chunks] == [(0, 3), (1, 3), (2, 3)]
    assert found.parent_doc_id == "doc"


def test_a_ready_made_chunk_keeps_its_id_number_and_text() -> None:
    found = entry(parent_doc_id="d", chunk_index=2, total_chunks=5, content="x" * 3000)
    [chunk] = found.chunks
    assert (chunk.chunk_id, chunk.chunk_index, chunk.total_chunks, len(chunk.content)) == ("a", 2, 5, 3000)


def test_a_highlight_of_a_document_has_no_number_yet() -> None:
    [chunk] = entry(parent_doc_id="d").chunks
    assert (chunk.chunk_id, chunk.chunk_index, chunk.total_chunks) == ("a", None, None)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"chunk_index": 1}, "go together"),
        ({"chunk_index": 0, "total_chunks": 1}, "needs its parent_doc_id"),
        ({"parent_doc_id": "d", "chunk_index": 3, "total_chunks": 3}, "stays below total_chunks"),
        ({"parent_doc_id": "d", "chunk_index": 0, "total_chunks": 1, "content": "x" * 24_001}, "at most 24,000"),
        ({"id": "a~1"}, "id: "),
        ({"id": "a b"}, "id: "),
        ({"content": " \n"}, "has no text"),
        ({"tags": ["x" * 201]}, "tags"),
        ({"embedding": [1]}, "embedding: "),
        ({"tags": ["nul\x00"]}, "NUL"),
        ({"tags": ["half \ud800"]}, "tags"),
        ({"content": "nul\x00"}, "NUL"),
        ({"created_at": "soon"}, "created_at: "),
    ],
)
def test_a_row_that_cannot_be_is_rejected_with_the_reason(fields: dict[str, Any], reason: str) -> None:
    found = row(**fields)
    assert isinstance(found, Rejected)
    assert reason in found.reason


def test_tags_are_trimmed_and_lose_blanks_and_repetitions() -> None:
    assert entry(tags=[" Deep  work", "deep work", "", "Art"]).tags == ["Deep work", "Art"]
    [found] = items(HIGHLIGHTS, 'id,title,source,content,tags\na,T,s,Text.,"one, two,One"\n', "h.csv")
    assert isinstance(found, Entry)
    assert found.tags == ["one", "two"]


def test_a_time_without_a_zone_is_utc() -> None:
    assert str(entry(created_at="2024-03-03T09:00:00").created_at) == "2024-03-03 09:00:00+00:00"


def test_readwise_columns_become_a_highlight_of_a_book() -> None:
    found = readwise(
        **{
            "Book Author": "Ann Poole",
            "Amazon Book ID": "B01",
            "Note": "Mine.",
            "Tags": "one, two",
            "Document tags": "Two,three",
            "Location": "170",
            "Highlighted at": "2023-01-09 07:12:00+00:00",
        }
    )
    assert isinstance(found, Entry)
    assert (found.title, found.author, found.source, found.place) == ("Book", "Ann Poole", "kindle", 170)
    assert found.tags == ["one", "two", "three"]
    assert [chunk.content for chunk in found.chunks] == ["A line.\n\nNote: Mine."]
    assert str(found.created_at) == "2023-01-09 07:12:00+00:00"


def test_a_column_that_readwise_adds_one_day_does_no_harm_and_a_missing_one_is_named() -> None:
    [found] = items(READWISE, "Highlight,Book Title,Mood\nA line.,Book,good\n", "r.csv")
    assert isinstance(found, Entry)
    with pytest.raises(ValidationFailed, match=r"missing columns \['Book Title'\]"):
        items(READWISE, "Highlight\nA line.\n", "r.csv")


def test_the_same_export_gives_the_same_ids_and_another_text_or_place_another() -> None:
    ids = [
        found.entry_id
        for found in (readwise(), readwise(), readwise(Highlight="B"), readwise(Location="7"), readwise(Note="N"))
        if isinstance(found, Entry)
    ]
    assert ids[0] == ids[1] == ids[4]
    assert len(set(ids)) == 3


def test_text_without_columns_is_no_file_of_highlights() -> None:
    with pytest.raises(ValidationFailed, match=r"text without a table; where it has one, name it \.csv"):
        items(HIGHLIGHTS, "", "h.txt")


@pytest.mark.parametrize(
    ("author", "stored"),
    [
        ("Weiß, Jürgen", "Jürgen Weiß"),
        ("Jürgen Weiß", "Jürgen Weiß"),
        ("Le Guin, Ursula K.", "Ursula K. Le Guin"),
        ("Ann Poole, Bob Reed and Cy Twill", "Ann Poole, Bob Reed and Cy Twill"),
        ("Poole, Ann; Reed, Bob", "Poole, Ann; Reed, Bob"),
        ("Martin Luther King, Jr.", "Martin Luther King, Jr."),
    ],
)
def test_an_author_is_one_under_both_orders_of_the_name(author: str, stored: str) -> None:
    line = f'Highlight,Book Title,Book Author\nText.,Book,"{author}"\n'
    [item] = read(io.BytesIO(line.encode()), READWISE, file_name="x.csv")
    assert isinstance(item, Accepted)
    assert cast(ReadwiseRow, item.row).entry.author == stored
