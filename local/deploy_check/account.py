"""The account and stack that are looked at, and what a look finds."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any


@dataclass(frozen=True)
class Finding:
    wrong: bool
    said: str


@dataclass(frozen=True)
class Account:
    """The account in which the stack is; ``client`` makes a client of one of its services."""

    stack: str
    client: Callable[[str], Any]

    @cached_property
    def description(self) -> dict[str, Any]:
        (described,) = self.client("cloudformation").describe_stacks(StackName=self.stack)["Stacks"]
        return dict(described)

    @cached_property
    def parameters(self) -> dict[str, str]:
        return {each["ParameterKey"]: each["ParameterValue"] for each in self.description["Parameters"]}

    @cached_property
    def outputs(self) -> dict[str, str]:
        return {each["OutputKey"]: each["OutputValue"] for each in self.description["Outputs"]}

    @cached_property
    def resources(self) -> dict[str, list[dict[str, str]]]:
        """The stack's resources by their type."""
        pages = self.client("cloudformation").get_paginator("list_stack_resources").paginate(StackName=self.stack)
        found: dict[str, list[dict[str, str]]] = {}
        for each in (each for page in pages for each in page["StackResourceSummaries"]):
            found.setdefault(each["ResourceType"], []).append(each)
        return found

    @cached_property
    def database(self) -> dict[str, Any]:
        (named,) = (each["PhysicalResourceId"] for each in self.resources["AWS::RDS::DBInstance"])
        (instance,) = self.client("rds").describe_db_instances(DBInstanceIdentifier=named)["DBInstances"]
        return dict(instance)
