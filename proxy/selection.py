"""Which part of the manifest a request addresses: path and headers in, toolsets and mode out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

ROOT = "/mcp"
READONLY = "readonly"
TOOLSETS_HEADER = b"x-mcp-toolsets"
READONLY_HEADER = b"x-mcp-readonly"
NARROWING = frozenset({TOOLSETS_HEADER, READONLY_HEADER})

_BOOLEANS = {b"true": True, b"1": True, b"false": False, b"0": False}

Headers = Iterable[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class Selection:
    """Toolsets to serve, and whether tools that write are refused."""

    toolsets: frozenset[str]
    read_only: bool


class SelectionError(Exception):
    """A request that selects nothing sensible; `status` is its HTTP status."""

    def __init__(self, message: str, *, status: int) -> None:
        super().__init__(message)
        self.message = message
        self.status = status


def select(path: str, *, headers: Headers, enabled: Sequence[str], read_only: bool) -> Selection:
    """Combine path, headers and the server's own mode. Each can only narrow what the others allow."""
    named, path_read_only = _parse_path(path, enabled=enabled)
    header_read_only = False
    toolsets = named
    for name, value in headers:
        if name == READONLY_HEADER:
            header_read_only |= _boolean(value)
        elif name == TOOLSETS_HEADER:
            toolsets &= _toolsets(value.decode("latin-1"), enabled=enabled, status=400)
    if not toolsets:
        raise SelectionError("The path and X-MCP-Toolsets have no toolset in common.", status=400)
    return Selection(toolsets=toolsets, read_only=read_only or path_read_only or header_read_only)


def _parse_path(path: str, *, enabled: Sequence[str]) -> tuple[frozenset[str], bool]:
    segments = path.removeprefix(ROOT).removesuffix("/").split("/")
    match segments:
        case [""]:
            return frozenset(enabled), False
        case ["", names] if names == READONLY:
            return frozenset(enabled), True
        case ["", names]:
            return _toolsets(names, enabled=enabled, status=404), False
        case ["", names, last] if last == READONLY:
            return _toolsets(names, enabled=enabled, status=404), True
        case _:
            raise SelectionError(
                f"No such endpoint. Use {ROOT}, {ROOT}/<toolset>[,<toolset>] and an optional /{READONLY}. "
                f"Toolsets: {', '.join(enabled)}.",
                status=404,
            )


def _toolsets(text: str, *, enabled: Sequence[str], status: int) -> frozenset[str]:
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise SelectionError(f"An empty toolset name. Toolsets: {', '.join(enabled)}.", status=status)
    if unknown := [name for name in names if name not in enabled]:
        listed = ", ".join(repr(name) for name in unknown)
        raise SelectionError(f"Unknown toolset: {listed}. Toolsets: {', '.join(enabled)}.", status=404)
    return frozenset(names)


def _boolean(value: bytes) -> bool:
    try:
        return _BOOLEANS[value.lower()]
    except KeyError:
        # A typo must never open what the caller meant to close.
        raise SelectionError("X-MCP-Readonly must be 'true' or 'false'.", status=400) from None
