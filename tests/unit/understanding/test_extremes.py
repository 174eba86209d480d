"""Superlatives: how they are read and which rows they prefer."""

from collections.abc import Mapping

import pytest

from quarry.understanding.extremes import extreme_of, ordered
from quarry.understanding.needs import Judgement
from tests.unit.understanding.trade import only_item

MET, OPEN, WRONG = (Judgement((), 1, 0, 0, 0, verdict) for verdict in ("met", "unknown", "contradicted"))
Row = Mapping[str, object]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("biggest receiver", "largest"),
        ("quietest 50 hp screw", "quietest"),
        ("highest pressure oilless scroll", "highest pressure"),
        ("größter Behälter", "largest"),
        ("leisester Schraubenkompressor", "quietest"),
        ("el compresor más silencioso", "quietest"),
        ("le plus gros sécheur", "largest"),
        ("most recent lost quote", "latest"),
        ("cheapest QMB30", "lowest price"),
        ("deepest vacuum claw pump", "deepest vacuum"),
        ("smallest footprint 100 hp", "smallest footprint"),
        ("smallest 15 hp oilless", "smallest footprint"),
        ("smallest oilless compressor", "smallest"),
    ],
)
def test_a_superlative_is_a_need_that_orders(text: str, shown: str) -> None:
    found = extreme_of(only_item(text))
    assert found is not None
    assert found.shown == shown


@pytest.mark.parametrize(
    "text",
    [
        "receiver bigger than 400 gallons",
        "quotes of the last 2 years",
        "price went up since last time",
        "maximum pressure 150 psi, 30 hp compressor",
        "not the biggest compressor",
    ],
)
def test_what_compares_with_a_figure_or_is_denied_is_no_superlative(text: str) -> None:
    assert extreme_of(only_item(text)) is None


def places(text: str, *rows: tuple[Judgement, Row]) -> list[int | None]:
    need = extreme_of(only_item(text))
    assert need is not None
    return [place for _, place in ordered(need, [(judgement, row, {}) for judgement, row in rows])]


def test_only_rows_that_are_equally_good_otherwise_are_compared() -> None:
    rows = [(MET, {"noise_dba": 70}), (OPEN, {"noise_dba": 60}), (WRONG, {"noise_dba": 50}), (MET, {"noise_dba": 66})]
    assert places("quietest compressor", *rows) == [1, None, None, 0]


def test_the_size_of_a_machine_is_what_its_family_is_told_by() -> None:
    small = {"family": "compressor", "hp": 50, "cfm": 200}
    equal, large = {**small, "cfm": 242}, {"family": "compressor", "hp": 100, "cfm": 190}
    assert places("largest compressor", (MET, small), (MET, equal), (MET, large)) == [2, 1, 0]


def test_the_smallest_of_a_given_power_takes_the_least_room() -> None:
    long, square = {"length_in": 100, "width_in": 30, "hp": 95}, {"length_in": 50, "width_in": 50, "hp": 105}
    assert places("smallest 100 hp compressor", (MET, long), (MET, square), (MET, {"hp": 100})) == [1, 0, None]


def test_prices_are_compared_in_the_currency_that_most_have() -> None:
    pesos = {"unit_price": "400000", "currency": "MXN"}
    dollars = [{"unit_price": price, "currency": "USD"} for price in ("18000", "16250")]
    assert places("most expensive QMB30", (MET, pesos), *((MET, row) for row in dollars)) == [None, 0, 1]


def test_rows_of_the_same_value_share_a_place() -> None:
    assert places("latest QMB30", *((MET, {"quote_date": day}) for day in ("2024-01-02", "2024-01-02"))) == [0, 0]


def test_a_row_that_has_the_extreme_says_so_in_its_fit() -> None:
    need = extreme_of(only_item("quietest compressor"))
    assert need is not None
    [(best, _), (other, _)] = ordered(need, [(MET, {"noise_dba": 60}, {}), (MET, {"noise_dba": 70}, {})])
    assert [(one.findings[-1].verdict, one.findings[-1].has) for one in (best, other)] == [
        ("met", "60 dBA"),
        ("close", "70 dBA"),
    ]
