"""A line that says other than its catalogue row."""

import pytest

from quarry.precedents.past_lines import disagreement, own_disagreement


@pytest.mark.parametrize(
    ("line", "catalogue", "said"),
    [
        ({"hp": 100.0}, {"hp": 75.0}, "hp 100 here, 75 in the catalogue"),
        ({"psi": 116.0}, {"psi": 100.0}, "psi 116 here, 100 in the catalogue"),
        ({"psi": 105.0}, {"psi": 100.0}, None),
        ({"psi": 94.9}, {"psi": 100.0}, "psi 94.9 here, 100 in the catalogue"),
        ({"hp": None}, {"hp": 75.0}, None),
        ({"hp": 75.0}, {"hp": None}, None),
        ({"hp": 75.0}, None, None),
        (
            {"cfm": 300.0, "lubrication": "oilless"},
            {"cfm": 400.0, "lubrication": "oil-free"},
            "cfm 300 here, 400 in the catalogue; lubrication oilless here, oil-free in the catalogue",
        ),
    ],
)
def test_only_what_both_say_and_say_otherwise_is_told(
    line: dict[str, object], catalogue: dict[str, object] | None, said: str | None
) -> None:
    assert disagreement(line, catalogue) == said


@pytest.mark.parametrize(
    ("text", "column", "apart"),
    [
        ("Dry screw, end pressure below 0.1 mbar.", 29.92, False),
        ("Enddruck 0,5 mbar", 29.9, False),
        ("Klauenpumpe, Enddruck 140 mbar abs.", 25.4, True),
        ("Presión final 20 mbar", 29.9, True),
    ],
)
def test_an_end_pressure_is_no_other_for_the_rounding_of_its_column(text: str, column: float, apart: bool) -> None:
    row: dict[str, object] = {"family": "vacuum_pump", "vacuum_inhg": column, "description": text}
    assert (own_disagreement(row) is not None) == apart
