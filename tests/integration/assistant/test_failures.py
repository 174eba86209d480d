"""The chat provider and the knowledge server failing, and budgets running out: reported, never crashed on."""

import threading
import time

import pytest

from tests.integration.assistant import scripted_knowledge
from tests.integration.assistant.conftest import Ask
from tests.integration.assistant.scripted_chat import ScriptedChat, Step, calls
from tests.integration.assistant.scripted_knowledge import ScriptedKnowledge
from tests.integration.lambda_server import eventually

SEARCH = calls(("search_knowledge", {"query": "main competitor"}))
FINISH = calls(("finish", {"answer": "Fulcrum Robotics [doc 6]."}))
COMPLETED = calls(("complete_task", {"task_id": 1, "result": "Fulcrum [doc 6]"}))
TASK = calls(("add_task", {"description": "main competitor", "depends_on": []}))


@pytest.mark.parametrize(
    ("step", "reason", "retryable"),
    [
        (Step(status=500), "InternalServerError (HTTP 500)", True),
        (Step(status=429), "RateLimitError (HTTP 429)", True),
        (Step(status=401), "AuthenticationError (HTTP 401)", False),
        (Step(status=404), "NotFoundError (HTTP 404)", False),
        (Step(status=400), "BadRequestError (HTTP 400)", False),
        (Step(body=b"<html>gateway"), "its answer is not a chat completion", True),
        (Step(body=b'{"choices": []}'), "its answer is not a chat completion", True),
        (Step(body=b'{"choices": [{"message": null}]}'), "its answer is not a chat completion", True),
    ],
)
def test_a_provider_that_fails_from_the_start_makes_ask_unavailable(
    step: Step, reason: str, retryable: bool, ask: Ask, chat: ScriptedChat, knowledge: ScriptedKnowledge
) -> None:
    chat.script = [step]
    answer = ask("Who competes?")
    assert (answer["code"], answer["retryable"]) == ("UNAVAILABLE", retryable)
    assert reason in answer["message"]
    assert "secret" not in str(answer)
    assert answer["details"] == {
        "turns": 1,
        "tokens": {"prompt": 0, "completion": 0, "total": 0, "estimated": False},
    }


def test_a_passing_error_is_retried(ask: Ask, chat: ScriptedChat, knowledge: ScriptedKnowledge) -> None:
    chat.script = [Step(status=500), Step(status=429), SEARCH, FINISH]
    answer = ask("Who competes?")
    assert (answer["status"], answer["turns"], len(chat.asked)) == ("complete", 2, 4)


def test_a_provider_that_does_not_answer_in_time_is_given_up(
    ask: Ask, chat: ScriptedChat, knowledge: ScriptedKnowledge
) -> None:
    chat.script = [Step(text="late", seconds=5)]
    began = time.monotonic()
    answer = ask("Who competes?", CHAT_TIMEOUT_S="0.1")
    assert (answer["code"], answer["retryable"]) == ("UNAVAILABLE", True)
    assert "APITimeoutError" in answer["message"]
    assert time.monotonic() - began < 5


def test_a_provider_that_fails_later_leaves_what_was_completed(
    ask: Ask, chat: ScriptedChat, knowledge: ScriptedKnowledge
) -> None:
    chat.script = [TASK, SEARCH, COMPLETED, Step(status=500)]
    answer = ask("Who competes?")
    assert (answer["status"], answer["answer"]) == ("partial", "Partial answer:\n- main competitor: Fulcrum [doc 6]")
    assert answer["warnings"] == ["Stopped: the chat model failed: InternalServerError (HTTP 500)."]
    assert [source["doc_id"] for source in answer["sources"] if source["cited"]] == [6]


def test_the_time_budget_ends_a_run_with_what_was_completed(
    ask: Ask, chat: ScriptedChat, knowledge: ScriptedKnowledge
) -> None:
    chat.script = [TASK, SEARCH, COMPLETED, Step(text="late", seconds=5)]
    began = time.monotonic()
    answer = ask("Who competes?", ASK_SECONDS="1.2")
    assert time.monotonic() - began < 3
    assert (answer["status"], answer["turns"]) == ("partial", 4)
    assert answer["warnings"] == ["Stopped: the time budget of 1.2 seconds is used up."]
    assert "Fulcrum [doc 6]" in answer["answer"]


