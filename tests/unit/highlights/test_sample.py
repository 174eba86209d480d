"""The sample highlights: what their README says of them."""

from collections import Counter
from pathlib import Path

from highlights.entries import Entry, EntryRow
from highlights.ingestion import HIGHLIGHTS, READWISE
from operations.reading import read
from quarry.ingestion import Accepted, Kind

FOLDER = Path(__file__).parents[3] / "local" / "corpus" / "highlights"
FILES: tuple[tuple[Kind, str], ...] = (
    (HIGHLIGHTS, "highlights.jsonl"),
    (READWISE, "readwise.csv"),
)


def entries() -> list[Entry]:
    """Of all files; fails on a reject."""
    found = []
    for kind, name in FILES:
        with (FOLDER / name).open("rb") as file:
            for item in read(file, kind, file_name=name):
                assert isinstance(item, Accepted), item
                assert isinstance(item.row, EntryRow)
                found.append(item.row.entry)
    return found


def test_it_holds_26_documents_in_116_chunks_from_four_sources() -> None:
    found = entries()
    assert len({entry.entry_id for entry in found}) == len(found)
    assert len({entry.parent_doc_id for entry in found}) == 26
    chunks = Counter(entry.source for entry in found for _ in entry.chunks)
    assert chunks == {"kindle": 75, "readwise": 21, "articles": 14, "podcasts": 6}


def test_authors_and_tags_run_across_documents_and_every_entry_has_a_date() -> None:
    found = entries()
    sources = {(entry.author, entry.source) for entry in found}
    assert {author for author, _ in sources if len([s for a, s in sources if a == author]) > 1} >= {
        "Adaeze Winter",
        "Hanne Rosvold",
        "Otis Farrow",
    }
    titles = {(tag, entry.title) for entry in found for tag in entry.tags}
    assert {tag for tag, count in Counter(tag for tag, _ in titles).items() if count > 2} >= {"attention", "risk"}
    assert all(entry.created_at for entry in found)


def test_no_text_appears_twice() -> None:
    texts = Counter(chunk.content for entry in entries() for chunk in entry.chunks)
    assert [text for text, count in texts.items() if count > 1] == []
