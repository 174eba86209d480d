"""What a cell says, as people of several languages write it."""

from datetime import date, datetime
from decimal import Decimal

import pytest

from operations.tables.cells import (
    Habits,
    Mark,
    Order,
    Unreadable,
    country,
    currency_of,
    day,
    flag,
    habits,
    language,
    number,
)
from quarry.attributes.units import shipped


@pytest.mark.parametrize(
    ("cell", "mark", "value", "beside"),
    [
        ("1.234,50 €", None, "1234.50", "€"),
        ("$1,250.00", None, "1250.00", "$"),
        ("CHF 12'500.-", None, "12500", "chf"),
        ("1 250,5", None, "1250.5", ""),
        ("2.150,-- EUR", None, "2150", "eur"),
        ("1.234", ",", "1234", ""),
        ("1.234", ".", "1.234", ""),
        ("0,875", ".", "0.875", ""),
        ("7,5 kW", None, "7.5", "kw"),
        ("11 m³/h", None, "11", "m³/h"),
        ("-20 °C", None, "-20", "°c"),
        ("١٢٫٥ bar", ",", "12.5", "bar"),
        ("１٬234٫5", None, "1234.5", ""),
        ("(1,500.00)", None, "-1500.00", ""),
        ("Rs. 12,50,000/-", None, "1250000", "rs."),
        ("1.28万円", None, "12800", "円"),
        ("1.234.567", None, "1234567", ""),
        ("1.3×10⁻¹⁰", None, "0.00000000013", ""),
        ("7,5E-3 bar", ",", "0.0075", "bar"),
        (75.0, None, "75", ""),
        (0.1, None, "0.1", ""),
    ],
)
def test_a_number_is_read_with_what_stands_beside_it(cell: str | float, mark: Mark, value: str, beside: str) -> None:
    assert number(cell, decimal=mark) == (Decimal(value), beside)


@pytest.mark.parametrize("cell", ["on request", "10-12", "1/2", "1,2,34", "1.23.456,7", "A7", "", "12 34 kW", None])
def test_what_is_no_single_number_is_refused(cell: str | None) -> None:
    with pytest.raises(Unreadable, match="is not a number"):
        number(cell, decimal=".")


def test_a_figure_that_may_be_thousands_or_decimals_is_never_guessed() -> None:
    with pytest.raises(Unreadable, match="may mean thousands or decimals"):
        number("1.234")


@pytest.mark.parametrize(
    ("cell", "order", "said"),
    [
        ("14.03.2023", None, date(2023, 3, 14)),
        ("03.04.23", None, date(2023, 4, 3)),
        ("03/14/2023", None, date(2023, 3, 14)),
        ("03/04/2023", "day first", date(2023, 4, 3)),
        ("03/04/2023", "month first", date(2023, 3, 4)),
        ("25.03.04", "year first", date(2025, 3, 4)),
        ("2023-03-14", None, date(2023, 3, 14)),
        ("14. März 2023", None, date(2023, 3, 14)),
        ("14 mars 2023", None, date(2023, 3, 14)),
        ("14 de marzo de 2023", None, date(2023, 3, 14)),
        ("14 marca 2023", None, date(2023, 3, 14)),
        ("14. března 2023", None, date(2023, 3, 14)),
        ("Mar 14, 2023", None, date(2023, 3, 14)),
        ("14.03.2023 09:30", None, date(2023, 3, 14)),
        ("2023/3/4", None, date(2023, 3, 4)),
        ("9999-12-31", None, date(9999, 12, 31)),
        ("2023. 3. 4.", None, date(2023, 3, 4)),
        ("２０２３年3月4日", None, date(2023, 3, 4)),
        ("2023년 3월 4일", None, date(2023, 3, 4)),
        ("4-Mar-23", None, date(2023, 3, 4)),
        ("4 марта 2023 г.", None, date(2023, 3, 4)),
        ("2023. március 4.", None, date(2023, 3, 4)),
        (datetime(2023, 3, 14, 9, 30), None, date(2023, 3, 14)),
    ],
)
def test_a_date_is_read_as_its_country_writes_it(cell: str | datetime, order: Order, said: date) -> None:
    assert day(cell, order=order) == said


@pytest.mark.parametrize(
    ("cell", "why"),
    [
        ("03/04/2023", "day or its month first"),
        ("31.02.2023", "no day of the calendar"),
        ("KW 14", "not a date"),
        ("4 มีนาคม 2566", "write it as 2024-01-31"),
        ("平成28年7月1日", "write it as 2024-01-31"),
    ],
)
def test_a_date_that_is_none_or_may_be_two_is_refused(cell: str, why: str) -> None:
    with pytest.raises(Unreadable, match=why):
        day(cell)