def test_the_token_budget_ends_a_run_before_it_is_exceeded(
    ask: Ask, chat: ScriptedChat, knowledge: ScriptedKnowledge
) -> None:
    costly = {"prompt_tokens": 1500, "completion_tokens": 500, "total_tokens": 2000}
    chat.script = [
        Step(calls=TASK.calls, usage=costly),
        Step(calls=SEARCH.calls, usage=costly),
        Step(calls=COMPLETED.calls, usage=costly),
    ]
    answer = ask("Who competes?", ASK_TOKEN_BUDGET="7000")
    assert answer["tokens"]["total"] == 6000
    assert answer["warnings"] == ["Stopped: the budget of 7000 tokens is used up."]
    assert "Fulcrum [doc 6]" in answer["answer"]
    most = [asked.body["max_completion_tokens"] for asked in chat.asked]
    assert most == sorted(most, reverse=True)
    assert most[0] < 7000


def test_tokens_are_estimated_where_the_provider_does_not_count(
    ask: Ask, chat: ScriptedChat, knowledge: ScriptedKnowledge
) -> None:
    chat.script = [Step(calls=SEARCH.calls, usage=None), FINISH]
    tokens = ask("Who competes?")["tokens"]
    assert tokens["estimated"] is True
    assert tokens["prompt"] > 400


def test_a_failed_search_blocks_its_task_and_all_that_wait_for_it(
    ask: Ask, chat: ScriptedChat, knowledge: ScriptedKnowledge
) -> None:
    knowledge.faults["lidar"] = "error"
    chat.script = [
        calls(
            ("add_task", {"description": "lidar sensor", "depends_on": []}),
            ("add_task", {"description": "main competitor", "depends_on": []}),
            ("add_task", {"description": "its price", "depends_on": [1]}),
        ),
        FINISH,
    ]
    answer = ask("Who competes?")
    assert chat.asked[1].results[3] == "The search failed: UNAVAILABLE: no database"
    assert [task["status"] for task in answer["tasks"]] == ["blocked", "running", "blocked"]
    assert {search["error"] for search in answer["searches"]} == {"UNAVAILABLE: no database", None}
    assert answer["warnings"] == [
        "Tasks not completed: 1, 2, 3.",
        "1 of 2 searches failed: UNAVAILABLE: no database.",
    ]


def test_ask_is_unavailable_when_no_search_ever_works(
    ask: Ask, chat: ScriptedChat, knowledge: ScriptedKnowledge
) -> None:
    knowledge.faults["competitor"] = "nonsense"
    chat.script = [SEARCH, FINISH]
    answer = ask("Who competes?")
    assert (answer["code"], answer["retryable"]) == ("UNAVAILABLE", True)
    assert "the knowledge server's answer is not a list of documents" in answer["message"]


def test_a_server_that_answers_with_a_bare_list_is_understood(
    ask: Ask, chat: ScriptedChat, knowledge: ScriptedKnowledge
) -> None:
    knowledge.faults["competitor"] = "bare"
    chat.script = [SEARCH, FINISH]
    assert ask("Who competes?")["sources"][0]["doc_id"] == 6


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/mcp", "http://127.0.0.1:{port}/nowhere", "no-url"])
def test_a_knowledge_server_that_cannot_be_reached_makes_ask_unavailable(
    url: str, ask: Ask, chat: ScriptedChat, knowledge: ScriptedKnowledge
) -> None:
    port = knowledge.url.rpartition(":")[2].partition("/")[0]
    answer = ask("Who competes?", KNOWLEDGE_MCP_URL=url.format(port=port))
    assert (answer["code"], answer["retryable"]) == ("UNAVAILABLE", True)
    assert "KNOWLEDGE_MCP_URL" in answer["message"]
    assert chat.asked == []


