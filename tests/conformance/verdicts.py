"""Verdicts on scenarios: passed, failed as expected and why, or a surprise."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import yaml

from tests.conformance.suite import Scenario

LIST = Path(__file__).resolve().parent / "expected_failures.yaml"


@dataclass(frozen=True, slots=True)
class Verdict:
    kind: Literal["ok", "expected", "SURPRISE"]
    words: str


def expected_failures(revision: str) -> dict[str, str]:
    """Reason by scenario, or by `scenario:check` where only that check may fail."""
    reasons: dict[str, dict[str, str]] = yaml.safe_load(LIST.read_text("utf-8"))
    return {name: " ".join(reason.split()) for name, reason in reasons[revision].items()}


def judge(scenario: Scenario, *, reasons: Mapping[str, str]) -> Verdict:
    """A listed failure that no longer happens is a surprise too: so the list stays true."""
    name, amiss = scenario.name, scenario.amiss
    if (reason := reasons.get(name)) is not None:
        return (
            Verdict("expected", reason)
            if scenario.failed
            else Verdict("SURPRISE", "passes, and is listed as failing")
        )
    listed = {key.partition(":")[2]: reason for key, reason in reasons.items() if key.startswith(f"{name}:")}
    if passing := listed.keys() - amiss.keys():
        return Verdict("SURPRISE", f"listed as failing, and passes: {', '.join(sorted(passing))}")
    if unlisted := {check: message for check, message in amiss.items() if check not in listed}:
        return Verdict("SURPRISE", "; ".join(f"{check}: {message}" for check, message in unlisted.items()))
    words = f"{scenario.passes} checks" if scenario.passes else "nothing in it applies"
    return Verdict("expected" if scenario.failed else "ok", "; ".join([words, *listed.values()]))
