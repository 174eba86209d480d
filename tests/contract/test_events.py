"""events/ has one event per tool: for `sam local invoke`, and for every test that calls each tool once."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from local.files import ROOT

EVENTS = ROOT / "events"
TOOLS: list[dict[str, Any]] = json.loads((ROOT / "proxy/manifest.json").read_text("utf-8"))["tools"]


@pytest.mark.parametrize("tool", TOOLS, ids=[tool["name"] for tool in TOOLS])
def test_its_event_is_valid_and_shows_an_argument(tool: dict[str, Any]) -> None:
    path = EVENTS / f"{tool['name']}.json"
    assert path.exists(), f"Add events/{path.name}: arguments with which it finds something in the sample corpus."
    event = json.loads(path.read_text("utf-8"))
    Draft202012Validator(tool["inputSchema"]).validate(event)
    assert event or not tool["inputSchema"]["properties"]


def test_every_event_belongs_to_a_tool() -> None:
    strays = {path.name for path in EVENTS.iterdir()} - {f"{tool['name']}.json" for tool in TOOLS}
    assert not strays, f"Remove from events/, or run `make manifest` if the tool is new: {sorted(strays)}"
