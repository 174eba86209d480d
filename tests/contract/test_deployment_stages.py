"""The stages, and what is chosen by parameters: sizes, protection, rules about what goes together."""

import math
import re
import tomllib
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from local.files import ROOT
from local.lambda_api.intrinsics import Resolver, StackValues
from local.lambda_api.template import read_functions
from tests.contract.template import FRONTS, RESOURCES, STAGES, TEMPLATE, chosen, references

CONFIGURED = tomllib.loads((ROOT / "samconfig.toml").read_text("utf-8"))


def parameters_of(stage: str) -> dict[str, str]:
    """Without those of files, which a build writes."""
    given = CONFIGURED[stage]["deploy"]["parameters"]["parameter_overrides"]
    return dict(pair.split("=", 1) for pair in given if not pair.startswith("file://"))


def test_production_is_spread_over_zones_protected_and_released_bit_by_bit() -> None:
    production, development = STAGES["prod"], STAGES["dev"]
    assert production["MultiAz"] is True
    assert "Canary" in production["Deployment"]
    assert production["BackupDays"] >= 7 > development["BackupDays"] >= 1


def test_development_is_cheap_and_easily_taken_down_and_staging_is_not() -> None:
    development = STAGES["dev"]
    assert (development["InstanceClass"], development["MultiAz"]) == ("db.t4g.micro", False)
    assert {name: each["SnapStart"] for name, each in STAGES.items()} == {
        "dev": "None",
        "staging": "None",
        "prod": "PublishedVersions",
    }
    protected = {"Fn::And": [{"Condition": "IsNotDev"}, {"Fn::Equals": [{"Ref": "Protected"}, "true"]}]}
    assert TEMPLATE["Conditions"]["IsProtected"] == protected


def test_every_stage_is_configured_under_its_own_name_and_with_parameters_that_exist() -> None:
    assert CONFIGURED.keys() - {"version", "default"} == STAGES.keys()
    for stage in STAGES:
        deploy = dict(CONFIGURED[stage]["deploy"]["parameters"])
        del deploy["parameter_overrides"]
        assert deploy == {
            "stack_name": f"quarry-{stage}",
            "capabilities": "CAPABILITY_IAM",
            "resolve_s3": True,
            # In staging nobody looks on.
            "confirm_changeset": stage != "staging",
            "fail_on_empty_changeset": False,
            "tags": ["project=quarry", f"stage={stage}"],
        }
        assert parameters_of(stage)["Stage"] == stage
        assert parameters_of(stage).keys() <= TEMPLATE["Parameters"].keys()


KEPT = {"dev": (20, 1, 7), "staging": (50, 7, 30), "prod": (100, 30, 90)}
"""By stage the gigabytes of the database at first, and for how many days its backups and the logs are kept."""


def test_a_stage_keeps_backups_and_logs_for_as_long_as_was_decided_and_a_restored_database_does_too() -> None:
    stages = TEMPLATE["Mappings"]["Stages"]
    sizes = {name: (each["StorageGb"], each["BackupDays"], each["LogDays"]) for name, each in stages.items()}
    assert sizes == KEPT
    restore = (ROOT / "docs/RUNBOOK.md").read_text("utf-8")
    assert f"--backup-retention-period {KEPT['prod'][1]} " in restore


MEMORY_GIB = {"db.m7g.large": 8, "db.t4g.medium": 4, "db.t4g.micro": 1}
LEFT_FOR_THE_SYSTEM = 0.92
"""Of an instance's memory RDS counts what its own processes leave (DBInstanceClassMemory)."""
BYTES_PER_CONNECTION = 9_531_392
"""RDS for PostgreSQL's default of max_connections: memory by this, at most 5,000."""
LEFT_FOR_PEOPLE = 0.9
"""Functions may take so much of them: the owner, RDS itself and whoever looks need some."""
ACCOUNT, UNRESERVABLE = 1000, 100
"""Concurrent executions of an account at first, and those that Lambda keeps unreserved."""


