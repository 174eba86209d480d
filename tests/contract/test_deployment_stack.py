"""template.yaml's stack: who may do what, what stands in the network, and what the alarms look at."""

import copy
import tomllib
from collections.abc import Iterator
from graphlib import TopologicalSorter
from typing import Any

import pytest

from local.files import ROOT
from local.lambda_api.intrinsics import Resolver, StackValues, read_template
from local.lambda_api.template import heard_globals, merge_globals, read_functions
from local.transform import as_packaged, transformed
from quarry.observation.metrics import NAMESPACE, Metric

TEMPLATE = read_template(ROOT / "template.yaml")
RESOURCES: dict[str, dict[str, Any]] = TEMPLATE["Resources"]
FRONTS = {"Proxy", "Preview"}
STAGES = TEMPLATE["Mappings"]["Stages"]

AWS_METRICS = {
    "AWS/Lambda": {"Errors", "Throttles"},
    "AWS/RDS": {"CPUUtilization", "CPUCreditBalance", "FreeStorageSpace", "FreeableMemory", "DatabaseConnections"},
    "AWS/SQS": {"ApproximateNumberOfMessagesVisible"},
}
MANAGED = {
    "AWSXRayDaemonWriteAccess",
    "service-role/AWSCodeDeployRoleForLambdaLimited",
    "service-role/AmazonRDSEnhancedMonitoringRole",
}
"""AWS's own for traces, deployments and monitoring: none reads what the stack keeps."""
OWN = {"FunctionLogging", "FunctionNetwork"}
"""The stack's policies that several roles have."""


def of_type(*kinds: str) -> dict[str, dict[str, Any]]:
    return {name: resource for name, resource in RESOURCES.items() if resource["Type"] in kinds}


FUNCTIONS = {
    name: merge_globals(heard_globals(resource, TEMPLATE["Globals"]["Function"]), resource["Properties"])
    for name, resource in of_type("AWS::Serverless::Function").items()
}
EVERY_FUNCTION = pytest.mark.parametrize(("name", "function"), FUNCTIONS.items(), ids=FUNCTIONS)
ROLES = of_type("AWS::IAM::Role")
EVERY_ROLE = pytest.mark.parametrize("role", ROLES.values(), ids=ROLES)


def references(node: object) -> Iterator[str]:
    """Logical ids and pseudo parameters that a value is made of."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "Ref":
                yield value
            elif key == "Fn::GetAtt":
                yield value[0]
            elif key == "Fn::Sub":
                text, names = (value, {}) if isinstance(value, str) else value
                yield from (part.split("}")[0].split(".")[0] for part in text.split("${")[1:])
                yield from references(names)
            else:
                yield from references(value)
    elif isinstance(node, list):
        for item in node:
            yield from references(item)


def statements(role: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for policy in role["Properties"].get("Policies", []):
        for statement in policy["PolicyDocument"]["Statement"]:
            yield statement["Fn::If"][1] if "Fn::If" in statement else statement


@EVERY_FUNCTION
def test_a_function_has_a_role_of_this_stack_and_its_log_group(name: str, function: dict[str, Any]) -> None:
    role, attribute = function["Role"]["Fn::GetAtt"]
    assert (role in ROLES, attribute) == (True, "Arn")
    assert function["LoggingConfig"] == {"LogFormat": "JSON", "LogGroup": {"Ref": "FunctionLogs"}}
    assert function["KmsKeyArn"] == {"Fn::GetAtt": ["Key", "Arn"]}
    assert ("VpcConfig" in function) is (name not in FRONTS)


@EVERY_FUNCTION
def test_a_function_logs_in_as_the_role_that_it_may_connect_as(name: str, function: dict[str, Any]) -> None:
    role = function["Role"]["Fn::GetAtt"][0]
    connects = [statement for statement in statements(ROLES[role]) if statement["Action"] == "rds-db:connect"]
    users = [statement["Resource"]["Fn::Sub"][0].rpartition("/")[2] for statement in connects]
    if name in FRONTS or role in ("MigrationRole", "PublishingRole", "CanaryRole"):
        assert users == []
    else:
        assert users == [function["Environment"]["Variables"]["DB_USER"]]


GATE = RESOURCES["ReleaseGate"]
TOOLS = {
    name
    for name, function in FUNCTIONS.items()
    if not function["Handler"].startswith(("operations.", "proxy.", "approval_page."))
}


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


def test_nothing_waits_for_itself() -> None:
    """CloudFormation refuses a circle, which neither SAM nor cfn-lint sees behind SAM's own resources."""
    resources = transformed(as_packaged(copy.deepcopy(TEMPLATE)), {})["Resources"]
    waits = {}
    for name, resource in resources.items():
        named = resource.get("DependsOn", [])
        waits[name] = {*references(resource), *([named] if isinstance(named, str) else named)} & resources.keys()
    assert len(list(TopologicalSorter(waits).static_order())) == len(resources)


