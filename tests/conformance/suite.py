"""The suite's own run: what it requires of a revision, and what each scenario found."""

import json
import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.npm import Packages

SUITE = Packages(Path(__file__).resolve().parent, "MCP's conformance suite", 240)
PACKAGE = SUITE.modules / "@modelcontextprotocol" / "conformance"
REVISIONS = ("2025-11-25", "2026-07-28")

RUN_SECONDS = 80
# A warning does not fail a scenario, but must be known as a failure must; other statuses are skips and notes.
_AMISS = frozenset({"FAILURE", "WARNING"})
_RESULTS = re.compile(r"server-(.+)-\d{4}-\d\d-\d\dT[-\d]+Z")


@dataclass(frozen=True, slots=True)
class Scenario:
    """``amiss`` holds the message of each check that failed or warned, by its id; ``passes`` counts the others."""

    name: str
    passes: int
    amiss: Mapping[str, str]
    failed: bool


def requirements(revision: str) -> dict[str, bool]:
    """The scenarios for servers, in the suite's order, and whether conformance is measured by them."""
    document = yaml.safe_load((PACKAGE / "requirements" / f"{revision}.yaml").read_text("utf-8"))
    scored = dict.fromkeys(document["server"], True)
    return scored | {each["scenario"]: False for each in document["not_scored"] if each["leg"] == "server"}


def run(url: str, *, revision: str, results: Path) -> dict[str, Scenario]:
    """Runs what a revision requires; the scenarios that left results, by name."""
    command = [SUITE.node, str(PACKAGE / "dist" / "index.js"), "server", "--url", url, "--requirements", revision]
    environment = {**os.environ, "NO_PROXY": "127.0.0.1,localhost"}
    # Its exit code knows nothing of our list; what it leaves on disk says more than what it prints.
    done = subprocess.run(
        [*command, "--output-dir", str(results)],
        env=environment,
        timeout=RUN_SECONDS,
        check=False,
        capture_output=True,
        text=True,
    )
    if not results.is_dir():
        raise RuntimeError(f"The suite ran nothing:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    scenarios = [_read(folder) for folder in sorted(results.iterdir())]
    return {scenario.name: scenario for scenario in scenarios}


def _read(folder: Path) -> Scenario:
    named = _RESULTS.fullmatch(folder.name)
    if named is None:
        raise ValueError(f"The suite left a folder of another shape than expected: {folder.name}")
    checks: list[dict[str, Any]] = json.loads((folder / "checks.json").read_text("utf-8"))
    statuses = [check["status"] for check in checks]
    return Scenario(
        named[1],
        passes=statuses.count("SUCCESS"),
        amiss={check["id"]: check.get("errorMessage", "") for check in checks if check["status"] in _AMISS},
        failed="FAILURE" in statuses,
    )
