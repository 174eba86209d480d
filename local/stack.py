"""The running local stack as other commands see it: is it up, where are its parts, start one for a test."""

import base64
import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from pydantic import BaseModel, ConfigDict, Field

from local.failure import LocalError, Refused
from local.files import IMPORT_ROOTS, write_json
from local.lifeline import child_environment

REGION = "us-east-1"
ACCESS_KEY = "local"
TEMPLATE_BUCKET = "quarry-templates"
TEMPLATE_PREFIX = "templates/"
INGEST_BUCKET = "quarry-ingest"
APPROVAL_TOPIC = f"arn:aws:sns:{REGION}:123456789012:quarry-approvals"
DOCUMENT_BUCKET = "quarry-documents"
SAMPLE_TENANT = "sample"

_START_SECONDS = 600
"""A first start takes one minute on two idle cores; beside other work it took more than three."""
_STOP_SECONDS = 15
_LOCK_SECONDS = 0.3


class Database(BaseModel):
    """How to connect as the superuser, for set-up and inspection; functions connect as roles of their own."""

    model_config = ConfigDict(frozen=True)

    host: str
    port: int
    name: str
    user: str
    password: str

    @property
    def dsn(self) -> str:
        place = f"{self.user}:{self.password}@{self.host}:{self.port}/{self.name}"
        return f"postgresql://{place}?sslmode=disable&connect_timeout=5"

    def named(self, name: str) -> "Database":
        """Another database of the same server."""
        return self.model_copy(update={"name": name})


class Stack(BaseModel):
    """Where everything is. `embeddings` is None when a remote provider is used.

    `origin` is where people open approvals and documents; `approvals` is the part that serves both, on this machine.
    `tenant` is served to whoever brings no identity; `sample` is the address at which the sample's tenant is served,
    None where it is not.
    """

    model_config = ConfigDict(frozen=True, populate_by_name=True)

    mcp: str
    lambda_api: str = Field(alias="lambda")
    aws: str
    embeddings: str | None
    approvals: str
    origin: str = ""
    tenant: str = SAMPLE_TENANT
    sample: str | None = None
    database: Database
    data_dir: Path
    pid: int
    processes: dict[str, int] = Field(default_factory=dict)

    def client(self, service: str, **options: Any) -> Any:
        """A boto3 client of a service of this stack; `options` go to botocore's Config."""
        import boto3  # 0.15 s that most commands need not pay
        from botocore.config import Config

        # boto3's optional type stubs know each service by a literal name; this one is a variable.
        connect: Callable[..., Any] = boto3.client
        return connect(
            service,
            endpoint_url=self.lambda_api if service == "lambda" else self.aws,
            region_name=REGION,
            aws_access_key_id=ACCESS_KEY,
            aws_secret_access_key=ACCESS_KEY,
            config=Config(proxies={}, **options),
        )

    def write(self) -> None:
        write_json(stack_file(self.data_dir), self.model_dump(mode="json", by_alias=True))


def stack_file(data_dir: Path) -> Path:
    return data_dir / "stack.json"


def running(data_dir: Path) -> Stack | None:
    """The stack of this data directory if it is up and ready; a file left by a killed one does not count."""
    if not is_held(data_dir):
        return None
    try:
        return Stack.model_validate_json(stack_file(data_dir).read_text())
    except FileNotFoundError:
        return None  # starting or stopping


def require(data_dir: Path) -> Stack:
    stack = running(data_dir)
    if stack is None:
        raise LocalError(f"No stack is running on {data_dir}: start it with `make serve`, then try again.")
    return stack


def invoke(
    stack: Stack, function: str, event: dict[str, Any], *, seconds: int = 300, tenant: str | None = None
) -> dict[str, Any]:
    """The function's result, for the stack's tenant or another. Raises LocalError when it failed."""
    client = stack.client("lambda", **without_retries(seconds))
    return call(client, f"quarry-{function}", event, tenant=tenant or stack.tenant, seconds=seconds)


def without_retries(seconds: int) -> dict[str, Any]:
    """botocore's options for calls that may take so long, and must not run twice."""
    return {"read_timeout": seconds, "retries": {"total_max_attempts": 1}}


