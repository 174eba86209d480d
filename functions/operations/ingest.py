"""ingest: rows from a file in S3 into the tables, on an object-created event or a direct invoke."""

import dataclasses
import hashlib
import io
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import unquote_plus

from aws_lambda_powertools.utilities.data_classes import S3Event
from botocore.exceptions import BotoCoreError, ClientError
from psycopg import Rollback

from cpq import ingestion as cpq
from cpq.ingestion.catalogue import LINK_PRODUCTS as LINK_FOR_SALE
from equipment import ingestion as equipment
from highlights import ingestion as highlights
from knowledge import ingestion as knowledge
from operations import ingest_account, own_words, undo
from operations.ingest_account import IngestReport
from operations.reading import read
from operations.tables import mapping
from quarry.data import aws, database
from quarry.data.settings import settings
from quarry.ingestion import Accepted, Kind, Rejected, Row
from quarry.tool.errors import Conflict, NotFound, ToolError, Unavailable, ValidationFailed
from quarry.tool.identity import TENANT, Caller, LambdaContext
from quarry.tool.runtime import logger, operate
from quotes import ingestion as quotes
from stories import ingestion as stories

BLOCK = 4 * 1024 * 1024
CHANGED = "PreconditionFailed"
REPLACES = "replaces"
"""The object's metadatum that makes its file the whole truth of its kind."""

INBOX = "inbox"
"""In the place of a kind in <tenant>/<kind>/<file>: what is put there waits to be looked at, and is not ingested."""


class S3File(io.RawIOBase):
    """Raises NotFound when there is no such object, Conflict when another one has taken its place, Unavailable."""

    def __init__(self, client: Any, *, bucket: str, key: str, etag: str | None = None) -> None:
        self._client = client
        self._bucket = bucket
        self._key = key
        self._digest = hashlib.sha256()
        # Not a range: S3 refuses every range of an empty object.
        first = self._get(**({"IfMatch": etag} if etag else {}))
        self.etag: str = first["ETag"]
        self.replaces = first["Metadata"].get(REPLACES) == "1"
        self.size: int = first["ContentLength"]
        with first["Body"] as body:
            self._block = memoryview(body.read(BLOCK))
        self._digest.update(self._block)
        self._starts = iter(range(len(self._block), self.size, BLOCK))
        """Where the blocks that are not read yet begin."""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._block and (start := next(self._starts, None)) is not None:
            self._take(start)
        count = min(len(buffer), len(self._block))
        buffer[:count], self._block = self._block[:count], self._block[count:]
        return count

    def sha256(self) -> str:
        """Of the whole object; reads what is left of it."""
        for start in self._starts:
            self._take(start)
        return self._digest.hexdigest()

    def _take(self, start: int) -> None:
        # Let go of before the next one is there: two would be held.
        self._block = memoryview(b"")
        last = min(start + BLOCK, self.size) - 1
        with self._get(Range=f"bytes={start}-{last}", IfMatch=self.etag)["Body"] as body:
            self._block = memoryview(body.read())
        self._digest.update(self._block)

    def _get(self, **options: str) -> dict[str, Any]:
        where = f"s3://{self._bucket}/{self._key}"
        try:
            answer: dict[str, Any] = self._client.get_object(Bucket=self._bucket, Key=self._key, **options)
        except ClientError as error:
            code = error.response["Error"]["Code"]
            if code == CHANGED:
                raise Conflict(f"{where} was replaced while it was being ingested; ingest the new file.") from error
            if error.response["ResponseMetadata"]["HTTPStatusCode"] >= HTTPStatus.INTERNAL_SERVER_ERROR:
                raise Unavailable(f"S3 does not give {where} at present: {code}.", retryable=True) from error
            raise NotFound(f"No readable object {where}: {code}.") from error
        return answer


KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        own_words.FAMILIES,
        own_words.UNITS,
        own_words.ATTRIBUTES,
        dataclasses.replace(equipment.PRODUCTS, links=(quotes.LINK_PRODUCTS, LINK_FOR_SALE)),
        quotes.PAST_QUOTES,
        quotes.LINE_ITEMS,
        knowledge.DOCUMENTS,
        stories.STORIES,
        highlights.HIGHLIGHTS,
        highlights.READWISE,
        highlights.HIGHLIGHT_ENTRIES,
        *cpq.KINDS,
        own_words.VOCABULARY,
        own_words.EQUIVALENTS,
        mapping.MAPPINGS,
    )
}


@dataclass(frozen=True, slots=True)
class Invocation:
    """How long an invocation may go on, and its request id, which Lambda's repetition of it has too. One that
    ``checks`` stores nothing. It may bring the ``mapping`` by which to read; else a remembered one is found.
    ``holds`` gives each row that is read on or refuses it.
    """

    request_id: str
    may_go_on: Callable[[], bool]
    checks: bool = False
    mapping: str | None = None
    holds: Callable[[Accepted[Row] | Rejected], Accepted[Row] | Rejected] = lambda item: item


