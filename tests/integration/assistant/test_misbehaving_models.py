"""A model that does what it should not: it is told, the run goes on, and the caller learns of it."""

import pytest

from tests.integration.assistant.conftest import Ask
from tests.integration.assistant.scripted_chat import FunctionCall, ScriptedChat, Step, calls
from tests.integration.assistant.scripted_knowledge import ScriptedKnowledge

SEARCH = calls(("search_knowledge", {"query": "main competitor"}))
FINISH = calls(("finish", {"answer": "Fulcrum Robotics [doc 6]."}))
TASK: FunctionCall = ("add_task", {"description": "main competitor", "depends_on": []})


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (("search_knowledge", '{"query": "comp'), "Invalid JSON"),
        (("search_knowledge", ""), "Invalid JSON"),
        (("search_knowledge", "[1, 2]"), "search_knowledge was not run"),
        (("search_knowledge", {"top_k": 3}), "query: Field required"),
        (("search_knowledge", {"query": "x", "top_k": 9000}), "top_k"),
        (("add_task", {"description": "x", "depends_on": ["first"]}), "depends_on.0"),
        (("browse_web", {"url": "x"}), "Functions are: search_knowledge, add_task, complete_task, finish"),
        (("", {}), "There is no function ''"),
        (("complete_task", {"task_id": 7, "result": "x"}), "There is no task 7. Tasks are: none."),
        (("add_task", {"description": "x", "depends_on": [9]}), "Not added: it depends on 9"),
        (("finish", {"answer": ""}), "finish was not run"),
    ],
)
def test_a_bad_call_is_answered_with_what_to_change(
    call: FunctionCall, told: str, ask: Ask, chat: ScriptedChat, knowledge: ScriptedKnowledge
) -> None:
    chat.script = [calls(call), SEARCH, FINISH]
    answer = ask("Who competes?")
    assert told in chat.asked[1].results[0]
    assert (answer["status"], answer["answer"]) == ("complete", "Fulcrum Robotics [doc 6].")
    assert answer["tasks"] == []


def test_a_task_is_not_completed_before_the_one_it_waits_for(
    ask: Ask, chat: ScriptedChat, knowledge: ScriptedKnowledge
) -> None:
    chat.script = [
        calls(TASK, ("add_task", {"description": "its price", "depends_on": [1]})),
        calls(("complete_task", {"task_id": 2, "result": "guessed"})),
        SEARCH,
        calls(("complete_task", {"task_id": 1, "result": "found"}), ("complete_task", {"task_id": 1, "result": "x"})),
        FINISH,
    ]
    answer = ask("Who competes?")
    assert chat.asked[2].results[2] == "Task 2 waits for 1. Complete that first."
    assert chat.asked[4].results[-1] == "Task 1 is complete already."
    assert [task["result"] for task in answer["tasks"]] == ["found", None]


@pytest.mark.parametrize("early", [FINISH, Step(text="It is Fulcrum, as everybody knows.")])
def test_an_answer_from_prior_knowledge_is_not_accepted(
    early: Step, ask: Ask, chat: ScriptedChat, knowledge: ScriptedKnowledge
) -> None:
    chat.script = [early, SEARCH, Step(text="Fulcrum Robotics [doc 6].")]
    answer = ask("Who competes?")
    assert "nothing has been searched" in str(chat.asked[1].body["messages"][-1]["content"])
    assert answer["answer"] == "Fulcrum Robotics [doc 6]."
    assert [search["doc_ids"][0] for search in answer["searches"]] == [6]


def test_a_model_that_never_searches_gets_no_answer_through(
    ask: Ask, chat: ScriptedChat, knowledge: ScriptedKnowledge
) -> None:
    chat.script = [Step(text="It is Fulcrum, believe me.")]
    answer = ask("Who competes?")
    said = "No answer was reached: after 10 turns without a final answer."
    assert (answer["status"], answer["answer"], answer["turns"]) == ("partial", said, 10)
    assert answer["warnings"] == ["Stopped after 10 turns without a final answer."]


def test_finishing_beside_searches_waits_until_they_were_read(
    ask: Ask, chat: ScriptedChat, knowledge: ScriptedKnowledge
) -> None:
    hasty = calls(("search_knowledge", {"query": "competitor"}), ("finish", {"answer": "guessed"}))
    chat.script = [hasty, FINISH]
    answer = ask("Who competes?")
    assert chat.asked[1].results[1].startswith("Not accepted: you cannot have read")
    assert answer["answer"] == "Fulcrum Robotics [doc 6]."


