"""The canary on the real stack: as its schedule runs it, and across two tenants."""

import asyncio
import json

import pytest

from local.canary import lines
from local.canary_tenant import Target
from local.corpus_loader import drain, load_sample
from local.environment import GOLDEN
from local.keys import every_scope
from local.stack import INGEST_BUCKET, SAMPLE_TENANT, Stack
from operations.golden.asking import ProbeFinding, connected, probe_all, run_all
from operations.golden.cases import load, load_probes
from operations.golden_canary import Keys, examine
from tests.e2e.visits import invoke
from tests.fronts import front, guarded_front

pytestmark = pytest.mark.stack


@pytest.mark.slow
def test_the_canary_passes_on_the_sample_corpus_and_says_so_to_cloudwatch(stack: Stack) -> None:
    report = invoke(stack, "golden_canary", {})
    assert (report["passed"], report["failures"], report["lost"]) == (True, [], None)
    assert report["cases"] == len(load(GOLDEN))
    assert lines(report)[-2:] == ["audit chains: intact", "The canary passed."]
    said = [
        json.loads(line.partition(" | ")[2])
        for line in (stack.data_dir / "logs/lambda.log").read_text("utf-8").splitlines()
        if line.startswith('quarry-golden_canary | {"') and '"CanaryPassed"' in line
    ]
    assert (said[-1]["CanaryPassed"], said[-1]["CanaryCases"], said[-1]["CanaryFailures"]) == (1, report["cases"], 0)


async def probed(own: str, other: str) -> list[ProbeFinding]:
    async with connected(own) as owner, connected(other) as stranger:
        return await probe_all(owner, stranger, load_probes(GOLDEN))


def test_a_second_tenant_sees_no_trace_of_the_first(stack: Stack) -> None:
    with front(stack.data_dir, DEFAULT_TENANT="stranger") as other:
        findings = asyncio.run(probed(stack.mcp, f"{other}/mcp"))
    assert [finding for finding in findings if finding.state != "denied"] == []


def test_the_probes_would_notice_a_tenant_that_sees_the_firsts_rows(stack: Stack) -> None:
    assert {finding.state for finding in asyncio.run(probed(stack.mcp, stack.mcp))} == {"leaked"}


@pytest.mark.slow
def test_a_tenant_filled_for_the_canary_answers_all_golden_questions(stack: Stack) -> None:
    target = Target(
        s3=stack.client("s3"),
        functions=stack.client("lambda", read_timeout=300),
        bucket=INGEST_BUCKET,
        prefix="quarry-",
        tenant="canary",
    )
    load_sample(target.ingest, target.call, on_progress=print)
    drain(stack, on_progress=print)
    with front(stack.data_dir, DEFAULT_TENANT="canary") as url:
        verdicts = asyncio.run(run_all(f"{url}/mcp", GOLDEN))
    assert [(verdict.case.name, verdict.faults) for verdict in verdicts if verdict.faults] == []


def key_of(stack: Stack, tenant: str) -> str:
    event = {"action": "create", "tenant": tenant, "name": "canary", "scopes": every_scope(), "new_tenant": True}
    return str(invoke(stack, "api_keys", event)["key"])


@pytest.mark.slow
def test_through_a_front_that_asks_for_keys_the_canary_is_let_in_and_the_second_tenant_sees_nothing(
    stack: Stack,
) -> None:
    keys = Keys(key_of(stack, SAMPLE_TENANT), key_of(stack, "stranger"))
    with guarded_front(stack.data_dir) as front_url:
        url = f"{front_url}/mcp"
        well = examine(url, keys=keys, folder=GOLDEN, seconds=300)
        swapped = examine(url, keys=Keys(keys.own, keys.own), folder=GOLDEN, seconds=300)
        refused = examine(url, keys=Keys("qk_nobody"), folder=GOLDEN, seconds=300)
    assert (well.passed, well.denied, well.lost) == (True, True, None)
    assert (swapped.passed, swapped.denied) == (False, False)
    assert (refused.passed, refused.verdicts) == (False, [])
    assert refused.lost
