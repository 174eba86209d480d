"""Which nulls a caller may send, and which stay for the validator."""

from typing import Any

import pytest

from proxy.omissions import Omissions

LINE: dict[str, Any] = {
    "type": "object",
    "required": ["product"],
    "properties": {
        "product": {"type": "string"},
        "notes": {"type": "string"},
        "attributes": {"type": "object", "additionalProperties": True},
        "price": {"type": ["number", "null"]},
    },
}
OMISSIONS = Omissions(
    {
        "type": "object",
        "required": ["query"],
        "properties": {
            "query": {"type": "string"},
            "limit": {"type": "integer"},
            "first": LINE,
            "lines": {"type": "array", "items": LINE},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
    }
)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"query": "x", "limit": None}, {"query": "x"}),
        ({"query": None}, {"query": None}),
        ({"unknown": None}, {"unknown": None}),
        ({"first": {"product": "p", "notes": None}}, {"first": {"product": "p"}}),
        ({"lines": [{"product": None, "notes": None}, {}]}, {"lines": [{"product": None}, {}]}),
        ({"lines": [{"price": None}]}, {"lines": [{"price": None}]}),
        ({"lines": [{"attributes": {"colour": None}}]}, {"lines": [{"attributes": {"colour": None}}]}),
        ({"lines": None, "first": None, "tags": [None]}, {"tags": [None]}),
        ({"lines": ["x", None], "first": 5}, {"lines": ["x", None], "first": 5}),
    ],
)
def test_an_optional_null_is_left_out_wherever_it_stands(given: dict[str, Any], kept: dict[str, Any]) -> None:
    assert OMISSIONS.without(given) == kept
