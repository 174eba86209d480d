"""The golden cases against the real stack, as clients of both eras see it."""

import pytest

from local.golden import GOLDEN
from local.stack import Stack
from operations.golden.asking import run_case
from operations.golden.cases import Case, load
from tests.e2e.visits import ERAS, visit

pytestmark = pytest.mark.stack


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize("case", load(GOLDEN), ids=lambda case: case.name)
def test_a_golden_case_holds(stack: Stack, case: Case, mode: str) -> None:
    verdict = visit(stack.mcp, lambda client: run_case(client, case), mode=mode)
    assert verdict.faults == []
