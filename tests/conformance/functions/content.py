"""Tools, resources and prompts that answer at once, with each kind of content block there is."""

import base64
import json
import struct
import time
import zlib
from typing import Any

Event = dict[str, Any]


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _picture() -> str:
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


_IMAGE = {"type": "image", "data": _picture(), "mimeType": "image/png"}


def _resource(uri: str, mime_type: str, text: str) -> dict[str, Any]:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": mime_type, "text": text}}


def _with(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"blocks": len(blocks), "_mcp": {"content": list(blocks)}}


def simple_text(event: Event, context: object) -> dict[str, Any]:
    return {"text": "This is a simple text response for testing."}


def image_content(event: Event, context: object) -> dict[str, Any]:
    return _with(_IMAGE)


def audio_content(event: Event, context: object) -> dict[str, Any]:
    return _with({"type": "audio", "data": _sound(), "mimeType": "audio/wav"})


def embedded_resource(event: Event, context: object) -> dict[str, Any]:
    return _with(_resource("test://embedded-resource", "text/plain", "This is an embedded resource content."))


def multiple_content_types(event: Event, context: object) -> dict[str, Any]:
    return _with(
        _IMAGE, _resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}')
    )


def error_handling(event: Event, context: object) -> dict[str, Any]:
    message = "This tool intentionally returns an error for testing"
    return {"error": True, "code": "VALIDATION_ERROR", "message": message}


def tool_with_progress(event: Event, context: object) -> dict[str, Any]:
    """A function cannot say how far it is; the proxy says how long it has waited."""
    time.sleep(0.5)
    return {"slept": True}


def echo(event: Event, context: object) -> dict[str, Any]:
    """For tools of which only the schema or the headers are looked at."""
    return {"arguments": event}


def resource(event: Event, context: object) -> dict[str, Any]:
    uri = event["uri"]
    if uri == "test://static-binary":
        return {"contents": [{"uri": uri, "mimeType": "image/png", "blob": _IMAGE["data"]}]}
    if uri == "test://static-text":
        text = "This is the content of the static text resource."
        return {"contents": [{"uri": uri, "mimeType": "text/plain", "text": text}]}
    number = uri.split("/")[3]
    text = json.dumps({"id": number, "templateTest": True, "data": f"Data for ID: {number}"})
    return {"contents": [{"uri": uri, "mimeType": "application/json", "text": text}]}


def prompt(event: Event, context: object) -> dict[str, Any]:
    name, given = event["prompt"]["name"], event["prompt"]["arguments"]
    if name == "test_simple_prompt":
        return _messages(_text("This is a simple prompt for testing."))
    if name == "test_prompt_with_arguments":
        return _messages(_text(f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'"))
    if name == "test_prompt_with_image":
        return _messages(_IMAGE, _text("Please analyze the image above."))
    text = "Embedded resource content for testing."
    embedded = {"uri": given["resourceUri"], "mimeType": "text/plain", "text": text}
    return _messages({"type": "resource", "resource": embedded}, _text("Please process the embedded resource above."))


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def _messages(*contents: dict[str, Any]) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": content} for content in contents]}
