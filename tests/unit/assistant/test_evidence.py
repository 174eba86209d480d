"""What is kept of the documents that searches found, and what the model is shown of them."""

from assistant.agent import AgentRun, Meter
from assistant.ask import sources_of, warnings_of
from assistant.knowledge_base import SHOWN_TO_MODEL, EvidenceLog, Passage, for_model
from assistant.scratchpad import Scratchpad


def test_a_document_found_twice_is_kept_with_its_best_score() -> None:
    evidence = EvidenceLog()
    for score in (0.3, 0.7, None):
        evidence.record("q", [Passage(doc_id=1, content="x", score=score)], task_id=None)
    assert evidence.passages[1].score == 0.7
    assert [search.doc_ids for search in evidence.searches] == [[1]] * 3


def test_only_failed_searches_do_not_count_as_having_searched() -> None:
    evidence = EvidenceLog()
    evidence.record("q", [], task_id=None, error="down")
    assert not evidence.searched
    evidence.record("q", [], task_id=None)
    assert evidence.searched


def test_the_model_sees_the_start_of_a_long_document_and_is_told_when_nothing_was_found() -> None:
    shown = for_model("q", [Passage(doc_id=1, content="x" * 20_000)], task_id=2)
    assert (len(shown["results"][0]["content"]), shown["task_id"]) == (SHOWN_TO_MODEL, 2)
    assert for_model("q", [], task_id=None)["note"] == "No document was found."


def test_what_an_answer_cites_comes_as_the_model_read_it_and_naming_nothing_is_told() -> None:
    run = AgentRun(Scratchpad("q"), Meter(1000))
    run.evidence.record("q", [Passage(doc_id=number, content="x" * 4_000) for number in (1, 2)], task_id=None)
    run.scratchpad.final_answer = "Yes [doc 2]."
    assert [(each.doc_id, len(each.content)) for each in sources_of(run)] == [(2, 4_000), (1, 2_000)]
    assert warnings_of(run) == []
    run.scratchpad.final_answer = "Yes."
    assert "names no document" in warnings_of(run)[0]
