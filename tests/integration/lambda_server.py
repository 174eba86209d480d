"""A Lambda API in a process of its own, serving the fixture functions, as tests talk to it."""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
from botocore.config import Config

REPOSITORY = Path(__file__).resolve().parents[2]
TEMPLATE = REPOSITORY / "tests/fixtures/lambda_functions/template.yaml"


@dataclass(frozen=True)
class Answer:
    """What boto3 returned, its payload decoded."""

    status: int
    error: str | None
    payload: Any
    version: str | None


@dataclass(frozen=True)
class LambdaServer:
    url: str
    process: subprocess.Popen[str]
    log: Path
    """What the server and its functions say."""

    def says(self, text: str) -> bool:
        """Whether it does, now or soon: a line may come after the answer."""
        return eventually(lambda: text in self.log.read_text(encoding="utf-8"))

    def client(self, *, read_timeout: float = 20) -> Any:
        return boto3.client(
            "lambda",
            endpoint_url=self.url,
            region_name="us-east-1",
            aws_access_key_id="local",
            aws_secret_access_key="local",
            config=Config(retries={"total_max_attempts": 1}, read_timeout=read_timeout, max_pool_connections=30),
        )

    def invoke(self, function: str, event: object = None, **settings: Any) -> Answer:
        response = self.client().invoke(
            FunctionName=f"quarry-{function}", Payload=json.dumps(event or {}).encode(), **settings
        )
        body = response["Payload"].read()
        return Answer(
            status=response["StatusCode"],
            error=response.get("FunctionError"),
            payload=json.loads(body) if body else None,
            version=response.get("ExecutedVersion"),
        )

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(f"{self.url}{path}", timeout=60) as response:  # noqa: S310 - our own URL
            return json.load(response)

    def busy(self, function: str) -> int:
        environments = self.get("/_quarry/environments")["environments"]
        return sum(each["function"] == f"quarry-{function}" and each["state"] == "busy" for each in environments)

    def pids(self, function: str) -> set[int]:
        environments = self.get("/_quarry/environments")["environments"]
        return {each["pid"] for each in environments if each["function"] == f"quarry-{function}"}


@contextlib.contextmanager
def lambda_server(
    *options: str, template: Path = TEMPLATE, environment: Mapping[str, str] | None = None
) -> Iterator[LambdaServer]:
    with tempfile.NamedTemporaryFile(suffix=".log") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "local.lambda_api", "--port", "0", "--template", str(template), *options],
            cwd=REPOSITORY,
            env={**os.environ, **(environment or {})},
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line, f"the server ended before it listened: {Path(log.name).read_text('utf-8')}"
            yield LambdaServer(json.loads(line)["url"], process, Path(log.name))
        finally:
            process.terminate()
            process.wait(60)
            if process.stdout is not None:
                process.stdout.close()


def eventually(condition: Callable[[], bool], *, seconds: float = 60) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.02)
    return condition()


def alive(pid: int) -> bool:
    """Whether a process runs; one that ended and was not yet waited for does not."""
    stat = Path(f"/proc/{pid}/stat")
    try:
        return stat.read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
