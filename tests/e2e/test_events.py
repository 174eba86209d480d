"""events/<tool>.json as `sam local invoke` sends it: a call that the function answers from the sample corpus."""

import json
from pathlib import Path

import pytest

from local.files import ROOT
from local.stack import Stack
from tests.e2e.sample_calls import NEEDS_A_MODEL, YEAR
from tests.e2e.visits import invoke

pytestmark = pytest.mark.stack
EVENTS = sorted((ROOT / "events").glob("*.json"))
IN_ITS_YEAR = f"Q-{YEAR}-"


@pytest.mark.parametrize("path", EVENTS, ids=[path.stem for path in EVENTS])
def test_its_function_answers_the_event(stack: Stack, path: Path) -> None:
    answer = invoke(stack, path.stem, json.loads(path.read_text("utf-8").replace("Q-2026-", IN_ITS_YEAR)))
    if path.stem == NEEDS_A_MODEL:
        assert answer["code"] == "UNAVAILABLE"
    else:
        assert "error" not in answer, answer
