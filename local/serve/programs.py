"""The processes of the real stack: their command lines, environments and signs of being ready."""

import asyncio
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from botocore.exceptions import BotoCoreError
from psycopg import AsyncConnection, OperationalError

from local.environment import (
    APPROVERS_LINKS,
    approvals_environment,
    assistant_environment,
    built_front_environment,
    canary_environment,
    functions_environment,
    proxy_environment,
)
from local.failure import LocalError
from local.files import ROOT, write_json
from local.postgres import Database, EmbeddedPostgres
from local.serve.aws_content import fill
from local.serve.child import Program
from local.serve.probe import answers
from local.settings import Settings
from local.stack import Stack


@dataclass(frozen=True)
class Parts:
    """All that is known before the first process starts: every port and password is chosen up front."""

    settings: Settings
    stack: Stack
    superuser: Database
    cluster: str
    postgres: EmbeddedPostgres
    mcp_port: int
    roles_password: str = field(repr=False)
    approval_key: str = field(repr=False)
    base: Mapping[str, str] = field(repr=False)


def postgres(parts: Parts) -> Program:
    async def ready() -> bool:
        try:
            connection = await AsyncConnection.connect(parts.superuser.dsn())
        except OperationalError:
            return False
        await connection.close()
        return True

    return Program(
        name="postgres",
        command=tuple(parts.postgres.command()),
        environment=parts.base,
        ready=ready,
        stop_signal=signal.SIGINT,  # the fast shutdown
        patience=10.0,  # for its checkpoint
    )


def aws(parts: Parts) -> Program:
    async def fill_again() -> None:
        # If it dies again meanwhile, its next restart ends here too.
        with suppress(BotoCoreError):
            await asyncio.to_thread(fill, parts.stack, password=parts.roles_password)

    options = ("--port", _port(parts.stack.aws), "--data-dir", str(parts.stack.data_dir))
    return Program(
        name="aws",
        command=_python("local.aws", *options),
        environment=parts.base,
        ready=lambda: answers(f"{parts.stack.aws}/moto-api/"),
        after_restart=fill_again,
    )


def embeddings(parts: Parts, *, url: str) -> Program:
    root = url.removesuffix("/v1")
    return Program(
        name="embeddings",
        command=_python("local.embeddings", "--port", _port(root)),
        environment=parts.base,
        ready=lambda: answers(f"{root}/healthz"),
    )


def lambda_api(parts: Parts) -> Program:
    overrides = parts.stack.data_dir / "functions-env.json"
    variables = functions_environment(parts.stack, parts.settings, password=parts.roles_password)
    # The chat provider's key is for the one function that needs it.
    assistant = assistant_environment(parts.stack, parts.settings)
    approvals = approvals_environment(parts.stack, parts.settings, key=parts.approval_key)
    own = {"Ask": assistant, "GoldenCanary": canary_environment(parts.stack, parts.settings)}
    own["Proxy"] = built_front_environment(parts.stack, parts.settings, parts.base)
    write_json(overrides, {"Parameters": variables, **own, **dict.fromkeys(APPROVERS_LINKS, approvals)})
    options = ["--port", _port(parts.stack.lambda_api), "--template", str(ROOT / "template.yaml")]
    options += ["--env-file", str(overrides), "--grace-seconds", "1"]
    if parts.settings.artifacts:
        options += ["--build", str(require_build(ROOT))]
    return Program(
        name="lambda",
        command=_python("local.lambda_api", *options),
        environment=parts.base,
        ready=lambda: answers(f"{parts.stack.lambda_api}/healthz"),
        patience=1.5,
    )


def approvals(parts: Parts) -> Program:
    notices = ("--notices", str(parts.stack.data_dir))
    return _function_url(parts, "approvals", parts.stack.approvals, "approval_page", *notices)


def _function_url(parts: Parts, name: str, url: str, function: str, *options: str) -> Program:
    address = urlsplit(url)
    shown = ("--port", str(address.port), "--function", f"quarry-{function}:live", "--lambda-api")
    return Program(
        name=name,
        command=_python("local.front", *shown, parts.stack.lambda_api, *options),
        environment=parts.base,
        ready=lambda: answers(f"{address.scheme}://{address.netloc}/healthz"),
    )


def require_build(root: Path) -> Path:
    build = root / ".aws-sam" / "build"
    if not (build / "template.yaml").exists():
        raise LocalError(f"ARTIFACTS is set, but there is nothing in {build}: run `make build` first.")
    return build


def proxy(parts: Parts) -> Program:
    if parts.settings.runs_built_front:
        return _function_url(parts, "proxy", parts.stack.mcp, "proxy")
    variables = proxy_environment(parts.stack, host="127.0.0.1", port=parts.mcp_port)
    return Program(
        name="proxy",
        command=_python("local.proxy"),
        environment={**parts.base, **variables},
        ready=lambda: answers(parts.stack.mcp.removesuffix("/mcp") + "/healthz"),
        patience=1.5,  # open streams do not end by themselves
    )


def _python(module: str, *options: str) -> tuple[str, ...]:
    return (sys.executable, "-m", module, *options)


def _port(url: str) -> str:
    return url.rsplit(":", 1)[1].split("/")[0]
