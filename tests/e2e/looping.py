"""Clients that ask the golden questions without pause, and judge every single answer."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum
from itertools import count

from httpx2 import TransportError
from mcp import Client, MCPError
from mcp_types import CallToolResult

from local.environment import GOLDEN
from operations.golden.cases import AnswerCheck, Case, faults, load
from tests.e2e.visits import ERAS, text_of

HANG_SECONDS = 40
_PAUSE = 0.05
_GOLDEN_BETWEEN_FRESH = 7
_OF_EACH_TOOLSET = 5

_ALL = load(GOLDEN)
# A turn has to be short beside an outage, or nobody would meet it.
_GOLDEN = [
    case
    for toolset in sorted({case.toolset for case in _ALL})
    for case in [case for case in _ALL if case.toolset == toolset][:_OF_EACH_TOOLSET]
]
_question = count(1)


class Ending(StrEnum):
    """How a call ended. Only `WRONG` and `HUNG` are losses: a client would believe the one and wait on the other."""

    CORRECT = "correct"
    DEGRADED = "degraded and said so"
    FAILED = "clear tool error"
    CUT = "transport error"
    WRONG = "wrong"
    HUNG = "hung"


@dataclass(frozen=True, slots=True)
class Answer:
    case: str
    ending: Ending
    said: str
    seconds: float


def turn() -> list[Case]:
    """Golden cases of each toolset, and between them, often enough to meet any outage, searches no cache has seen."""
    cases: list[Case] = []
    for start in range(0, len(_GOLDEN), _GOLDEN_BETWEEN_FRESH):
        cases += [*_GOLDEN[start : start + _GOLDEN_BETWEEN_FRESH], _fresh()]
    return cases


def _fresh() -> Case:
    return Case(
        name="a search in words nobody used before",
        why="Cached query vectors would hide that the embeddings are down.",
        toolset="quotes",
        tool="search_line_items",
        arguments={"query": f"100HP oilless compressor for plant number {next(_question)}", "top_k": 5},
        # Degraded answers have no scores.
        checks=[AnswerCheck(at="rows[*]", count=5), AnswerCheck(at="results[*].score", filled=True)],
    )


async def ask(client: Client, case: Case) -> Answer:
    started = time.monotonic()
    try:
        async with asyncio.timeout(HANG_SECONDS):
            reply = await client.call_tool(case.tool, case.arguments)
        ending, said = judge(case, reply)
    except TimeoutError:
        ending, said = Ending.HUNG, f"nothing within {HANG_SECONDS} s"
    except (MCPError, TransportError) as error:
        ending, said = Ending.CUT, f"{type(error).__name__}: {error}"
    return Answer(case.name, ending, said, time.monotonic() - started)


def judge(case: Case, reply: CallToolResult) -> tuple[Ending, str]:
    text, content = text_of(reply), reply.structured_content
    found = faults(case, structured=content, text=text, is_error=bool(reply.is_error))
    if not found:
        return Ending.CORRECT, ""
    if reply.is_error:
        clear = text.startswith(("UNAVAILABLE: ", "INTERNAL_ERROR: ")) and "Traceback" not in text
        formed = content is None or (content["error"] is True and content["code"] in text)
        return (Ending.FAILED if clear and formed else Ending.WRONG), text
    if isinstance(content, dict) and content.get("degraded") is True and content["results"] and content.get("notice"):
        return Ending.DEGRADED, str(content["notice"])
    return Ending.WRONG, "; ".join(found)


@asynccontextmanager
async def looping(url: str) -> AsyncIterator[list[Answer]]:
    """Two clients of different eras at work: from their first complete turn until the turn that the block ends in."""
    answers: list[Answer] = []
    stopping = asyncio.Event()
    async with asyncio.TaskGroup() as tasks:
        firsts = [asyncio.Event() for _ in ERAS]
        for mode, first in zip(ERAS, firsts, strict=True):
            tasks.create_task(_ask_on(url, mode=mode, answers=answers, first=first, stopping=stopping))
        for first in firsts:
            await first.wait()
        yield answers
        stopping.set()


async def _ask_on(
    url: str, *, mode: str, answers: list[Answer], first: asyncio.Event, stopping: asyncio.Event
) -> None:
    while not stopping.is_set():
        started = time.monotonic()
        try:
            async with asyncio.timeout(HANG_SECONDS * 2), Client(url, mode=mode) as client:
                for case in turn():
                    answers.append(await ask(client, case))
        except* (MCPError, TransportError) as group:
            # The transport tears its client down, with the call that was under way if there was one.
            answers.append(Answer("connection", Ending.CUT, repr(group.exceptions[0]), time.monotonic() - started))
            await asyncio.sleep(_PAUSE)
        first.set()


async def passes(url: str) -> bool:
    """Whether a new client gets a golden case of each toolset right, and a search that nothing has cached."""
    endings: list[Ending] = []
    one_of_each = {case.toolset: case for case in _GOLDEN}
    try:
        async with Client(url) as client:
            for case in [*one_of_each.values(), _fresh()]:
                endings.append((await ask(client, case)).ending)
    except* (MCPError, TransportError):
        endings.append(Ending.CUT)
    return set(endings) == {Ending.CORRECT}
