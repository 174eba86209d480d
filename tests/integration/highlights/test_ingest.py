"""Files with highlights through the ingest function: ids, numbers, growth, repetition."""

from highlights.ingestion import LONGEST_CHUNK
from quarry.embedding.queue import LONGEST_TEXT
from tests.arrivals import Arrivals
from tests.deployment import Deployment
from tests.unit.highlights.test_ingestion import HEADER


def numbers(deployment: Deployment, tenant: str) -> list[tuple[str, int, int]]:
    rows = deployment.rows(
        "SELECT content, chunk_index, total_chunks FROM highlights.chunks ORDER BY parent_doc_id, chunk_index",
        tenant=tenant,
    )
    return [(row["content"][:12].strip(), row["chunk_index"], row["total_chunks"]) for row in rows]


def test_a_grown_export_adds_what_is_new_and_renumbers_the_book(arrivals: Arrivals, deployment: Deployment) -> None:
    def export(*places: int) -> str:
        return HEADER + "".join(f"At {n}.,Book,Ann,,,,,location,{n},2024-01-01 10:00:00+00:00,\n" for n in places)

    assert arrivals.counts("kin/readwise/a.csv", export(30, 20)) == {"inserted": 2}
    assert numbers(deployment, "kin") == [("At 20.", 0, 2), ("At 30.", 1, 2)]
    assert arrivals.counts("kin/readwise/a.csv", export(30, 20)) == {"unchanged": 2}
    assert arrivals.counts("kin/readwise/a.csv", export(30, 20, 25)) == {"inserted": 1, "unchanged": 2}
    assert numbers(deployment, "kin") == [("At 20.", 0, 3), ("At 25.", 1, 3), ("At 30.", 2, 3)]


def test_a_tag_added_in_readwise_updates_the_row(arrivals: Arrivals, deployment: Deployment) -> None:
    line = "A thought.,Book,Ann,,,,{},page,7,2024-01-01 10:00:00+00:00,\n"
    assert arrivals.counts("rw/readwise/a.csv", HEADER + line.format("one")) == {"inserted": 1}
    assert arrivals.counts("rw/readwise/b.csv", HEADER + line.format('"one,two"')) == {"updated": 1}
    assert deployment.rows("SELECT tags FROM highlights.chunks", tenant="rw") == [{"tags": ["one", "two"]}]


def test_a_document_that_shrinks_and_grows_leaves_no_old_chunk(arrivals: Arrivals, deployment: Deployment) -> None:
    def document(sentences: int) -> str:
        content = " ".join(f"Sentence {n} of the document stands here." for n in range(sentences))
        return f'{{"id": "d", "title": "T", "source": "web", "content": "{content}"}}'

    for sentences, chunks in ((60, 3), (20, 1), (40, 2)):
        counts = arrivals.counts("doc/highlights/d.jsonl", document(sentences))
        assert counts == ({"inserted": 1} if sentences == 60 else {"updated": 1})
        assert [place[1:] for place in numbers(deployment, "doc")] == [(n, chunks) for n in range(chunks)]
    assert arrivals.counts("doc/highlights/d.jsonl", document(40)) == {"unchanged": 1}
    assert deployment.rows("SELECT * FROM search.inconsistencies('highlights.chunks')", tenant="doc") == []


def test_a_long_highlight_that_loses_its_end_renumbers_its_siblings(
    arrivals: Arrivals, deployment: Deployment
) -> None:
    def file(text: str) -> str:
        rows = [("a", text, 1), ("b", "Second.", 2)]
        return "".join(
            f'{{"id": "{id_}", "parent_doc_id": "p", "title": "T", "source": "web", "content": "{content}", '
            f'"created_at": "2024-01-0{day}"}}\n'
            for id_, content, day in rows
        )

    head = "First. " + "x" * 990 + "."
    arrivals.counts("cut/highlights/a.jsonl", file(head + " Tail of it."))
    assert numbers(deployment, "cut") == [("First. xxxxx", 0, 3), ("Tail of it.", 1, 3), ("Second.", 2, 3)]
    assert arrivals.counts("cut/highlights/b.jsonl", file(head)) == {"updated": 1, "unchanged": 1}
    assert numbers(deployment, "cut") == [("First. xxxxx", 0, 2), ("Second.", 1, 2)]


def test_a_chunk_keeps_the_date_of_its_first_ingest(arrivals: Arrivals, deployment: Deployment) -> None:
    line = '{{"id": "a", "title": "{}", "source": "web", "content": "Text."}}'
    arrivals.counts("date/highlights/a.jsonl", line.format("One"))
    first = deployment.rows("SELECT created_at, updated_at FROM highlights.chunks", tenant="date")
    arrivals.counts("date/highlights/a.jsonl", line.format("Two"))
    [after] = deployment.rows("SELECT created_at, updated_at FROM highlights.chunks", tenant="date")
    assert after["created_at"] == first[0]["created_at"]
    assert after["updated_at"] > first[0]["updated_at"]


def test_the_longest_chunk_is_embedded_whole() -> None:
    assert LONGEST_CHUNK == LONGEST_TEXT
