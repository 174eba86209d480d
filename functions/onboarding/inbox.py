"""The tenant's inbox: files that wait in S3 until they are looked at, and the checks that were made of them."""

import hashlib
from collections.abc import Callable
from datetime import datetime
from http import HTTPStatus
from typing import Annotated, Any

from botocore.exceptions import ClientError
from pydantic import BaseModel, Field

from operations.bounds import LARGEST_WHOLE
from operations.ingest import INBOX
from quarry.data.aws import reached, signing_s3
from quarry.data.settings import settings
from quarry.tool.contract import Part
from quarry.tool.errors import NotFound, Unavailable

CHECKS = "checks"
LINK_SECONDS = 900
MOST_LISTED = 200

CheckId = Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
FileName = Annotated[str, Field(pattern=r"^[^/\\\x00-\x1f.][^/\\\x00-\x1f]{0,199}$")]


class InboxFile(Part):
    name: str = Field(description="Its name.")
    size: int = Field(description="Bytes.")
    date: datetime = Field(description="When it arrived.")


class Upload(Part):
    """A link that takes one file of just this size."""

    url: str = Field(description="PUT the bytes here, with the header Content-Length that was announced.")
    expires_in: int = Field(description="Seconds.")


class KeptCheck(BaseModel):
    """What was checked: a file's content, identified by its etag, read as ``kind`` by a mapping in TOML; ``source``
    is the letter with which the rows were compared. ``after`` is the newest load at that time: a later one may make
    refused rows valid, so that the same file becomes another check.
    """

    name: str
    etag: str
    kind: str
    mapping: str | None
    source: str | None = None
    source_etag: str | None = None
    after: int | None = None


def key_of(tenant: str, name: str) -> str:
    return f"{tenant}/{INBOX}/{name}"


def bucket() -> str:
    found = settings().ingest_bucket
    if found is None:
        raise Unavailable("INGEST_BUCKET is not set: files have no place to wait in.")
    return found


def listed(tenant: str) -> list[InboxFile]:
    """Returns at most MOST_LISTED files, the newest first."""
    with reached("inbox"):
        paginator, prefix = signing_s3().get_paginator("list_objects_v2"), key_of(tenant, "")
        pages = paginator.paginate(Bucket=bucket(), Prefix=prefix, Delimiter="/")
        found = [item for page in pages for item in page.get("Contents", [])]
    found.sort(key=lambda item: item["LastModified"], reverse=True)
    return [
        InboxFile(name=item["Key"].rpartition("/")[2], size=item["Size"], date=item["LastModified"])
        for item in found[:MOST_LISTED]
    ]


def _answer(ask: Callable[..., dict[str, Any]], tenant: str, name: str) -> dict[str, Any] | None:
    """Returns what S3 answers about a file, None if there is no such file."""
    with reached("inbox"):
        try:
            return ask(Bucket=bucket(), Key=key_of(tenant, name))
        except ClientError as error:
            # To a caller without permission to list the bucket, S3 answers 403 for a missing object.
            if error.response["ResponseMetadata"]["HTTPStatusCode"] in (HTTPStatus.NOT_FOUND, HTTPStatus.FORBIDDEN):
                return None
            raise


def etag_of(tenant: str, name: str) -> str | None:
    """Returns the etag of the file's content, None if there is no such file."""
    answer = _answer(signing_s3().head_object, tenant, name)
    return None if answer is None else str(answer["ETag"])


def content_of(tenant: str, name: str) -> tuple[bytes, str]:
    """Returns the content, cut one byte beyond LARGEST_WHOLE, and its etag. Raises NotFound, naming other files."""
    answer = _answer(signing_s3().get_object, tenant, name)
    if answer is None:
        there = ", ".join(file.name for file in listed(tenant)[:20]) or "it is empty"
        raise NotFound(f"No file '{name}' in the inbox: {there}. file_open with its name and size gives a link.")
    with reached("inbox"), answer["Body"] as body:
        return body.read(LARGEST_WHOLE + 1), str(answer["ETag"])


def upload_link(tenant: str, name: str, *, size: int) -> Upload:
    wanted = {"Bucket": bucket(), "Key": key_of(tenant, name), "ContentLength": size}
    url = str(signing_s3().generate_presigned_url("put_object", Params=wanted, ExpiresIn=LINK_SECONDS))
    return Upload(url=url, expires_in=LINK_SECONDS)


def put_text(tenant: str, kind: str, text: str) -> str:
    """Stores rows that an agent wrote and returns the file's name, which is the same for the same text."""
    content = text.encode()
    name = f"{kind}-{hashlib.sha256(content).hexdigest()[:8]}.csv"
    with reached("inbox"):
        signing_s3().put_object(Bucket=bucket(), Key=key_of(tenant, name), Body=content)
    return name


def keep_check(tenant: str, check: KeptCheck) -> str:
    """Stores the check and returns its id, which an equal check gets again."""
    content = check.model_dump_json()
    check_id = hashlib.sha256(f"{tenant}\n{content}".encode()).hexdigest()[:16]
    with reached("inbox"):
        signing_s3().put_object(Bucket=bucket(), Key=key_of(tenant, _check(check_id)), Body=content.encode())
    return check_id


def kept_check(tenant: str, check_id: str) -> KeptCheck:
    """Raises NotFound, also for the id of another tenant's check."""
    answer = _answer(signing_s3().get_object, tenant, _check(check_id))
    if answer is None:
        raise NotFound(f"No check '{check_id}': load_check makes one, and it is kept for 90 days.")
    with reached("inbox"):
        return KeptCheck.model_validate_json(answer["Body"].read())


def _check(check_id: str) -> str:
    return f"{CHECKS}/{check_id}.json"
