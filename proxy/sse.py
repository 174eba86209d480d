"""Reframes a JSON answer as a one-event stream, for clients that accept nothing else."""

from starlette.types import Message, Send


def framed(send: Send) -> Send:
    """Wrap `send`; answers that are streams already, or not successes, pass unchanged."""
    start: Message | None = None
    body = b""

    async def wrapped(message: Message) -> None:
        nonlocal start, body
        if message["type"] == "http.response.start" and _is_json_success(message):
            start = message
        elif start is None or message["type"] != "http.response.body":
            await send(message)
        else:
            body += message.get("body", b"")
            if not message.get("more_body", False):
                await send({**start, "headers": _HEADERS})
                await send({**message, "body": b"event: message\r\ndata: " + body + b"\r\n\r\n"})

    return wrapped


_HEADERS = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-cache, no-transform")]


def _is_json_success(message: Message) -> bool:
    content_type: bytes = dict(message.get("headers", ())).get(b"content-type", b"")
    return bool(message["status"] == 200) and content_type.startswith(b"application/json")
