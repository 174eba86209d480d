"""Sentences with vectors of their own: kept with their row, and near a request that one of them answers."""

from collections.abc import Iterator

import pytest
from pgvector import Vector

from quarry.embedding import queue
from tests.deployment import DIMENSIONS, Deployment
from tests.sample_rows import quote

TENANT = "sentences"
SUMMARY = (
    "Three screw compressors on a common header with dryers. "
    "The night shift complained of the noise beside the canteen. Payment was arranged over two budget years."
)
ASKED = "workers were bothered by how loud it was"


@pytest.fixture(scope="module", autouse=True)
def serving(deployment: Deployment) -> Iterator[None]:
    others = [
        quote(f"Q24-{number:04}", summary=f"Vacuum pump number {number} for a packing line.")
        for number in range(1, 30)
    ]
    told = quote("Q24-0900", summary=SUMMARY, price_rationale="List less 12 because they bought three.")
    deployment.put_quotes(*others, told, tenant=TENANT)
    deployment.embed()
    with deployment.serving("quarry_read"):
        yield


def sentences(deployment: Deployment, number: str) -> dict[str, int]:
    """Those of a quote with their ids, in their order."""
    statement = """
        SELECT s.sentence, s.id FROM quotes.past_quotes_sentences s JOIN quotes.past_quotes q ON q.id = s.doc
        WHERE q.quote_number = %(number)s ORDER BY s.id
    """
    return {row["sentence"]: row["id"] for row in deployment.rows(statement, {"number": number}, tenant=TENANT)}


def test_sentences_are_those_of_project_summary_and_rationale(deployment: Deployment) -> None:
    assert list(sentences(deployment, "Q24-0900")) == [
        "Compressed air for a honey packing line",
        "Three screw compressors on a common header with dryers.",
        "The night shift complained of the noise beside the canteen.",
        "Payment was arranged over two budget years.",
        "List less 12 because they bought three.",
    ]


def test_the_number_of_a_sentence_tells_its_row_and_its_place(deployment: Deployment) -> None:
    [quote_row] = deployment.rows("SELECT id FROM quotes.past_quotes WHERE quote_number = 'Q24-0900'", tenant=TENANT)
    first = 128 * quote_row["id"]
    assert list(sentences(deployment, "Q24-0900").values()) == [*range(first, first + 5)]


def test_sentences_follow_their_row_and_stay_where_nothing_of_them_changes(deployment: Deployment) -> None:
    before = sentences(deployment, "Q24-0001")
    deployment.put_quotes(
        quote("Q24-0001", summary="Vacuum pump number 1 for a packing line.", status="lost"), tenant=TENANT
    )
    assert sentences(deployment, "Q24-0001") == before
    deployment.put_quotes(quote("Q24-0001", summary="A chiller for a mould shop."), tenant=TENANT)
    assert "A chiller for a mould shop." in sentences(deployment, "Q24-0001")
    assert not before.keys() - {"Compressed air for a honey packing line"} & sentences(deployment, "Q24-0001").keys()


def test_the_vector_of_a_sentence_that_another_replaced_meanwhile_is_dropped(deployment: Deployment) -> None:
    """A sentence has the number of the one that stood in its place."""
    deployment.put_quotes(quote("Q24-0950", summary="An air receiver for a dairy."), tenant=TENANT)
    claimed = deployment.rows(
        "SELECT id, tenant, corpus, doc FROM quarry.embedding_queue WHERE corpus = 'quotes.past_quotes_sentences'",
        tenant=TENANT,
    )
    with deployment.connect("quarry_ingest") as connection:
        old = queue.read(connection, claimed)
        deployment.put_quotes(quote("Q24-0950", summary="A blower for a fish farm."), tenant=TENANT)
        deployment.embed()
        before = vectors(deployment, "Q24-0950")
        with connection.transaction():
            queue.store(connection, [(one, Vector([1.0] + [0.0] * (DIMENSIONS - 1))) for one in old])
    assert vectors(deployment, "Q24-0950") == before


def vectors(deployment: Deployment, number: str) -> list[dict[str, object]]:
    statement = """
        SELECT v.doc, v.embedding::text FROM quotes.past_quotes_sentences_vectors v
        JOIN quotes.past_quotes q ON q.id = v.doc / 128 WHERE q.quote_number = %(number)s ORDER BY v.doc
    """
    return deployment.rows(statement, {"number": number}, tenant=TENANT)
