"""events/<tool>.json as `sam local invoke` sends it: a call that the function understands."""

import json
from pathlib import Path

import pytest

from local.files import ROOT
from local.stack import Stack
from tests.e2e.visits import invoke

pytestmark = pytest.mark.stack
EVENTS = sorted((ROOT / "events").glob("*.json"))
NOT_UNDERSTOOD = {"VALIDATION_FAILED", "INTERNAL_ERROR"}


@pytest.mark.parametrize("path", EVENTS, ids=[path.stem for path in EVENTS])
def test_its_function_understands_the_event(stack: Stack, path: Path) -> None:
    answer = invoke(stack, path.stem, json.loads(path.read_text("utf-8")))
    assert answer.get("code") not in NOT_UNDERSTOOD, answer
