"""Pydantic models as plain JSON Schema."""

from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from local.manifest.schema import agentcore_subset, described_output, fields, input_schema, output_schema
from quarry.tool.contract import OPAQUE, Args, Part, Result


class Bolt(Part):
    thread: Literal["M6", "M8"] | None = Field(description="Thread.")


class OrderArgs(Args):
    """Docstring of the class."""

    title: str = Field(min_length=1, max_length=9, description="Title.")
    count: Annotated[int, Field(ge=1, le=50)] | None = Field(default=None, description="Count.")
    tags: list[Annotated[str, Field(pattern="^[a-z]$")]] = Field(max_length=3, description="Tags.")
    level: Literal["low", "high"] = Field(default="low", description="Level.")


class OrderResult(Result):
    bolts: list[Bolt] = Field(description="Bolts.")
    first: Bolt = Field(description="First bolt.")
    price: float | None = Field(description="Price.")
    filters: dict[str, float | str] = Field(description="Filters.")
    description: str = Field(description="Text.")


def test_an_input_schema_inlines_and_drops_null_and_titles() -> None:
    assert input_schema(OrderArgs) == {
        "type": "object",
        "properties": {
            "title": {"type": "string", "minLength": 1, "maxLength": 9, "description": "Title."},
            "count": {"type": "integer", "minimum": 1, "maximum": 50, "description": "Count."},
            "tags": {
                "type": "array",
                "items": {"type": "string", "pattern": "^[a-z]$"},
                "maxItems": 3,
                "description": "Tags.",
            },
            "level": {"type": "string", "enum": ["low", "high"], "default": "low", "description": "Level."},
        },
        "required": ["title", "tags"],
        "additionalProperties": False,
    }


def test_an_output_schema_keeps_null_as_a_second_branch() -> None:
    properties = described_output(OrderResult)["properties"]
    assert properties["price"] == {"anyOf": [{"type": "number"}, {"type": "null"}], "description": "Price."}
    thread = {"anyOf": [{"type": "string", "enum": ["M6", "M8"]}, {"type": "null"}], "description": "Thread."}
    assert properties["first"]["properties"]["thread"] == thread
    assert properties["first"]["description"] == "First bolt."
    assert properties["bolts"]["items"]["properties"]["thread"] == thread
    assert properties["filters"]["additionalProperties"] == {"anyOf": [{"type": "number"}, {"type": "string"}]}


def test_agentcore_reads_constraints_in_the_description() -> None:
    properties = agentcore_subset(input_schema(OrderArgs))["properties"]
    assert properties["title"] == {
        "type": "string",
        "description": "Title. (at least 1 characters; at most 9 characters)",
    }
    assert properties["count"] == {"type": "integer", "description": "Count. (at least 1; at most 50)"}
    assert properties["tags"]["items"] == {"type": "string", "description": "(matching ^[a-z]$)"}
    assert properties["level"] == {"type": "string", "description": "Level. (one of low, high; default low)"}


def test_agentcore_gets_one_type_where_null_is_another() -> None:
    properties = agentcore_subset(output_schema(OrderResult))["properties"]
    assert properties["price"] == {"type": "number"}
    assert properties["first"]["properties"]["thread"]["description"] == "(one of M6, M8)"


def test_the_listed_output_schema_has_the_shape_without_the_prose() -> None:
    thread = {"anyOf": [{"type": "string", "enum": ["M6", "M8"]}, {"type": "null"}]}
    bolt = {"type": "object", "properties": {"thread": thread}}
    assert output_schema(OrderResult) == {
        "type": "object",
        "properties": {
            "bolts": {"type": "array", "items": bolt},
            "first": bolt,
            "price": {"anyOf": [{"type": "number"}, {"type": "null"}]},
            "filters": {
                "type": "object",
                "additionalProperties": {"anyOf": [{"type": "number"}, {"type": "string"}]},
            },
            "description": {"type": "string"},
        },
        "required": ["bolts", "first", "price", "filters", "description"],
    }


def test_an_opaque_part_is_listed_as_an_object() -> None:
    class Account(Part):
        model_config = ConfigDict(json_schema_extra={OPAQUE: True})

        steps: int = Field(description="Steps.")

    class AskedResult(Result):
        account: Account | None = Field(description="Account.")

    assert output_schema(AskedResult)["properties"]["account"] == {"anyOf": [{"type": "object"}, {"type": "null"}]}


def test_the_prose_of_every_field_is_at_hand_at_any_depth() -> None:
    assert list(fields(described_output(OrderResult))) == [
        ("bolts", "Bolts."),
        ("bolts[].thread", "Thread."),
        ("first", "First bolt."),
        ("first.thread", "Thread."),
        ("price", "Price."),
        ("filters", "Filters."),
        ("description", "Text."),
    ]


def test_a_union_of_objects_is_refused() -> None:
    class Shape(BaseModel):
        inner: Bolt | OrderArgs

    with pytest.raises(ValueError, match="not portable"):
        input_schema(Shape)
