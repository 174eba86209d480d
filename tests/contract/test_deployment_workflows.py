"""The workflows that deploy: what goes on to the next stage, whose code runs in them, and with which rights."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from local.files import ROOT
from local.lambda_api.intrinsics import read_template

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


ROLES = {
    name: resource["Properties"]
    for name, resource in read_template(ROOT / ".github/deployer.yaml")["Resources"].items()
    if resource["Type"] == "AWS::IAM::Role"
}


@pytest.mark.parametrize(("job", "role"), [("plan", "PlanRole"), ("deploy", "DeployRole")])
def test_a_job_takes_a_role_that_trusts_its_environment_of_this_repository_alone(job: str, role: str) -> None:
    (trust,) = ROLES[role]["AssumeRolePolicyDocument"]["Statement"]
    environment = STAGE["jobs"][job]["environment"].replace("${{ inputs.stage }}", "${Stage}")
    assert trust["Condition"] == {
        "StringEquals": {
            "token.actions.githubusercontent.com:aud": "sts.amazonaws.com",
            "token.actions.githubusercontent.com:sub": {"Fn::Sub": f"repo:${{Repository}}:environment:{environment}"},
        }
    }


def test_what_shows_a_change_set_can_execute_none_and_nobody_but_cloudformation_makes_resources() -> None:
    plan = json.dumps(ROLES["PlanRole"]["Policies"])
    assert "cloudformation:CreateChangeSet" in plan
    assert not re.search(r"Execute|UpdateStack|CreateStack|DeleteStack|lambda:|SetStackPolicy", plan)
    (trust,) = ROLES["ExecutionRole"]["AssumeRolePolicyDocument"]["Statement"]
    assert trust["Principal"] == {"Service": "cloudformation.amazonaws.com"}
    statements = ROLES["ExecutionRole"]["Policies"][0]["PolicyDocument"]["Statement"]
    refused = [each for each in statements if each["Effect"] == "Deny"]
    assert [each["Resource"]["Fn::Sub"].rpartition("/")[2] for each in refused] == ["quarry-${Stage}-deployer*"]
    commands = [step.get("run", "") for job in STAGE["jobs"].values() for step in job["steps"]]
    deployments = [each for each in commands if "make deploy-built" in each]
    assert len(deployments) == 2
    assert all("--role-arn $EXECUTION_ROLE" in each for each in deployments)


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
