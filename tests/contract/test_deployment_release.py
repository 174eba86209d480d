"""A release reaches the alias `live`: what SAM's own transform makes of template.yaml for one release and another."""

import copy
import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from botocore.exceptions import ClientError

from local.files import ROOT
from local.lambda_api.intrinsics import read_template
from local.release import BUILD, FILE, PROTECTION_FILE, contents_of, guard, is_standing, release_of
from local.transform import TEMPLATE, as_packaged, transformed

PACKAGED = as_packaged(read_template(TEMPLATE))


def live_versions(change: Callable[[dict[str, Any]], object] = lambda _: None, **parameters: str) -> dict[str, str]:
    """Logical id of the version that each alias leads to, which is another one if and only if one is published."""
    template = copy.deepcopy(PACKAGED)
    change(template)
    return {
        name: resource["Properties"]["FunctionVersion"]["Fn::GetAtt"][0]
        for name, resource in transformed(template, parameters)["Resources"].items()
        if resource["Type"] == "AWS::Lambda::Alias"
    }


def another_layer(template: dict[str, Any]) -> None:
    template["Resources"]["QuarryLayer"]["Properties"]["ContentUri"] = "s3://artefacts/changed"


def another_function(template: dict[str, Any]) -> None:
    template["Resources"]["GetQuote"]["Properties"]["CodeUri"] = "s3://artefacts/changed"


CHANGES: list[tuple[Callable[[dict[str, Any]], object], dict[str, str]]] = [
    (another_layer, {}),
    (another_function, {}),
    (lambda _: None, {"EmbeddingModel": "text-embedding-3-large"}),
    (lambda _: None, {"CanarySecret": "quarry/canary"}),
]


@pytest.mark.parametrize(("change", "parameters"), CHANGES, ids=["layer", "function", "parameter", "secret"])
def test_whatever_changes_is_published_everywhere_under_its_new_name_and_nowhere_under_the_old(
    change: Callable[[dict[str, Any]], object], parameters: dict[str, str]
) -> None:
    former = live_versions(Release="0123456789")
    assert live_versions(change, **parameters, Release="0123456789") == former
    later = live_versions(change, **parameters, Release="012345678a")
    assert former.keys() == later.keys()
    assert [alias for alias in former if former[alias] == later[alias]] == []


def test_another_release_is_a_new_version_of_every_function_with_an_alias() -> None:
    former, later = live_versions(Release="0123456789"), live_versions(Release="012345678a")
    assert len(former) > 40
    assert former.keys() == later.keys()
    assert [alias for alias in former if former[alias] == later[alias]] == []


def test_the_same_release_is_no_new_version_of_any() -> None:
    assert live_versions(Release="0123456789") == live_versions(Release="0123456789")


DEPLOYED = {
    name: resource
    for name, resource in read_template(TEMPLATE)["Resources"].items()
    if resource["Type"] in ("AWS::Serverless::Function", "AWS::Serverless::LayerVersion")
}


@pytest.fixture
def build(tmp_path: Path) -> Path:
    """What `sam build` leaves of template.yaml: built content beside its template, all else where it was."""
    folder = tmp_path / ".aws-sam" / "build"
    resources = {}
    for name, resource in DEPLOYED.items():
        kind = "CodeUri" if resource["Type"].endswith("Function") else "ContentUri"
        built = kind == "CodeUri" or "BuildMethod" in resource.get("Metadata", {})
        place = name if built else f"../../{resource['Properties'][kind]}"
        resources[name] = {"Type": resource["Type"], "Properties": {kind: place}}
        (folder / place).mkdir(parents=True, exist_ok=True)
        (folder / place / "content").write_text(name, "utf-8")
    (folder / "template.yaml").write_text(yaml.safe_dump({"Resources": resources}), "utf-8")
    return folder


def test_a_release_is_named_as_the_parameter_wants_it(build: Path) -> None:
    parameter = read_template(TEMPLATE)["Parameters"]["Release"]
    assert re.fullmatch(parameter["AllowedPattern"], release_of(build, configuration=b""))
    assert re.fullmatch(parameter["AllowedPattern"], parameter["Default"])


@pytest.mark.parametrize("name", DEPLOYED)
def test_a_changed_or_added_file_of_any_function_or_layer_is_another_release(build: Path, name: str) -> None:
    former = release_of(build, configuration=b"")
    content = contents_of(build)[name]
    (content / "added").write_text("", "utf-8")
    added = release_of(build, configuration=b"")
    (content / "content").write_text("changed", "utf-8")
    assert len({former, added, release_of(build, configuration=b"")}) == 3


