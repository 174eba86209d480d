"""House templates from the bucket: cached in memory, revalidated by ETag, served stale while S3 is unreachable."""

import asyncio
import logging
import re
import time
from collections import defaultdict
from dataclasses import dataclass
from urllib.parse import quote

import aiohttp
from yarl import URL

from proxy.credentials import Signer
from proxy.settings import Settings
from proxy.telemetry import log

_logger = logging.getLogger(__name__)

_SECONDS = 5.0
# While S3 is unreachable a stale copy is served at once, and S3 is asked again no more often than this.
_RETRY_SECONDS = 5.0
_FENCE = re.compile(r"^---[ \t]*+\r?\n", re.MULTILINE)
_OK, _NOT_MODIFIED, _NOT_FOUND = 200, 304, 404


class TemplateUnavailableError(Exception):
    """The bucket cannot be read and no copy is at hand."""


class TemplateMissingError(Exception):
    """The bucket answers, and has no such object."""


@dataclass(slots=True)
class _Copy:
    body: bytes
    etag: str
    fresh_until: float


class TemplateStore:
    """Reads objects under the template prefix."""

    def __init__(self, settings: Settings, *, signer: Signer, session: aiohttp.ClientSession, endpoint: str) -> None:
        self._settings = settings
        self._signer = signer
        self._session = session
        self._base = f"{endpoint}/{settings.template_bucket}/"
        self._copies: dict[str, _Copy] = {}
        self._fetching: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def read(self, key: str) -> bytes:
        """Reads the object. ``key`` comes from the manifest, never from a caller."""
        async with self._fetching[key]:
            copy = self._copies.get(key)
            if copy is not None and time.monotonic() < copy.fresh_until:
                return copy.body
            try:
                async with asyncio.timeout(_SECONDS):
                    return await self._fetch(key, copy)
            except (aiohttp.ClientError, ConnectionError, TimeoutError, TemplateUnavailableError) as failure:
                log(_logger, "template_unreadable", level=logging.WARNING, key=key, cause=type(failure).__name__)
                if copy is None:
                    raise TemplateUnavailableError(key) from None
                copy.fresh_until = time.monotonic() + _RETRY_SECONDS
                return copy.body

    async def _fetch(self, key: str, copy: _Copy | None) -> bytes:
        if self._settings.template_bucket is None:
            raise TemplateUnavailableError(key)
        url = self._base + quote(self._settings.template_prefix + key, safe="/~")
        headers = {"If-None-Match": copy.etag} if copy else {}
        signed = await self._signer.sign("s3", method="GET", url=url, headers=headers)
        async with self._session.get(URL(url, encoded=True), headers=signed, allow_redirects=False) as response:
            fresh_until = time.monotonic() + self._settings.template_ttl_seconds
            if response.status == _NOT_MODIFIED and copy is not None:
                copy.fresh_until = fresh_until
                return copy.body
            if response.status == _NOT_FOUND:
                self._copies.pop(key, None)
                raise TemplateMissingError(key)
            if response.status != _OK:
                raise TemplateUnavailableError(key)
            body = await response.read()
            self._copies[key] = _Copy(body, response.headers.get("ETag", ""), fresh_until)
            return body


def without_front_matter(text: str) -> str:
    """Returns the body after a leading block between `---` lines; the text itself where there is none."""
    before, *parts = _FENCE.split(text, maxsplit=2)
    return parts[1].lstrip("\n") if not before and len(parts) == 2 else text