TIME_TO_FINISH_MS = 30_000
"""Left over before the function's own time-out, so that the chunk in hand and the hand-over fit in."""


def run(event: dict[str, Any], caller: Caller, context: LambdaContext) -> dict[str, Any]:
    """One report per file; a direct invoke takes {"bucket", "key", "kind"?}, keys are <tenant>/<kind>/<file>.

    {"resume": {"ingest_id", "tenant"}} goes on where an earlier run had no time left; it sends that itself.
    Beside any of these {"mapping": TOML} is the one by which to read, whatever others are remembered.
    A direct invoke with {"check": true} stores nothing and reports what would be stored.
    {"ingests": true} lists the caller's tenant's, {"undo": <ingest id>} takes one back.
    {"take_out": <document>} is an ingest that takes out one document.
    """
    if "ingests" in event:
        return {"ingests": undo.ingests(caller.tenant)}
    if "undo" in event:
        if not isinstance(event["undo"], int):
            raise ValidationFailed("'undo' has to be the number of an ingest, as {\"ingests\": true} lists them.")
        undone = undo.undo(event["undo"], tenant=caller.tenant)
        rows = undone.removed + undone.restored
        logger("ingest").info("ingest_undone", extra={"ingest_id": undone.ingest_id, "rows": rows})
        start_embedding()
        return dataclasses.asdict(undone)
    if "take_out" in event:
        return {"reports": [_take_out(str(event["take_out"]), tenant=caller.tenant)]}
    clock = Invocation(
        context.aws_request_id,
        lambda: context.get_remaining_time_in_millis() > TIME_TO_FINISH_MS,
        mapping=event.get("mapping"),
    )
    if "resume" in event:
        reports = [_resume(event["resume"], clock)]
    elif "Records" in event:
        objects = [
            (record.s3.bucket.name, unquote_plus(record.s3.get_object.key)) for record in S3Event(event).records
        ]
        objects = [each for each in objects if each[1].split("/")[1:2] != [INBOX]]
        reports = _ingest_each(objects, clock)
    else:
        for name in ("bucket", "key"):
            if not isinstance(event.get(name), str):
                raise ValidationFailed(f"'{name}' is missing: give bucket and key of the file to ingest.")
        if not isinstance(event.get("kind"), str | None):
            raise ValidationFailed("'kind' has to be text: one of " + ", ".join(KINDS) + ".")
        if event.get("check"):
            return {"reports": [_check(event, clock, tenant=caller.tenant)]}
        reports = [
            ingest_file(event["bucket"], event["key"], clock, tenant=caller.tenant, kind_name=event.get("kind"))
        ]
    start_embedding()
    return {"reports": reports}


def _ingest_each(objects: list[tuple[str, str]], clock: Invocation) -> list[dict[str, Any]]:
    """A report or an error object per file: one bad file does not keep the others out. Raises when it is alone, and
    in the end when one of them may succeed later.

    S3 does not read the answer, so every refused file is in the log too.
    """
    reports: list[dict[str, Any]] = []
    postponed: ToolError | None = None
    for bucket, key in objects:
        try:
            reports.append(ingest_file(bucket, key, clock, tenant=None, kind_name=None))
        except ToolError as error:
            logger("ingest").error(
                "file_refused",
                extra={"source": f"s3://{bucket}/{key}", "code": error.code, "reason": error.message},
            )
            if len(objects) == 1:
                raise
            postponed = error if error.retryable else postponed
            reports.append(error.as_result())
    if postponed is not None:
        raise postponed
    return reports


def _check(event: dict[str, Any], clock: Invocation, *, tenant: str) -> dict[str, Any]:
    """What the load itself reports, in a transaction rolled back; not ``finished`` where a run is too short."""
    clock = dataclasses.replace(clock, checks=True)
    with database.transaction(tenant):
        report = ingest_file(event["bucket"], event["key"], clock, tenant=tenant, kind_name=event.get("kind"))
        raise Rollback
    return report


def ingest_file(
    bucket: str, key: str, clock: Invocation, *, tenant: str | None, kind_name: str | None, etag: str | None = None
) -> dict[str, Any]:
    """The report on one file; with ``etag`` it has to be that content still."""
    parts = key.split("/")
    if kind_name is None or tenant is None:
        if len(parts) < 3:
            raise ValidationFailed(f"Key '{key}' does not say whose and what: name it <tenant>/<kind>/<file>.")
        tenant, kind_name = tenant or parts[0], kind_name or parts[1]
    if not TENANT.fullmatch(tenant):
        raise ValidationFailed(f"'{tenant}' cannot name a tenant: use a-z, 0-9, - and _, at most 63 characters.")
    if kind_name not in KINDS:
        raise ValidationFailed(f"'{kind_name}' is no kind of data. Kinds: {', '.join(KINDS)}.")
    file = S3File(aws.client("s3"), bucket=bucket, key=key, etag=etag)
    if file.replaces:
        _refuse_to_replace(KINDS[kind_name], key)
    report = ingest_account.begin(
        kind_name,
        tenant=tenant,
        source=f"s3://{bucket}/{key}",
        etag=file.etag,
        request_id=clock.request_id,
        replaces=file.replaces,
    )
    return _go_on(file, report, clock)


