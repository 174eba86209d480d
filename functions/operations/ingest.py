"""ingest: rows from a file in S3 into the tables, on an object-created event or a direct invoke."""

import dataclasses
import hashlib
import json
import re
from functools import cache
from tempfile import SpooledTemporaryFile
from typing import IO, Any
from urllib.parse import unquote_plus

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from cpq import ingestion as cpq
from equipment import ingestion as equipment
from highlights import ingestion as highlights
from knowledge import ingestion as knowledge
from operations import ingest_report
from quarry.errors import NotFound, ToolError, ValidationFailed
from quarry.identity import Caller, LambdaContext
from quarry.ingestion import Kind, read
from quarry.runtime import logger, operate
from quarry.settings import settings
from quotes import ingestion as quotes
from stories import ingestion as stories

KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        dataclasses.replace(equipment.PRODUCTS, after=quotes.LINK_PRODUCTS),
        quotes.PAST_QUOTES,
        quotes.LINE_ITEMS,
        knowledge.DOCUMENTS,
        stories.STORIES,
        highlights.HIGHLIGHTS,
        highlights.READWISE,
        highlights.CLIPPINGS,
        *cpq.KINDS,
    )
}
TENANT = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}\Z")
"""As the table quarry.tenants checks it."""

IN_MEMORY = 16 * 1024 * 1024


def run(event: dict[str, Any], caller: Caller, context: LambdaContext) -> dict[str, Any]:  # noqa: ARG001
    """One report per file; a direct invoke takes {"bucket", "key", "kind"?}, keys are <tenant>/<kind>/<file>."""
    if "Records" in event:
        objects = [
            (record["s3"]["bucket"]["name"], unquote_plus(record["s3"]["object"]["key"]))
            for record in event["Records"]
        ]
        reports = _ingest_each(objects)
    else:
        for name in ("bucket", "key"):
            if not isinstance(event.get(name), str):
                raise ValidationFailed(f"'{name}' is missing: give bucket and key of the file to ingest.")
        if not isinstance(event.get("kind"), str | None):
            raise ValidationFailed("'kind' has to be text: one of " + ", ".join(KINDS) + ".")
        reports = [_ingest(event["bucket"], event["key"], tenant=caller.tenant, kind_name=event.get("kind"))]
    _start_embedding()
    return {"reports": reports}


def _ingest_each(objects: list[tuple[str, str]]) -> list[dict[str, Any]]:
    """A report or an error object per file: one bad file does not keep the others out. Raises when it is alone.

    S3 does not read the answer, so every refused file is in the log too.
    """
    reports: list[dict[str, Any]] = []
    for bucket, key in objects:
        try:
            reports.append(_ingest(bucket, key, tenant=None, kind_name=None))
        except ToolError as error:
            logger("ingest").error(
                "file_refused",
                extra={"source": f"s3://{bucket}/{key}", "code": error.code, "reason": error.message},
            )
            if len(objects) == 1:
                raise
            reports.append(error.as_result())
    return reports


def _ingest(bucket: str, key: str, *, tenant: str | None, kind_name: str | None) -> dict[str, Any]:
    parts = key.split("/")
    if kind_name is None or tenant is None:
        if len(parts) < 3:
            raise ValidationFailed(f"Key '{key}' does not say whose and what: name it <tenant>/<kind>/<file>.")
        tenant, kind_name = tenant or parts[0], kind_name or parts[1]
    if not TENANT.match(tenant):
        raise ValidationFailed(f"'{tenant}' cannot name a tenant: use a-z, 0-9, - and _, at most 63 characters.")
    if kind_name not in KINDS:
        raise ValidationFailed(f"'{kind_name}' is no kind of data. Kinds: {', '.join(KINDS)}.")
    with SpooledTemporaryFile(IN_MEMORY) as file:
        sha256 = _download(bucket, key, file)
        report = ingest_report.write(
            read(file, KINDS[kind_name], file_name=parts[-1]),
            KINDS[kind_name],
            tenant=tenant,
            source=f"s3://{bucket}/{key}",
            sha256=sha256,
        )
    return report.as_result()


def _download(bucket: str, key: str, file: IO[bytes]) -> str:
    """Fills ``file`` and rewinds it; returns the content's SHA-256."""
    digest = hashlib.sha256()
    try:
        for block in _client("s3").get_object(Bucket=bucket, Key=key)["Body"].iter_chunks(1024 * 1024):
            digest.update(block)
            file.write(block)
    except ClientError as error:
        raise NotFound(f"No readable object s3://{bucket}/{key}: {error.response['Error']['Code']}.") from error
    file.seek(0)
    return digest.hexdigest()


def _start_embedding() -> None:
    """Asks for the queue to be drained now; the schedule does it anyway, so a failure here is only logged."""
    function = settings().embed_function
    if not function:
        return
    try:
        _client("lambda").invoke(FunctionName=function, InvocationType="Event", Payload=json.dumps({}))
    except (BotoCoreError, ClientError) as error:
        logger("ingest").warning("embedding_not_started", extra={"reason": type(error).__name__})


@cache
def _client(service: str) -> Any:
    return boto3.client(service)


def forget() -> None:
    """Drop the clients, when the settings have changed or a test is over."""
    _client.cache_clear()


handler = operate("ingest", run)
