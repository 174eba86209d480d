"""events/ has one event per tool for `sam local invoke`."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from local.files import ROOT

EVENTS = ROOT / "events"
TOOLS: list[dict[str, Any]] = json.loads((ROOT / "proxy/manifest.json").read_text("utf-8"))["tools"]


@pytest.mark.parametrize("tool", TOOLS, ids=[tool["name"] for tool in TOOLS])
def test_its_event_is_valid_and_shows_an_argument(tool: dict[str, Any]) -> None:
    event = json.loads((EVENTS / f"{tool['name']}.json").read_text("utf-8"))
    Draft202012Validator(tool["inputSchema"]).validate(event)
    assert event or not tool["inputSchema"]["properties"]


def test_every_event_belongs_to_a_tool() -> None:
    assert {path.stem for path in EVENTS.iterdir()} == {tool["name"] for tool in TOOLS}
