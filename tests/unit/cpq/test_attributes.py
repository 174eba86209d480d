"""Typed attributes: what fits, what does not, and specifications that make no sense."""

import pytest
from pydantic import ValidationError

from cpq.catalogue.configuration import (
    AttributeSpec,
    ConfigurableProduct,
    Wanted,
    attribute_problems,
    missing_attributes,
)

SPECS = {
    "seats": AttributeSpec(type="integer", min=1, max=1000),
    "ratio": AttributeSpec(type="number", min=0.5),
    "billing": AttributeSpec(type="enum", values=["monthly", "annual"], required=True),
    "label": AttributeSpec(type="string"),
    "outdoor": AttributeSpec(type="boolean"),
    "start_on": AttributeSpec(type="date", required=True),
}


def codes(**given: object) -> dict[str, str]:
    found = attribute_problems(SPECS, given, path="attributes")
    return {problem.path.removeprefix("attributes."): problem.code for problem in found}


def test_what_fits_is_no_fault() -> None:
    given = {
        "seats": 1000,
        "ratio": 0.5,
        "billing": "annual",
        "label": "x",
        "outdoor": False,
        "start_on": "2026-02-28",
    }
    assert codes(**given) == {}
    assert codes(seats=1.0) == {}


@pytest.mark.parametrize("value", [1.5, "5", True, None, [], float("nan"), float("inf")])
def test_a_whole_number_is_nothing_else(value: object) -> None:
    assert codes(seats=value) == {"seats": "WRONG_TYPE"}


@pytest.mark.parametrize(("name", "value"), [("seats", 0), ("seats", 1001), ("ratio", 0.49)])
def test_a_number_keeps_its_bounds(name: str, value: object) -> None:
    assert codes(**{name: value}) == {name: "OUT_OF_RANGE"}


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("billing", "weekly", "NOT_ALLOWED"),
        ("billing", 3, "NOT_ALLOWED"),
        ("outdoor", 1, "WRONG_TYPE"),
        ("outdoor", "yes", "WRONG_TYPE"),
        ("label", 7, "WRONG_TYPE"),
        ("label", "x" * 1001, "WRONG_TYPE"),
        ("start_on", "2026-02-30", "WRONG_TYPE"),
        ("start_on", "20260228", "WRONG_TYPE"),
    ],
)
def test_each_type_has_its_complaint(name: str, value: object, code: str) -> None:
    assert codes(**{name: value}) == {name: code}


def test_an_unknown_attribute_leads_to_the_one_that_was_meant() -> None:
    (problem,) = attribute_problems(SPECS, {"biling": "annual"}, path="attributes")
    assert (problem.code, problem.message) == ("UNKNOWN_ATTRIBUTE", "Did you mean 'billing'?")


def test_required_attributes_that_are_not_set_are_missing() -> None:
    offer = ConfigurableProduct(
        id="prod_x", name="X", active=True, attributes=SPECS, min_quantity=1, max_quantity=None
    )
    line = Wanted(product_id="prod_x", quantity=1, attributes={"seats": 1})
    assert missing_attributes(line, offer, path="it") == ["it.attributes.billing", "it.attributes.start_on"]


@pytest.mark.parametrize(
    "spec",
    [
        {"type": "enum"},
        {"type": "enum", "values": []},
        {"type": "string", "values": ["a"]},
        {"type": "boolean", "min": 1},
        {"type": "integer", "min": 2, "max": 1},
        {"type": "colour"},
        {"type": "integer", "step": 5},
    ],
)
def test_a_specification_that_makes_no_sense_is_refused(spec: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        AttributeSpec.model_validate(spec)
