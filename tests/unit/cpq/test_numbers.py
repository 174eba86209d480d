"""What a written number may mean, in the ways of every country and script."""

import pytest

from cpq.drafts.figures import Reader, normalised, numbers
from quarry.attributes.units import shipped


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("1,234.5", [1234.5]),
        ("1.234,5", [1234.5]),
        ("1\u202f234,5", [1234.5]),
        ("1'234.50", [1234.5]),
        ("43 110,00", [43110.0]),
        ("1.200", [1.2, 1200.0]),
        ("0.125", [0.125]),
        ("1,00,000", [100000.0, 100.0]),
        ("٤٥٫٥", [45.5]),
        ("१२५", [125.0]),
        ("1/2", [0.5]),
        ("1-1/2", [1.5]),
        ("1.1/2", [1.5]),
        ("-40", [-40.0, 40.0]),
        ("1/25", [0.04, 25.0]),
    ],
)
def test_a_number_is_read_in_every_way_that_it_may_mean(written: str, meant: list[float]) -> None:
    [(_, readings)] = numbers(normalised(written))
    assert [each.value for each in readings] == meant


def test_a_figure_in_scientific_notation_is_one_number_unless_it_may_be_a_name() -> None:
    reader = Reader(shipped(), frozenset())
    found = reader.figures("1.3×10⁻¹⁰ bar, 1E-9 bar, 10^-6 and the 2E-10")
    assert [each.readings[0].value for each in found] == [1.3e-10, 1e-9, 1e-6]


@pytest.mark.parametrize("text", ["QMB30", "QGV-100", "IP55", "1.4.1", "12.03.2024"])
def test_designations_and_dates_are_no_numbers(text: str) -> None:
    assert [each for each, _ in numbers(text)] == []
