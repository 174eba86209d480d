"""The canary against a front with faults, over HTTP; tests/e2e/test_canary.py has it on the real one."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from operations import golden_canary
from quarry.data.settings import environment, settings
from quarry.tool.runtime import CallFailed
from tests import aws as moto
from tests.deployment import Context, fresh_environment
from tests.integration.operations import scripted_aws, scripted_front
from tests.integration.operations.scripted_aws import ScriptedAws
from tests.integration.operations.scripted_front import OTHER, OWN, ScriptedFront

CASES = """
name: the product comes
why: It is there.
toolset: equipment
tool: get_product
arguments: {model: QMB30}
checks: [{at: product.model, equals: QMB30}]
---
name: another tool's case
why: A release is judged by all of them.
toolset: equipment
tool: get_specs
arguments: {}
checks: [{at: products, filled: true}]
"""
PROBES = "{name: a product, tool: get_product, arguments: {model: QMB30}, at: product.manufacturer}"


@pytest.fixture(scope="module")
def running() -> Iterator[ScriptedFront]:
    front = ScriptedFront()
    server = scripted_front.serve(front)
    yield front
    server.should_exit = True


@pytest.fixture
def aws() -> Iterator[ScriptedAws]:
    with scripted_aws.serving() as aws:
        yield aws


@pytest.fixture
def front(
    running: ScriptedFront,
    aws: ScriptedAws,
    aws_variables: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[ScriptedFront]:
    running.faults.clear()
    running.calls.clear()
    running.asked.clear()
    running.origin_keys.clear()
    (tmp_path / "tenancy").mkdir()
    (tmp_path / "cases.yaml").write_text(CASES.partition("---")[0], "utf-8")
    (tmp_path / "tenancy/probes.yaml").write_text(PROBES, "utf-8")
    variables = {
        **aws_variables,
        "AWS_ENDPOINT_URL_CLOUDFORMATION": aws.url,
        "AWS_ENDPOINT_URL_LAMBDA": aws.url,
        "CANARY_MCP_URL": running.url,
        "GOLDEN_DIR": str(tmp_path),
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with fresh_environment():
        yield running


@pytest.fixture
def keys(front: ScriptedFront, aws_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    give_keys(aws_url, monkeypatch, key=OWN, other_key=OTHER)


def give_keys(aws_url: str, monkeypatch: pytest.MonkeyPatch, **keys: str) -> None:
    secret = f"canary-{uuid4().hex}"
    moto.client("secretsmanager", aws_url).create_secret(Name=secret, SecretString=json.dumps(keys))
    monkeypatch.setenv("CANARY_SECRET_ID", secret)
    environment().close()


def run(event: dict[str, Any] | None = None, *, remaining_ms: int = 60_000) -> dict[str, Any]:
    return golden_canary.handler(event or {}, Context(remaining_ms=remaining_ms))


def test_all_is_well(front: ScriptedFront, keys: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDIT_FUNCTION", "quarry-verify_audit:live")
    environment().close()
    report = run()
    assert (report["passed"], report["cases"], report["failures"]) == (True, 1, [])
    assert (report["cross_tenant"], report["audit"]) == ("denied", "intact")
    assert set(front.calls) == {OWN, OTHER}


def test_what_was_not_checked_is_no_pass_and_no_failure(front: ScriptedFront) -> None:
    report = run()
    assert (report["passed"], report["cross_tenant"], report["audit"]) == (True, "not checked", "not checked")


def test_without_a_key_a_deployed_canary_says_that_nothing_was_checked(
    front: ScriptedFront, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run()
    assert '"CanaryPassed"' in capsys.readouterr().out
    front.calls.clear()
    monkeypatch.setenv("CANARY_MCP_URL", "https://front.example/mcp")
    environment().close()
    report = run()
    assert (report["passed"], report["cases"], front.calls) == ("not checked", 0, [])
    assert '"CanaryPassed"' not in capsys.readouterr().out


def test_sample_quotes_are_asked_for_by_the_year_they_were_loaded_in(front: ScriptedFront) -> None:
    case = CASES.partition("---")[0].replace("{model: QMB30}", "{model: Q-<year>-0002}")
    (Path(settings().golden_dir) / "cases.yaml").write_text(case, "utf-8")
    assert run()["passed"] is True
    assert front.asked == [{"model": "Q-2019-0002"}]


def test_a_wrong_answer_fails_and_is_not_asked_for_again(front: ScriptedFront) -> None:
    front.faults.add("wrong")
    report = run()
    assert report["passed"] is False
    assert report["failures"][0]["case"] == "the product comes"
    assert "QMB25" in report["failures"][0]["faults"][0]
    assert len(front.calls) == 1


def test_a_cold_start_that_costs_the_first_answer_is_no_failure(front: ScriptedFront) -> None:
    front.faults.add("cold")
    assert run()["passed"] is True
    assert len(front.calls) == 2


@pytest.mark.parametrize(("fault", "reason"), [("leaks", "sees product.manufacturer"), ("hints", "names 'Quincy'")])
def test_a_second_tenant_that_sees_or_learns_something_fails(
    front: ScriptedFront, keys: None, fault: str, reason: str
) -> None:
    front.faults.add(fault)
    report = run()
    assert (report["passed"], report["cross_tenant"]) == (False, "not denied")
    assert reason in report["cross_tenant_findings"][0]["reason"]


def test_a_key_that_is_refused_fails_the_canary(
    front: ScriptedFront, aws_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_keys(aws_url, monkeypatch, key="revoked")
    report = run()
    assert report["passed"] is False
    assert report["lost"] or report["failures"]


@pytest.mark.parametrize(("intact", "audit"), [(False, "broken"), (None, "check failed")])
def test_an_audit_chain_that_is_broken_or_cannot_be_read_fails(
    front: ScriptedFront, aws: ScriptedAws, monkeypatch: pytest.MonkeyPatch, intact: bool | None, audit: str
) -> None:
    monkeypatch.setenv("AUDIT_FUNCTION", "quarry-verify_audit:live")
    environment().close()
    aws.intact = intact
    report = run()
    assert (report["passed"], report["audit"]) == (False, audit)


def test_an_endpoint_that_hangs_or_is_gone_is_reported_in_time(
    front: ScriptedFront, monkeypatch: pytest.MonkeyPatch
) -> None:
    front.faults.add("hangs")
    assert run(remaining_ms=16_000)["lost"] == "TimeoutError"
    monkeypatch.setenv("CANARY_MCP_URL", "http://127.0.0.1:9/mcp")
    environment().close()
    assert run()["lost"] == "ConnectError"


def test_a_release_is_judged_once_by_all_cases(front: ScriptedFront, aws: ScriptedAws) -> None:
    (Path(settings().golden_dir) / "cases.yaml").write_text(CASES, "utf-8")
    run(aws.release())
    (answer,) = aws.answers
    assert (answer["Status"], answer["PhysicalResourceId"]) == ("FAILED", "quarry-gate")
    assert "get_specs: another tool's case" in answer["Reason"]
    assert len(front.calls) == 2


def test_a_bad_release_is_let_through_where_its_failure_is_no_more_than_reported(
    front: ScriptedFront, aws: ScriptedAws
) -> None:
    front.faults.add("wrong")
    run(aws.release())
    run(aws.release(Gate="reported"))
    verdicts = [(answer["Status"], answer["Data"]) for answer in aws.answers]
    assert verdicts == [("FAILED", {}), ("SUCCESS", {"Verdict": "failed"})]


LIVE: dict[str, Any] = {"Live": ["arn:aws:lambda:us-east-1:123456789012:function:quarry-get_product:live"]}


@pytest.mark.parametrize("release", [{}, LIVE])
def test_a_release_is_judged_past_a_domain_that_leads_nowhere_yet_and_shows_the_key_of_the_edge(
    front: ScriptedFront,
    aws: ScriptedAws,
    keys: None,
    monkeypatch: pytest.MonkeyPatch,
    release: dict[str, Any],
) -> None:
    monkeypatch.setenv("CANARY_MCP_URL", "http://127.0.0.1:9/mcp")
    monkeypatch.setenv("CANARY_LIVE_MCP_URL" if release else "CANARY_PREVIEW_MCP_URL", front.url)
    monkeypatch.setenv("CANARY_ORIGIN_KEY", "k" * 64)
    environment().close()
    run(aws.release(**release))
    assert [answer["Data"] for answer in aws.answers] == [{"Verdict": "passed"}]
    assert set(front.origin_keys) == {"k" * 64}


def test_the_endpoint_for_everybody_is_shown_no_key_of_the_edge(
    front: ScriptedFront, keys: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CANARY_ORIGIN_KEY", "k" * 64)
    environment().close()
    run()
    assert set(front.origin_keys) == {None}


def test_what_is_published_is_asked_once_more_through_the_front(
    front: ScriptedFront, aws: ScriptedAws, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CANARY_PREVIEW_MCP_URL", "http://127.0.0.1:9/mcp")
    environment().close()
    run(aws.release())
    run(aws.release(**LIVE))
    front.faults.add("wrong")
    run(aws.release(**LIVE))
    assert [answer["Status"] for answer in aws.answers] == ["FAILED", "SUCCESS", "FAILED"]
    assert "lost (ConnectError)" in aws.answers[0]["Reason"]
    assert "get_product: the product comes" in aws.answers[2]["Reason"]


@pytest.mark.parametrize(
    ("state", "gate", "status"),
    [("OK", "enforced", "SUCCESS"), ("ALARM", "enforced", "FAILED"), ("ALARM", "reported", "SUCCESS")],
)
def test_a_release_whose_functions_fail_while_it_is_watched_is_taken_back(
    front: ScriptedFront, aws: ScriptedAws, aws_url: str, state: str, gate: str, status: str
) -> None:
    alarms, name = moto.client("cloudwatch", aws_url), f"errors-{uuid4().hex}"
    alarms.put_metric_alarm(
        AlarmName=name, ComparisonOperator="GreaterThanThreshold", EvaluationPeriods=1, Threshold=0,
        Namespace="Quarry", MetricName="InternalErrors", Period=60, Statistic="Sum",
    )  # fmt: skip
    alarms.set_alarm_state(AlarmName=name, StateValue=state, StateReason="said")
    run(aws.release(**LIVE, Alarm=name, WatchSeconds="0.2", Gate=gate))
    (answer,) = aws.answers
    assert (answer["Status"], "fail unexpectedly" in answer["Reason"]) == (status, status == "FAILED")


def test_a_release_that_is_taken_back_is_not_judged_again(front: ScriptedFront, aws: ScriptedAws) -> None:
    front.faults.add("wrong")
    aws.status = "UPDATE_ROLLBACK_IN_PROGRESS"
    run(aws.release())
    assert [(answer["Status"], answer["Data"]) for answer in aws.answers] == [("SUCCESS", {"Verdict": "not checked"})]
    assert front.calls == []


def test_a_preview_that_hangs_refuses_the_release_in_time(front: ScriptedFront, aws: ScriptedAws) -> None:
    front.faults.add("hangs")
    run(aws.release(), remaining_ms=32_000)
    assert "the front was lost (TimeoutError)" in aws.answers[0]["Reason"]


def test_a_canary_that_breaks_refuses_the_release(front: ScriptedFront, aws: ScriptedAws) -> None:
    (Path(settings().golden_dir) / "cases.yaml").write_text("name: [", "utf-8")
    with pytest.raises(CallFailed):
        run(aws.release())
    assert [answer["Status"] for answer in aws.answers] == ["FAILED"]


def test_before_there_are_keys_nothing_is_stopped(
    front: ScriptedFront, aws: ScriptedAws, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CANARY_MCP_URL", "https://quarry.example/mcp")
    environment().close()
    run(aws.release())
    assert [(answer["Status"], answer["Data"]) for answer in aws.answers] == [("SUCCESS", {"Verdict": "not checked"})]
