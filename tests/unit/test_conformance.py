"""The conformance run's own parts, which the suite itself is not needed for."""

import importlib.util
import json
from pathlib import Path

import pytest

from proxy.manifest import load_manifest
from tests.conformance import fixture
from tests.conformance.suite import REVISIONS, Scenario
from tests.conformance.verdicts import expected_failures, judge

PASSED = Scenario("ping", passes=2, amiss={}, failed=False)
FAILED = Scenario("ping", passes=1, amiss={"pong": "No answer."}, failed=True)
WARNED = Scenario("ping", passes=1, amiss={"pong": "Late."}, failed=False)


def test_the_proxy_takes_the_fixtures_manifest_and_each_entry_has_a_function(tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps(fixture.manifest()), "utf-8")
    manifest = load_manifest(path)
    read = [*manifest.resources, *manifest.resource_templates, *manifest.prompts]
    served = {tool.name for tool in manifest.tools} | {str(entry.function) for entry in read}
    assert served == fixture.handlers().keys()


@pytest.mark.parametrize("handler", sorted(set(fixture.handlers().values())))
def test_each_handler_is_there(handler: str) -> None:
    module, _, name = handler.partition(".")
    spec = importlib.util.spec_from_file_location(f"conformance_{module}", fixture.FUNCTIONS / f"{module}.py")
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    assert callable(getattr(loaded, name))


@pytest.mark.parametrize("revision", REVISIONS)
def test_every_expected_failure_has_a_reason(revision: str) -> None:
    reasons = expected_failures(revision)
    assert reasons
    assert all(len(reason.split()) > 5 for reason in reasons.values())


@pytest.mark.parametrize(
    ("scenario", "reasons", "kind"),
    [
        (PASSED, {}, "ok"),
        (PASSED, {"ping": "Why."}, "SURPRISE"),
        (PASSED, {"ping:pong": "Why."}, "SURPRISE"),
        (PASSED, {"pings": "Why.", "pings:pong": "Why."}, "ok"),
        (FAILED, {}, "SURPRISE"),
        (FAILED, {"ping": "Why."}, "expected"),
        (FAILED, {"ping:pong": "Why."}, "expected"),
        (FAILED, {"ping:pang": "Why."}, "SURPRISE"),
        (WARNED, {}, "SURPRISE"),
        (WARNED, {"ping": "Why."}, "SURPRISE"),
        (WARNED, {"ping:pong": "Why."}, "ok"),
    ],
)
def test_only_what_the_list_does_not_say_is_a_surprise(
    scenario: Scenario, reasons: dict[str, str], kind: str
) -> None:
    assert judge(scenario, reasons=reasons).kind == kind
