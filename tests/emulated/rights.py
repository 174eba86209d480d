"""What the roles of the stack may do, against what they asked for in the run and against rights.yaml."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import yaml

from local.files import ROOT
from tests.emulated.stack import Stack

_RECORDED: dict[str, Any] = yaml.safe_load((ROOT / "tests/emulated/rights.yaml").read_text("utf-8"))


@dataclass(frozen=True, order=True)
class Request:
    """A call by a function under a role, which is named by its logical id."""

    role: str
    action: str
    resource: str


@dataclass(frozen=True, order=True)
class Right:
    """One action on one pattern of resources."""

    role: str
    action: str
    resource: str

    def fits(self, request: Request) -> bool:
        same_action = request.action.lower() == self.action.lower()
        return request.role == self.role and same_action and fnmatchcase(request.resource, self.resource)


@dataclass(frozen=True)
class Excuse:
    """Why nobody asks for some rights; ``role`` and ``resource`` are patterns of theirs."""

    role: str
    action: str
    resource: str
    because: str

    def covers(self, right: Right) -> bool:
        same_action = right.action == self.action
        return fnmatchcase(right.role, self.role) and same_action and fnmatchcase(right.resource, self.resource)


EXCUSES = [Excuse(**each) for each in _RECORDED["unasked"]]


def examples(names: Mapping[str, str]) -> list[Request]:
    """What rights.yaml says that was asked for; ``names`` has what stands in for ``{Secret}`` and its like."""
    return [
        Request(role, action, resource.format_map(names))
        for role, actions in _RECORDED["asked"].items()
        for action, resources in actions.items()
        for resource in resources
    ]


def read_requests(path: Path, roles: Mapping[str, str]) -> tuple[set[Request], set[Request]]:
    """What was allowed and what was refused to ``roles``, logical ids by name; the account's owner asks nobody."""
    allowed, others = set[Request](), set[Request]()
    for line in path.read_text("utf-8").splitlines():
        principal, action, resource, decision = json.loads(line)
        kind, _, rest = principal.rpartition(":")[2].partition("/")
        role = rest.partition("/")[0]
        if kind == "assumed-role" and role in roles:
            (allowed if decision == "Allow" else others).add(Request(roles[role], action, resource))
    # A call is weighed more than once: refused is what nothing allowed.
    return allowed, others - allowed


def roles_of(stack: Stack) -> dict[str, str]:
    """The logical id of each role, by the name that CloudFormation gave to it."""
    return {
        each["PhysicalResourceId"]: each["LogicalResourceId"]
        for each in stack.resources().values()
        if each["ResourceType"] == "AWS::IAM::Role"
    }


def rights_of(stack: Stack) -> list[Right]:
    """The inline policies of the stack's roles as they were created."""
    iam = stack.emulator.client("iam")
    return [
        right
        for name, role in roles_of(stack).items()
        for policy in iam.list_role_policies(RoleName=name)["PolicyNames"]
        for right in granted(role, iam.get_role_policy(RoleName=name, PolicyName=policy)["PolicyDocument"])
    ]


def granted(role: str, document: Mapping[str, Any]) -> Iterator[Right]:
    for statement in document["Statement"]:
        assert statement["Effect"] == "Allow"
        for action in _listed(statement["Action"]):
            for resource in _listed(statement["Resource"]):
                yield Right(role, action, resource)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def faults(
    rights: Iterable[Right], requests: Iterable[Request], *, asked: Iterable[Request], excuses: Iterable[Excuse]
) -> list[str]:
    """What differs from the record: a right was asked for and has an example, or was not and has a reason."""
    rights, requests, asked, excuses = list(rights), sorted(requests), list(asked), list(excuses)
    found = [f"{each} has no right" for each in asked if not any(right.fits(each) for right in rights)]
    found += [f"{each} is for no right" for each in excuses if not any(each.covers(right) for right in rights)]
    for right in rights:
        request = next((each for each in requests if right.fits(each)), None)
        excused = any(each.covers(right) for each in excuses)
        recorded = any(right.fits(each) for each in asked)
        if request is not None and not recorded:
            found.append(f"{right} was asked for and has no example: {request.resource}")
        if request is not None and excused:
            found.append(f"{right} was asked for and has a reason why not")
        if request is None and recorded:
            found.append(f"{right} has an example and was not asked for")
        if request is None and not excused:
            found.append(f"{right} needs an example (asked) or a reason (unasked) in tests/emulated/rights.yaml")
    return found
