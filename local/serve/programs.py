"""The processes of the real stack: their command lines, environments and signs of being ready."""

import asyncio
import os
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from botocore.exceptions import BotoCoreError, ClientError

from local.environment import (
    APPROVERS_LINKS,
    DOCUMENT_LINKS,
    approvals_environment,
    assistant_environment,
    built_front_environment,
    canary_environment,
    functions_environment,
    proxy_environment,
)
from local.failure import LocalError
from local.files import ROOT, write_json
from local.front import DOCUMENT_KEY
from local.postgres import EmbeddedPostgres
from local.postgres import answers as answers_queries
from local.serve import own_keys
from local.serve.child import Program
from local.serve.probe import answers
from local.settings import Settings
from local.stack import APPROVAL_TOPIC, DOCUMENT_BUCKET, INGEST_BUCKET, TEMPLATE_BUCKET, Stack
from local.tenants import Choice
from proxy.settings import Settings as FrontSettings
from proxy.settings import SettingsError
from quarry.data.settings import Settings as FunctionSettings

ROLES = ("quarry_read", "quarry_write", "quarry_approve", "quarry_ingest", "quarry_keys", "quarry_owner")


@dataclass(frozen=True)
class Parts:
    """All that is known before the first process starts: every port and password is chosen up front."""

    settings: Settings
    stack: Stack
    choice: Choice
    postgres: EmbeddedPostgres
    mcp_port: int
    passwords: Mapping[str, str] = field(repr=False)
    approval_key: str = field(repr=False)
    document_key: str = field(repr=False)
    base: Mapping[str, str] = field(repr=False)


def postgres(parts: Parts) -> Program:
    return Program(
        name="postgres",
        command=tuple(parts.postgres.command()),
        environment=parts.base,
        ready=lambda: asyncio.to_thread(answers_queries, parts.stack.database.named("postgres")),
        stop_signal=signal.SIGINT,  # the fast shutdown
        patience=10.0,  # for its checkpoint
    )


def aws(parts: Parts) -> Program:
    async def fill_again() -> None:
        # If it dies again meanwhile, its next restart ends here too.
        with suppress(BotoCoreError, ClientError):
            await asyncio.to_thread(fill, parts.stack, passwords=parts.passwords)

    options = ("--port", _port(parts.stack.aws), "--data-dir", str(parts.stack.data_dir))
    return Program(
        name="aws",
        command=_python("local.aws", *options),
        environment=parts.base,
        ready=lambda: answers(f"{parts.stack.aws}/moto-api/"),
        after_restart=fill_again,
    )


def fill(stack: Stack, *, passwords: Mapping[str, str]) -> None:
    """Puts into S3, SNS and Secrets Manager what the stack needs there; safe to repeat.

    S3 comes back from disk by itself after a restart, secrets do not.
    """
    s3 = stack.client("s3")
    present = {bucket["Name"] for bucket in s3.list_buckets()["Buckets"]}
    for bucket in (TEMPLATE_BUCKET, INGEST_BUCKET, DOCUMENT_BUCKET):
        if bucket not in present:
            s3.create_bucket(Bucket=bucket)
    s3.put_bucket_versioning(Bucket=DOCUMENT_BUCKET, VersioningConfiguration={"Status": "Enabled"})
    _open_topic(stack)
    secrets = stack.client("secretsmanager")
    for role, password in passwords.items():
        own_keys.put_secret(
            secrets,
            name=f"quarry/{role}",
            value={
                "username": role,
                "password": password,
                "host": stack.database.host,
                "port": stack.database.port,
                "dbname": stack.database.name,
            },
        )
    own_keys.publish(stack)


def _open_topic(stack: Stack) -> None:
    """The front takes what the topic carries; moto keeps neither over a restart."""
    sns = stack.client("sns")
    topic = sns.create_topic(Name=APPROVAL_TOPIC.rpartition(":")[2])["TopicArn"]
    if not sns.list_subscriptions_by_topic(TopicArn=topic)["Subscriptions"]:
        endpoint = f"{stack.approvals.removesuffix('/approve')}/sns"
        sns.subscribe(TopicArn=topic, Protocol="http", Endpoint=endpoint)


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
    variables = functions_environment(parts.stack, parts.settings, parts.base)
    # The chat provider's key is for the one function that needs it.
    assistant = assistant_environment(parts.stack, parts.settings, parts.base)
    approvals = approvals_environment(parts.stack, parts.base, key=parts.approval_key)
    refuse_unusable({**variables, **assistant, **approvals})
    own = {"Ask": assistant, "GoldenCanary": canary_environment(parts.stack, parts.settings)}
    own["Proxy"] = built_front_environment(parts.stack, parts.settings, parts.base)
    own |= dict.fromkeys(APPROVERS_LINKS, approvals)
    # The stack honours links to documents itself, for its object store checks no signature.
    documents = {"DOCUMENT_ORIGIN": parts.stack.origin, "DOCUMENT_KEY": parts.document_key}
    own |= {name: own.get(name, {}) | documents for name in DOCUMENT_LINKS}
    write_json(overrides, {"Parameters": variables, "Passwords": dict(parts.passwords), **own})
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


def refuse_unusable(
    variables: Mapping[str, str], *, of: type[FunctionSettings | FrontSettings] = FunctionSettings
) -> None:
    """What the functions would refuse at their first call, or the front at its start, before anything starts."""
    try:
        of.from_environment(variables)
    except (ValueError, SettingsError) as failure:
        raise LocalError(str(failure)) from failure


def approvals(parts: Parts) -> Program:
    notices = ("--notices", str(parts.stack.data_dir), "--documents", parts.stack.aws)
    url, key = parts.stack.approvals, {DOCUMENT_KEY: parts.document_key}
    return _function_url(parts, "approvals", url, "approval_page", *notices, more=key)


def _function_url(
    parts: Parts, name: str, url: str, function: str, *options: str, more: Mapping[str, str] | None = None
) -> Program:
    address = urlsplit(url)
    shown = ("--port", str(address.port), "--function", f"quarry-{function}:live", "--lambda-api")
    return Program(
        name=name,
        command=_python("local.front", *shown, parts.stack.lambda_api, *options),
        environment={**parts.base, **(more or {})},
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
    # On AWS each call has a processor of its own; here they are what one tenant could take from the others.
    variables = {"MAX_CONCURRENT_CALLS_PER_TENANT": str(os.cpu_count() or 2), **parts.base}
    variables |= proxy_environment(parts.stack, host=parts.settings.host, port=parts.mcp_port)
    refuse_unusable(variables, of=FrontSettings)
    return Program(
        name="proxy",
        command=_python("local.lifeline", "local.origin"),
        environment=variables,
        ready=lambda: answers(parts.stack.mcp.removesuffix("/mcp") + "/healthz"),
        patience=1.5,  # open streams do not end by themselves
    )


def _python(module: str, *options: str) -> tuple[str, ...]:
    return (sys.executable, "-m", module, *options)


def _port(url: str) -> str:
    return url.rsplit(":", 1)[1].split("/")[0]
