"""A stack on the emulator, as CloudFormation's API shows it: created, updated, asked, deleted."""

import base64
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.emulated.emulator import Emulator
from tests.emulated.release import BUCKET, Release, adapted

NAME = "quarry-emulated"
PATIENCE_S = 900
RESTING = ("COMPLETE", "FAILED")


class Unexpected(Exception):
    """The emulator did otherwise than a release should; the message says what."""


@dataclass(frozen=True)
class Stack:
    emulator: Emulator
    owner_secret: str

    def deploy(self, release: Release, parameters: Mapping[str, str], *, expected: str) -> str:
        """Creates or updates, waits, and returns the reasons of what failed. Raises Unexpected at another end."""
        client = self.emulator.client("cloudformation")
        template = adapted(release, self.emulator, parameters=parameters, owner_secret=self.owner_secret)
        body = json.dumps(template).encode()
        key = f"{parameters['Release']}.template"
        self.emulator.client("s3").put_object(Bucket=BUCKET, Key=key, Body=body)
        request = {
            "StackName": NAME,
            "TemplateURL": f"{self.emulator.url}/{BUCKET}/{key}",
            "Parameters": [{"ParameterKey": name, "ParameterValue": value} for name, value in parameters.items()],
            "Capabilities": ["CAPABILITY_IAM"],
        }
        act = client.create_stack if expected.startswith(("CREATE", "ROLLBACK")) else client.update_stack
        stack_id = act(**request)["StackId"]
        return self._await(stack_id, expected=expected)

    @property
    def id(self) -> str:
        return str(self.emulator.client("cloudformation").describe_stacks(StackName=NAME)["Stacks"][0]["StackId"])

    def delete(self) -> None:
        client = self.emulator.client("cloudformation")
        stack_id = self.id
        client.delete_stack(StackName=NAME)
        self._await(stack_id, expected="DELETE_COMPLETE")

    def _await(self, stack_id: str, *, expected: str) -> str:
        client = self.emulator.client("cloudformation")
        deadline = time.monotonic() + PATIENCE_S
        while True:
            status = client.describe_stacks(StackName=stack_id)["Stacks"][0]["StackStatus"]
            if status.endswith(RESTING):
                break
            if time.monotonic() > deadline:
                raise Unexpected(f"after {PATIENCE_S} s the stack is {status}")
            time.sleep(0.5)
        pages = client.get_paginator("describe_stack_events").paginate(StackName=stack_id)
        reasons = "\n".join(
            f"{event['LogicalResourceId']}: {event.get('ResourceStatusReason', '')}"
            for page in pages
            for event in page["StackEvents"]
            if event["ResourceStatus"].endswith("FAILED")
        )
        if status != expected:
            raise Unexpected(f"the stack is {status} and not {expected}:\n{reasons}")
        return reasons

    def resources(self) -> dict[str, dict[str, Any]]:
        client = self.emulator.client("cloudformation")
        pages = client.get_paginator("list_stack_resources").paginate(StackName=NAME)
        return {each["LogicalResourceId"]: each for page in pages for each in page["StackResourceSummaries"]}

    def output(self, name: str) -> str:
        (stack,) = self.emulator.client("cloudformation").describe_stacks(StackName=NAME)["Stacks"]
        return str({each["OutputKey"]: each["OutputValue"] for each in stack["Outputs"]}[name])

    def call(self, function: str, event: Mapping[str, Any]) -> dict[str, Any]:
        """The answer on `live`. Raises Unexpected when the function failed."""
        answer = self.emulator.client("lambda").invoke(
            FunctionName=f"{NAME}-{function}",
            Qualifier="live",
            Payload=json.dumps(event).encode(),
            LogType="Tail",
        )
        result: dict[str, Any] = json.loads(answer["Payload"].read())
        if "FunctionError" in answer:
            log = base64.b64decode(answer.get("LogResult", "")).decode()
            raise Unexpected(f"{function} failed: {json.dumps(result)[:500]}\n{log[-4000:]}")
        return result

    def live_versions(self) -> dict[str, str]:
        """The version that `live` leads to, by function."""
        client = self.emulator.client("lambda")
        functions = [
            each["PhysicalResourceId"]
            for each in self.resources().values()
            if each["ResourceType"] == "AWS::Lambda::Function"
            and each["LogicalResourceId"] not in ("Preview", "ChallengeFunction")
        ]
        return {
            name.removeprefix(f"{NAME}-"): client.get_alias(FunctionName=name, Name="live")["FunctionVersion"]
            for name in functions
        }
