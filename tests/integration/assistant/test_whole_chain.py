"""A client asks the proxy, whose `ask` function asks the proxy's `search` function: every process is the real one."""

import asyncio
import json
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any, Literal

import pytest
from mcp import Client

from knowledge.ingestion import DOCUMENTS
from local.files import ROOT
from local.ingest import files_of
from local.ports import free_port
from tests.arrivals import Arrivals
from tests.deployment import Deployment
from tests.integration.assistant import scripted_knowledge
from tests.integration.assistant.scripted_chat import Asked, ScriptedChat, Step, calls
from tests.integration.lambda_server import LambdaServer, eventually, lambda_server

TENANT = "default"
TWO_TASKS = calls(
    ("add_task", {"description": "biggest customer relationship", "depends_on": []}),
    ("add_task", {"description": "main competitor", "depends_on": []}),
)
ANSWER = "GreatLakes runs 23 units [doc 9]; the main competitor is Fulcrum Robotics [doc 6]."


@pytest.fixture(scope="module")
def port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def functions(
    deployment: Deployment, _chat: ScriptedChat, port: int, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LambdaServer]:
    deployment.put(DOCUMENTS, scripted_knowledge.DOCUMENTS, tenant=TENANT)
    deployment.embed()
    variables = {**deployment.variables("quarry_read"), "DEFAULT_TENANT": TENANT}
    chat = {"CHAT_API_KEY": "k", "CHAT_BASE_URL": _chat.url}
    overrides = tmp_path_factory.mktemp("functions") / "env.json"
    knowledge = {"KNOWLEDGE_MCP_URL": f"http://127.0.0.1:{port}/mcp/knowledge"}
    overrides.write_text(json.dumps({"Parameters": variables, "Ask": {**chat, **knowledge}}))
    with lambda_server("--env-file", str(overrides), template=ROOT / "template.yaml") as server:
        yield server


@pytest.fixture(scope="module")
def url(functions: LambdaServer, port: int) -> Iterator[str]:
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "PORT": str(port),
        "AWS_ENDPOINT_URL_LAMBDA": functions.url,
        "AWS_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "PROGRESS_SECONDS": "0.1",
    }
    process = subprocess.Popen([sys.executable, "-m", "proxy"], env=environment, stderr=subprocess.DEVNULL)
    try:
        assert eventually(lambda: _healthy(f"http://127.0.0.1:{port}/healthz"))
        yield f"http://127.0.0.1:{port}/mcp/assistant"
    finally:
        process.terminate()
        process.wait(60)


def _healthy(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=60) as response:  # noqa: S310 - our own URL
            return bool(response.status == 200)
    except urllib.error.URLError:
        return False


async def asked(url: str, *, mode: Literal["auto", "legacy"]) -> tuple[Any, list[str]]:
    """(result, messages of the progress)."""
    messages: list[str] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        messages.append(message or "")

    async with Client(url, mode=mode) as client:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == ["ask"]
        return await client.call_tool("ask", {"question": "How do they stand?"}, progress_callback=note), messages


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_both_eras_get_an_answer_from_real_search_and_progress_meanwhile(
    mode: Literal["auto", "legacy"], url: str, chat: ScriptedChat
) -> None:
    chat.script = [TWO_TASKS, Step(text=ANSWER, seconds=0.5)]
    result, progress = asyncio.run(asked(url, mode=mode))
    assert not result.is_error, result.content
    answer = result.structured_content
    assert (answer["answer"], answer["status"]) == (ANSWER, "complete")
    assert {source["doc_id"] for source in answer["sources"] if source["cited"]} == {6, 9}
    assert all(source["confidence"] is not None for source in answer["sources"])
    assert {search["task_id"]: search["doc_ids"][0] for search in answer["searches"]} == {1: 9, 2: 6}
    assert set(progress) == {"ask is running"}
    assert json.loads(result.content[0].text) == answer


@pytest.fixture
def folder(arrivals: Arrivals, deployment: Deployment) -> None:
    """This project's own decisions, as `make ingest KIND=documents FILE=docs/decisions` loads them.

    Without the longest, which take most of the time to embed.
    """
    files = [each for each in files_of(ROOT / "docs/decisions", kind="documents") if each[1].stat().st_size < 14_000]
    assert len(files) > 10
    for name, file in files:
        assert set(arrivals.counts(f"{TENANT}/documents/{name}", file.read_bytes())) == {"inserted"}
    deployment.embed()


def from_the_first_passage(asked: Asked) -> Step:
    """A model that quotes a sentence of what its search found first."""
    best = json.loads(asked.results[-1])["results"][0]
    sentence = next(part for part in re.split(r"(?<=\.)\s", best["content"]) if "cannot be cancelled" in part)
    return calls(("finish", {"answer": f"{' '.join(sentence.split())} [doc {best['doc_id']}]"}))


@pytest.mark.usefixtures("folder")
def test_a_question_about_a_folder_of_markdown_is_answered_with_the_passage_that_tells_it(
    url: str, chat: ScriptedChat
) -> None:
    question = "How does a run of ask stop when its client goes away?"
    chat.script = [calls(("search_knowledge", {"query": question})), from_the_first_passage]

    async def ask() -> dict[str, Any]:
        async with Client(url) as client:
            return (await client.call_tool("ask", {"question": question})).structured_content or {}

    answer = asyncio.run(ask())
    assert "A Lambda invocation cannot be cancelled from outside. [doc " in answer["answer"]
    assert (answer["status"], answer["warnings"]) == ("complete", [])
    [cited] = [source for source in answer["sources"] if source["cited"]]
    assert cited["title"] == "assistant › Assistant"


def test_a_client_that_leaves_ends_the_wait(url: str, chat: ScriptedChat) -> None:
    chat.script = [TWO_TASKS, Step(text="late", seconds=1)]

    async def leave() -> None:
        async with Client(url) as client:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.5):
                    await client.call_tool("ask", {"question": "?"}, progress_callback=_ignore)

    began = time.monotonic()
    asyncio.run(leave())
    assert time.monotonic() - began < 1


async def _ignore(progress: float, total: float | None, message: str | None) -> None:
    """Asking for progress is what makes the answer a stream."""
