"""What is generated: arguments on a tool's schema and off it, forged cursors, broken JSON-RPC, raw HTTP."""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from hypothesis import strategies as st

from tests.e2e.sample_calls import NEEDS_A_MODEL, TOOLS, YEAR, event

MODERN, LEGACY = "2026-07-28", "2025-11-25"
_META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "fuzz", "version": "1"},
}
NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


@dataclass(frozen=True)
class Case:
    """One HTTP request: ``raw`` goes out as it is, to a connection of its own; else ``body`` is posted."""

    kind: str
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    path: str = "/mcp"
    raw: bytes | None = None

    def as_json(self) -> dict[str, Any]:
        """A form that a file of cases can hold: bytes as Latin-1."""
        raw = None if self.raw is None else self.raw.decode("latin-1")
        return {**vars(self), "body": self.body.decode("latin-1"), "raw": raw}

    @classmethod
    def of_json(cls, kept: dict[str, Any]) -> "Case":
        raw = None if kept["raw"] is None else kept["raw"].encode("latin-1")
        return cls(**{**kept, "body": kept["body"].encode("latin-1"), "raw": raw})


ODD_TEXTS = st.sampled_from(
    [
        "",
        " ",
        "\x00",
        "�",
        "\u202e",
        "'; --",
        "%s%n",
        "../../etc/passwd",
        "{{7*7}}",
        "null",
        "NaN",
        "-0",
        "1e999",
        "0001-01-01T00:00:00-23:59",
        "9999-12-31T23:59:59+23:59",
        "2026-02-30",
        "𝟙",
        "x" * 5000,
        "(" * 400,
        "\\" * 99,
    ]
)
ODD_NUMBERS = st.sampled_from([-1, 0, 2**31 - 1, 2**31, 2**63, -(2**63), 10**30, 1e308, 5e-324, -0.0, 0.1 + 0.2])
TEXTS = st.text(max_size=40) | ODD_TEXTS
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ODD_NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=8,
)
WORDS = st.sampled_from(
    [
        "oilless compressor 30 hp",
        "dryer",
        "Vakuumpumpe 200 m³/h",
        "QMB30",
        "Q18-0064",
        "Q-2026-0001",
        "acct_acme_001",
        "prod_sso",
        "gallery-management",
        "slow-harbour~0",
        "attention",
        "USD",
        "2026-01-01",
        "7.5 kW nicht ölfrei",
    ]
)


