"""template.yaml's policies: what each role may do, who takes it, and who else is let in."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.contract.template import (
    EVERY_FUNCTION,
    EVERY_ROLE,
    FRONTS,
    FUNCTIONS,
    PROPERTIES,
    RESOURCES,
    ROLES,
    TEMPLATE,
    TOOLS,
    listed,
    of_type,
    references,
    statements,
)

MANAGED = {
    "AWSXRayDaemonWriteAccess",
    "service-role/AWSCodeDeployRoleForLambdaLimited",
    "service-role/AmazonRDSEnhancedMonitoringRole",
}
"""AWS's own for traces, deployments and monitoring: none reads what the stack keeps."""
OWN = {"FunctionLogging", "FunctionNetwork"}
"""The stack's policies that several roles have."""


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


@pytest.mark.parametrize("role", ROLES)
def test_a_role_is_taken_by_its_service_and_by_no_other_action(role: str) -> None:
    (trust,) = PROPERTIES[role]["AssumeRolePolicyDocument"]["Statement"]
    assert (trust["Effect"], trust["Action"]) == ("Allow", "sts:AssumeRole")


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


def test_the_front_may_ask_tools_and_the_three_operations_behind_a_request_by_name() -> None:
    (invokes,) = [each for each in statements(ROLES["FrontRole"]) if each["Action"] == "lambda:InvokeFunction"]
    named = {resource["Fn::Sub"].rpartition("${AWS::StackName}-")[2] for resource in invokes["Resource"]}
    asked = {FUNCTIONS[name]["FunctionName"]["Fn::Sub"].rpartition("-")[2] for name in TOOLS}
    assert named == {f"{name}:*" for name in {*asked, "verify_api_key"}}


def documents(node: object) -> Iterator[dict[str, Any]]:
    """Every policy of the template, wherever it stands."""
    if isinstance(node, dict):
        if "Statement" in node and "Version" in node:
            yield node
        for value in node.values():
            yield from documents(value)
    elif isinstance(node, list):
        for item in node:
            yield from documents(item)


ALL_STATEMENTS = [
    (name, each["Fn::If"][1] if "Fn::If" in each else each)
    for name, resource in RESOURCES.items()
    for document in documents(resource)
    for each in document["Statement"]
]


def test_nobody_is_everybody_and_no_action_is_all_but_where_something_is_refused() -> None:
    """But the key's own policy, by which the account says by IAM who uses it."""
    allowing = [(name, each) for name, each in ALL_STATEMENTS if each["Effect"] == "Allow"]
    assert [name for name, each in allowing if each.get("Principal") in ("*", {"AWS": "*"})] == []
    all_of_a_service = {name for name, each in allowing for action in listed(each["Action"]) if action.endswith(":*")}
    assert all_of_a_service == {"Key"}
    assert {name for name, each in allowing if each.get("Resource") == "*"} == {"Key", "FunctionNetwork"}
    assert {name for name, each in ALL_STATEMENTS if each["Effect"] == "Deny"} == {
        *of_type("AWS::S3::BucketPolicy"),
        "FunctionNetwork",
    }


def test_a_service_that_works_for_others_too_does_so_here_for_this_account_alone() -> None:
    """Lambda and CodeDeploy take a role only where the account's own people passed it."""
    own = {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}
    passed = {"lambda.amazonaws.com", "edgelambda.amazonaws.com", "codedeploy.amazonaws.com"}
    for name, each in ALL_STATEMENTS:
        service = each.get("Principal", {}).get("Service") if isinstance(each.get("Principal"), dict) else None
        if isinstance(service, dict):  # CloudWatch's logs, by the group that they are of
            assert each["Condition"]["ArnLike"].keys() == {"kms:EncryptionContext:aws:logs:arn"}
        elif service and not set(listed(service)) <= passed:
            assert each["Condition"] == {"StringEquals": own}, name
    permission = PROPERTIES["IngestPermission"]
    assert (permission["Principal"], permission["Action"]) == ("s3.amazonaws.com", "lambda:InvokeFunction")
    assert (permission["SourceAccount"], "SourceArn" in permission) == ({"Ref": "AWS::AccountId"}, True)


MAKES_DATA = {"s3:PutObject", "sqs:SendMessage", "sns:Publish"}


@pytest.mark.parametrize("role", [name for name, each in ROLES.items() if "Policies" in each["Properties"]])
def test_a_role_may_use_the_key_as_far_as_what_it_reads_and_writes_asks_for_it(role: str) -> None:
    held = {action for each in statements(ROLES[role]) for action in listed(each["Action"])}
    wanted = {"kms:Decrypt"} | ({"kms:GenerateDataKey"} if held & MAKES_DATA else set())
    assert {action for action in held if action.startswith("kms:")} == wanted


def test_functions_in_the_network_keep_what_failed_and_may_send_it() -> None:
    queue = {"Fn::GetAtt": ["FailedEvents", "Arn"]}
    for name, function in FUNCTIONS.items():
        role = function["Role"]["Fn::GetAtt"][0]
        sends = [each["Resource"] for each in statements(ROLES[role]) if each["Action"] == "sqs:SendMessage"]
        kept = {"Type": "SQS", "TargetArn": queue} if name not in FRONTS else None
        assert (function.get("DeadLetterQueue"), sends) == (kept, [queue] if kept else []), name
