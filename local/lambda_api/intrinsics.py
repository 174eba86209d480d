"""Reads CloudFormation YAML and resolves the intrinsic functions of template.yaml, as far as one machine can."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

# libyaml's parser, where the wheel has it: the pure-Python one takes half a second for a large template.
_BaseLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _TemplateLoader(_BaseLoader):  # type: ignore[misc]  # the base is chosen at run time
    pass


def _intrinsic(loader: Any, suffix: str, node: yaml.Node) -> dict[str, object]:
    value: object
    if isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    elif isinstance(node, yaml.MappingNode):
        value = loader.construct_mapping(node, deep=True)
    else:
        value = loader.construct_scalar(node)
    if suffix == "GetAtt" and isinstance(value, str):
        value = value.split(".", 1)
    return {suffix if suffix in ("Ref", "Condition") else f"Fn::{suffix}": value}


_TemplateLoader.add_multi_constructor("!", _intrinsic)


def read_template(path: Path) -> dict[str, Any]:
    """The template as plain data, its intrinsic functions unresolved."""
    with path.open(encoding="utf-8") as file:
        document = yaml.load(file, Loader=_TemplateLoader)  # noqa: S506 - derives from the safe loader
    if not isinstance(document, dict) or "Resources" not in document:
        raise ValueError(f"{path} has no Resources: it is not a CloudFormation template.")
    return document


NO_VALUE = object()

_PLACEHOLDER = re.compile(r"\$\{(!?)([^}]+)\}")
# The property that gives a resource its physical name: what `Ref` returns once it is deployed.
_NAME_PROPERTY = {
    "AWS::Serverless::Function": "FunctionName",
    "AWS::Lambda::Function": "FunctionName",
    "AWS::S3::Bucket": "BucketName",
}
_FUNCTION_TYPES = ("AWS::Serverless::Function", "AWS::Lambda::Function")


class UnresolvableError(Exception):
    """A value only a deployed stack has; the message names it."""


@dataclass(frozen=True, slots=True)
class StackValues:
    """What the pseudo parameters and the stack's own parameters say."""

    name: str = "quarry"
    region: str = "us-east-1"
    account_id: str = "123456789012"
    parameters: Mapping[str, str] = field(default_factory=dict)

    def function_arn(self, name: str) -> str:
        return f"arn:aws:lambda:{self.region}:{self.account_id}:function:{name}"


@dataclass(frozen=True)
class Resolver:
    """Resolves the values of one template for one stack."""

    template: Mapping[str, Any]
    stack: StackValues

    def value(self, node: object) -> Any:
        """`node` with every intrinsic function replaced; NO_VALUE where `AWS::NoValue` removes it."""
        if isinstance(node, dict):
            if len(node) == 1:
                name, argument = next(iter(node.items()))
                if (function := self._functions.get(name)) is not None:
                    return function(argument)
                if name.startswith("Fn::"):
                    raise UnresolvableError(f"{name} is not resolved locally")
            pairs = ((key, self.value(item)) for key, item in node.items())
            return {key: item for key, item in pairs if item is not NO_VALUE}
        if isinstance(node, list):
            return [item for item in map(self.value, node) if item is not NO_VALUE]
        return node

    def condition(self, name: str) -> bool:
        try:
            return bool(self.value(self.template["Conditions"][name]))
        except KeyError:
            raise ValueError(f"The template names a condition {name!r} that it does not define.") from None

    @cached_property
    def _functions(self) -> dict[str, Callable[[Any], Any]]:
        return {
            "Ref": self._ref,
            "Condition": self.condition,
            "Fn::Sub": self._sub,
            "Fn::GetAtt": self._get_att,
            "Fn::If": lambda a: self.value(a[1] if self.condition(a[0]) else a[2]),
            "Fn::Split": lambda a: str(self.value(a[1])).split(a[0]),
            "Fn::Select": lambda a: self.value(a[1])[int(self.value(a[0]))],
            "Fn::FindInMap": self._find_in_map,
            "Fn::Equals": lambda a: as_text(self.value(a[0])) == as_text(self.value(a[1])),
            "Fn::Not": lambda a: not self.value(a[0]),
            "Fn::And": lambda a: all(map(self.value, a)),
            "Fn::Or": lambda a: any(map(self.value, a)),
        }

    def _ref(self, name: str) -> Any:
        pseudo = {
            "AWS::NoValue": NO_VALUE,
            "AWS::StackName": self.stack.name,
            "AWS::Region": self.stack.region,
            "AWS::AccountId": self.stack.account_id,
            "AWS::Partition": "aws",
            "AWS::URLSuffix": "amazonaws.com",
        }
        if name in pseudo:
            return pseudo[name]
        parameters = self.template.get("Parameters", {})
        if name in parameters:
            return self._parameter(name, parameters[name])
        if name in self.template["Resources"]:
            return self._physical_name(name)
        raise UnresolvableError(f"{name} is known only after a deployment")

    def _parameter(self, name: str, declared: Mapping[str, Any]) -> Any:
        if name in self.stack.parameters:
            return self.stack.parameters[name]
        if "Default" not in declared:
            raise UnresolvableError(f"parameter {name} has no default")
        return declared["Default"]

    def _physical_name(self, logical_id: str) -> Any:
        resource = self.template["Resources"][logical_id]
        kind = resource["Type"]
        given = resource.get("Properties", {}).get(_NAME_PROPERTY.get(kind, ""), NO_VALUE)
        name = NO_VALUE if given is NO_VALUE else self.value(given)
        if name is not NO_VALUE:
            return name
        if kind in _FUNCTION_TYPES:
            # CloudFormation appends a random suffix; a stable name is worth more on one machine.
            return f"{self.stack.name}-{logical_id}"
        raise UnresolvableError(f"{logical_id} is named by its deployment")

    def _get_att(self, path: list[str]) -> Any:
        resource, attribute = path[0], ".".join(path[1:])
        if attribute == "Arn":
            kind = self.template["Resources"].get(resource, {}).get("Type")
            if kind in _FUNCTION_TYPES:
                return self.stack.function_arn(self._physical_name(resource))
            if kind == "AWS::S3::Bucket":
                return f"arn:aws:s3:::{self._physical_name(resource)}"
        raise UnresolvableError(f"{resource}.{attribute} is known only after a deployment")

    def _sub(self, argument: str | list[Any]) -> str:
        text, names = (argument, {}) if isinstance(argument, str) else (argument[0], argument[1])

        def replace(match: re.Match[str]) -> str:
            literal, name = match.groups()
            if literal:
                return f"${{{name}}}"
            if name in names:
                return as_text(self.value(names[name]))
            value = self._get_att(name.split(".", 1)) if "." in name else self._ref(name)
            return as_text(value)

        return _PLACEHOLDER.sub(replace, text)

    def _find_in_map(self, argument: list[Any]) -> Any:
        name, first, second = (self.value(part) for part in argument[:3])
        return self.value(self.template["Mappings"][name][first][second])


def as_text(value: object) -> str:
    """A scalar as CloudFormation writes it where a string is wanted."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
