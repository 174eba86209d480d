"""What a tool declares: its card, its arguments and its result."""

from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from typing import Any, ClassVar, NamedTuple, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, field_validator, model_validator

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


class Args(BaseModel):
    """Arguments of a tool; bounds live in the fields, and an unknown argument is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True, str_max_length=LONGEST_TEXT)

    @model_validator(mode="before")
    @classmethod
    def blanks_are_left_out(cls, value: object) -> object:
        """Drops empty optional arguments (null, "", []), by which models mean that they give none.

        A number in quotes is left to pydantic to read; the schema still asks for a number. Control and invisible
        characters are left out of every text, because approvers and customers read some of them.
        """
        if not isinstance(value, dict):
            return value
        optional = {field.alias or name for name, field in cls.model_fields.items() if not field.is_required()}
        plain = all_plain(value)
        for name in _numbers(cls) & plain.keys():
            if isinstance(plain[name], str):
                plain[name] = ascii_digits(plain[name])
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
def _numbers(arguments: type[Args]) -> frozenset[str]:
    """Returns the names of arguments that are numbers, whose digits may come in any script."""
    fields = arguments.model_fields.items()
    return frozenset(field.alias or name for name, field in fields if _is_number(field.annotation))


def _is_number(annotation: object) -> bool:
    return annotation in (int, float, Decimal) or any(map(_is_number, get_args(annotation)))


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
