"""The workflows that deploy: what goes on to the next stage, whose code runs in them, and with which rights."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from local.files import ROOT

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
STAGE: dict[str, Any] = yaml.safe_load((ROOT / ".github/workflows/deploy-stage.yml").read_text("utf-8"))


def verdict_of_stage() -> str:
    """The filter that jq decides by."""
    (step,) = [each for each in STAGE["jobs"]["deploy"]["steps"] if "golden_canary" in each.get("run", "")]
    found = re.search(r"jq --exit-status '(.+)' answer.json", step["run"])
    assert found
    return found[1]


@pytest.mark.parametrize(
    ("answer", "goes_on"),
    [
        ({"passed": True, "cases": 80}, True),
        ({"passed": "not checked", "cases": 0}, True),
        ({"passed": False, "cases": 80}, False),
        ({"error": True, "code": "UNAVAILABLE"}, False),
        ({"errorType": "Runtime.ImportModuleError"}, False),
        ({}, False),
    ],
)
def test_a_stage_that_was_not_checked_goes_on_and_one_that_failed_or_did_not_answer_stops(
    answer: dict[str, Any], goes_on: bool, tmp_path: Path
) -> None:
    file = tmp_path / "answer.json"
    file.write_text(json.dumps(answer), "utf-8")
    command = ["jq", "--exit-status", verdict_of_stage(), str(file)]
    done = subprocess.run(command, check=False, capture_output=True)
    assert (done.returncode == 0) is goes_on


@pytest.mark.parametrize("path", WORKFLOWS, ids=[path.stem for path in WORKFLOWS])
def test_a_workflow_takes_others_code_by_its_commit_and_says_which_version_that_was(path: Path) -> None:
    """A tag can be moved, and what it names then may ask for the deployment role's token."""
    used = re.findall(r"uses: (?!\./)(.+)", path.read_text("utf-8"))
    assert used
    assert [each for each in used if not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", each)] == []


def test_a_build_is_kept_for_as_long_as_somebody_may_go_back_to_it() -> None:
    """Three quarters of a gigabyte for each tag, which GitHub would keep for ninety days."""
    workflow = yaml.safe_load((ROOT / ".github/workflows/deploy.yml").read_text("utf-8"))
    uploads = [
        each["with"] for each in workflow["jobs"]["build"]["steps"] if "upload-artifact" in each.get("uses", "")
    ]
    kept = {each["name"]: each.get("retention-days", 90) for each in uploads}
    assert kept == {"build": 14, "sbom": 90}