def test_what_is_reserved_protects_the_database_and_leaves_the_account_its_share() -> None:
    stack = StackValues(parameters=parameters_of("prod"))
    reserved = {
        spec.logical_id: spec.reserved_concurrency
        for spec in read_functions(ROOT / "template.yaml", stack=stack, built=False).values()
    }
    without = {"PublishTemplates", "GoldenCanary"}
    assert {name for name, most in reserved.items() if most is None} == without
    limits = {name: most for name, most in reserved.items() if most is not None}
    total = sum(limits.values())
    assert total <= ACCOUNT - UNRESERVABLE, (
        f"The {len(limits)} functions of prod reserve {total} executions, an account has {ACCOUNT - UNRESERVABLE} to "
        "reserve: lower FunctionConcurrency in samconfig.toml."
    )
    connections = sum(most for name, most in limits.items() if name not in FRONTS)
    memory = MEMORY_GIB[STAGES["prod"]["InstanceClass"]] * 2**30 * LEFT_FOR_THE_SYSTEM
    room = memory // BYTES_PER_CONNECTION * LEFT_FOR_PEOPLE
    assert connections <= room, (
        f"Prod's functions may open {connections} connections, its database has room for {room:.0f}: lower "
        "FunctionConcurrency in samconfig.toml, or take a larger InstanceClass in template.yaml."
    )


@pytest.mark.parametrize("stage", ["dev", "staging"])
def test_a_small_account_can_take_the_other_stages(stage: str) -> None:
    functions = read_functions(
        ROOT / "template.yaml", stack=StackValues(parameters=parameters_of(stage)), built=False
    )
    assert {spec.reserved_concurrency for spec in functions.values()} == {None}


@pytest.mark.parametrize("stage", ["dev", "staging", "prod"])
def test_connections_alarm_before_a_role_is_refused_some(stage: str) -> None:
    """Migrate gives those who read, and those who write, six tenths of them."""
    most = MEMORY_GIB[STAGES[stage]["InstanceClass"]] * 2**30 * LEFT_FOR_THE_SYSTEM // BYTES_PER_CONNECTION
    assert 0.5 * most <= STAGES[stage]["ConnectionsAlarm"] <= 0.57 * most


@pytest.mark.parametrize("stage", ["dev", "staging", "prod"])
def test_memory_and_credits_alarm_while_there_are_some(stage: str) -> None:
    memory = MEMORY_GIB[STAGES[stage]["InstanceClass"]] * 2**30
    assert 0.04 * memory <= STAGES[stage]["FreeMemoryAlarm"] <= 0.08 * memory
    bursts = ".t4g." in STAGES[stage]["InstanceClass"]
    condition = {"Fn::Not": [{"Fn::Equals": [{"Ref": "Stage"}, "prod"]}]}
    assert TEMPLATE["Conditions"][RESOURCES["DatabaseCreditsAlarm"]["Condition"]] == condition
    assert bursts is (stage != "prod")


CHOICES: dict[str, tuple[str, ...]] = {
    "Stage": ("dev", "staging", "prod"),
    "VpcId": ("", "vpc-1"),
    "DomainName": ("", "mcp.example.com"),
    "WebAclArn": ("", "arn"),
    "ChallengeFunctionArn": ("", "arn"),
}
STACKS = [dict(zip(CHOICES, chosen, strict=True)) for chosen in product(*CHOICES.values())]


def test_whatever_is_made_of_a_stack_names_only_what_is_made_too() -> None:
    for parameters in STACKS:
        resolver = Resolver(TEMPLATE, StackValues(parameters=parameters))
        made = {
            name
            for name, each in RESOURCES.items()
            if "Condition" not in each or resolver.condition(each["Condition"])
        }
        for name in made:
            named = set(references(chosen(RESOURCES[name].get("Properties", {}), resolver))) & RESOURCES.keys()
            assert named <= made, (name, parameters)