def test_who_is_asked_by_cloudformation_is_asked_once() -> None:
    once = {
        resource["Properties"]["FunctionName"]["Ref"]
        for resource in of_type("AWS::Lambda::EventInvokeConfig").values()
        if (resource["Properties"]["Qualifier"], resource["Properties"]["MaximumRetryAttempts"]) == ("$LATEST", 0)
    }
    asked = of_type("AWS::CloudFormation::CustomResource").values()
    assert once == {resource["Properties"]["ServiceToken"]["Fn::GetAtt"][0] for resource in asked}


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


@EVERY_ROLE
def test_a_role_grants_only_what_belongs_to_this_stack(role: dict[str, Any]) -> None:
    ours = (
        {"AWS::StackName", "AWS::StackId"}
        | {name for name, parameter in TEMPLATE["Parameters"].items() if name.endswith("Secret")}
        | set(RESOURCES)
    )
    for statement in statements(role):
        resources = statement["Resource"] if isinstance(statement["Resource"], list) else [statement["Resource"]]
        for resource in resources:
            assert set(references(resource)) & ours, resource
        actions = statement["Action"] if isinstance(statement["Action"], list) else [statement["Action"]]
        assert not [action for action in actions if "*" in action]


@EVERY_ROLE
def test_a_role_is_for_one_service_and_takes_few_policies_of_awss(role: dict[str, Any]) -> None:
    (trust,) = role["Properties"]["AssumeRolePolicyDocument"]["Statement"]
    assert trust["Principal"].keys() == {"Service"}
    for policy in role["Properties"].get("ManagedPolicyArns", []):
        named = policy.get("Ref") or policy["Fn::Sub"].removeprefix("arn:${AWS::Partition}:iam::aws:policy/")
        assert named in MANAGED | OWN


@EVERY_FUNCTION
def test_a_functions_code_writes_one_log_group_and_touches_no_network_interface(
    name: str, function: dict[str, Any]
) -> None:
    role = ROLES[function["Role"]["Fn::GetAtt"][0]]["Properties"]
    own = {policy["Ref"] for policy in role["ManagedPolicyArns"] if "Ref" in policy}
    assert own == (OWN if name not in FRONTS else {"FunctionLogging"})
    (logs,) = RESOURCES["FunctionLogging"]["Properties"]["PolicyDocument"]["Statement"]
    assert logs["Resource"] == {"Fn::GetAtt": ["FunctionLogs", "Arn"]}
    _, denied = RESOURCES["FunctionNetwork"]["Properties"]["PolicyDocument"]["Statement"]
    # Lambda itself, which makes the interfaces, calls in no function's name.
    in_code = {"Null": {"lambda:SourceFunctionArn": "false"}}
    assert (denied["Effect"], denied["Action"], denied["Condition"]) == ("Deny", "ec2:*", in_code)


def test_who_reads_strangers_files_has_a_role_that_makes_no_keys_and_knows_no_secret() -> None:
    users = {name: each for name, each in FUNCTIONS.items() if each["Role"]["Fn::GetAtt"][0] == "IngestRole"}
    assert users.keys() == {"Ingest"}
    for role in ("IngestRole", "OnboardingRole"):
        actions = {action for each in statements(ROLES[role]) for action in listed(each["Action"])}
        assert "secretsmanager:GetSecretValue" not in actions
    assert FUNCTIONS["ApiKeys"]["Environment"]["Variables"]["DB_USER"] == "quarry_keys"
    assert [name for name, each in FUNCTIONS.items() if each["Role"]["Fn::GetAtt"][0] == "KeysRole"] == ["ApiKeys"]


def test_onboarding_writes_into_inboxes_alone() -> None:
    allowed = {action: each for each in statements(ROLES["OnboardingRole"]) for action in listed(each["Action"])}
    assert allowed["s3:PutObject"]["Resource"]["Fn::Sub"].endswith("/*/inbox/*")
    assert allowed["s3:ListBucket"]["Condition"] == {"StringLike": {"s3:prefix": "*/inbox/*"}}
    users = {each["Handler"] for each in FUNCTIONS.values() if each["Role"]["Fn::GetAtt"][0] == "OnboardingRole"}
    assert users
    assert all(handler.startswith("onboarding.") for handler in users)


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def test_the_front_may_ask_tools_and_the_three_operations_behind_a_request_by_name() -> None:
    (invokes,) = [each for each in statements(ROLES["FrontRole"]) if each["Action"] == "lambda:InvokeFunction"]
    named = {resource["Fn::Sub"].rpartition("${AWS::StackName}-")[2] for resource in invokes["Resource"]}
    asked = {FUNCTIONS[name]["FunctionName"]["Fn::Sub"].rpartition("-")[2] for name in TOOLS}
    assert named == {f"{name}:*" for name in {*asked, "verify_api_key"}}


