"""Which documents an answer names, and what is kept of those that were found."""

import pytest

from assistant.evidence import SHOWN_TO_MODEL, Evidence, cited, for_model
from assistant.knowledge_base import Passage


@pytest.mark.parametrize(
    ("answer", "numbers"),
    [
        ("Dr. Okafor [doc 3].", {3}),
        ("As [docs 4, 7 and 10] say", {4, 7, 10}),
        ("[doc 4], [Doc 9] and (doc. 12)", {4, 9, 12}),
        ("[doc 4, doc 7]", {4, 7}),
        ("Fulcrum [3], see also [4, 7].", {3, 4, 7}),
        ("Fulcrum 【3】 and 【5†source】", {3, 5}),
        ("as document 4 says; Document #9 too", {4, 9}),
        ("docs 5-7 and documents 9 to 11", {5, 6, 7, 9, 10, 11}),
        ("doc_id: 12, (doc-13), doc_14, [^15], Dokument 16, Source 17", {12, 13, 14, 15, 16, 17}),
        ("[2024], [a](4), array[0x], 3 documents", set()),
        ("$42M in 2024, 23 units, docking 5 robots", set()),
        ("", set()),
    ],
)
def test_citations_are_found_in_an_answer(answer: str, numbers: set[int]) -> None:
    assert cited(answer) == numbers


def test_a_document_found_twice_is_kept_with_its_best_score() -> None:
    evidence = Evidence()
    for score in (0.3, 0.7, None):
        evidence.record("q", [Passage(doc_id=1, content="x", score=score)], task_id=None)
    assert evidence.passages[1].score == 0.7
    assert [search.doc_ids for search in evidence.searches] == [(1,)] * 3


def test_only_failed_searches_do_not_count_as_having_searched() -> None:
    evidence = Evidence()
    evidence.record_failure("q", "down", task_id=None)
    assert not evidence.searched
    evidence.record("q", [], task_id=None)
    assert evidence.searched


def test_the_model_sees_the_start_of_a_long_document_and_is_told_when_nothing_was_found() -> None:
    shown = for_model("q", [Passage(doc_id=1, content="x" * 20_000)], task_id=2)
    assert (len(shown["results"][0]["content"]), shown["task_id"]) == (SHOWN_TO_MODEL, 2)
    assert for_model("q", [], task_id=None)["note"] == "No document was found."