def test_a_resource_that_is_about_a_parameter_is_made_only_where_it_is_given() -> None:
    """A budget of nothing, a subscription of nobody."""
    optional = {name for name, each in TEMPLATE["Parameters"].items() if each.get("Default") in ("", 0)}
    for name, resource in RESOURCES.items():
        if not resource["Type"].startswith(("AWS::Serverless::", "AWS::CloudFormation::", "AWS::IAM::")):
            about = set(references(without_choices(resource.get("Properties", {})))) & optional
            assert not about or "Condition" in resource, (name, about)


def test_every_parameter_reaches_something() -> None:
    heard = {*references(RESOURCES), *references(TEMPLATE["Globals"]), *references(TEMPLATE["Conditions"])}
    assert TEMPLATE["Parameters"].keys() - heard == set()


def without_choices(node: object) -> object:
    if isinstance(node, dict):
        return {key: without_choices(value) for key, value in node.items() if key != "Fn::If"}
    return [without_choices(item) for item in node] if isinstance(node, list) else node


REFUSED = {
    "Stage": "test",
    "Release": "latest",
    "Architecture": "arm",
    "DatabaseName": 'a"b',
    "RestoredResourceId": "quarry",
    "EmbeddingDimensions": "2001",
    "Reembed": "yes",
    "AuthMode": "none",
    "RequestsPerAddress": "9",
    "FrontConcurrency": "-1",
    "FunctionConcurrency": "-1",
    "Protected": "yes",
    "Gate": "off",
    "Tracing": "Off",
    "MonthlyBudget": "-1",
}


def takes(parameter: dict[str, Any], value: str) -> bool:
    """Whether CloudFormation lets the value in."""
    if parameter["Type"] == "Number":
        least, most = parameter.get("MinValue", -math.inf), parameter.get("MaxValue", math.inf)
        return bool(least <= float(value) <= most)
    allowed = value in parameter.get("AllowedValues", [value])
    return allowed and re.fullmatch(parameter.get("AllowedPattern", ".*"), value) is not None


@pytest.mark.parametrize(("name", "value"), REFUSED.items(), ids=REFUSED)
def test_a_value_that_no_stack_could_have_is_refused_before_anything_is_made(name: str, value: str) -> None:
    parameter = TEMPLATE["Parameters"][name]
    assert not takes(parameter, value)
    assert takes(parameter, str(parameter["Default"]))


INCOMPLETE = {
    "TokensNeedAnIssuer": {"AuthMode": "oauth"},
    "AnExistingVpcComesWithItsSubnets": {"VpcId": "vpc-1"},
    "ARestoredInstanceComesWithItsSecret": {"RestoredResourceId": "db-A"},
    "ZonesComeInPairs": {"ZoneA": "a"},
    "ADomainComesWithItsCertificate": {"DomainName": "mcp.example.com"},
    "ABudgetTellsSomebody": {"MonthlyBudget": "10"},
}


@pytest.mark.parametrize(("rule", "parameters"), INCOMPLETE.items(), ids=INCOMPLETE)
def test_what_goes_together_is_given_together(rule: str, parameters: dict[str, str]) -> None:
    resolver = Resolver(TEMPLATE, StackValues(parameters=parameters))
    said = TEMPLATE["Rules"][rule]
    assert resolver.value(said.get("RuleCondition", {"Fn::Equals": ["", ""]}))
    assert not all(resolver.value(each["Assert"]) for each in said["Assertions"])
    assert TEMPLATE["Rules"].keys() == {*INCOMPLETE, "RegionsAuthoritiesAreKnown"}


def test_rules_use_functions_that_fit_their_parameters() -> None:
    """Fn::Contains is for lists; over a string CloudFormation refuses the template."""
    lists = {
        name for name, each in TEMPLATE["Parameters"].items() if each["Type"].startswith(("List<", "CommaDelim"))
    }
    assert set(contained(TEMPLATE["Rules"])) <= lists


def contained(node: object) -> Iterator[str]:
    """Parameters that Fn::Contains looks through."""
    if isinstance(node, dict):
        if "Fn::Contains" in node:
            yield from references(node["Fn::Contains"][0])
        for item in node.values():
            yield from contained(item)
    elif isinstance(node, list):
        for item in node:
            yield from contained(item)
