"""An S3 object as a file that is read in ranges: flat memory, no disk, and always the same version of it."""

import hashlib
import io
from typing import Any

from botocore.exceptions import ClientError

from quarry.tool.errors import Conflict, NotFound

BLOCK = 8 * 1024 * 1024
CHANGED = "PreconditionFailed"


class S3File(io.RawIOBase):
    """Raises NotFound when there is no such object, Conflict when another one has taken its place meanwhile."""

    def __init__(self, client: Any, *, bucket: str, key: str, etag: str | None = None) -> None:
        self._client = client
        self._bucket = bucket
        self._key = key
        self._digest = hashlib.sha256()
        self._taken = 0
        # Not a range: S3 refuses every range of an empty object.
        first = self._get(**({"IfMatch": etag} if etag else {}))
        self.etag: str = first["ETag"]
        self._size: int = first["ContentLength"]
        with first["Body"] as body:
            self._block = memoryview(body.read(BLOCK))
        self._end = len(self._block)
        self._digest.update(self._block)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self._taken == len(self._block):
            self._next_block()
        target = memoryview(buffer).cast("B")
        count = min(len(target), len(self._block) - self._taken)
        target[:count] = self._block[self._taken : self._taken + count]
        self._taken += count
        return count

    def sha256(self) -> str:
        """Of the whole object; reads what is left of it."""
        while self._end < self._size:
            self._next_block()
        return self._digest.hexdigest()

    def _next_block(self) -> None:
        self._taken = 0
        if self._end >= self._size:
            self._block = memoryview(b"")
            return
        last = min(self._end + BLOCK, self._size) - 1
        with self._get(Range=f"bytes={self._end}-{last}", IfMatch=self.etag)["Body"] as body:
            self._block = memoryview(body.read())
        self._end = last + 1
        self._digest.update(self._block)

    def _get(self, **options: str) -> dict[str, Any]:
        where = f"s3://{self._bucket}/{self._key}"
        try:
            answer: dict[str, Any] = self._client.get_object(Bucket=self._bucket, Key=self._key, **options)
        except ClientError as error:
            code = error.response["Error"]["Code"]
            if code == CHANGED:
                raise Conflict(f"{where} was replaced while it was being ingested; ingest the new file.") from error
            raise NotFound(f"No readable object {where}: {code}.") from error
        return answer
