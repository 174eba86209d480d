"""What is said of past quotes alone: how they ended, when, for how much, in which country."""

from datetime import date

import pytest

from quarry.understanding.fit import fit
from quarry.understanding.needs import Need
from quarry.understanding.quote_traits import quote_traits
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
        ("the blower maker went round us", "direct"),
        ("buyers who pay no sales tax", "tax-exempt"),
        ("Wettbewerber hat geliefert", "lost"),
        ("le client a préféré louer", "lost"),
        ("car parts makers", "automotive"),
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


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("Hr. Brinkmann hat noch ein Angebot offen liegen", ("one_of", {"open"})),
        ("weder gewonnene noch verlorene Angebote", ("none_of", {"won", "lost"})),
        ("quotes that have not become an order", ("none_of", {"won"})),
        ("Tina, didn't we sell claw pumps to a packager", ("one_of", {"won"})),
        ("invoices without sales tax", None),
    ],
)
def test_how_a_quote_ended_is_denied_only_where_it_is(text: str, outcome: tuple[str, set[str]] | None) -> None:
    request = understand(text, words=Vocabulary.of_archive(), names=NAMES, today=TODAY)
    found = [(need.operator, set(need.values)) for need in request.needs if need.attribute == "outcome"]
    assert found == ([outcome] if outcome else [])


@pytest.mark.parametrize(
    ("text", "value", "rationale"),
    [
        ("rate nailed down, exchange rate fixed", "exchange-rate", "List less 12% in CAD, rate fixed at 1.33."),
        ("buyer was tax exempt", "tax-exempt", "Coop is tax exempt."),
        ("Angebote mit Skonto", "prompt-payment", "Skonto 2 % bei Zahlung in zehn Tagen."),
        ("discount for paying early", "prompt-payment", "List less 14, cash in ten days."),
        ("where we matched a competitor", "matched", "Matched competitor, list less 17%."),
        ("qué regalamos sin cargo", "free", "Filters thrown in."),
        ("credit for the old machine", "trade-in", "List less 6%, and $400 trade in for the recip."),
    ],
)
def test_terms_and_money_are_read_and_told(text: str, value: str, rationale: str) -> None:
    request = understand(text, words=Vocabulary.of_archive(), names=NAMES, today=TODAY)
    assert any(value in need.values for need in request.needs if need.attribute == "price")
    assert value in quote_traits({"price_rationale": rationale, "status": "won"})["price"]


def test_terms_of_payment_tell_a_deposit() -> None:
    assert "deposit" in quote_traits({"terms": "30% with order, balance Net 30", "status": "open"})["price"]
