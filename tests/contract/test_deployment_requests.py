"""What functions asked of AWS in `make emulated`, judged by moto's IAM under the policies of the template."""

import json
from typing import Any

import pytest
from moto.iam.access_control import IAMPolicy, PermissionResult

from local.files import ROOT
from local.lambda_api.intrinsics import NO_VALUE, Resolver, StackValues, UnresolvableError, read_template
from tests.contract.template import references
from tests.emulated.rights import EXCUSES, Request, examples, faults, granted
from tests.emulated.stack import NAME

TEMPLATE = read_template(ROOT / "template.yaml")
PARAMETERS = {"OpenAiSecret": "quarry/openai", "CanarySecret": "quarry/canary"}
RESOLVER = Resolver(TEMPLATE, StackValues(name=NAME, parameters=PARAMETERS))
KNOWN = {"AWS::Partition", "AWS::Region", "AWS::AccountId"}
ROLES = [name for name, resource in TEMPLATE["Resources"].items() if resource["Type"] == "AWS::IAM::Role"]


class AsWritten(dict[str, str]):
    """What a deployment names stays ``{Name}``."""

    def __missing__(self, name: str) -> str:
        return f"{{{name}}}"


ASKED = examples(AsWritten())


def policies(role: str) -> list[dict[str, Any]]:
    return [
        resolved(each["PolicyDocument"]) for each in TEMPLATE["Resources"][role]["Properties"].get("Policies", [])
    ]


def resolved(node: Any) -> Any:
    """The node with the names of a stack, and ``{Name}`` for what only a deployment names."""
    try:
        return RESOLVER.value(node)
    except UnresolvableError:
        if isinstance(node, list):
            return [item for item in map(resolved, node) if item is not NO_VALUE]
        if not {"Ref", "Fn::GetAtt", "Fn::Sub", "Fn::If"} & node.keys():
            return {key: resolved(item) for key, item in node.items()}
        if "Fn::If" in node:
            condition, positive, negative = node["Fn::If"]
            return resolved(positive if RESOLVER.condition(condition) else negative)
        if isinstance(node.get("Fn::Sub"), list):
            text, names = node["Fn::Sub"]
            return RESOLVER.value({"Fn::Sub": [text, {name: resolved(value) for name, value in names.items()}]})
        if node == {"Fn::GetAtt": ["Database", "DbiResourceId"]}:
            return "{DatabaseId}"
        (name, *_) = (name for name in references(node) if name not in KNOWN)
        return f"{{{name.removeprefix('AWS::')}}}"


def permitted(request: Request, documents: list[dict[str, Any]]) -> bool:
    """As moto judges a call; its patterns are regular expressions, in which ? is another sign."""
    texts = [json.dumps(document).replace("??????", "......") for document in documents]
    verdicts = {IAMPolicy(text).is_action_permitted(request.action, request.resource) for text in texts}
    return verdicts == {PermissionResult.PERMITTED}


@pytest.mark.parametrize("role", sorted({each.role for each in ASKED}))
def test_what_a_function_asked_for_it_may_have(role: str) -> None:
    asked = [each for each in ASKED if each.role == role]
    assert asked == [each for each in asked if permitted(each, policies(role))]


@pytest.mark.parametrize("role", sorted({each.role for each in ASKED}))
def test_without_the_right_it_may_not(role: str) -> None:
    """A judge that permits everything would pass the test above."""
    for request in (each for each in ASKED if each.role == role):
        kept = [right for document in policies(role) for right in granted(role, document) if not right.fits(request)]
        statements = [{"Effect": "Allow", "Action": each.action, "Resource": each.resource} for each in kept]
        assert not permitted(request, [{"Statement": statements}])


def test_every_right_is_asked_for_or_has_a_reason() -> None:
    rights = [right for role in ROLES for document in policies(role) for right in granted(role, document)]
    assert faults(rights, ASKED, asked=ASKED, excuses=EXCUSES) == []
