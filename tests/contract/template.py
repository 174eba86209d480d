"""template.yaml as its tests read it: functions with what Globals add, roles, and what a value names."""

from collections.abc import Iterator
from typing import Any

import pytest

from local.files import ROOT
from local.lambda_api.intrinsics import Resolver, read_template
from local.lambda_api.template import heard_globals, merge_globals

TEMPLATE = read_template(ROOT / "template.yaml")
RESOURCES: dict[str, dict[str, Any]] = TEMPLATE["Resources"]
PROPERTIES = {name: resource.get("Properties", {}) for name, resource in RESOURCES.items()}
STAGES = TEMPLATE["Mappings"]["Stages"]
FRONTS = {"Proxy", "Preview"}
KEY = {"Fn::GetAtt": ["Key", "Arn"]}


def of_type(*kinds: str) -> dict[str, dict[str, Any]]:
    return {name: resource for name, resource in RESOURCES.items() if resource["Type"] in kinds}


FUNCTIONS = {
    name: merge_globals(heard_globals(resource, TEMPLATE["Globals"]["Function"]), resource["Properties"])
    for name, resource in of_type("AWS::Serverless::Function").items()
}
EVERY_FUNCTION = pytest.mark.parametrize(("name", "function"), FUNCTIONS.items(), ids=FUNCTIONS)
ROLES = of_type("AWS::IAM::Role")
EVERY_ROLE = pytest.mark.parametrize("role", ROLES.values(), ids=ROLES)
TOOLS = {
    name
    for name, function in FUNCTIONS.items()
    if not function["Handler"].startswith(("operations.", "proxy.", "approval_page."))
}


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


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def variables_of(name: str) -> dict[str, Any]:
    found: dict[str, Any] = FUNCTIONS[name]["Environment"]["Variables"]
    return found


def chosen(node: object, resolver: Resolver) -> Any:
    """The node without what another configuration would take."""
    if isinstance(node, dict):
        if "Fn::If" in node:
            condition, yes, no = node["Fn::If"]
            return chosen(yes if resolver.condition(condition) else no, resolver)
        return {key: chosen(value, resolver) for key, value in node.items()}
    return [chosen(item, resolver) for item in node] if isinstance(node, list) else node
