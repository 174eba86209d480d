"""Asking a local server whether it is ready, over plain HTTP and with nothing in between."""

import asyncio
from collections.abc import Mapping
from urllib.parse import urlsplit

_SECONDS = 2.0


async def status_of(url: str, *, method: str = "GET", headers: Mapping[str, str] | None = None) -> int | None:
    """The status code, or None when no answer came."""
    try:
        async with asyncio.timeout(_SECONDS):
            return await _exchange(url, method=method, headers=headers or {})
    except (OSError, TimeoutError, ValueError, IndexError):
        return None


async def answers(url: str) -> bool:
    return await status_of(url) == 200


async def _exchange(url: str, *, method: str, headers: Mapping[str, str]) -> int:
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    try:
        lines = [f"{method} {parts.path or '/'} HTTP/1.1", f"Host: {parts.netloc}", "Connection: close"]
        lines += ["Content-Length: 2"] if method == "POST" else []
        lines += [f"{name}: {value}" for name, value in headers.items()]
        body = "{}" if method == "POST" else ""
        writer.write(("\r\n".join(lines) + "\r\n\r\n" + body).encode())
        return int((await reader.readline()).split()[1])
    finally:
        writer.close()
