"""ask: three worked questions (sequential, parallel, several hops), and what an answer carries, over real HTTP."""

import itertools

from tests.integration.assistant.conftest import Ask
from tests.integration.assistant.scripted_chat import ScriptedChat, Step, calls
from tests.integration.assistant.scripted_knowledge import ScriptedKnowledge

SEQUENTIAL = (
    "Who developed the navigation algorithm used in Acme's flagship product, and what is their academic background?"
)
PARALLEL = (
    "Compare Acme's market position: how large is their biggest customer relationship, and how do they stack up "
    "against their main competitor?"
)
MULTI_HOP = "What is Acme's growth strategy, and does their current funding support it?"
FOUND_SLOWLY = 0.3


def test_a_sequential_question_searches_with_what_the_first_task_found(
    ask: Ask, chat: ScriptedChat, knowledge: ScriptedKnowledge
) -> None:
    chat.script = [
        calls(
            ("add_task", {"description": "Acme's flagship product and its algorithm", "depends_on": []}),
            ("add_task", {"description": "Who developed that algorithm", "depends_on": [1]}),
        ),
        calls(("search_knowledge", {"query": "flagship product navigation pathfinding algorithm"})),
        calls(
            ("complete_task", {"task_id": 1, "result": "AX-7 with GridMind [doc 2]"}),
            ("search_knowledge", {"query": "GridMind developed by", "top_k": 2}),
        ),
        calls(
            ("complete_task", {"task_id": 2, "result": "Dr. Yusuf Okafor [doc 3]"}),
            ("finish", {"answer": "Dr. Yusuf Okafor of CMU's robotics lab [doc 3], for the AX-7 [doc 2]."}),
        ),
    ]  # fmt: skip
    answer = ask(SEQUENTIAL)
    assert answer["status"] == "complete"
    assert answer["warnings"] == []
    assert "Okafor" in answer["answer"]
    assert [source["doc_id"] for source in answer["sources"] if source["cited"]] == [2, 3]
    assert answer["sources"][1]["content"].startswith("GridMind was developed by Dr. Yusuf Okafor")
    assert [(task["id"], task["depends_on"], task["status"]) for task in answer["tasks"]] == [
        (1, [], "complete"),
        (2, [1], "complete"),
    ]
    assert [(search.query, search.top_k) for search in knowledge.searched] == [
        ("flagship product navigation pathfinding algorithm", 3),
        ("GridMind developed by", 2),
    ]
    assert answer["turns"] == 4
    assert answer["tokens"] == {"prompt": 400, "completion": 80, "total": 480, "estimated": False}


def test_independent_tasks_are_searched_at_the_same_time(
    ask: Ask, chat: ScriptedChat, knowledge: ScriptedKnowledge
) -> None:
    knowledge.seconds = FOUND_SLOWLY
    chat.script = [
        calls(
            ("add_task", {"description": "largest single customer units", "depends_on": []}),
            ("add_task", {"description": "main competitor revenue sensor", "depends_on": []}),
        ),
        calls(
            ("complete_task", {"task_id": 1, "result": "GreatLakes, 23 units [doc 9]"}),
            ("complete_task", {"task_id": 2, "result": "Fulcrum Robotics [doc 6]"}),
            ("finish", {"answer": "GreatLakes runs 23 units [doc 9]; Fulcrum has 3x the revenue [docs 6 and 9]."}),
        ),
    ]
    answer = ask(PARALLEL)
    assert answer["status"] == "complete"
    assert {source["doc_id"] for source in answer["sources"][:2]} == {9, 6}
    assert {search["task_id"] for search in answer["searches"]} == {1, 2}
    first, second = knowledge.searched
    assert first.overlaps(second)
    # Both results were there before the model was asked again, and it saw both tasks running.
    assert [task["status"] for task in chat.asked[1].scratchpad["tasks"]] == ["running", "running"]
    assert len(chat.asked[1].results) == 4
    assert chat.asked[1].at - chat.asked[0].at < 2 * FOUND_SLOWLY


def test_searches_of_one_turn_of_the_model_run_at_the_same_time(
    ask: Ask, chat: ScriptedChat, knowledge: ScriptedKnowledge
) -> None:
    knowledge.seconds = FOUND_SLOWLY
    chat.script = [
        calls(
            ("search_knowledge", {"query": "hospital logistics vision"}),
            ("search_knowledge", {"query": "European distributor market"}),
            ("search_knowledge", {"query": "Series B funding round"}),
        ),
        Step(text="Hospitals by 2027 [doc 7] and the EU [doc 10], on $42M [doc 4]."),
    ]
    answer = ask(MULTI_HOP)
    assert {source["doc_id"] for source in answer["sources"] if source["cited"]} == {4, 7, 10}
    assert all(one.overlaps(other) for one, other in itertools.combinations(knowledge.searched, 2))
    assert len(knowledge.searched) == 3


