"""`python -m local.canary_tenant --stack NAME`: gives a deployed stack's canary the tenant it asks its questions of.

Loads the sample corpus, file by file in the order it needs, then writes the sample quotes. Safe to repeat.
"""

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from local.corpus_loader import load_sample
from local.failure import LocalError, run_command
from local.stack import call, without_retries

_SECONDS = 310
"""Longer than any of these functions may run."""


@dataclass(frozen=True)
class Target:
    """Where to load: boto3's clients, the ingest bucket, and what the functions' names begin with."""

    s3: Any
    functions: Any
    bucket: str
    prefix: str
    tenant: str

    def call(self, function: str, event: Mapping[str, Any]) -> dict[str, Any]:
        """The function's result for the tenant. Raises LocalError when it failed."""
        return call(self.functions, f"{self.prefix}{function}", event, tenant=self.tenant, seconds=_SECONDS)

    def ingest(self, kind: str, path: Path) -> dict[str, Any]:
        """The report of the file.

        The bucket announces it to the same function; asking for it here as well keeps the files in order. Both may
        then write the same rows at once, and the one that loses is asked again.
        """
        key = f"{self.tenant}/{kind}/{path.name}"
        self.s3.upload_file(str(path), self.bucket, key)
        event = {"bucket": self.bucket, "key": key, "kind": kind}
        try:
            (report,) = self.call("ingest", event)["reports"]
        except LocalError:
            (report,) = self.call("ingest", event)["reports"]
        return dict(report)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m local.canary_tenant", description=__doc__)
    parser.add_argument("--stack", required=True, help="name of the deployed stack")
    parser.add_argument("--tenant", default="canary")
    arguments = parser.parse_args()
    described = boto3.client("cloudformation").describe_stack_resource(
        StackName=arguments.stack, LogicalResourceId="IngestBucket"
    )
    target = Target(
        s3=boto3.client("s3"),
        functions=boto3.client("lambda", config=Config(**without_retries(_SECONDS))),
        bucket=described["StackResourceDetail"]["PhysicalResourceId"],
        prefix=f"{arguments.stack}-",
        tenant=arguments.tenant,
    )
    load_sample(target.ingest, target.call, on_progress=print)
    print(f"The tenant {arguments.tenant} has the sample corpus; its embeddings follow within minutes.")


if __name__ == "__main__":
    run_command(main, BotoCoreError, ClientError)
