"""CodeDeploy's side of the canary: which function a deployment is about, and the verdict on it."""

from dataclasses import dataclass
from typing import Any, Self

import yaml

from quarry.data import aws
from quarry.data.settings import settings


@dataclass(frozen=True, slots=True)
class Hook:
    """A pre-traffic hook's invocation; until it is answered, the deployment waits, an hour if it has to."""

    deployment: str
    execution: str

    @classmethod
    def of(cls, event: dict[str, Any]) -> Self | None:
        """None where the canary was not invoked as a hook."""
        match event:
            case {"DeploymentId": str(deployment), "LifecycleEventHookExecutionId": str(execution)}:
                return cls(deployment, execution)
        return None

    def tool(self) -> str | None:
        """The tool whose alias is about to move, None if that cannot be told."""
        answer = aws.client("codedeploy").get_deployment(deploymentId=self.deployment)
        revision = answer["deploymentInfo"].get("revision", {})
        held = revision.get("appSpecContent") or revision.get("string") or {}
        document = yaml.safe_load(held.get("content", "")) or {}
        names = [
            resource["Properties"]["Name"].rpartition(":")[2]
            for entry in document.get("Resources", [])
            for resource in entry.values()
            if resource.get("Type") == "AWS::Lambda::Function"
        ]
        return str(names[0]).removeprefix(f"{settings().stack}-") if len(names) == 1 else None

    def answer(self, *, succeeded: bool) -> None:
        aws.client("codedeploy").put_lifecycle_event_hook_execution_status(
            deploymentId=self.deployment,
            lifecycleEventHookExecutionId=self.execution,
            status="Succeeded" if succeeded else "Failed",
        )
