"""template.yaml's order: what a release waits for, who judges it, and what takes it back."""

import copy
from graphlib import TopologicalSorter

from local.transform import as_packaged, transformed
from tests.contract.template import (
    FUNCTIONS,
    RESOURCES,
    STAGES,
    TEMPLATE,
    TOOLS,
    listed,
    of_type,
    references,
)

GATE = RESOURCES["ReleaseGate"]


def test_every_tools_version_waits_for_one_verdict_that_waits_for_what_it_judges() -> None:
    described = {name for name, each in FUNCTIONS.items() if each.get("VersionDescription") == {"Ref": "ReleaseGate"}}
    assert described == TOOLS
    assert set(GATE["DependsOn"]) >= {*TOOLS, "Preview", "VerifyApiKey", "Migrations", "PublishedTemplates"}
    assert GATE["Properties"]["Release"] == {"Ref": "Release"}


def test_what_is_live_is_judged_once_more_when_every_tool_is_and_watched_by_the_alarm_of_the_release() -> None:
    watch = RESOURCES["ReleaseWatch"]["Properties"]
    assert {each["Ref"] for each in watch["Live"]} == {f"{name}.Alias" for name in TOOLS}
    assert (watch["ServiceToken"], watch["Release"]) == (GATE["Properties"]["ServiceToken"], {"Ref": "Release"})
    assert watch["Alarm"] == {"Ref": "ReleaseErrorsAlarm"}
    seconds = {stage: values["WatchSeconds"] for stage, values in STAGES.items()}
    timeout = FUNCTIONS["GoldenCanary"]["Timeout"]
    assert 0 == seconds["dev"] < seconds["staging"] < seconds["prod"] <= timeout / 2


def test_every_alias_moves_at_once_behind_the_gate_but_the_fronts() -> None:
    """Forty deployments at once CodeDeploy would throttle; a tenth of a quiet tool's calls is none."""
    assert "DeploymentPreference" not in TEMPLATE["Globals"]["Function"]
    assert [name for name, each in FUNCTIONS.items() if "DeploymentPreference" in each] == ["Proxy"]


def test_what_the_gate_does_not_judge_waits_for_the_migrations_by_itself() -> None:
    exempt = {"Migrate", "PublishTemplates", "GoldenCanary", "Preview"}
    for name in FUNCTIONS.keys() - TOOLS - exempt:
        waits = RESOURCES[name]["DependsOn"]
        assert "Migrations" in ([waits] if isinstance(waits, str) else waits), name


def test_a_release_is_migrated_and_published_before_the_canary_judges_it() -> None:
    assert set(GATE["DependsOn"]) >= {"Migrations", "PublishedTemplates"}
    for name, layer in (("Migrations", "MigrationsLayer"), ("PublishedTemplates", "TemplatesLayer")):
        assert RESOURCES[name]["Properties"]["Release"] == {"Ref": layer}


def test_the_gate_waits_until_its_canary_is_answered_once_alone() -> None:
    assert "GoldenCanaryOnce" in listed(RESOURCES["ReleaseGate"]["DependsOn"])


def test_who_is_asked_by_cloudformation_is_asked_once() -> None:
    once = {
        resource["Properties"]["FunctionName"]["Ref"]
        for resource in of_type("AWS::Lambda::EventInvokeConfig").values()
        if (resource["Properties"]["Qualifier"], resource["Properties"]["MaximumRetryAttempts"]) == ("$LATEST", 0)
    }
    asked = of_type("AWS::CloudFormation::CustomResource").values()
    assert once == {resource["Properties"]["ServiceToken"]["Fn::GetAtt"][0] for resource in asked}


def test_cloudformation_waits_for_an_answer_until_its_function_is_sure_to_have_ended() -> None:
    for name, resource in of_type("AWS::CloudFormation::CustomResource").items():
        asked = resource["Properties"]["ServiceToken"]["Fn::GetAtt"][0]
        assert resource["Properties"]["ServiceTimeout"] == FUNCTIONS[asked]["Timeout"] + 30, name


def test_a_release_is_taken_back_for_errors_of_its_own_alone() -> None:
    stoppers = {alarm["Ref"] for alarm in FUNCTIONS["Proxy"]["DeploymentPreference"]["Alarms"]}
    assert stoppers == {"ReleaseErrorsAlarm", "FrontReleaseErrorsAlarm"}
    of_release = {"Name": "Release", "Value": {"Ref": "Release"}}
    assert of_release in RESOURCES["ReleaseErrorsAlarm"]["Properties"]["Dimensions"]
    of_version = {"Name": "ExecutedVersion", "Value": {"Fn::GetAtt": ["Proxy", "Version.Version"]}}
    assert of_version in RESOURCES["FrontReleaseErrorsAlarm"]["Properties"]["Dimensions"]
    # The front counts for the release what dies before its own handler can.
    for variables in (TEMPLATE["Globals"]["Function"], FUNCTIONS["Proxy"]):
        named = variables["Environment"]["Variables"]
        assert (named["RELEASE"], named["STACK"]) == ({"Ref": "Release"}, {"Ref": "AWS::StackName"})


def test_nothing_waits_for_itself() -> None:
    """CloudFormation refuses a circle, which neither SAM nor cfn-lint sees behind SAM's own resources."""
    resources = transformed(as_packaged(copy.deepcopy(TEMPLATE)), {})["Resources"]
    waits = {}
    for name, resource in resources.items():
        named = resource.get("DependsOn", [])
        waits[name] = {*references(resource), *([named] if isinstance(named, str) else named)} & resources.keys()
    assert len(list(TopologicalSorter(waits).static_order())) == len(resources)


def test_what_has_a_public_address_waits_for_the_gateway_to_the_internet() -> None:
    for name in (*of_type("AWS::EC2::EIP"), "PublicRoute"):
        assert RESOURCES[name]["DependsOn"] == "InternetGatewayAttachment"
    assert set(RESOURCES["NatInstance"]["DependsOn"]) == {"PublicRoute", "PublicRoutesA"}


def test_what_is_needed_before_it_is_named_nowhere_is_waited_for() -> None:
    """A function may connect before its network's rules are there, a bucket not announce its files yet."""
    assert set(RESOURCES["Migrations"]["DependsOn"]) == {"FunctionToDatabase", "DatabaseFromFunction", "MigrateOnce"}
    assert set(RESOURCES["PublishedTemplates"]["DependsOn"]) == {"TemplateBucketPolicy", "PublishTemplatesOnce"}
    assert RESOURCES["IngestBucket"]["DependsOn"] == "IngestPermission"
    assert RESOURCES["DatabaseEvents"]["DependsOn"] == "AlarmsPolicy"
