"""The stack of `make gateway` against the tools and the stack whose functions it calls."""

import json
from typing import Any

from local.files import ROOT
from local.gateway import SCHEMAS, gateway_template
from local.lambda_api.intrinsics import read_template

TOOLS: list[dict[str, Any]] = json.loads(SCHEMAS.read_text("utf-8"))
RESOURCES: dict[str, dict[str, Any]] = gateway_template(TOOLS)["Resources"]
TARGETS = [
    each["Properties"] for each in RESOURCES.values() if each["Type"] == "AWS::BedrockAgentCore::GatewayTarget"
]


def test_every_tool_is_a_target_of_its_own_with_its_schemas() -> None:
    offered = [each["TargetConfiguration"]["Mcp"]["Lambda"] for each in TARGETS]
    payloads = [each["ToolSchema"]["InlinePayload"] for each in offered]
    assert [[each["Name"] for each in payload] for payload in payloads] == [[tool["name"]] for tool in TOOLS]
    for tool, (payload,) in zip(TOOLS, payloads, strict=True):
        assert payload["InputSchema"]["Properties"].keys() == tool["inputSchema"]["properties"].keys()
        assert payload["InputSchema"].get("Required") == tool["inputSchema"].get("required")


def test_it_may_call_what_it_calls_and_nothing_else() -> None:
    (policy,) = RESOURCES["Role"]["Properties"]["Policies"]
    (statement,) = policy["PolicyDocument"]["Statement"]
    called = [each["TargetConfiguration"]["Mcp"]["Lambda"]["LambdaArn"] for each in TARGETS]
    assert (statement["Action"], statement["Resource"]) == ("lambda:InvokeFunction", called)


def test_it_calls_functions_of_the_stack_by_their_live_alias() -> None:
    functions = {
        resource["Properties"]["FunctionName"]["Fn::Sub"].removeprefix("${AWS::StackName}-")
        for resource in read_template(ROOT / "template.yaml")["Resources"].values()
        if resource["Type"] == "AWS::Serverless::Function"
    }
    for each in TARGETS:
        arn = each["TargetConfiguration"]["Mcp"]["Lambda"]["LambdaArn"]["Fn::Sub"]
        _, _, name = arn.partition("${Stack}-")
        assert name.removesuffix(":live") in functions
        assert name.endswith(":live")
