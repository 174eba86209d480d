"""What is said of past quotes alone: how they ended, when, for how much, in which country."""

from datetime import date

import pytest

from quarry.understanding.fit import fit
from quarry.understanding.needs import Need
from quarry.understanding.reading import understand
from quarry.understanding.words import Vocabulary
from tests.unit.understanding.trade import NAMES

TODAY = date(2026, 11, 22)


def said(text: str) -> set[str]:
    """What the needs of a text show, but for how long something holds."""
    request = understand(text, words=Vocabulary.of_archive(), names=NAMES, today=TODAY)
    return {need.shown for item in request.items for need in item.needs if need.attribute != "years"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("orders only, breweries", "won"),
        ("Aufträge für Brauereien", "won"),
        ("lost orders", "lost"),
        ("orders that slipped through our fingers", "lost"),
        ("the capital committee said no", "lost"),
        ("deals hanging since May", "open"),
        ("peso jobs", "MXN"),
        ("german breweries", "germany"),
        ("more than 20 percent off list", "at least 20 % off"),
        ("customers who may be named", "may-be-named"),
    ],
)
def test_words_of_the_archive_are_needs(text: str, shown: str) -> None:
    assert shown in said(text)


def test_an_order_that_was_lost_was_not_won() -> None:
    assert "won" not in said("orders we did not get")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("two years ago", "2024-01-01–2024-12-31"),
        ("vor zwei Jahren", "2024-01-01–2024-12-31"),
        ("three years ago in October", "2023-10-01–2023-10-31"),
        ("the year before last", "2024-01-01–2024-12-31"),
        ("this summer", "2026-06-01–2026-08-31"),
        ("last fall", "2025-09-01–2025-11-30"),
        ("last winter", "2025-12-01–2026-02-28"),
        ("since the first of September", "from 2026-09-01"),
        ("quotes older than five years", "up to 2021-11-22"),
    ],
)
def test_times_are_read_by_how_long_ago_they_were(text: str, shown: str) -> None:
    assert said(text) == {shown}


@pytest.mark.parametrize("text", ["a 5 year warranty", "an agreement over three years", "when was a", "vor einem"])
def test_a_duration_is_no_date(text: str) -> None:
    request = understand(text, words=Vocabulary.of_archive(), names=NAMES, today=TODAY)
    assert not any(need.attribute == "date" for need in request.needs)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a quarter of a million", "about 250,000"),
        ("under twenty grand", "up to 20,000"),
        ("over half a million pesos", "from 500,000 MXN"),
        ("a million dollars and up", "from 1,000,000 USD"),
        ("low six figures", "100,000–350,000"),
    ],
)
def test_amounts_are_read_in_words(text: str, shown: str) -> None:
    assert said(text) == {shown}


def test_a_difference_to_another_price_is_no_total() -> None:
    assert not any(shown[-1].isdigit() for shown in said("eleven hundred under the other guy"))


@pytest.mark.parametrize(
    ("row", "country", "verdict"),
    [
        ({"currency": "USD", "customer": "Groeb Farms"}, "germany", "contradicted"),
        ({"currency": "CHF", "customer": "Kronbräu AG"}, "switzerland", "met"),
        ({"currency": "EUR", "customer": "Wiedehopf Backwaren GmbH"}, "germany", "met"),
        ({"currency": "EUR", "customer": "Wiedehopf Backwaren GmbH"}, "austria", "close"),
        ({"currency": "EUR", "customer": "Brenner Pharma Tirol GmbH"}, "germany", "contradicted"),
        ({"currency": "EUR", "customer": "Tulpenveld Kassen BV"}, "france", "contradicted"),
        ({"currency": "EUR", "customer": "Acme"}, "france", "unknown"),
    ],
)
def test_a_country_is_told_by_currency_place_form_and_language(
    row: dict[str, str], country: str, verdict: str
) -> None:
    assert fit(Need("country", "one_of", values=frozenset({country})), row).verdict == verdict
