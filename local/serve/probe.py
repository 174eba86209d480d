"""Asking a local server whether it is ready."""

from collections.abc import Mapping

import aiohttp

_TIMEOUT = aiohttp.ClientTimeout(total=2)


async def status_of(url: str, *, method: str = "GET", headers: Mapping[str, str] | None = None) -> int | None:
    """The status code, or None when no answer came."""
    body = b"{}" if method == "POST" else None
    try:
        async with aiohttp.request(method, url, data=body, headers=headers, timeout=_TIMEOUT) as answer:
            return answer.status
    except (aiohttp.ClientError, TimeoutError):
        return None


async def answers(url: str) -> bool:
    return await status_of(url) == 200
