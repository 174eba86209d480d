"""What a model is told about its arguments, and which nulls count as left out."""

from typing import Any

import pytest

from proxy.arguments import ArgumentCheck

SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["query", "models"],
    "properties": {
        "query": {"type": "string", "minLength": 1, "maxLength": 200},
        "models": {"type": "array", "maxItems": 2, "items": {"type": "string", "pattern": "^[A-Z]"}},
        "hp_min": {"anyOf": [{"type": "number", "minimum": 0}, {"type": "null"}]},
        "kind": {"anyOf": [{"enum": ["oilless", "oil-free"], "type": "string"}, {"type": "null"}]},
        "rate": {"type": ["number", "null"]},
        "part": {
            "anyOf": [
                {"type": "object", "required": ["id", "unit"], "properties": {"id": {"type": "string"}, "unit": {}}},
                {"type": "null"},
            ]
        },
        "size": {
            "type": "object",
            "additionalProperties": False,
            "properties": {"width": {"type": "integer", "exclusiveMinimum": 0}},
        },
    },
}
FINE: dict[str, Any] = {"query": "x", "models": ["A"]}


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"qurey": "x"}, "Unknown parameter 'qurey'. Did you mean 'query'?"),
        ({"zzz": 1}, "Unknown parameter 'zzz'. Known parameters: query, models, hp_min, kind, rate, part, size."),
        ({"query": 5}, "query: 5 is not of type string."),
        ({"query": ""}, "query: '' is too short; the least length is 1."),
        ({"models": ["a"]}, "models[0]: 'a' does not match the pattern ^[A-Z]."),
        ({"models": ["A", "B", "C"]}, "models: ['A', 'B', 'C'] is too long; the greatest length is 2."),
        ({"hp_min": -1}, "hp_min: -1 is too small; the least is 0."),
        ({"hp_min": "5 hp"}, "hp_min: '5 hp' is not of type number."),
        ({"kind": "oily"}, "kind: 'oily' is not one of oilless, oil-free."),
        ({"size": {"width": 0}}, "size.width: 0 is too small; it must be above 0."),
        ({"size": {"widht": 1}}, "size: Unknown parameter 'widht'. Did you mean 'width'?"),
        ({"hp_min": float("nan")}, "hp_min: nan is not of type number."),
        ({"rate": "x"}, "rate: 'x' is not of type number or null."),
        ({"part": {}}, "part: Missing 'id', 'unit', which is required."),
        ({"part": {"id": 1, "unit": "m", "x": 1}}, "part.id: 1 is not of type string."),
    ],
)
def test_each_problem_says_where_and_what_to_change(given: dict[str, Any], problem: str) -> None:
    assert ArgumentCheck(SCHEMA).problems(FINE | given) == [problem]


def test_fine_arguments_have_no_problems() -> None:
    check = ArgumentCheck(SCHEMA)
    assert check.problems(FINE) == []
    assert check.problems(FINE | {"hp_min": None, "kind": "oilless", "size": {"width": 3}}) == []


def test_missing_parameters_are_named_together() -> None:
    assert ArgumentCheck(SCHEMA).problems({}) == ["Missing 'query', 'models', which is required."]


def test_text_that_is_no_text_is_left_to_the_invocation() -> None:
    assert ArgumentCheck(SCHEMA).problems(FINE | {"query": "\ud800"}) == []


def test_a_long_value_is_cut() -> None:
    (problem,) = ArgumentCheck(SCHEMA).problems(FINE | {"query": "x" * 5000})
    assert len(problem) < 200
    assert "the greatest length is 200" in problem


def test_a_flood_of_problems_is_counted() -> None:
    problems = ArgumentCheck(SCHEMA).problems(FINE | {f"q{n}": 1 for n in range(40)})
    assert len(problems) == 9
    assert problems[-1] == "32 more problems."


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
NULLS = ArgumentCheck(
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
    assert NULLS.drop_nulls(given) == kept


@pytest.mark.parametrize(
    "given",
    [
        {"hp_min": "5"},
        {"hp_min": " 2.5 "},
        {"hp_min": ""},
        {"kind": ""},
        {"size": {"width": "3"}},
        {"size": {"width": ""}},
        {"rate": "1"},
        {"kind": []},
    ],
)
def test_blanks_and_numbers_in_quotes_are_left_to_the_function(given: dict[str, Any]) -> None:
    check = ArgumentCheck(SCHEMA)
    assert check.problems(FINE | given) == []
    assert len(check.problems(FINE | given | {"query": ""})) == 1


@pytest.mark.parametrize(
    "given", [{"query": ""}, {"query": 5}, {"hp_min": -1}, {"hp_min": "5 hp"}, {"kind": "oily"}, {"models": ["a"]}]
)
def test_what_is_wrong_otherwise_stays_wrong(given: dict[str, Any]) -> None:
    assert ArgumentCheck(SCHEMA).problems(FINE | given)
