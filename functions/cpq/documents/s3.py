"""S3 calls for documents, and signed links that expire, to S3 or to documents that the stack serves itself."""

import base64
import hashlib
import hmac
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote, urlencode

from botocore.exceptions import ClientError

from quarry.data.aws import signing_s3
from quarry.data.settings import settings

PATH = "/documents"


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentLink:
    """The content of a signed link; ``name`` is what the file is saved as, ``until`` is in whole Unix seconds."""

    object_key: str
    name: str
    until: int

    def signature(self, key: bytes) -> str:
        said = "\n".join((PATH, str(self.until), self.object_key, self.name)).encode()
        return base64.urlsafe_b64encode(hmac.digest(key, said, "sha256")).decode().rstrip("=")

    def url(self, key: bytes, *, origin: str) -> str:
        signed = urlencode({"until": self.until, "name": self.name, "signature": self.signature(key)})
        return f"{origin}{PATH}/{quote(self.object_key)}?{signed}"


def listed(bucket: str, *, prefix: str) -> list[dict[str, Any]]:
    """Returns what S3 says of every object, such as Key and ETag, sorted by key."""
    pages = signing_s3().get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix)
    return sorted((item for page in pages for item in page.get("Contents", [])), key=lambda item: str(item["Key"]))


def read(bucket: str, key: str) -> bytes:
    body: bytes = signing_s3().get_object(Bucket=bucket, Key=key)["Body"].read()
    return body


PDF = "application/pdf"
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def put(bucket: str, key: str, content: bytes, *, metadata: dict[str, str], content_type: str = PDF) -> None:
    """Puts a document; S3 compares the checksum with what arrives, and keeps it."""
    sha256 = hashlib.sha256(content).digest()
    signing_s3().put_object(
        Bucket=bucket,
        Key=key,
        Body=content,
        ContentType=content_type,
        ChecksumSHA256=base64.b64encode(sha256).decode(),
        Metadata={"sha256": sha256.hex(), **metadata},
    )


def size(bucket: str, key: str) -> int | None:
    """Returns how many bytes the object has; None where there is none."""
    try:
        found: int = signing_s3().head_object(Bucket=bucket, Key=key)["ContentLength"]
    except ClientError as error:
        if error.response["ResponseMetadata"]["HTTPStatusCode"] == 404:
            return None
        raise
    return found


def link(bucket: str, key: str, *, file_name: str, seconds: int, content_type: str = PDF) -> tuple[str, datetime]:
    """Returns a URL that anybody may download the object from for ``seconds``, the store's or our own origin's, and
    until when.
    """
    # Taken before the link is signed, so that the link never ends before the time that is told.
    expires_at = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=seconds)
    configuration = settings()
    if configuration.document_origin is not None and configuration.document_key is not None:
        own = DocumentLink(object_key=key, name=file_name, until=int(expires_at.timestamp()))
        signing_key = configuration.document_key.get_secret_value().encode()
        return own.url(signing_key, origin=configuration.document_origin), expires_at
    wanted = {
        "Bucket": bucket,
        "Key": key,
        "ResponseContentType": content_type,
        "ResponseContentDisposition": f"inline; filename*=UTF-8''{quote(file_name)}",
    }
    return str(signing_s3().generate_presigned_url("get_object", Params=wanted, ExpiresIn=seconds)), expires_at
