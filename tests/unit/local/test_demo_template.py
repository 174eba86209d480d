"""How a characteristics partial is filled for one product."""

import pytest

from local.demo.results import Product
from local.demo.template import MISSING, Characteristics, fill, fill_characteristics
from tests.unit.local.demo_recording import DRYSTAR, TEMPLATES


def block(partial_name: str, **changes: object) -> Characteristics:
    partial = (TEMPLATES / "characteristics" / f"{partial_name}.md").read_text()
    product = Product.model_validate(DRYSTAR | changes)
    return fill_characteristics(partial, product=product, values={"CATEGORY IN CAPS": "THING", "QUANTITY": "1"})


def test_known_values_are_printed_without_needless_decimals() -> None:
    text = block("compressor").text
    assert "- Dimensions (L x W x H): 110 x 62.5 x 74 in" in text
    assert "- Pressure: 125 PSIG" in text


def test_an_unknown_value_is_marked_without_its_unit_and_reported() -> None:
    filled = block("compressor", psi=None)
    assert f"- Pressure: {MISSING}\n" in filled.text
    assert filled.missing == ("Pressure", "Noise level")


def test_one_unknown_dimension_leaves_the_others() -> None:
    assert f"110 x {MISSING} x 74 in" in block("compressor", width_in=None).text


def test_without_a_series_the_model_stands_alone() -> None:
    assert "- Series / Model: DS-100\n" in block("compressor", series=None).text


@pytest.mark.parametrize(
    ("category", "kept", "dropped"),
    [("REFRIGERATED DRYER", "Refrigerant", "Purge air"), ("HEATLESS DESICCANT DRYER", "Purge air", "Refrigerant")],
)
def test_a_dryer_prints_the_lines_of_its_kind(category: str, kept: str, dropped: str) -> None:
    text = block("dryer", category=category).text
    assert f"- {kept}:" in text
    assert f"- {dropped}:" not in text


def test_a_dryer_of_unknown_kind_keeps_the_lines_of_both() -> None:
    text = block("dryer", category="DRYER").text
    assert "- Refrigerant:" in text
    assert "- Purge air:" in text
    assert "<!--" not in text


@pytest.mark.parametrize(
    ("psi", "inhg", "expected"),
    [(12.0, None, {"Discharge pressure"}), (None, 15.0, {"Vacuum"}), (None, None, {"Discharge pressure", "Vacuum"})],
)
def test_a_blower_prints_the_service_it_is_rated_for(
    psi: float | None, inhg: float | None, expected: set[str]
) -> None:
    text = block("blower", psi=psi, vacuum_inhg=inhg).text
    assert {name for name in ("Discharge pressure", "Vacuum") if f"- {name}:" in text} == expected


def test_without_a_product_every_specification_is_to_be_confirmed() -> None:
    partial = (TEMPLATES / "characteristics" / "compressor.md").read_text()
    lines = fill_characteristics(partial, product=None, values={}).text.splitlines()
    assert {line.partition(": ")[2] for line in lines if line.startswith("- ") and "Series" not in line} == {MISSING}


def test_text_that_was_filled_in_is_not_read_for_placeholders() -> None:
    assert fill("[NAME] [PLACE]", {"NAME": "[PLACE]", "PLACE": "here"}) == "[PLACE] here"
