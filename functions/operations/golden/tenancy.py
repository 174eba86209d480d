"""Tries to see one tenant's rows as another: what its owner finds, a stranger must find no trace of."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from httpx2 import TransportError
from mcp import Client, MCPError
from mcp_types import CallToolResult

from operations.golden.asking import text_of
from operations.golden.cases import Probe
from operations.golden.judge import values_at

DENIALS = ("NOT_FOUND", "PERMISSION_DENIED")
SHORTEST_TRACE = 4
"""Characters: a shorter value, such as a count, turns up in any answer."""

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
    if traces := [value for value in _telling(seen, probe) if value in text]:
        return ProbeFinding(probe.name, "leaked", f"the other tenant's answer names {traces[0]!r}")
    return ProbeFinding(probe.name, "denied")


def _telling(values: Sequence[Any], probe: Probe) -> list[str]:
    """The texts among ``values`` by which a row would be recognised and which the question itself does not hold."""
    asked = json.dumps(probe.arguments, ensure_ascii=False)
    texts = [value for value in values if isinstance(value, str)]
    return [text for text in texts if len(text) >= SHORTEST_TRACE and text not in asked]
