"""A sample of what `make fuzz` generates, and every case that once failed."""

import pytest

from local.stack import Stack
from tests.fuzz.__main__ import fuzz, kept_cases
from tests.fuzz.asking import Asker
from tests.fuzz.generating import Case

pytestmark = pytest.mark.stack


@pytest.mark.parametrize("case", kept_cases(), ids=lambda case: case.kind)
def test_what_once_failed_is_answered(stack: Stack, case: Case) -> None:
    assert Asker(stack.mcp.removesuffix("/mcp")).ask(case) is None


def test_no_generated_request_ends_in_an_internal_error(stack: Stack) -> None:
    asker = Asker(stack.mcp.removesuffix("/mcp"))
    assert sum(fuzz(asker, cases=100, number=20261122).values()) >= 100
    assert asker.found == {}
