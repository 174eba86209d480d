"""What the roles of the stack may do against what they asked for."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from tests.emulated.stack import Stack


@dataclass(frozen=True)
class Request:
    """A call by a function; ``role`` is the name that CloudFormation gave to its role."""

    role: str
    action: str
    resource: str
    allowed: bool


@dataclass(frozen=True, order=True)
class Right:
    """One action on one pattern of resources; ``role`` is the logical id."""

    role: str
    action: str
    resource: str

    def fits(self, request: Request) -> bool:
        same_action = fnmatchcase(request.action.lower(), self.action.lower())
        return same_action and fnmatchcase(request.resource, self.resource)


def read_requests(path: Path) -> list[Request]:
    """Calls under a role; those of the account's owner are asked of nobody."""
    requests = []
    for line in path.read_text("utf-8").splitlines():
        principal, action, resource, decision = json.loads(line)
        kind, _, rest = principal.rpartition(":")[2].partition("/")
        if kind == "assumed-role":
            requests.append(Request(rest.partition("/")[0], action, resource, decision == "Allow"))
    return requests


def rights_of(stack: Stack) -> dict[str, list[Right]]:
    """The inline policies of the stack's roles as they were created, by the role's name."""
    iam = stack.emulator.client("iam")
    return {
        each["PhysicalResourceId"]: [
            right
            for name in iam.list_role_policies(RoleName=each["PhysicalResourceId"])["PolicyNames"]
            for right in granted(
                each["LogicalResourceId"],
                iam.get_role_policy(RoleName=each["PhysicalResourceId"], PolicyName=name)["PolicyDocument"],
            )
        ]
        for each in stack.resources().values()
        if each["ResourceType"] == "AWS::IAM::Role"
    }


def granted(role: str, document: Mapping[str, Any]) -> Iterator[Right]:
    for statement in document["Statement"]:
        assert statement["Effect"] == "Allow"
        for action in _listed(statement["Action"]):
            for resource in _listed(statement["Resource"]):
                yield Right(role, action, resource)


def _listed(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def unused(rights: Mapping[str, Iterable[Right]], requests: Iterable[Request]) -> list[Right]:
    asked = [request for request in requests if request.allowed]
    return [
        right
        for role, granted_to_it in rights.items()
        for right in granted_to_it
        if not any(request.role == role and right.fits(request) for request in asked)
    ]
