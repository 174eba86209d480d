"""events/ has one event per tool: for `sam local invoke`, and for every test that calls each tool once."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from local.files import ROOT
from local.manifest.tools import Declared, declared

EVENTS = ROOT / "events"
TOOLS: list[dict[str, Any]] = json.loads((ROOT / "proxy/manifest.json").read_text("utf-8"))["tools"]


@pytest.mark.parametrize("tool", TOOLS, ids=[tool["name"] for tool in TOOLS])
def test_its_event_is_valid_and_shows_an_argument(tool: dict[str, Any]) -> None:
    path = EVENTS / f"{tool['name']}.json"
    assert path.exists(), f"Add events/{path.name}: arguments with which it finds something in the sample corpus."
    event = json.loads(path.read_text("utf-8"))
    Draft202012Validator(tool["inputSchema"]).validate(event)
    assert event or not tool["inputSchema"]["properties"]


@pytest.mark.parametrize("item", declared(), ids=[item.tool.name for item in declared()])
def test_its_function_takes_what_models_send_for_it(item: Declared) -> None:
    """Blanks and nulls mean that nothing is given, figures in quotes are figures; the schema says none of it."""
    event = json.loads((EVENTS / f"{item.tool.name}.json").read_text("utf-8"))
    meant = item.arguments.model_validate(event).model_dump()
    optional = {name for name, field in item.arguments.model_fields.items() if not field.is_required()}
    for name in optional - event.keys():
        blanks: tuple[object, ...] = ("", " ", [], None)
        for blank in blanks:
            assert item.arguments.model_validate({**event, name: blank}).model_dump() == meant, name
    quoted = {name: str(value) if type(value) in (int, float) else value for name, value in event.items()}
    assert item.arguments.model_validate(quoted).model_dump() == meant


def test_every_event_belongs_to_a_tool() -> None:
    strays = {path.name for path in EVENTS.iterdir()} - {f"{tool['name']}.json" for tool in TOOLS}
    assert not strays, f"Remove from events/, or run `make manifest` if the tool is new: {sorted(strays)}"