@pytest.mark.parametrize("alarm", of_type("AWS::CloudWatch::Alarm").values(), ids=of_type("AWS::CloudWatch::Alarm"))
def test_an_alarm_looks_at_a_metric_that_exists_and_tells_somebody(alarm: dict[str, Any]) -> None:
    properties = alarm["Properties"]
    emitted = AWS_METRICS | {NAMESPACE: {str(metric) for metric in Metric}}
    assert properties["MetricName"] in emitted[properties["Namespace"]]
    assert properties["AlarmActions"] == [{"Ref": "Alarms"}]
    assert "TreatMissingData" in properties


def test_what_holds_data_outlives_the_stack() -> None:
    kept = of_type("AWS::S3::Bucket", "AWS::KMS::Key", "AWS::Logs::LogGroup")
    assert {resource["DeletionPolicy"] for resource in kept.values()} == {"RetainExceptOnCreate"}
    assert {resource["UpdateReplacePolicy"] for resource in kept.values()} == {"Retain"}
    assert RESOURCES["Database"]["DeletionPolicy"] == RESOURCES["Database"]["UpdateReplacePolicy"] == "Snapshot"


NAMES = ("BucketName", "LogGroupName", "DBInstanceIdentifier", "AliasName", "TableName", "QueueName", "Name")


def test_a_first_deployment_that_failed_leaves_nothing_whose_name_the_next_one_wants() -> None:
    named = {
        logical_id: resource["DeletionPolicy"]
        for logical_id, resource in RESOURCES.items()
        if "DeletionPolicy" in resource and any(name in resource["Properties"] for name in NAMES)
    }
    assert named.keys() == of_type("AWS::S3::Bucket", "AWS::Logs::LogGroup").keys()
    assert set(named.values()) == {"RetainExceptOnCreate"}


def test_a_release_is_migrated_and_published_before_the_canary_judges_it() -> None:
    assert set(GATE["DependsOn"]) >= {"Migrations", "PublishedTemplates"}
    for name, layer in (("Migrations", "MigrationsLayer"), ("PublishedTemplates", "TemplatesLayer")):
        assert RESOURCES[name]["Properties"]["Release"] == {"Ref": layer}


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
    assert development["SnapStart"] == "None"
    protected = {"Fn::And": [{"Condition": "IsNotDev"}, {"Fn::Equals": [{"Ref": "Protected"}, "true"]}]}
    assert TEMPLATE["Conditions"]["IsProtected"] == protected


@pytest.mark.parametrize("stage", STAGES)
def test_there_are_as_many_ways_to_the_internet_as_zones_that_the_database_stands_in(stage: str) -> None:
    resolver = Resolver(TEMPLATE, StackValues(parameters={"Stage": stage}))
    kinds = ("AWS::EC2::NatGateway", "AWS::EC2::EIP", "AWS::EC2::Instance")
    gateways, addresses, instances = (
        sum(resolver.condition(each["Condition"]) for each in of_type(kind).values()) for kind in kinds
    )
    assert gateways == addresses
    assert gateways + instances == (2 if STAGES[stage]["MultiAz"] else 1)


FIVE_ADDRESSES = 5
"""Elastic IPs that an account may have in a region at first."""


def test_one_account_has_the_addresses_that_all_three_stages_take() -> None:
    assert sum(2 if stage["MultiAz"] else 1 for stage in STAGES.values()) < FIVE_ADDRESSES


GLOBAL_NAMES = (("ViewerAddress", "Name"), ("Dashboard", "DashboardName"))
GLOBAL_BUCKETS = ("TemplateBucket", "DocumentBucket", "IngestBucket", "AccessLogBucket")


def test_two_regions_of_an_account_can_have_a_stack_of_the_same_name() -> None:
    """Names of CloudFront's functions, dashboards, budgets and buckets hold in all regions."""
    names = [RESOURCES[name]["Properties"][key] for name, key in GLOBAL_NAMES]
    names += [RESOURCES[name]["Properties"]["BucketName"] for name in GLOBAL_BUCKETS]
    names.append(RESOURCES["Budget"]["Properties"]["Budget"]["BudgetName"])
    assert [name for name in names if "AWS::Region" not in references(name)] == []


def test_every_stage_is_configured_under_its_own_name_and_with_parameters_that_exist() -> None:
    assert CONFIGURED.keys() - {"version", "default"} == STAGES.keys()
    for stage in STAGES:
        deploy = CONFIGURED[stage]["deploy"]["parameters"]
        assert deploy["stack_name"] == f"quarry-{stage}"
        assert parameters_of(stage)["Stage"] == stage
        assert parameters_of(stage).keys() <= TEMPLATE["Parameters"].keys()


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


