"""The stack where its front asks for keys: who comes in, what the stack itself shows, and what its logs keep."""

import json
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import httpx2
import psycopg
import pytest
from jsonschema import Draft202012Validator
from mcp import Client
from mcp_types import CallToolResult

from local.files import ROOT
from local.stack import Stack
from tests.e2e.guarded import CHAT_KEY, Guarded, guarded
from tests.e2e.sample_calls import NEEDS_A_MODEL, ONE_CALL_OF_EACH, found
from tests.e2e.visits import ERAS, invoke, structured, text_of
from tests.house import House
from tests.integration.assistant.scripted_chat import ScriptedChat, Step, calls, serve

pytestmark = [pytest.mark.stack, pytest.mark.slow]

MANIFEST: dict[str, Any] = json.loads((ROOT / "proxy/manifest.json").read_text("utf-8"))
SCHEMAS = {tool["name"]: tool["outputSchema"] for tool in MANIFEST["tools"]}
TRACE = "5c1f0e64a7d94b3d8a2b6f70c3e9d815"
QUESTION = "Who developed GridMind?"
SEARCH = calls(
    ("add_task", {"description": "GridMind developer", "depends_on": []}),
    ("add_task", {"description": "GridMind history", "depends_on": []}),
)
ANSWER = "MARKED-ANSWER: it was built in house."
MARK = "XYLOPHONE-DIVORCE"


@pytest.fixture(scope="module")
def chat() -> Iterator[ScriptedChat]:
    chat = ScriptedChat()
    stop = serve(chat)
    yield chat
    stop.set()


@pytest.fixture(scope="module")
def front(house: House, chat: ScriptedChat) -> Iterator[Guarded]:
    with guarded(house, chat_url=chat.url) as front:
        yield front


def called(
    front: Guarded, tool: str, arguments: dict[str, Any], *, mode: str = "auto", **headers: str
) -> CallToolResult:
    return front.visit(lambda client: client.call_tool(tool, arguments), mode=mode, **headers)


def test_nobody_enters_without_a_key(front: Guarded) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    for headers in ({}, {"Authorization": f"Bearer {front.key[:-1]}_"}):
        refused = httpx2.post(front.stack.mcp, json=body, headers=headers)
        assert refused.status_code == 401
        assert 'scope="assistant:read ' in refused.headers["www-authenticate"]


@pytest.mark.parametrize("mode", ERAS)
def test_every_tool_answers_through_it_in_its_declared_shape(front: Guarded, mode: str) -> None:
    async def answers(client: Client) -> dict[str, CallToolResult]:
        return {tool: await client.call_tool(tool, arguments) for tool, arguments in ONE_CALL_OF_EACH.items()}

    for tool, answer in front.visit(answers, mode=mode).items():
        result = structured(answer)
        Draft202012Validator(SCHEMAS[tool]).validate(result)
        assert found(result), tool
        assert json.loads(text_of(answer)) == result


def test_the_canary_comes_in_with_keys_of_the_stacks_own_and_tries_another_tenant(front: Guarded) -> None:
    report = invoke(front.stack, "golden_canary", {})
    assert (report["passed"], report["failures"], report["lost"]) == (True, [], None)
    assert (report["cross_tenant"], report["audit"]) == ("denied", "intact")


@pytest.mark.parametrize("mode", ERAS)
def test_ask_searches_through_the_front_with_a_key_of_its_own(front: Guarded, chat: ScriptedChat, mode: str) -> None:
    chat.script = [SEARCH, Step(text=ANSWER)]
    answer = structured(called(front, NEEDS_A_MODEL, {"question": QUESTION}, mode=mode))
    assert (answer["answer"], answer["status"]) == (ANSWER, "complete")
    assert [bool(search["doc_ids"]) for search in answer["searches"]] == [True, True]


def shown_by(stack: Stack, trace: str, until: Future[CallToolResult]) -> list[str]:
    """What the database calls the sessions in which that trace is at work; [] where the call ends without one."""
    asked = "SELECT application_name FROM pg_stat_activity WHERE application_name LIKE %s"
    with psycopg.connect(stack.database.dsn, autocommit=True) as connection:
        while not until.done():
            if rows := connection.execute(asked, [f"{trace}%"]).fetchall():
                return [str(row[0]) for row in rows]
            time.sleep(0.05)
    return []


def test_one_trace_id_runs_from_the_client_through_front_and_function_into_the_database(front: Guarded) -> None:
    headers = {"traceparent": f"00-{TRACE}-b7ad6b7169203331-01"}
    with ThreadPoolExecutor(1) as pool:
        with psycopg.connect(front.stack.database.dsn) as blocking:
            blocking.execute("LOCK TABLE equipment.products IN ACCESS EXCLUSIVE MODE")
            call = pool.submit(called, front, "get_product", {"model": "QMB30"}, **headers)
            shown = shown_by(front.stack, TRACE, until=call)
        answer = call.result()
    assert shown == [f"{TRACE} get_product"], answer
    traced = {
        line.get("event") or line.get("message"): line for _, line in front.said() if line.get("trace_id") == TRACE
    }
    assert traced.keys() == {"tool_called", "call"}
    assert {line["tool"] for line in traced.values()} == {"get_product"}
    assert len({line["request_id"] for line in traced.values()}) == 1


def marked(schema: dict[str, Any]) -> dict[str, Any]:
    """Arguments whose every text is the mark; most are refused for it, each in its own way."""
    properties: dict[str, dict[str, Any]] = schema["properties"]
    texts = {name: f"{MARK} 100HP" for name, each in properties.items() if each.get("type") == "string"}
    lists = {name: [MARK] for name, each in properties.items() if each.get("type") == "array"}
    return {**texts, **lists}


def test_no_log_line_carries_an_argument_an_answer_or_a_secret(front: Guarded, chat: ScriptedChat) -> None:
    chat.script = [SEARCH, Step(text=ANSWER)]

    async def all_of_it(client: Client) -> int:
        refused = 0
        for tool in MANIFEST["tools"]:
            required = dict.fromkeys(tool["inputSchema"].get("required", []), MARK)
            for arguments in (marked(tool["inputSchema"]), required, {MARK: MARK}):
                refused += (await client.call_tool(tool["name"], arguments)).is_error
        return refused

    assert front.visit(all_of_it) > len(MANIFEST["tools"])
    created = {**ONE_CALL_OF_EACH["quote_create"], "notes": MARK, "idempotency_key": MARK}
    assert not called(front, "quote_create", created).is_error
    kept = json.loads((front.stack.data_dir / "own-keys.json").read_text("utf-8"))
    approval = json.loads((front.stack.data_dir / "approval-key.json").read_text("utf-8"))["key"]
    functions = json.loads((front.stack.data_dir / "functions-env.json").read_text("utf-8"))
    passwords = [*functions["Passwords"].values(), front.stack.database.password]
    secrets = [*kept.values(), front.key, approval, *passwords, CHAT_KEY]
    written = {
        path.name: path.read_text("utf-8", errors="replace") for path in (front.stack.data_dir / "logs").iterdir()
    }
    assert all(tool["name"] in written["lambda.log"] for tool in MANIFEST["tools"])
    leaks = {
        (name, secret[:12])
        for name, text in written.items()
        for secret in (MARK, MARK.lower(), ANSWER, *secrets, *(each.split("_", 2)[2] for each in kept.values()))
        if secret in text
    }
    assert leaks == set()