def test_a_model_that_never_finishes_is_stopped_after_ten_turns_with_what_it_has(
    ask: Ask, chat: ScriptedChat, knowledge: ScriptedKnowledge
) -> None:
    chat.script = [
        calls(TASK, ("add_task", {"description": "never done", "depends_on": [1]})),
        calls(
            ("complete_task", {"task_id": 1, "result": "Fulcrum [doc 6]"}), ("search_knowledge", {"query": "price"})
        ),
        calls(("search_knowledge", {"query": "and once more"})),
    ]
    answer = ask("Who competes?")
    assert len(chat.asked) == answer["turns"] == 10
    assert answer["status"] == "partial"
    assert answer["answer"] == "Partial answer:\n- main competitor: Fulcrum [doc 6]"
    assert answer["warnings"][0] == "Stopped after 10 turns without a final answer."
    assert answer["warnings"][1] == "Tasks not completed: 2."


def test_an_empty_reply_is_asked_for_again(ask: Ask, chat: ScriptedChat, knowledge: ScriptedKnowledge) -> None:
    chat.script = [Step(text=""), SEARCH, Step(text=None), FINISH]
    assert ask("Who competes?")["status"] == "complete"


def test_more_calls_than_a_turn_may_have_are_not_run(
    ask: Ask, chat: ScriptedChat, knowledge: ScriptedKnowledge
) -> None:
    chat.script = [calls(*[("search_knowledge", {"query": f"robot {n}"}) for n in range(40)]), FINISH]
    ask("Who competes?")
    assert len(knowledge.searched) == 16
    assert chat.asked[1].results[16:] == ["Not run: 16 calls are the most in one turn."] * 24


def test_a_citation_of_a_document_that_was_never_found_is_pointed_out(
    ask: Ask, chat: ScriptedChat, knowledge: ScriptedKnowledge
) -> None:
    chat.script = [SEARCH, Step(text="Fulcrum [doc 6], and more in [doc 77].", finish_reason="length")]
    answer = ask("Who competes?")
    assert answer["warnings"] == [
        "The model's answer was cut short by its provider.",
        "The answer names documents that no search returned: 77.",
    ]


def test_a_refusal_ends_the_run_and_is_said(ask: Ask, chat: ScriptedChat, knowledge: ScriptedKnowledge) -> None:
    chat.script = [Step(refusal="I cannot help with that.")]
    answer = ask("Who competes?")
    assert (answer["status"], answer["turns"]) == ("partial", 1)
    assert answer["answer"] == "The model declined to answer: I cannot help with that."
    assert answer["warnings"] == ["Stopped: the model declined to answer: I cannot help with that."]


def test_the_last_turn_is_for_finishing(ask: Ask, chat: ScriptedChat, knowledge: ScriptedKnowledge) -> None:
    chat.script = [*[SEARCH] * 9, Step(text="Fulcrum Robotics, by [doc 6].")]
    answer = ask("Who competes?")
    assert (answer["status"], answer["turns"]) == ("complete", 10)
    assert [tool["function"]["name"] for tool in chat.asked[-1].body["tools"]] == ["finish"]
    assert answer["sources"][0] == {**answer["sources"][0], "doc_id": 6, "cited": True}


def test_an_answer_before_every_task_was_searched_is_partial(
    ask: Ask, chat: ScriptedChat, knowledge: ScriptedKnowledge
) -> None:
    chat.script = [calls(TASK), SEARCH, FINISH]
    answer = ask("Who competes?")
    assert (answer["status"], answer["warnings"]) == ("partial", ["Tasks not completed: 1."])


def test_the_documents_that_finish_names_are_cited_and_those_that_were_never_found_pointed_out(
    ask: Ask, chat: ScriptedChat, knowledge: ScriptedKnowledge
) -> None:
    chat.script = [SEARCH, calls(("finish", {"answer": "Fulcrum, see [docs 6 and 78].", "doc_ids": [6, 77]}))]
    answer = ask("Who competes?")
    assert [source["doc_id"] for source in answer["sources"] if source["cited"]] == [6]
    assert answer["warnings"] == ["The answer names documents that no search returned: 77, 78."]
