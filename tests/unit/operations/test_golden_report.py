"""What an examination comes to: verdicts, tenancy findings, metrics."""

from typing import Any

import pytest
from mcp_types import CallToolResult, TextContent

from operations.golden.asking import ProbeFinding, Verdict, judge
from operations.golden.cases import Case, Probe
from operations.golden_canary import Examination, as_result, measure
from quarry import observation
from quarry.observation import Metric

CASE = Case(name="a case", why="Because.", toolset="equipment", tool="get_product", arguments={}, error="NOT_FOUND")
GOOD, BAD = Verdict(CASE, [], 10.0), Verdict(CASE, ["wrong"], 30.0)
PROBE = Probe(name="documents", tool="list_documents", arguments={"title": "Charter"}, at="documents[*].title")


def measured(examination: Examination) -> dict[Metric, float]:
    with observation.measuring() as found:
        measure(examination)
    return found


def test_what_passed_is_measured_as_passed() -> None:
    assert measured(Examination([GOOD, GOOD], [ProbeFinding("documents", "denied")], audit="intact")) == {
        Metric.CANARY_PASSED: 1,
        Metric.CANARY_CASES: 2,
        Metric.CANARY_FAILURES: 0,
        Metric.CANARY_LATENCY: 10,
        Metric.CROSS_TENANT_DENIED: 1,
        Metric.AUDIT_INTACT: 1,
    }


def test_what_was_not_checked_is_not_measured() -> None:
    found = measured(Examination([GOOD]))
    assert not found.keys() & {Metric.CROSS_TENANT_DENIED, Metric.AUDIT_INTACT}
    assert found[Metric.CANARY_PASSED] == 1


@pytest.mark.parametrize(
    "examination",
    [
        Examination([GOOD, BAD]),
        Examination([GOOD], lost="ConnectError"),
        Examination([GOOD], [ProbeFinding("documents", "leaked")]),
        Examination([GOOD], [ProbeFinding("documents", "unclear")]),
        Examination([GOOD], audit="broken"),
        Examination([GOOD], audit="check failed"),
    ],
)
def test_whatever_is_amiss_fails_the_canary(examination: Examination) -> None:
    assert measured(examination)[Metric.CANARY_PASSED] == 0
    assert as_result(examination)["passed"] is False


def answer(*titles: str, error: str = "") -> CallToolResult:
    if error:
        return CallToolResult(content=[TextContent(text=error)], is_error=True)
    content: dict[str, Any] = {"documents": [{"title": title} for title in titles]}
    return CallToolResult(content=[TextContent(text=str(content))], structured_content=content)


@pytest.mark.parametrize(
    ("own", "others", "state"),
    [
        (answer("Charter", "Growth plan"), answer(), "denied"),
        (answer("Charter"), answer(error="NOT_FOUND: No document 'Charter'."), "denied"),
        (answer("Charter"), answer("Charter"), "leaked"),
        (answer("Charter"), answer("Something of its own"), "leaked"),
        (answer("Growth plan"), answer(error="NOT_FOUND: Did you mean 'Growth plan'?"), "leaked"),
        (answer("Charter"), answer(error="UNAVAILABLE: the database cannot be reached"), "unclear"),
        (answer(), answer(), "unclear"),
        (answer(error="UNAVAILABLE: no"), answer(), "unclear"),
    ],
)
def test_a_stranger_may_neither_see_nor_learn(own: CallToolResult, others: CallToolResult, state: str) -> None:
    assert judge(PROBE, own=own, others=others).state == state
