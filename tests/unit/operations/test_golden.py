"""Golden cases, read and judged: a check that cannot fail is none; and what an examination of them comes to."""

from pathlib import Path
from typing import Any

import pytest
from mcp_types import CallToolResult, TextContent
from pydantic import ValidationError

from operations.golden.asking import ProbeFinding, Verdict, judge
from operations.golden.cases import AnswerCheck, Case, Probe, faults, load
from operations.golden_canary import Examination, as_result, measure
from quarry import observation
from quarry.observation import Metric

ANSWER = {
    "results": [{"model": "QMB30", "price": None}, {"model": "QMB25", "price": None}],
    "none": [],
    "notice": None,
}


def judged(**check: Any) -> list[str]:
    case = Case(
        name="a case",
        why="Because.",
        toolset="equipment",
        tool="get_product",
        arguments={},
        checks=[AnswerCheck(**check)],
    )
    return faults(case, structured=ANSWER, text="", is_error=False)


@pytest.mark.parametrize(
    "check",
    [
        {"at": "results[*].model", "has": ["QMB30"]},
        {"at": "results[*].model", "lacks": ["QMB20"]},
        {"at": "results[*].model", "only": ["QMB30", "QMB25"]},
        {"at": "results[0].model", "equals": "QMB30"},
        {"at": "results[*].model", "equals": ["QMB30", "QMB25"]},
        {"at": "notice", "equals": None},
        {"at": "results[*].price", "equals": [None, None]},
        {"at": "results[*]", "count": 2},
        {"at": "none[*]", "count": 0},
        {"at": "results[:1].model", "filled": True},
    ],
    ids=repr,
)
def test_a_check_that_holds_finds_no_fault(check: dict[str, Any]) -> None:
    assert judged(**check) == []


@pytest.mark.parametrize(
    ("check", "fault"),
    [
        ({"at": "results[0].model", "equals": None}, "not None"),
        ({"at": "results[0].modle", "equals": None}, "not None"),
        ({"at": "results[*].modle", "lacks": ["QMB20"]}, "leads nowhere"),
        ({"at": "none[*].model", "lacks": ["QMB20"]}, "leads nowhere"),
        ({"at": "resluts[*]", "count": 0}, "leads nowhere"),
        ({"at": "notice[*]", "count": 0}, "leads nowhere"),
        ({"at": "results[*].price", "filled": True}, "not filled"),
        ({"at": "results[*].modle", "only": ["QMB30"]}, "may only hold"),
        ({"at": "results[*].modle", "equals": []}, "leads nowhere"),
        ({"at": "resluts", "equals": None}, "leads nowhere"),
    ],
    ids=repr,
)
def test_a_check_that_does_not_hold_says_so(check: dict[str, Any], fault: str) -> None:
    [said] = judged(**check)
    assert fault in said


@pytest.mark.parametrize(
    ("check", "said"),
    [
        ({"at": "notice"}, "add one of has, lacks, only"),
        ({"at": "notice", "has": None}, "only equals may be null"),
        ({"at": "notice", "count": None}, "only equals may be null"),
        ({"at": "notice", "filled": False}, "True"),
        ({"at": "results[*]", "lacks": []}, "at least 1 item"),
        ({"at": "results[*]", "has": []}, "at least 1 item"),
        ({"at": "notice", "contains": ""}, "at least 1 character"),
        ({"at": "results", "count": 0}, r"write results\[\*\]"),
        ({"at": "results[x]", "count": 2}, "pattern"),
        ({"at": "", "filled": True}, "pattern"),
    ],
    ids=repr,
)
def test_a_check_that_cannot_fail_is_refused(check: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        AnswerCheck.model_validate(check)


def test_a_case_that_demands_nothing_is_refused() -> None:
    with pytest.raises(ValidationError, match="nothing is demanded of the answer"):
        Case(name="x", why="x", toolset="e", tool="t", arguments={})


def test_a_refused_check_names_its_file_and_its_case(tmp_path: Path) -> None:
    (tmp_path / "equipment.yaml").write_text(
        "{name: nothing comes, why: x, toolset: e, tool: t, arguments: {}, checks: [{at: notice}]}", "utf-8"
    )
    with pytest.raises(ValueError, match=r"equipment\.yaml, case 'nothing comes'"):
        load(tmp_path)


ASKED = Case(name="a case", why="Because.", toolset="equipment", tool="get_product", arguments={}, error="NOT_FOUND")
GOOD, BAD = Verdict(ASKED, [], 10.0), Verdict(ASKED, ["wrong"], 30.0)
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
