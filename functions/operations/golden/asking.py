"""Asks an MCP endpoint the golden cases, as any client would, and tries to see one tenant's rows as another."""

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import httpx2
from httpx2 import TransportError
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, Implementation, TextContent

from operations.golden.cases import Case, Probe, faults, load, values_at

CASE_SECONDS = 60
TRIES = 2
"""A cold start or a throttle may cost a case its first answer; a wrong answer gets no second chance."""

NUMBERED = re.compile(r"Q-(\d{4})-")


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of one case; ``may_pass`` says that a call was lost or answered UNAVAILABLE, and may do better."""

    case: Case
    faults: list[str]
    ms: float
    may_pass: bool = False


@asynccontextmanager
async def connected(
    url: str, *, key: str | None = None, origin_key: str | None = None, name: str = "quarry-canary"
) -> AsyncIterator[Client]:
    """Errors inside leave as an ExceptionGroup, because the SDK runs the connection in a task group.

    ``origin_key`` is for an endpoint that serves nobody without it: the preview, or one behind CloudFront.
    """
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    headers |= {"x-origin-key": origin_key} if origin_key else {}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=CASE_SECONDS) as http,
        Client(
            streamable_http_client(url, http_client=http),
            client_info=Implementation(name=name, version="1"),
        ) as client,
    ):
        yield client


async def run_case(client: Client, case: Case) -> Verdict:
    started = time.perf_counter()
    try:
        async with asyncio.timeout(CASE_SECONDS):
            answer = await client.call_tool(case.tool, case.arguments)
    except (MCPError, OSError, TimeoutError, TransportError) as error:
        return Verdict(case, [f"no answer: {type(error).__name__}: {error}"], _ms(started), may_pass=True)
    except RuntimeError as error:  # the SDK raises it for a result that breaks the tool's output schema
        return Verdict(case, [str(error).partition("\n")[0]], _ms(started))
    found = faults(case, structured=answer.structured_content, text=text_of(answer), is_error=bool(answer.is_error))
    unavailable = bool(answer.is_error) and case.error is None and text_of(answer).startswith("UNAVAILABLE")
    return Verdict(case, found, _ms(started), may_pass=unavailable)


async def run_patiently(client: Client, case: Case) -> Verdict:
    for _ in range(TRIES):
        verdict = await run_case(client, case)
        if not verdict.may_pass:
            break
    return verdict


async def run_all(url: str, folder: Path, *, key: str | None = None) -> list[Verdict]:
    async with connected(url, key=key) as client:
        return [await run_case(client, case) for case in load(folder, year=await sample_year(client))]


async def sample_year(client: Client) -> str | None:
    """The year in the number of the tenant's oldest quote, in which its samples were loaded; None without one."""
    oldest = await client.call_tool("quote_list", {"sort_by": "id", "sort_order": "asc", "limit": 1})
    ids = values_at(oldest.structured_content, "items[0].id")
    found = NUMBERED.match(str(ids[0])) if ids else None
    return found[1] if found else None


def text_of(answer: CallToolResult) -> str:
    return "".join(block.text for block in answer.content if isinstance(block, TextContent))


def _ms(started: float) -> float:
    return (time.perf_counter() - started) * 1000


DENIALS = ("NOT_FOUND", "PERMISSION_DENIED")
SHORTEST_TRACE = 4
"""The least length in characters: a shorter value, such as a count, turns up in any answer."""

State = Literal["denied", "leaked", "unclear"]


@dataclass(frozen=True, slots=True)
class ProbeFinding:
    """``unclear`` is no pass: the owner saw nothing either, or a call had no proper answer."""

    probe: str
    state: State
    reason: str = ""


async def probe_all(owner: Client, stranger: Client, probes: Sequence[Probe]) -> list[ProbeFinding]:
    return [await _probe(owner, stranger, probe) for probe in probes]


async def _probe(owner: Client, stranger: Client, probe: Probe) -> ProbeFinding:
    try:
        own = await owner.call_tool(probe.tool, probe.arguments)
        others = await stranger.call_tool(probe.tool, probe.arguments)
    except (MCPError, OSError, TimeoutError, TransportError) as error:
        return ProbeFinding(probe.name, "unclear", f"no answer: {type(error).__name__}")
    return judge(probe, own=own, others=others)


def judge(probe: Probe, *, own: CallToolResult, others: CallToolResult) -> ProbeFinding:
    seen = [value for value in values_at(own.structured_content, probe.at) if value]
    if own.is_error or not seen:
        return ProbeFinding(
            probe.name, "unclear", "its owner sees nothing: load the sample corpus for the canary's tenant"
        )
    text = text_of(others)
    if others.is_error and not text.startswith(DENIALS):
        return ProbeFinding(probe.name, "unclear", text[:200])
    if any(value for value in values_at(others.structured_content, probe.at)):
        return ProbeFinding(probe.name, "leaked", f"the other tenant sees {probe.at}")
    if traces := [value for value in _identifying(seen, probe) if value in text]:
        return ProbeFinding(probe.name, "leaked", f"the other tenant's answer names {traces[0]!r}")
    return ProbeFinding(probe.name, "denied")


def _identifying(values: Sequence[Any], probe: Probe) -> list[str]:
    """Returns the texts by which a row would be recognised, without those that stand in the question itself."""
    asked = json.dumps(probe.arguments, ensure_ascii=False)
    texts = [value for value in values if isinstance(value, str)]
    return [text for text in texts if len(text) >= SHORTEST_TRACE and text not in asked]