def call(client: Any, function: str, event: Mapping[str, Any], *, tenant: str, seconds: int) -> dict[str, Any]:
    """The result of a function by its whole name, of any stack. A throttled call never ran, so it is repeated.

    Raises Refused for a failure that the function expects, and LocalError for any other.
    """
    identity = {"custom": {"tenant": tenant, "subject": "local"}}
    context = base64.b64encode(json.dumps(identity).encode()).decode()
    payload = json.dumps(event).encode()
    deadline = time.monotonic() + seconds
    while True:
        try:
            answer = client.invoke(FunctionName=f"{function}:live", ClientContext=context, Payload=payload)
            break
        except client.exceptions.TooManyRequestsException:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)
    result: dict[str, Any] = json.loads(answer["Payload"].read())
    name = function.rpartition("-")[2]
    if "FunctionError" in answer:
        raise LocalError(f"{name} failed: {result.get('errorType')}: {result.get('errorMessage')}")
    if result.get("error") is True:
        raise Refused(name, code=result["code"], message=result["message"])
    return result


@contextmanager
def exclusive(data_dir: Path) -> Iterator[None]:
    """One supervisor per data directory: the kernel releases this lock however its holder ends."""
    data_dir.mkdir(parents=True, exist_ok=True)
    with _file(data_dir).open("a+") as file:
        if not _take_patiently(file):
            file.seek(0)
            holder = file.read().strip() or "unknown"
            raise LocalError(
                f"A stack is already running on {data_dir} (process {holder}). Use it, stop it with Ctrl-C or "
                f"`kill {holder}`, or run a second one apart: DATA_DIR=.quarry2 PORT=8010 make serve"
            )
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield


def is_held(data_dir: Path) -> bool:
    try:
        with _file(data_dir).open("r+") as file:
            return not _take(file)
    except FileNotFoundError:
        return False


def _file(data_dir: Path) -> Path:
    return data_dir / "lock"


def _take_patiently(file: IO[str]) -> bool:
    """`is_held` takes the lock for an instant; a supervisor must not mistake that for another one."""
    deadline = time.monotonic() + _LOCK_SECONDS
    while not (taken := _take(file)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return taken


def _take(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def spawn(
    data_dir: Path, *, port: int, environment: Mapping[str, str], output: IO[Any] | int
) -> subprocess.Popen[bytes]:
    """Starts a supervisor that ends with this process. Call it from the main thread."""
    paths = os.pathsep.join([*map(str, IMPORT_ROOTS), environment.get("PYTHONPATH", "")])
    own = {"DATA_DIR": str(data_dir), "PORT": str(port), "PYTHONPATH": paths}
    return subprocess.Popen(
        [sys.executable, "-m", "local.serve", "--end-with-parent"],
        env=child_environment({**environment, **own}),
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        process_group=0,
    )


@contextmanager
def start(data_dir: Path, *, port: int = 0, environment: Mapping[str, str] = os.environ) -> Iterator[Stack]:
    """A whole stack for a test: started, waited for, and stopped at the end. Port 0 takes a free one."""
    data_dir.mkdir(parents=True, exist_ok=True)
    data_dir = data_dir.resolve()
    log = data_dir / "serve.log"
    with log.open("wb") as output:
        process = spawn(data_dir, port=port, environment=environment, output=output)
    try:
        yield await_ready(process, data_dir, log=log)
    finally:
        stop(process)


@contextmanager
def stack_of(data_dir: Path) -> Iterator[Stack]:
    """The running stack of this data directory, or one of its own for as long as a benchmark takes."""
    if (stack := running(data_dir)) is not None:
        yield stack
        return
    print("No stack is running; starting one ...", file=sys.stderr)
    with start(data_dir) as started:
        yield started


def await_ready(process: subprocess.Popen[bytes], data_dir: Path, *, log: Path | None = None) -> Stack:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        stack = running(data_dir)
        if stack is not None and stack.pid == process.pid:
            return stack
        time.sleep(0.05)
    said = f" It said:\n{log.read_text()}" if log else ""
    raise LocalError(f"The local stack did not start (exit code {process.returncode}).{said}")


def stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
