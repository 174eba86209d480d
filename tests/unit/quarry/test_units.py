"""Metric bounds as the columns have them, and the columns' values in metric."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.units import as_applied, in_us, metric

ROUND_TRIPS = {
    "hp": ("hp", "kw"),
    "cfm": ("cfm", "m3_h"),
    "psi": ("psi", "bar"),
    "gallons": ("gallons", "litres"),
    "vacuum": ("vacuum_inhg", "mbar_abs"),
    "dewpoint": ("dewpoint_f", "dewpoint_c"),
}


@pytest.mark.parametrize(
    ("given", "low", "high"),
    [
        ({"hp_min": 75.0}, 98.5, 100),
        ({"hp_max": 75.0}, 100, 102.7),
        ({"hp_max": 55.0}, 75, 76),
        ({"cfm_min": 600.0}, 345, 353),
        ({"psi_min": 8.0}, 113, 116),
        ({"gallons_min": 1500.0}, 388, 397),
        ({"vacuum_min": 10.0}, 29.4, 29.6),
        ({"dewpoint_max": 3.0}, 38, 39),
        ({"dewpoint_max": -40.0}, -40, -38),
    ],
)
def test_a_metric_bound_admits_the_us_size_that_it_is_sold_as(
    given: dict[str, float], low: float, high: float
) -> None:
    [value] = in_us(given, units="metric").values()
    assert isinstance(value, float)
    assert low <= value <= high


def test_what_is_no_quantity_is_left_as_it_is() -> None:
    given = {"hp_min": None, "noise_max": 70.0, "model": "QMB", "optional": False, "date_from": "2024-01-01"}
    assert in_us(given, units="metric") == given
    assert in_us({"hp_min": 75.0}, units="us") == {"hp_min": 75.0}


@given(st.sampled_from(sorted(ROUND_TRIPS)), st.floats(1, 900))
def test_what_is_shown_in_metric_is_found_by_it_again(measure: str, value: float) -> None:
    column, name = ROUND_TRIPS[measure]
    ours = value * 0.033 if measure == "vacuum" else value
    shown = (metric({column: ours}) or {})[name]
    if measure == "dewpoint":
        bound = in_us({"dewpoint_max": shown}, units="metric")["dewpoint_max"]
        assert isinstance(bound, float)
        assert ours <= bound + 0.1
    else:
        bound = in_us({f"{measure}_min": shown}, units="metric")[f"{measure}_min"]
        assert isinstance(bound, float)
        assert bound <= ours + 0.1


def test_a_row_is_shown_in_metric_without_what_it_does_not_say() -> None:
    row = {"hp": 100.0, "cfm": 308.0, "psi": 116.0, "vacuum_inhg": None, "dewpoint_f": -40.0, "length_in": 60.0}
    assert metric({**row, "weight_lb": 1650, "model": "X"}) == {
        "kw": 74.6,
        "m3_h": 523,
        "bar": 8,
        "dewpoint_c": -40,
        "kg": 748,
        "length_mm": 1520,
    }
    assert metric({"hp": None, "model": "X"}) is None


def test_filters_are_told_as_they_were_given() -> None:
    given = {"hp_min": 75.0, "model": None, "optional": False}
    assert as_applied(given, units="us") == {"hp_min": 75.0, "optional": "False"}
    assert as_applied(given, units="metric") == {"hp_min": 75.0, "optional": "False", "units": "metric"}
    assert as_applied({"hp_min": None}, units="metric") == {}
