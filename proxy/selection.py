"""Which part of the manifest a request addresses: path and headers in, toolsets and mode out."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

ROOT = "/mcp"
READONLY = "readonly"
READONLY_HEADER = b"x-mcp-readonly"

_BOOLEANS = {b"true": True, b"1": True, b"false": False, b"0": False}

Headers = Iterable[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class Selection:
    """Toolsets to serve, and whether tools that write are refused.

    ``tools`` are those of them that a profile names; None where no profile is addressed, which leaves all.
    """

    toolsets: frozenset[str]
    read_only: bool
    tools: frozenset[str] | None = None

    def serves(self, tool: str, *, toolset: str) -> bool:
        return toolset in self.toolsets and (self.tools is None or tool in self.tools)


@dataclass(frozen=True, slots=True)
class Profile:
    """The tools that an address of their own serves, and the toolsets they come from."""

    toolsets: frozenset[str]
    tools: frozenset[str]


class SelectionError(Exception):
    """A request that selects nothing sensible; `status` is its HTTP status."""

    def __init__(self, message: str, *, status: int) -> None:
        super().__init__(message)
        self.status = status


def select(
    path: str,
    *,
    headers: Headers,
    enabled: Sequence[str],
    read_only: bool,
    profiles: Mapping[str, Profile],
) -> Selection:
    """Combine path, headers and the server's own mode. Each can only narrow what the others allow."""
    named = _parse_path(path, enabled=enabled, profiles=profiles)
    asked = [_boolean(value) for name, value in headers if name == READONLY_HEADER]
    return replace(named, read_only=read_only or named.read_only or any(asked))


def _parse_path(path: str, *, enabled: Sequence[str], profiles: Mapping[str, Profile]) -> Selection:
    segments = path.removeprefix(ROOT).removesuffix("/").split("/")
    match segments:
        case [""]:
            return Selection(frozenset(enabled), False)
        case ["", names] if names == READONLY:
            return Selection(frozenset(enabled), True)
        case ["", name, *last] if name in profiles and last in ([], [READONLY]):
            return Selection(profiles[name].toolsets, bool(last), profiles[name].tools)
        case ["", names]:
            return Selection(_toolsets(names, enabled=enabled), False)
        case ["", names, last] if last == READONLY:
            return Selection(_toolsets(names, enabled=enabled), True)
        case _:
            raise SelectionError(
                f"No such endpoint. Use {ROOT}, {ROOT}/<toolset>[,<toolset>] and an optional /{READONLY}. "
                f"Toolsets: {', '.join(enabled)}. Profiles, each by itself: {', '.join(profiles) or 'none'}.",
                status=404,
            )


def _toolsets(text: str, *, enabled: Sequence[str]) -> frozenset[str]:
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise SelectionError(f"An empty toolset name. Toolsets: {', '.join(enabled)}.", status=404)
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