def test_migrations_templates_and_golden_cases_are_content_though_nothing_builds_them(build: Path) -> None:
    outside = {path.relative_to(build.parents[1]).as_posix() for path in contents_of(build).values()} & {
        *("migrations", "templates", "tests/golden")
    }
    assert len(outside) == 3


def test_a_changed_template_is_another_release(build: Path) -> None:
    former = release_of(build, configuration=b"")
    with (build / "template.yaml").open("a", encoding="utf-8") as template:
        template.write("Metadata: {}\n")
    assert release_of(build, configuration=b"") != former


def test_a_changed_parameter_is_another_release(build: Path) -> None:
    former = release_of(build, configuration=b'["Stage=prod"]')
    assert release_of(build, configuration=b'["Stage=prod", "CanarySecret=quarry/canary"]') != former


def test_the_same_build_is_the_same_release_whatever_its_bytecode_and_its_own_name(build: Path) -> None:
    former = release_of(build, configuration=b"")
    (build / "GetQuote/get_quote.pyc").write_bytes(b"compiled")
    (build / FILE).write_text(f'Release = "{former}"', "utf-8")
    (build / PROTECTION_FILE).write_text('Protected = "true"', "utf-8")
    assert release_of(build, configuration=b"") == former


def test_the_same_build_deployed_twice_is_no_failure_in_any_stage() -> None:
    configured = tomllib.loads((ROOT / "samconfig.toml").read_text("utf-8"))
    for stage in read_template(TEMPLATE)["Mappings"]["Stages"]:
        assert configured[stage]["deploy"]["parameters"]["fail_on_empty_changeset"] is False


def test_every_stage_is_deployed_with_the_name_that_the_build_wrote() -> None:
    configured = tomllib.loads((ROOT / "samconfig.toml").read_text("utf-8"))
    stages = read_template(TEMPLATE)["Mappings"]["Stages"]
    written = {f"file://{(BUILD / name).relative_to(ROOT).as_posix()}" for name in (FILE, PROTECTION_FILE)}
    for stage in stages:
        assert written <= set(configured[stage]["deploy"]["parameters"]["parameter_overrides"])


class Described:
    """CloudFormation with one stack, or without any."""

    def __init__(self, status: str | None) -> None:
        self._status = status

    def describe_stacks(self, *, StackName: str) -> dict[str, Any]:  # noqa: N803 - boto3's
        if self._status is None:
            refusal = {"Error": {"Code": "ValidationError", "Message": f"Stack {StackName} does not exist"}}
            raise ClientError(refusal, "DescribeStacks")
        return {"Stacks": [{"StackStatus": self._status}]}


@pytest.mark.parametrize(
    ("status", "standing"),
    [
        (None, False),
        ("REVIEW_IN_PROGRESS", False),
        ("ROLLBACK_COMPLETE", False),
        ("CREATE_COMPLETE", True),
        ("UPDATE_COMPLETE", True),
        ("UPDATE_ROLLBACK_COMPLETE", True),
    ],
)
def test_a_stack_is_protected_once_it_was_created_to_the_end(status: str | None, standing: bool) -> None:
    assert is_standing(Described(status), "quarry-prod") is standing


class Guarded:
    """CloudFormation, as far as it takes a stack's policy."""

    def set_stack_policy(self, *, StackName: str, StackPolicyBody: str) -> None:  # noqa: N803 - boto3's
        self.name, self.statements = StackName, json.loads(StackPolicyBody)["Statement"]


def test_no_update_puts_something_empty_in_the_place_of_what_holds_data() -> None:
    """A property that CloudFormation can change only by replacement would make a new, empty database."""
    cloudformation = Guarded()
    guard(cloudformation, "quarry-prod", read_template(TEMPLATE)["Resources"])
    refused, allowed = cloudformation.statements
    assert (refused["Effect"], refused["Action"]) == ("Deny", ["Update:Replace", "Update:Delete"])
    assert {name.removeprefix("LogicalResourceId/") for name in refused["Resource"]} >= {
        *("Database", "Key", "FunctionLogs", "TemplateBucket", "DocumentBucket", "IngestBucket", "AccessLogBucket")
    }
    assert (allowed["Effect"], allowed["Action"], allowed["Resource"]) == ("Allow", "Update:*", "*")


def test_a_deployment_guards_its_stack_and_a_change_set_that_is_only_shown_does_not() -> None:
    recipe = (ROOT / "Makefile").read_text("utf-8").partition("\ndeploy-built:")[2].partition("\n\n")[0]
    (line,) = [each for each in recipe.splitlines() if "--guard" in each]
    assert line.startswith("\t@$(if $(findstring --no-execute-changeset,$(ARGS)),,")