def test_a_multi_hop_question_dispatches_again_when_a_task_makes_two_others_runnable(
    ask: Ask, chat: ScriptedChat, knowledge: ScriptedKnowledge
) -> None:
    chat.script = [
        calls(
            ("add_task", {"description": "long-term vision expand", "depends_on": []}),
            ("add_task", {"description": "talks European distributor", "depends_on": [1]}),
            ("add_task", {"description": "Series B funding", "depends_on": [1]}),
        ),
        calls(("search_knowledge", {"query": "long-term vision expand"})),
        calls(("complete_task", {"task_id": 1, "result": "hospital logistics [doc 7]"})),
        calls(
            ("complete_task", {"task_id": 2, "result": "Munich [doc 10]"}),
            ("complete_task", {"task_id": 3, "result": "$42M [doc 4]"}),
            ("finish", {"answer": "Hospitals [doc 7], Europe [doc 10]; $42M in March 2024 [doc 4]."}),
        ),
    ]
    answer = ask(MULTI_HOP)
    assert answer["status"] == "complete"
    assert {search["task_id"] for search in answer["searches"]} == {None, 2, 3}
    assert [task["status"] for task in chat.asked[3].scratchpad["tasks"]] == ["complete", "running", "running"]


def test_the_model_is_shown_the_scratchpad_and_the_four_functions_on_every_turn(
    ask: Ask, chat: ScriptedChat, knowledge: ScriptedKnowledge
) -> None:
    chat.script = [
        calls(("add_task", {"description": "competitor", "depends_on": []})),
        calls(("search_knowledge", {"query": "competitor"})),
        Step(text="Fulcrum Robotics [doc 6]."),
    ]
    ask("Who competes?")
    assert [asked.body["messages"][0]["role"] for asked in chat.asked] == ["system"] * 3
    assert chat.asked[0].scratchpad == {"question": "Who competes?", "tasks": [], "final_answer": None}
    assert chat.asked[2].scratchpad["tasks"] == [
        {"id": 1, "description": "competitor", "status": "pending", "depends_on": [], "result": None}
    ]
    names = {tool["function"]["name"] for tool in chat.asked[0].body["tools"]}
    assert names == {"search_knowledge", "add_task", "complete_task", "finish"}
    assert chat.asked[0].body["model"] == "gpt-4.1"


def test_the_run_uses_one_connection_and_the_chats_own_key(
    ask: Ask, chat: ScriptedChat, knowledge: ScriptedKnowledge
) -> None:
    chat.script = [
        calls(("search_knowledge", {"query": "price"})),
        calls(("search_knowledge", {"query": "lidar"})),
        Step(text="Done [doc 2]."),
    ]
    ask("?")
    methods = [headers.get("mcp-method") for headers in knowledge.headers]
    assert methods.count("server/discover") == 1
    assert methods.count("tools/call") == 2
    assert {asked.key for asked in chat.asked} == {"Bearer chat-key"}
    assert all("authorization" not in headers for headers in knowledge.headers)


def test_azure_is_asked_for_its_deployment(ask: Ask, chat: ScriptedChat, knowledge: ScriptedKnowledge) -> None:
    chat.script = [calls(("search_knowledge", {"query": "price"})), Step(text="$85,000 [doc 9].")]
    answer = ask(
        "What does it cost?",
        AZURE_OPENAI_ENDPOINT=chat.url.removesuffix("/v1"),
        AZURE_OPENAI_API_KEY="azure-key",
        AZURE_CHAT_DEPLOYMENT="ours",
    )
    assert answer["answer"] == "$85,000 [doc 9]."
    assert chat.asked[0].path.startswith("/openai/deployments/ours/chat/completions?api-version=2025-01-01-preview")
    assert chat.asked[0].key == "azure-key"


def test_without_a_chat_key_it_names_the_settings_it_needs(ask: Ask, chat: ScriptedChat) -> None:
    answer = ask("?", CHAT_API_KEY="")
    assert (answer["error"], answer["code"], answer["retryable"]) == (True, "UNAVAILABLE", False)
    assert all(name in answer["message"] for name in ("CHAT_API_KEY", "CHAT_SECRET_ID", "AZURE_CHAT_DEPLOYMENT"))
    assert chat.asked == []


def test_a_tenant_without_a_token_never_searches_as_another(ask: Ask, chat: ScriptedChat) -> None:
    answer = ask("?", tenant="rival")
    assert answer["code"] == "UNAVAILABLE"
    assert "tenant 'rival'" in answer["message"]
    assert chat.asked == []
