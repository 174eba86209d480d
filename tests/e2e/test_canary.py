"""The canary on the real stack: as its schedule runs it, and across two tenants."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from local.canary import lines
from local.canary_tenant import Target, fill
from local.corpus_loader import drain
from local.environment import child_base, proxy_environment
from local.files import ROOT
from local.golden import GOLDEN
from local.ports import free_port
from local.serve.probe import answers
from local.stack import INGEST_BUCKET, Stack
from operations.golden.asking import connected, run_all
from operations.golden.cases import load, load_probes
from operations.golden.examination import Keys, examine
from operations.golden.tenancy import Finding, probe_all
from tests.e2e.visits import invoke

pytestmark = pytest.mark.stack


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


@contextmanager
def front_of(stack: Stack, **variables: str) -> Iterator[str]:
    """A second proxy before the same functions, configured otherwise."""
    port = free_port()
    environment = {
        **child_base(os.environ, data_dir=stack.data_dir),
        **proxy_environment(stack, host="127.0.0.1", port=port),
        **variables,
    }
    with subprocess.Popen(
        [sys.executable, "-m", "proxy"], cwd=ROOT, env=environment, stderr=subprocess.DEVNULL
    ) as process:
        try:
            while not asyncio.run(answers(f"http://127.0.0.1:{port}/healthz")):
                assert process.poll() is None
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.terminate()


async def probed(own: str, other: str) -> list[Finding]:
    async with connected(own) as owner, connected(other) as stranger:
        return await probe_all(owner, stranger, load_probes(GOLDEN))


def test_a_second_tenant_sees_no_trace_of_the_first(stack: Stack) -> None:
    with front_of(stack, DEFAULT_TENANT="stranger") as other:
        findings = asyncio.run(probed(stack.mcp, other))
    assert [finding for finding in findings if finding.state != "denied"] == []


def test_the_probes_would_notice_a_tenant_that_sees_the_firsts_rows(stack: Stack) -> None:
    assert {finding.state for finding in asyncio.run(probed(stack.mcp, stack.mcp))} == {"leaked"}


def test_a_tenant_filled_for_the_canary_answers_all_golden_questions(stack: Stack) -> None:
    target = Target(
        s3=stack.client("s3"),
        functions=stack.client("lambda", read_timeout=300),
        bucket=INGEST_BUCKET,
        prefix="quarry-",
        tenant="canary",
    )
    fill(target, on_progress=print)
    drain(stack, on_progress=print)
    with front_of(stack, DEFAULT_TENANT="canary") as url:
        verdicts = asyncio.run(run_all(url, GOLDEN))
    assert [(verdict.case.name, verdict.faults) for verdict in verdicts if verdict.faults] == []


def key_of(stack: Stack, tenant: str) -> str:
    tools = json.loads((ROOT / "proxy/manifest.json").read_text("utf-8"))["tools"]
    scopes = sorted({tool["scope"] for tool in tools})
    event = {"action": "create", "tenant": tenant, "name": "canary", "scopes": scopes, "new_tenant": True}
    return str(invoke(stack, "api_keys", event)["key"])


def test_through_a_front_that_asks_for_keys_the_canary_is_let_in_and_the_second_tenant_sees_nothing(
    stack: Stack,
) -> None:
    keys = Keys(key_of(stack, "default"), key_of(stack, "stranger"))
    with front_of(stack, AUTH_MODE="api_key") as url:
        well = examine(url, keys=keys, folder=GOLDEN, tool="get_product", seconds=60)
        swapped = examine(url, keys=Keys(keys.own, keys.own), folder=GOLDEN, tool="get_product", seconds=60)
        refused = examine(url, keys=Keys("qk_nobody"), folder=GOLDEN, tool="get_product", seconds=60)
    assert (well.passed, well.denied, well.lost) == (True, True, None)
    assert (swapped.passed, swapped.denied) == (False, False)
    assert (refused.passed, refused.verdicts) == (False, [])
    assert refused.lost
