"""Tools that answer at once, with each kind of content block there is."""

import base64
import struct
import time
import zlib
from typing import Any

Event = dict[str, Any]


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def picture() -> str:
    """A PNG of one red pixel, in base64."""
    header = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixel = zlib.compress(b"\x00\xff\x00\x00")
    file = b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", pixel) + _chunk(b"IEND", b"")
    return base64.b64encode(file).decode()


def _sound() -> str:
    """A WAV of no samples, in base64."""
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, 8000, 16000, 2, 16)
    body = b"WAVE" + form + struct.pack("<4sI", b"data", 0)
    return base64.b64encode(struct.pack("<4sI", b"RIFF", len(body)) + body).decode()


_IMAGE = {"type": "image", "data": picture(), "mimeType": "image/png"}


def _resource(uri: str, mime_type: str, text: str) -> dict[str, Any]:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": mime_type, "text": text}}


def _with(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"blocks": len(blocks), "_mcp": {"content": list(blocks)}}


def test_simple_text(event: Event, context: object) -> dict[str, Any]:
    return {"text": "This is a simple text response for testing."}


def test_image_content(event: Event, context: object) -> dict[str, Any]:
    return _with(_IMAGE)


def test_audio_content(event: Event, context: object) -> dict[str, Any]:
    return _with({"type": "audio", "data": _sound(), "mimeType": "audio/wav"})


def test_embedded_resource(event: Event, context: object) -> dict[str, Any]:
    return _with(_resource("test://embedded-resource", "text/plain", "This is an embedded resource content."))


def test_multiple_content_types(event: Event, context: object) -> dict[str, Any]:
    return _with(_IMAGE, _resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'))


def test_error_handling(event: Event, context: object) -> dict[str, Any]:
    message = "This tool intentionally returns an error for testing"
    return {"error": True, "code": "VALIDATION_ERROR", "message": message}


def test_tool_with_progress(event: Event, context: object) -> dict[str, Any]:
    """A function cannot say how far it is; the proxy says how long it has waited."""
    time.sleep(0.5)
    return {"slept": True}


def echo(event: Event, context: object) -> dict[str, Any]:
    """For tools of which only the schema or the headers are looked at."""
    return {"arguments": event}