@pytest.mark.parametrize("status", [401, 403])
def test_a_token_that_is_refused_is_said_with_the_setting_that_holds_it(
    status: int, ask: Ask, chat: ScriptedChat, knowledge: ScriptedKnowledge
) -> None:
    knowledge.refusal = status
    answer = ask("Who competes?")
    assert (answer["code"], answer["retryable"]) == ("UNAVAILABLE", False)
    assert "KNOWLEDGE_MCP_SECRET_ID" in answer["message"]
    assert chat.asked == []


def test_a_search_that_hangs_is_cut_by_the_time_budget(
    ask: Ask, chat: ScriptedChat, knowledge: ScriptedKnowledge
) -> None:
    knowledge.faults["competitor"] = "hangs"
    chat.script = [SEARCH]
    answer = ask("Who competes?", ASK_SECONDS="0.8")
    said = "No answer was reached: the time budget of 0.8 seconds is used up."
    assert (answer["status"], answer["answer"]) == ("partial", said)
    assert answer["warnings"] == ["Stopped: the time budget of 0.8 seconds is used up."]


def test_a_knowledge_server_that_goes_away_is_reported(ask: Ask, chat: ScriptedChat) -> None:
    leaving = ScriptedKnowledge()
    server = scripted_knowledge.serve(leaving)
    chat.script = [TASK, Step(calls=SEARCH.calls, seconds=0.5), COMPLETED, SEARCH, FINISH]

    def leave() -> None:
        assert eventually(lambda: len(chat.asked) == 2)
        server.force_exit = server.should_exit = True

    waiting = threading.Thread(target=leave)
    waiting.start()
    answer = ask("Who competes?", KNOWLEDGE_MCP_URL=leaving.url)
    waiting.join()
    assert (answer["code"], answer["retryable"]) == ("UNAVAILABLE", True)
    assert "The documents could not be searched: ConnectError" in answer["message"]


def test_documents_found_are_listed_where_no_answer_is_reached(
    ask: Ask, chat: ScriptedChat, knowledge: ScriptedKnowledge
) -> None:
    chat.script = [SEARCH, Step(status=500)]
    answer = ask("Who competes?")
    assert answer["status"] == "partial"
    first, listed, best, *_ = answer["answer"].splitlines()
    assert first == "No answer was reached: the chat model failed: InternalServerError (HTTP 500)."
    assert listed.startswith("Documents that were found")
    assert best.startswith("- [doc ")
    assert answer["sources"]


def test_a_provider_that_asks_for_a_long_pause_is_not_waited_for_beyond_the_time_of_a_reply(
    ask: Ask, chat: ScriptedChat, knowledge: ScriptedKnowledge
) -> None:
    chat.script = [Step(status=429, retry_after=45)]
    began = time.monotonic()
    answer = ask("Who competes?", CHAT_TIMEOUT_S="0.5")
    assert (answer["code"], answer["retryable"]) == ("UNAVAILABLE", True)
    assert time.monotonic() - began < 20


def test_a_server_that_knows_max_tokens_only_is_asked_with_that(
    ask: Ask, chat: ScriptedChat, knowledge: ScriptedKnowledge
) -> None:
    chat.script = [Step(status=400), SEARCH, FINISH]
    answer = ask("Who competes?")
    assert answer["status"] == "complete"
    assert ["max_tokens" in asked.body for asked in chat.asked] == [False, True, True]


def test_the_end_of_the_token_budget_is_for_finishing(
    ask: Ask, chat: ScriptedChat, knowledge: ScriptedKnowledge
) -> None:
    costly = {"prompt_tokens": 1500, "completion_tokens": 500, "total_tokens": 2000}
    chat.script = [Step(calls=SEARCH.calls, usage=costly), Step(calls=SEARCH.calls, usage=costly), FINISH]
    answer = ask("Who competes?", ASK_TOKEN_BUDGET="7000")
    assert (answer["status"], answer["answer"]) == ("complete", "Fulcrum Robotics [doc 6].")
    assert [len(asked.body["tools"]) for asked in chat.asked] == [4, 4, 1]
    assert chat.asked[-1].body["messages"][-1]["content"].startswith("This is the last turn.")