def test_events_of_the_database_reach_the_alarms_and_nothing_else_may_publish_there() -> None:
    events = RESOURCES["DatabaseEvents"]["Properties"]
    assert (events["SnsTopicArn"], events["SourceIds"]) == ({"Ref": "Alarms"}, [{"Ref": "Database"}])
    assert {"failover", "failure", "low storage", "maintenance"} <= set(events["EventCategories"])
    (statement,) = RESOURCES["AlarmsPolicy"]["Properties"]["PolicyDocument"]["Statement"]
    services = set(statement["Principal"]["Service"])
    assert services == {"cloudwatch.amazonaws.com", "events.rds.amazonaws.com"}
    (key,) = [
        each
        for each in RESOURCES["Key"]["Properties"]["KeyPolicy"]["Statement"]
        if each["Sid"] == "AlarmsAndEventsPublish"
    ]
    assert services <= set(key["Principal"]["Service"])


def test_the_databases_logs_lie_in_no_group_that_nobody_declares() -> None:
    assert "EnableCloudwatchLogsExports" not in RESOURCES["Database"]["Properties"]
    assert RESOURCES["DatabaseParameters"]["Properties"]["Parameters"]["rds.log_retention_period"] == "10080"


def test_the_zones_of_the_vpc_can_be_named() -> None:
    subnets = {name: each["Properties"]["AvailabilityZone"] for name, each in of_type("AWS::EC2::Subnet").items()}
    zones = {
        letter: {"Fn::If": ["HasZones", {"Ref": f"Zone{letter}"}, {"Fn::Select": [place, {"Fn::GetAZs": ""}]}]}
        for place, letter in enumerate("AB")
    }
    assert subnets == {f"{kind}Subnet{letter}": zones[letter] for kind in ("Public", "Private") for letter in "AB"}


def test_nothing_is_traced_that_nobody_asked_to_be() -> None:
    assert TEMPLATE["Parameters"]["Tracing"]["Default"] == "PassThrough"
    assert {str(each["Tracing"]) for each in FUNCTIONS.values()} == {str({"Ref": "Tracing"})}


def test_in_dev_an_instance_stands_in_for_the_gateway_and_every_way_out_has_one_of_both() -> None:
    for stage in STAGES:
        resolver = Resolver(TEMPLATE, StackValues(parameters={"Stage": stage}))
        assert resolver.condition(RESOURCES["NatInstance"]["Condition"]) is (stage == "dev")
        assert resolver.condition(RESOURCES["NatA"]["Condition"]) is (stage != "dev")
        for route in ("EgressRouteA", "EgressRouteB"):
            ways = {
                name: chosen(RESOURCES[route]["Properties"][name], resolver)
                for name in ("NatGatewayId", "InstanceId")
            }
            way, none = ("InstanceId", "NatGatewayId") if stage == "dev" else ("NatGatewayId", "InstanceId")
            assert ways[none] == {"Ref": "AWS::NoValue"}
            made = RESOURCES[ways[way]["Ref"]]["Condition"]
            assert resolver.condition(made), (stage, route)
    assert RESOURCES["NatInstance"]["Properties"]["SourceDestCheck"] is False


def chosen(node: Any, resolver: Resolver) -> Any:
    """What stands in a stage where the template has Fn::If."""
    while "Fn::If" in node:
        condition, yes, no = node["Fn::If"]
        node = yes if resolver.condition(condition) else no
    return node


def test_the_database_proves_who_it_is() -> None:
    variables = TEMPLATE["Globals"]["Function"]["Environment"]["Variables"]
    assert variables["DB_SSLMODE"] == "verify-full"
    assert RESOURCES["DatabaseParameters"]["Properties"]["Parameters"]["rds.force_ssl"] == "1"


def test_a_first_deployment_that_fails_can_be_deleted() -> None:
    assert TEMPLATE["Parameters"]["Protected"]["Default"] == "false"
    assert RESOURCES["Database"]["Properties"]["DeletionProtection"] == {"Fn::If": ["IsProtected", True, False]}
    assert RESOURCES["Key"]["DeletionPolicy"] == "RetainExceptOnCreate"


def test_another_major_version_of_postgres_is_a_parameter() -> None:
    properties = RESOURCES["Database"]["Properties"]
    assert (properties["EngineVersion"], properties["AllowMajorVersionUpgrade"]) == ({"Ref": "PostgresVersion"}, True)
    assert RESOURCES["DatabaseParameters"]["Properties"]["Family"] == {"Fn::Sub": "postgres${PostgresVersion}"}


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
