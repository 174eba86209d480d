"""What a tool declares: its card, its arguments and its result."""

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from functools import cache, partial
from typing import Any, ClassVar, NamedTuple, Self, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, field_validator, model_validator
from pydantic_core import from_json

from quarry.plain_text import all_plain
from quarry.text import ascii_digits

RESERVED = "_mcp"
"""Key of an answer for content blocks or questions to MCP clients, and of a question's answers in an event."""

OPAQUE = "x-opaque"
"""Key of a part's schema whose fields tools/list leaves out, because only people read them, now and then, or because
another tool's schema has them already.
"""


MOST_WHOLE = 2**31 - 1
"""The largest number of Postgres' type integer, and so the bound of a whole number that has none of its own."""


LONGEST_TEXT = 500
"""Most characters of a text that has no bound of its own; no schema tells it, but a refusal does."""


PATTERNS = {
    "^[A-Z]{2}$": "is no country: write its two letters, such as DE",
    "^[A-Z]{3}$": "is no currency: write its three letters, such as EUR",
    "^[a-z]{2}$": "is no language: write its two letters, such as de",
    "^[a-z0-9_]{1,60}$": "is no key: write small letters, digits and _",
    r"^[^\W_][\w ./#№+-]{0,39}$": "is no quote's number: write one such as Q-2026-0042",
    "^[Dd]-[0-9]{4}-[0-9]{4,}$": "is no draft's id: write one such as D-2026-0001",
    "^[0-9a-f]{16}$": "is no check_id: write it as load_check answered it",
    r"^[^/\\\x00-\x1f.][^/\\\x00-\x1f]{0,199}$": "is no file's name: write it without folders, no full stop first",
}
"""What is told in place of a pattern that a text does not match."""


class Args(BaseModel):
    """Arguments of a tool; bounds live in the fields, and an unknown argument is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True, str_max_length=LONGEST_TEXT)

    @model_validator(mode="before")
    @classmethod
    def blanks_are_left_out(cls, value: object) -> object:
        """Drops empty optional arguments (null, "", []), by which models mean that they give none.

        A number in quotes is left to pydantic to read; the schema still asks for a number. A list that comes as JSON
        and a word of few in another case are taken as they were meant. Control and invisible
        characters are left out of every text, because approvers and customers read some of them.
        """
        if not isinstance(value, dict):
            return value
        optional = {field.alias or name for name, field in cls.model_fields.items() if not field.is_required()}
        read = _readings(cls)
        meant = {name: read[name](given) if name in read and isinstance(given, str) else given
                 for name, given in value.items()}  # fmt: skip
        plain = all_plain(meant)
        return {name: given for name, given in plain.items() if name not in optional or not _blank(given)}

    @field_validator("*")
    @classmethod
    def texts_can_be_stored(cls, value: object) -> object:
        """Refuses NUL and half a surrogate pair at any depth, which no text in Postgres can hold."""
        for text in _texts(value):
            if "\x00" in text:
                raise ValueError("must not contain a NUL character")
            if any("\ud800" <= letter <= "\udfff" for letter in text):
                raise ValueError("must be valid Unicode: half a surrogate pair is none")
        return value


@cache
def _readings(arguments: type[Args]) -> dict[str, Callable[[str], object]]:
    """Returns, by argument, what a text means in place of a list, a number in any script, or one of a few words."""
    found: dict[str, Callable[[str], object]] = {}
    for name, field in arguments.model_fields.items():
        kinds = [*kinds_of(field.annotation)]
        if list in kinds:
            found[field.alias or name] = _listed
        elif any(kind in (int, float, Decimal) for kind in kinds):
            found[field.alias or name] = ascii_digits
        elif words := {kind.casefold(): kind for kind in kinds if isinstance(kind, str)}:
            found[field.alias or name] = partial(_word, words)
    return found


def kinds_of(annotation: Any) -> Iterator[Any]:
    """Yields the types that an annotation is made of, and the words of a Literal."""
    yield get_origin(annotation) or annotation
    for part in get_args(annotation):
        yield from kinds_of(part)


def _listed(text: str) -> object:
    try:
        found = from_json(text)
    except ValueError:
        return text
    return found if isinstance(found, list) else text


def _word(words: Mapping[str, str], text: str) -> str:
    return words.get(text.strip().casefold(), text)


def _blank(value: object) -> bool:
    return value is None or value == [] or (isinstance(value, str) and not value.strip())


def _texts(value: object) -> Iterator[str]:
    """Yields every text in a JSON value, keys of objects too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _texts(key)
            yield from _texts(item)


class ResourceLink(BaseModel):
    """MCP's content block of that type: something the client may fetch from ``uri`` by itself; ``size`` in bytes."""

    model_config = ConfigDict(frozen=True, serialize_by_alias=True)

    type: str = "resource_link"
    uri: str
    name: str
    title: str
    mime_type: str = Field(serialization_alias="mimeType")
    size: int


class Result(BaseModel):
    """Result of a tool, always an object; money is a JSON string, because a float cannot hold a cent."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    lean: ClassVar[bool] = False
    """If true, an answer omits fields that are null or have their default, and the schema has no null."""

    _links: tuple[ResourceLink, ...] = PrivateAttr(default=())

    def with_links(self, *links: ResourceLink) -> Self:
        """Returns the same data with links, which MCP clients get beside it."""
        linked = self.model_copy()
        linked._links = links
        return linked

    def as_answer(self) -> dict[str, Any]:
        """Returns the JSON object that the function answers."""
        data = self.model_dump(mode="json", exclude_none=self.lean, exclude_defaults=self.lean)
        if self._links:
            data[RESERVED] = {"content": [link.model_dump(mode="json") for link in self._links]}
        return data


class LeanResult(Result):
    lean: ClassVar[bool] = True


class Part(BaseModel):
    """An object inside a result."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class OpaquePart(Part):
    model_config = ConfigDict(json_schema_extra={OPAQUE: True})


class Toolset(NamedTuple):
    """A toolset's card; its name is its package's."""

    title: str
    description: str


class Tool(NamedTuple):
    """A tool's card, as clients list it; the four hints are MCP's annotations, always explicit."""

    name: str
    title: str
    description: str
    toolset: str
    read_only: bool
    destructive: bool
    idempotent: bool
    open_world: bool
    asks: bool = False
    """It may ask the client's user before it answers (quarry.tool.questions); `serve_asking` makes its handler."""
    keeps_state: bool = False
    """It carries state from one round to the next, which the front has to seal with a key of its own."""

    @property
    def scope(self) -> str:
        return f"{self.toolset}:{'read' if self.read_only else 'write'}"


def retrieval_tool(name: str, *, title: str, description: str, toolset: str) -> Tool:
    """Returns the card of a tool that only reads this database."""
    return Tool(
        name=name,
        title=title,
        description=" ".join(description.split()),
        toolset=toolset,
        read_only=True,
        destructive=False,
        idempotent=True,
        open_world=False,
    )