def _take_out(document: str, *, tenant: str) -> dict[str, Any]:
    kind = knowledge.taking_out(document, tenant=tenant)
    report = ingest_account.begin(kind.name, tenant=tenant, source=document)
    return ingest_account.write(iter(()), kind, report).as_result()


def _refuse_to_replace(kind: Kind, key: str) -> None:
    if not kind.replaceable:
        raise ValidationFailed(
            f"REPLACE means nothing to {kind.name}, which stand beside those of other files: undo an ingest instead."
        )
    if kind.passages and not key.lower().endswith((".csv", ".jsonl")):
        raise ValidationFailed(
            "A document's new state takes the place of its earlier one by itself, without REPLACE; "
            "make undo DOCUMENT=… takes one out."
        )


def _resume(where: dict[str, Any], clock: Invocation) -> dict[str, Any]:
    ingest_id, tenant = int(where["ingest_id"]), str(where["tenant"])
    report = ingest_account.unfinished(ingest_id, tenant=tenant)
    if report is None:
        raise NotFound(f"Tenant '{tenant}' has no unfinished ingest {ingest_id}.")
    bucket, _, key = report.source.removeprefix("s3://").partition("/")
    with _stopping(report):
        file = S3File(aws.client("s3"), bucket=bucket, key=key, etag=report.etag)
    return _go_on(file, report, clock)


@contextmanager
def _stopping(report: IngestReport) -> Iterator[None]:
    """Closes the account where what is wrong will not be right at another try."""
    try:
        yield
    except ToolError as error:
        if not error.retryable:
            ingest_account.stop(report, reason=error.message)
        raise


def _go_on(file: S3File, report: IngestReport, clock: Invocation) -> dict[str, Any]:
    kind, position = KINDS[report.kind], report.rows_read
    with _stopping(report):
        given = [mapping.Mapping.parse(clock.mapping, source="given")] if clock.mapping else None
        rows = read(
            io.BufferedReader(file),
            kind,
            # Behind the kind: files of one name in two folders are two.
            file_name=report.source.removeprefix("s3://").split("/", 3)[-1],
            size=file.size,
            skip=position,
            mappings=given or mapping.mappings_of(report.tenant, kind=kind.name),
            attributes=own_words.attributes_of(report.tenant),
            partly=not report.replaces,
        )
        report.encoding, report.separator, report.shape = rows.encoding, rows.separator, rows.shape

        def ended() -> str:
            report.stopped, report.leftover = rows.stopped, rows.leftover
            report.doubts += rows.doubts
            return file.sha256()

        ingest_account.write(map(clock.holds, rows), kind, report, may_go_on=clock.may_go_on, ended=ended)
    if report.finished and kind.passages and 0 < report.rows_read == report.rejected and not clock.checks:
        # Whoever put it into the bucket reads no answer.
        logger("ingest").error("file_refused", extra={"source": report.source, "reason": report.rejects[0]["reason"]})
    if not report.finished and report.rows_read == position:
        ingest_account.stop(report, reason="Reading the file up to here takes longer than a run may; split it.")
    elif not report.finished and not clock.checks:
        logger("ingest").info("ingest_continues", extra={"ingest_id": report.ingest_id, "rows": report.rows_read})
        if function := settings().ingest_function:
            # Raises where that fails: Lambda then repeats this run, which goes on.
            given_too = {"mapping": clock.mapping} if clock.mapping else {}
            _invoke_later(function, {"resume": {"ingest_id": report.ingest_id, "tenant": report.tenant}, **given_too})
    return report.as_result()


def start_embedding() -> None:
    """Asks for the queue to be drained now; the schedule does it anyway, so a failure here is only logged."""
    function = settings().embed_function
    if not function:
        return
    try:
        _invoke_later(function, {})
    except (BotoCoreError, ClientError) as error:
        logger("ingest").warning("embedding_not_started", extra={"reason": type(error).__name__})


def _invoke_later(function: str, event: dict[str, Any]) -> None:
    aws.client("lambda").invoke(FunctionName=function, InvocationType="Event", Payload=json.dumps(event))


handler = operate("ingest", run, unattended=lambda event: "Records" in event or "resume" in event)