def on_schema(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that the schema allows, those at its bounds often."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    kinds = schema.get("type", "object")
    return st.one_of([_of_type(kind, schema) for kind in ([kinds] if isinstance(kinds, str) else kinds)])


def _of_type(kind: str, schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    low, high = schema.get("minimum"), schema.get("maximum")
    match kind:
        case "null":
            return st.none()
        case "boolean":
            return st.booleans()
        case "integer":
            bounds = [bound for bound in (low, high) if bound is not None]
            whole = st.integers(low if low is not None else -(2**40), high if high is not None else 2**40)
            return whole | st.sampled_from(bounds) if bounds else whole
        case "number":
            return st.floats(low, high, allow_nan=False, allow_infinity=False)
        case "string":
            least, most = schema.get("minLength", 0), schema.get("maxLength", 200)
            if pattern := schema.get("pattern"):
                return st.from_regex(pattern, fullmatch=True).map(lambda text: text[:most])
            return (WORDS | TEXTS | st.dates().map(str) | st.datetimes().map(str)).map(
                lambda text: (text + "x" * max(0, least - len(text)))[:most]
            )
        case "array":
            items = on_schema(schema.get("items", {"type": "string"}))
            return st.lists(items, min_size=schema.get("minItems", 0), max_size=min(schema.get("maxItems", 4), 4))
    return _object(schema)


@st.composite
def _object(draw: st.DrawFn, schema: dict[str, Any], known: Mapping[str, object] | None = None) -> dict[str, Any]:
    """Half of the values that are ``known`` stay: an id that is invented hardly ever leads anywhere."""
    properties = schema.get("properties", {})
    required = set(schema.get("required", ()))
    chosen = [name for name in properties if name in required or draw(st.integers(0, 3)) == 0]
    kept = {name: value for name, value in (known or {}).items() if name in chosen and draw(st.booleans())}
    return {name: kept[name] if name in kept else draw(on_schema(properties[name])) for name in chosen}


@st.composite
def off_schema(draw: st.DrawFn, tool: dict[str, Any]) -> Any:
    """Sensible arguments with one thing changed, or something else altogether."""
    schema = tool["inputSchema"]
    how = draw(st.integers(0, 4))
    if how == 0:
        return draw(JSON_VALUES)
    arguments = dict(sensible(tool["name"])) if how < 3 else draw(_object(schema, sensible(tool["name"])))
    names = [*schema.get("properties", {}), "tenant", "_mcp", "unknown"]
    arguments[draw(st.sampled_from(names))] = draw(JSON_VALUES)
    return arguments


@cache
def sensible(tool: str) -> dict[str, object]:
    """The sample call, but with a key of its own and about a quote that no other sample call reads: what is generated
    writes to it.
    """
    own = {"quote_id": f"Q-{YEAR}-0007", "idempotency_key": "generated call"}
    arguments = event(tool)
    return arguments | {name: value for name, value in own.items() if name in arguments}


def _sealed_like() -> st.SearchStrategy[str]:
    bodies = st.binary(max_size=60) | JSON_VALUES.map(lambda value: json.dumps(value).encode())
    return bodies.map(lambda body: base64.urlsafe_b64encode(body).decode().rstrip("="))


CURSORS = _sealed_like() | TEXTS
PAGED = [tool for tool in TOOLS if "cursor" in tool["inputSchema"].get("properties", {})]
ASKED = [tool for tool in TOOLS if tool["name"] != NEEDS_A_MODEL]


def request(method: str, params: Any, *, era: str, number: Any = 1, kind: str = "rpc") -> Case:
    headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    headers["MCP-Protocol-Version"] = era
    if era == MODERN:
        headers["Mcp-Method"] = method if method.isascii() and method.isprintable() else "x"
        named = params.get(NAMED.get(method, "")) if isinstance(params, dict) else None
        if isinstance(named, str) and named.isascii() and named.isprintable():
            headers["Mcp-Name"] = named
        if isinstance(params, dict):
            params = {**params, "_meta": params.get("_meta", _META)}
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return Case(kind, json.dumps(message).encode(), headers)


ERAS = st.sampled_from([MODERN, LEGACY])


@st.composite
def tool_calls(draw: st.DrawFn) -> Case:
    tool, on = draw(st.sampled_from(ASKED)), draw(st.booleans())
    arguments = draw(_object(tool["inputSchema"], sensible(tool["name"])) if on else off_schema(tool))
    kind = f"{tool['name']} {'on' if on else 'off'} its schema"
    return request("tools/call", {"name": tool["name"], "arguments": arguments}, era=draw(ERAS), kind=kind)


@st.composite
def cursors(draw: st.DrawFn) -> Case:
    tool, era = draw(st.sampled_from(PAGED)), draw(ERAS)
    if draw(st.integers(0, 3)) == 0:
        method = draw(st.sampled_from(["tools/list", "resources/list", "prompts/list", "resources/templates/list"]))
        return request(method, {"cursor": draw(CURSORS)}, era=era, kind=f"{method} cursor")
    arguments = {**sensible(tool["name"]), "cursor": draw(CURSORS)}
    return request(
        "tools/call", {"name": tool["name"], "arguments": arguments}, era=era, kind=f"{tool['name']} cursor"
    )


METHODS = st.sampled_from(
    [
        "initialize",
        "ping",
        "tools/list",
        "tools/call",
        "resources/read",
        "resources/list",
        "prompts/get",
        "prompts/list",
        "completion/complete",
        "logging/setLevel",
        "server/discover",
        "notifications/cancelled",
        "subscriptions/listen",
        "resources/subscribe",
        "tasks/get",
        "rpc.discover",
        "",
        "tools/call\x00",
    ]
)


@st.composite
def messages(draw: st.DrawFn) -> Case:
    """A JSON-RPC message with whatever in it, or the bytes of a good one damaged."""
    params = draw(JSON_VALUES | st.fixed_dictionaries({"name": TEXTS, "uri": TEXTS, "arguments": JSON_VALUES}))
    case = request(draw(METHODS), params, era=draw(ERAS), number=draw(JSON_VALUES))
    how = draw(st.integers(0, 3))
    if how == 0:
        return case
    body = case.body
    if how == 1:
        at = draw(st.integers(0, len(body)))
        body = body[:at] + draw(st.binary(max_size=6)) + body[at + draw(st.integers(0, 6)) :]
    elif how == 2:
        body = json.dumps(draw(JSON_VALUES)).encode()
    else:
        deep = draw(st.sampled_from([70, 5_000]))
        body = b"[" * deep + body + b"]" * deep
    return Case("rpc damaged", body, case.headers)


LINES = st.sampled_from(
    [
        b"POST /mcp HTTP/1.1",
        b"GET /mcp HTTP/1.1",
        b"POST http://127.0.0.1/mcp HTTP/1.1",
        b"POST /mcp HTTP/9.9",
        b"P",
        b"OPTIONS * HTTP/1.1",
        b"POST /mcp/../../x HTTP/1.1",
        b"POST /mcp/cpq/readonly HTTP/1.1",
        b"POST /%00 HTTP/1.1",
        b"PUT /healthz HTTP/1.1",
        b"PRI * HTTP/2.0",
        b"\x16\x03\x01\x02\x00",
        b"CONNECT x:1 HTTP/1.1",
    ]
)
FIELDS = st.sampled_from(
    [
        b"Host: 127.0.0.1",
        b"Host: evil.example",
        b"Host:",
        b"Content-Length: 5",
        b"Content-Length: -1",
        b"X: " + b"y" * 9000,
        b"Content-Length: 99999999999",
        b"Transfer-Encoding: chunked",
        b"Transfer-Encoding: gzip",
        b"Expect: 100-continue",
        b"Content-Type: application/json",
        b"MCP-Protocol-Version: 1",
        b"Origin: http://evil.example",
        b"Upgrade: h2c",
        b"Authorization: Bearer \xff",
        b": empty",
        b"A\x00b: c",
        b"Content-Encoding: gzip",
    ]
)


@st.composite
def raw_http(draw: st.DrawFn) -> Case:
    head = [draw(LINES), *draw(st.lists(FIELDS, max_size=6))]
    body = draw(st.binary(max_size=40) | st.just(b'5\r\n{"a":\r\n0\r\n\r\n'))
    return Case("raw HTTP", raw=b"\r\n".join(head) + b"\r\n\r\n" + body)


CASES: st.SearchStrategy[Case] = st.integers(0, 19).flatmap(
    lambda share: (
        tool_calls() if share < 11 else cursors() if share < 14 else messages() if share < 18 else raw_http()
    )
)
