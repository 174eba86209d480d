"""Headers that every answer carries, whatever path it took."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from proxy.settings import Settings

ALWAYS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
]
_NO_STORE = (b"cache-control", b"no-store")
_CACHE_CONTROL = b"cache-control"
_HSTS = (b"strict-transport-security", b"max-age=31536000")


class AnswerHeaders:
    """What one caller was told is nobody else's to read from a cache."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        secure = settings.public_url is not None and settings.public_url.startswith("https:")
        self._always = [*ALWAYS, _HSTS] if secure else ALWAYS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*_uncached(message.get("headers", ())), *self._always]}
            await send(message)

        await self._app(scope, receive, with_headers)


def _uncached(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    for index, (name, value) in enumerate(headers):
        if name.lower() == _CACHE_CONTROL:
            if value.startswith(b"public") or b"no-store" in value:
                return headers
            return [*headers[:index], (name, value + b", no-store"), *headers[index + 1 :]]
    return [*headers, _NO_STORE]
