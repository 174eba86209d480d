"""`make gateway`: a stack with an Amazon Bedrock AgentCore Gateway whose targets are another stack's functions.

`python -m local.gateway FILE` writes its template, with the schemas of proxy/agentcore.json.
"""

import json
import sys
from pathlib import Path
from typing import Any

from local.files import ROOT

SCHEMAS = ROOT / "proxy/agentcore.json"
PARAMETERS = {
    "Stack": {"Type": "String", "Description": "The stack whose functions are called"},
    "DiscoveryUrl": {
        "Type": "String",
        "AllowedPattern": "https://.+/[.]well-known/openid-configuration",
        "Description": "Of the issuer whose tokens open the gateway",
    },
    "Audience": {"Type": "String", "Description": "What a token's aud has to be"},
}


def gateway_template(tools: list[dict[str, Any]]) -> dict[str, Any]:
    aliases = [_alias(tool["name"]) for tool in tools]
    return {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Description": "Quarry - an AgentCore Gateway before its functions, for one tenant",
        "Parameters": PARAMETERS,
        "Resources": {
            "Role": _role(aliases),
            "Gateway": {
                "Type": "AWS::BedrockAgentCore::Gateway",
                "Properties": {
                    "Name": {"Fn::Sub": "${Stack}-gateway"},
                    "ProtocolType": "MCP",
                    "AuthorizerType": "CUSTOM_JWT",
                    "AuthorizerConfiguration": {
                        "CustomJWTAuthorizer": {
                            "DiscoveryUrl": {"Ref": "DiscoveryUrl"},
                            "AllowedAudience": [{"Ref": "Audience"}],
                        }
                    },
                    "RoleArn": {"Fn::GetAtt": ["Role", "Arn"]},
                },
            },
            **{_logical_id(tool["name"]): _target(tool) for tool in tools},
        },
        "Outputs": {"GatewayUrl": {"Value": {"Fn::GetAtt": ["Gateway", "GatewayUrl"]}}},
    }


def _role(aliases: list[dict[str, str]]) -> dict[str, Any]:
    service = {"Service": "bedrock-agentcore.amazonaws.com"}
    own_account = {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}}
    trust = {"Effect": "Allow", "Principal": service, "Action": "sts:AssumeRole", "Condition": own_account}
    invoke = {"Effect": "Allow", "Action": "lambda:InvokeFunction", "Resource": aliases}
    return {
        "Type": "AWS::IAM::Role",
        "Properties": {
            "AssumeRolePolicyDocument": {"Version": "2012-10-17", "Statement": [trust]},
            "Policies": [
                {"PolicyName": "invoke", "PolicyDocument": {"Version": "2012-10-17", "Statement": [invoke]}}
            ],
        },
    }


def _target(tool: dict[str, Any]) -> dict[str, Any]:
    return {
        "Type": "AWS::BedrockAgentCore::GatewayTarget",
        "Properties": {
            "Name": tool["name"].replace("_", "-"),
            "GatewayIdentifier": {"Fn::GetAtt": ["Gateway", "GatewayIdentifier"]},
            "CredentialProviderConfigurations": [{"CredentialProviderType": "GATEWAY_IAM_ROLE"}],
            "TargetConfiguration": {
                "Mcp": {
                    "Lambda": {
                        "LambdaArn": _alias(tool["name"]),
                        "ToolSchema": {"InlinePayload": [_definition(tool)]},
                    }
                }
            },
        },
    }


def _definition(tool: dict[str, Any]) -> dict[str, Any]:
    return {
        "Name": tool["name"],
        "Description": tool["description"],
        "InputSchema": _schema(tool["inputSchema"]),
        "OutputSchema": _schema(tool["outputSchema"]),
    }


def _schema(schema: dict[str, Any]) -> dict[str, Any]:
    """In CloudFormation's spelling, with the names of properties as they are."""
    made = {key.capitalize(): schema[key] for key in ("type", "description", "required") if key in schema}
    if "properties" in schema:
        made["Properties"] = {name: _schema(each) for name, each in schema["properties"].items()}
    if "items" in schema:
        made["Items"] = _schema(schema["items"])
    return made


def _alias(tool: str) -> dict[str, str]:
    function = f"function:${{Stack}}-{tool}:live"
    return {"Fn::Sub": f"arn:${{AWS::Partition}}:lambda:${{AWS::Region}}:${{AWS::AccountId}}:{function}"}


def _logical_id(tool: str) -> str:
    return "".join(part.capitalize() for part in tool.split("_"))


def main() -> None:
    (target,) = sys.argv[1:]
    tools = json.loads(SCHEMAS.read_text("utf-8"))
    Path(target).write_text(json.dumps(gateway_template(tools), indent=1), "utf-8")


if __name__ == "__main__":
    main()