def test_habits_are_what_most_cells_agree_on_and_nothing_where_none_tells() -> None:
    assert habits(["1.234", "7,5", "12,50 €", "14/03/2023"]) == Habits(",", "day first")
    assert habits(["1,234", "7.5", "03/14/2023", "part 1,5"]) == Habits(".", "month first")
    assert habits(["1.234", "03/04/2023", 7.5, "words"]) == Habits(None, None)
    assert habits(["25.03.04", "24-11-05"], language="ko").dates == "year first"
    assert habits(["25.03.04", "24-11-05"], language="de").dates == "day first"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Preis (EUR)", "EUR"),
        ("Listenpreis €", "EUR"),
        ("US$ 5", "USD"),
        ("Fr. 20.-", "CHF"),
        ("Net", None),
        ("GBP", "GBP"),
        ("1 200,50 грн", "UAH"),
        ("金額 (円)", "JPY"),
        ("150 د.إ.", "AED"),
    ],
)
def test_a_currency_is_found_in_a_cell_or_a_header(text: str, code: str | None) -> None:
    assert currency_of(text) == code


@pytest.mark.parametrize(
    ("cell", "code"),
    [
        ("Deutschland", "DE"),
        ("España", "ES"),
        ("Allemagne", "DE"),
        ("USA", "US"),
        ("at", "AT"),
        ("Niemcy", "DE"),
        ("Německo", "DE"),
        ("Países Baixos", "NL"),
        ("Germania", "DE"),
        ("Duitsland", "DE"),
        ("D", "DE"),
        ("A", "AT"),
        ("Україна", "UA"),
        ("日本", "JP"),
    ],
)
def test_a_country_is_read_by_name_or_code(cell: str, code: str) -> None:
    assert country(cell) == code
    with pytest.raises(Unreadable, match="two letters"):
        country("Bavaria")


def test_a_language_is_read_by_name_or_code() -> None:
    said = ("français", "English", "DEUTSCH", "FR", "język polski", "中文")
    assert [language(each) for each in said] == ["fr", "en", "de", "fr", "język polski", "zh"]


def test_yes_and_no_are_read_in_all_languages() -> None:
    assert all(
        flag(cell)
        for cell in ("Ja", "sí", "x", True, "tak", "Ano", "T", "j", "Sim", "Igen", "Kyllä", "Да", "نعم", "是", "はい")
    )
    assert not any(
        flag(cell) for cell in ("Nein", "non", 0, "nie", "ne", "N", "Não", "Nem", "Όχι", "لا", "否", "いいえ")
    )
    with pytest.raises(Unreadable, match="neither yes nor no"):
        flag("maybe")


def test_a_sign_of_letters_is_none_within_a_word_and_shared_ones_are_not_sure() -> None:
    assert currency_of("Price EUR pcs/box") == "EUR"
    assert currency_of("Unit Price (pcs/box)") is None
    assert (currency_of("12.50 NT$"), currency_of("S/ 12")) == ("TWD", "PEN")
    assert currency_of("13 000 Fr", is_sure=True) is None


@pytest.mark.parametrize(("house", "code"), [("CAD", "CAD"), ("USD", "USD"), ("MXN", "MXN"), ("EUR", "USD")])
def test_a_sign_of_several_currencies_is_the_houses_in_cells(house: str, code: str) -> None:
    units = shipped().with_own([], currency=house)
    assert currency_of("118,50 $", units=units) == code
    assert [currency_of(text, units=units) for text in ("5 $ CA", "CAN$ 5", "$ US")] == ["CAD", "CAD", "USD"]
    assert currency_of("12,50 $ au mètre", units=units) == currency_of("$5 to $10", units=units) == code


def test_a_figure_too_long_for_a_day_is_no_date() -> None:
    with pytest.raises(Unreadable):
        day("März 2023 4006381333931")


def test_the_end_of_days_that_differs_less_has_their_year() -> None:
    assert habits(["14.03.24", "02.05.23", "30.11.25"], language="sv").dates == "day first"
    assert habits(["95.03.04", "97-11-05"], language="ko").dates == "year first"


def test_sizes_parted_by_commas_are_no_figure_by_twos() -> None:
    assert number("1,50,000")[0] == 150000
    assert number("1,08,500.00")[0] == 108500
    with pytest.raises(Unreadable):
        number("10,25,125")
