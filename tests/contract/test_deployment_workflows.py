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
    (refused,) = [each for each in statements if each["Effect"] == "Deny"]
    assert refused["Action"] == "iam:*"
    own = [each["Fn::Sub"].rpartition(":")[2] for each in refused["Resource"]]
    assert own == ["role/quarry-${Stage}-deployer*", "policy/quarry-${Stage}-deployer*"]
    commands = [step.get("run", "") for job in STAGE["jobs"].values() for step in job["steps"]]
    deployments = [each for each in commands if "make deploy-built" in each]
    assert len(deployments) == 2
    assert all("--role-arn $EXECUTION_ROLE" in each for each in deployments)


MADE_BY = {
    "AWS::IAM::Role": {
        f"iam:{name}"
        for name in (
            *("CreateRole", "DeleteRole", "GetRole", "UpdateRole", "TagRole", "UntagRole", "UpdateAssumeRolePolicy"),
            *("AttachRolePolicy", "DetachRolePolicy", "ListAttachedRolePolicies"),
            *("PutRolePolicy", "DeleteRolePolicy", "GetRolePolicy", "ListRolePolicies"),
        )
    },
    "AWS::IAM::ManagedPolicy": {
        f"iam:{name}"
        for name in (
            *("CreatePolicy", "DeletePolicy", "GetPolicy"),
            *("CreatePolicyVersion", "DeletePolicyVersion", "GetPolicyVersion", "ListPolicyVersions"),
        )
    },
}
"""What CloudFormation asks of IAM for each type; all other services' are in PowerUserAccess."""


def test_cloudformation_may_make_what_the_stack_has_of_iam_and_no_other() -> None:
    kinds = {each["Type"] for each in read_template(ROOT / "template.yaml")["Resources"].values()}
    assert {kind for kind in kinds if kind.startswith("AWS::IAM::")} == MADE_BY.keys()
    makes = {}
    for each in ROLES["ExecutionRole"]["Policies"][0]["PolicyDocument"]["Statement"]:
        if each["Effect"] == "Allow" and each["Action"] != "iam:PassRole":
            makes[each["Resource"]["Fn::Sub"].rpartition(":")[2]] = set(each["Action"])
    assert makes == {
        "role/quarry-${Stage}-*": MADE_BY["AWS::IAM::Role"],
        "policy/quarry-${Stage}-*": MADE_BY["AWS::IAM::ManagedPolicy"],
    }


DEPLOYER: dict[str, Any] = read_template(ROOT / ".github/deployer.yaml")["Resources"]


def deployers_statements() -> list[dict[str, Any]]:
    inline = [policy["PolicyDocument"] for role in ROLES.values() for policy in role["Policies"]]
    return [each for document in (*inline, UPLOADS) for each in document["Statement"]]


UPLOADS: dict[str, Any] = DEPLOYER["Uploads"]["Properties"]["PolicyDocument"]


def test_a_role_is_passed_to_the_service_that_it_is_for_and_a_build_goes_into_this_accounts_bucket() -> None:
    for each in deployers_statements():
        actions = each["Action"] if isinstance(each["Action"], list) else [each["Action"]]
        assert each["Effect"] == "Deny" or not [action for action in actions if action.endswith("*")]
        if "iam:PassRole" in actions:
            assert each["Condition"]["StringEquals"].keys() == {"iam:PassedToService"}
        if actions[0].startswith("s3:"):
            assert each["Condition"] == {"StringEquals": {"aws:ResourceAccount": {"Ref": "AWS::AccountId"}}}
        everything = each["Resource"] == "*"
        assert everything is (actions == ["cloudformation:GetTemplateSummary"]), "which looks at a text alone"


def test_a_role_of_the_deployer_is_taken_by_githubs_token_or_by_cloudformation() -> None:
    for name, role in ROLES.items():
        (trust,) = role["AssumeRolePolicyDocument"]["Statement"]
        by_token = "Federated" in trust["Principal"]
        assert trust["Action"] == ("sts:AssumeRoleWithWebIdentity" if by_token else "sts:AssumeRole")
        assert by_token is (name != "ExecutionRole")
        assert by_token or trust["Condition"] == {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}}


def test_a_workflow_reads_the_repository_and_what_deploys_asks_for_a_token_besides() -> None:
    for path in WORKFLOWS:
        rights = yaml.safe_load(path.read_text("utf-8"))["permissions"]
        deploys = {"id-token": "write"} if path.stem.startswith("deploy") else {}
        assert rights == {"contents": "read", **deploys}, path.stem


def test_a_job_ends_and_what_fails_in_it_fails_it() -> None:
    for path in WORKFLOWS:
        for job in yaml.safe_load(path.read_text("utf-8"))["jobs"].values():
            assert "uses" in job or 0 < job["timeout-minutes"] <= 90
            assert not [each for each in job.get("steps", []) if "|| true" in each.get("run", "")]
            assert not [each for each in job.get("steps", []) if each.get("continue-on-error")]


@pytest.mark.parametrize("job", ["plan", "deploy"])
def test_what_is_deployed_is_the_build_that_was_tested(job: str) -> None:
    steps = STAGE["jobs"][job]["steps"]
    used = [each["uses"].partition("@")[0] for each in steps if "uses" in each]
    wanted = ("checkout", "setup-python", "download-artifact", "configure-aws-credentials")
    assert [name.rpartition("/")[2] for name in used] == list(wanted)
    assert {"STAGE", "EXECUTION_ROLE"} == STAGE["jobs"][job]["env"].keys()


def test_stages_are_deployed_one_after_another_and_each_once_seen() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/deploy.yml").read_text("utf-8"))
    assert {name: each.get("needs") for name, each in workflow["jobs"].items()} == {
        "build": None,
        "dev": "build",
        "staging": "dev",
        "prod": "staging",
    }
    assert {name: each["with"] for name, each in workflow["jobs"].items() if name != "build"} == {
        stage: {"stage": stage} for stage in ("dev", "staging", "prod")
    }
    assert workflow["concurrency"] == "deploy"
    assert STAGE["jobs"]["deploy"]["needs"] == "plan"
    commands = [each["run"] for each in workflow["jobs"]["build"]["steps"] if "run" in each]
    assert commands == ["make validate deployable", "make sbom ARCHITECTURE=arm64"]


@pytest.mark.parametrize(("name", "command"), [("ci", ".ci/run"), ("emulated", "make emulated")])
def test_what_checks_a_change_runs_the_command_on_what_was_checked_out(name: str, command: str) -> None:
    (job,) = yaml.safe_load((ROOT / f".github/workflows/{name}.yml").read_text("utf-8"))["jobs"].values()
    checkout, python, run = job["steps"]
    assert [each["uses"].partition("@")[0] for each in (checkout, python)] == [
        "actions/checkout",
        "actions/setup-python",
    ]
    assert run == {"run": command}


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
