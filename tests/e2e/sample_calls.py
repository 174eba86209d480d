"""A sensible call of every tool, as events/<tool>.json has it, for whoever wants to see each of them at work."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from local.files import ROOT

NEEDS_A_MODEL = "ask"
"""The one tool that answers UNAVAILABLE here: no chat model can be had offline."""

AFTER_ANOTHER = ("load", "load_undo")
"""Tools that go on from another call's answer: asked as their events ask them, they find nothing."""

YEAR = datetime.now(UTC).year
"""Quotes and drafts of the sample are numbered in the year in which the stack was first started; events say 2026."""

MANIFEST: dict[str, Any] = json.loads((ROOT / "proxy/manifest.json").read_text("utf-8"))
TOOLS: list[dict[str, Any]] = MANIFEST["tools"]


def event(tool: str) -> dict[str, object]:
    """Raises LookupError with what to add when the tool has no event."""
    path = ROOT / "events" / f"{tool}.json"
    if not path.exists():
        raise LookupError(f"Add events/{tool}.json: arguments with which it finds something in the sample corpus.")
    arguments: dict[str, object] = json.loads(re.sub('"([QD])-2026-', rf'"\1-{YEAR}-', path.read_text("utf-8")))
    return arguments


ONE_CALL_OF_EACH = {
    tool["name"]: event(tool["name"])
    for tool in sorted(TOOLS, key=lambda tool: (tool["read_only"], tool["name"]))
    if tool["name"] not in (NEEDS_A_MODEL, *AFTER_ANOTHER)
}
"""Arguments by tool, writers first: approval_status and approval_pending find what approval_request has written.

Each finds something in the sample corpus; writers write once, to what no other call reads.
"""


def names_of(*toolsets: str, writing: bool = True) -> list[str]:
    """Tools of these toolsets, or of all of them, in the order of the list; without the writing ones if so wished."""
    return sorted(
        tool["name"]
        for tool in TOOLS
        if (not toolsets or tool["toolset"] in toolsets) and (writing or tool["read_only"])
    )


PASSING = ("as_of", "cursor", "download_url", "upload", "expires_at", "_mcp")
"""Parts of an answer that are of the moment, or that the proxy makes content of."""


def lasting(result: Mapping[str, object]) -> dict[str, object]:
    """What the same call answers again."""
    return {name: value for name, value in result.items() if name not in PASSING}


def found(result: Mapping[str, object]) -> object:
    """What a tool's answer is about: the first of its parts that is neither an echo nor a note."""
    return next((value for name, value in result.items() if name not in ECHOES and value), None)


ECHOES = ("query", "mode", "scope", "applied_filters", "degraded", "notice")
