"""Golden cases as they are read and judged: a check that could not fail is no check."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from operations.golden.cases import AnswerCheck, Case, faults, load

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
