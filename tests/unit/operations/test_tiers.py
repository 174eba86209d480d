"""Tiers that differ from row to row, as prices or in per cent, and matrices of discounts, as files have them."""

from decimal import ROUND_HALF_UP, Decimal
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operations.ingest import KINDS
from operations.reading import read
from operations.tables.mapping import Mapping
from quarry.attributes.model import Attributes
from quarry.ingestion import Accepted, Rejected
from quarry.money import plainly

OF_PRICES = """
kind = "prices"
numbers = "1.234,56"
[[tables]]
[tables.constants]
price_book_id = "pb_cennik"
[tables.fields]
product_id = { from = "Indeks" }
price = { from = "Cena" }
"""
IN_COLUMNS = """"tiers.5" = { from = "od 5" }
"tiers.10" = { from = "od 10" }
"""
IN_PAIRS = """"tiers.2" = { from = "Cena 2", at = "Od 2" }
"tiers.3" = { from = "Rabat 3", at = "Od 3", unit = "%" }
"""
IN_ROWS = """from_quantity = { from = "Od" }
discount_pct = { from = "Rabat" }
"""
MATRIX = """
kind = "discounts"
numbers = "1.234,56"
[[tables]]
[tables.fields]
discount_group = { from = "Grupa" }
"discount_pct.hurt" = { from = "Hurt" }
"discount_pct.instalator" = { from = "Instalator" }
"""


def items(mapping: str, text: str) -> list[Any]:
    given = Mapping.parse(mapping, source="test")
    rows = read(
        BytesIO(text.encode()), KINDS[given.kind], file_name="a.csv", mappings=[given], attributes=Attributes({})
    )
    return list(rows)


def tiers(mapping: str, text: str) -> dict[str, list[tuple[int, int | None, str]]]:
    found = items(OF_PRICES + mapping, text)
    assert all(isinstance(item, Accepted) for item in found), found
    return {
        item.row.product_id: [(tier.min, tier.max, plainly(tier.price)) for tier in item.row.tiers] for item in found
    }


def reason(mapping: str, text: str) -> str:
    [item] = items(OF_PRICES + mapping, text)
    assert isinstance(item, Rejected), item
    return item.reason


def test_of_columns_each_row_has_the_breaks_that_it_fills_with_a_price_or_what_comes_off() -> None:
    text = "Indeks;Cena;od 5;od 10\nZK;120,00;;5%\nNP;80,00;75,00;7,5 %\nKO;9,00;;\n"
    assert tiers(IN_COLUMNS, text) == {
        "ZK": [(1, 9, "120"), (10, None, "114")],
        "NP": [(1, 4, "80"), (5, 9, "75"), (10, None, "74")],
        "KO": [],
    }


def test_of_pairs_the_row_itself_says_from_how_many_on() -> None:
    text = "Indeks;Cena;Od 2;Cena 2;Od 3;Rabat 3\nZK;120,00;10;110,00;50;12\nNP;80,00;5 szt.;75,00;;\n"
    assert tiers(IN_PAIRS, text) == {
        "ZK": [(1, 9, "120"), (10, 49, "110"), (50, None, "105.6")],
        "NP": [(1, 4, "80"), (5, None, "75")],
    }


def test_of_rows_a_discount_comes_off_the_price_of_one() -> None:
    text = "Indeks;Od;Cena;Rabat\nZK;;120,00;\nZK;10;;5\nNP;1;80,00;0\nZK;50;;9,25\nNP;5;71,00;\n"
    assert tiers(IN_ROWS, text) == {
        "ZK": [(1, 9, "120"), (10, 49, "114"), (50, None, "108.9")],
        "NP": [(1, 4, "80"), (5, None, "71")],
    }


@pytest.mark.parametrize(
    ("mapping", "text", "told"),
    [
        (IN_COLUMNS, "Indeks;Cena;od 5;od 10\nZK;;;5%\n", "tiers: is 5% off a price that the row does not have"),
        (IN_COLUMNS, "Indeks;Cena;od 5;od 10\nZK;9,00;;105%\n", "a discount is between 0% and 100%"),
        (IN_COLUMNS, "Indeks;Cena;od 5;od 10\nZK;5%;;4,00\n", "price: '5%' is a percentage and no price"),
        (IN_PAIRS, "Indeks;Cena;Od 2;Cena 2;Od 3;Rabat 3\nZK;9,00;;8,00;;\n", "has no quantity in 'Od 2'"),
        (
            IN_PAIRS,
            "Indeks;Cena;Od 2;Cena 2;Od 3;Rabat 3\nZK;9,00;2,5;8,00;;\n",
            "holds from '2,5' on: it is a whole",
        ),
        (IN_PAIRS, "Indeks;Cena;Od 2;Cena 2;Od 3;Rabat 3\nZK;9,00;5;8,00;5;20\n", "another for each price"),
        (IN_ROWS, "Indeks;Od;Cena;Rabat\nZK;10;;5\n", "no row says the price of fewer than 10"),
        (IN_ROWS, "Indeks;Od;Cena;Rabat\nZK;10;;0\n", "from_quantity: a price holds from"),
    ],
)
def test_what_is_no_tier_says_what_to_change(mapping: str, text: str, told: str) -> None:
    assert told in reason(mapping, text)


@given(price=st.decimals(Decimal("0.01"), 99_999, places=2), pct=st.decimals(0, 100, places=2))
def test_a_tier_in_per_cent_is_the_price_less_its_share_rounded_as_prices_are(price: Decimal, pct: Decimal) -> None:
    text = f"Indeks;Cena;od 5;od 10\nZK;{price};;{pct}%\n"
    [(_, _, _), (_, _, told)] = tiers(IN_COLUMNS, text.replace(".", ","))["ZK"]
    digits = Decimal("0.0001") if price < 1 else Decimal("0.01")
    assert Decimal(told) == (price - price * pct / 100).quantize(digits, ROUND_HALF_UP)


def test_a_tier_and_a_matrix_may_have_discounts_in_series() -> None:
    [(_, _, _), (_, _, told)] = tiers(IN_COLUMNS, "Indeks;Cena;od 5;od 10\nZK;200,00;;40+10%\n")["ZK"]
    assert told == "108"
    [row] = items(MATRIX, "Grupa;Hurt;Instalator\nPompy;40+10;\n")
    assert row.row.discount_pct == 46


def test_a_matrix_is_a_row_for_each_group_and_segment_that_has_a_discount() -> None:
    found = items(MATRIX, "Grupa;Hurt;Instalator\nArmatura DN;30%;20\nPompy;12,5;\nKable;;\n")
    rows = [item.row.model_dump(mode="json") for item in found if isinstance(item, Accepted)]
    assert [(row["segment"], row["discount_group"], row["discount_pct"]) for row in rows] == [
        ("hurt", "armatura_dn", "30"), ("instalator", "armatura_dn", "20"), ("hurt", "pompy", "12.5")
    ]  # fmt: skip
    assert len(found) == len(rows), "a row of empty cells is none"


def test_a_row_of_discounts_is_of_one_customer_or_one_segment_and_lasts_a_day_at_least() -> None:
    text = "account_id,segment,discount_group,discount_pct,valid_from,valid_to\n"
    text += "1001,,Pompy,30,,\n,hurt,Pompy,30,2026-01-01,\n1001,hurt,Pompy,30,,\n,,Pompy,30,,\n"
    text += ",hurt,Pompy,30,2026-01-02,2026-01-01\n,hurt,Pompy,130,,\n"
    read_ = read(
        BytesIO(text.encode()), KINDS["discounts"], file_name="a.csv", mappings=[], attributes=Attributes({})
    )
    first, second, *faulty = list(read_)
    assert isinstance(first, Accepted) and isinstance(second, Accepted)  # noqa: PT018
    assert first.row.model_dump()["account_id"] == "acct_1001"
    told = [item.reason for item in faulty if isinstance(item, Rejected)]
    whose = "say whose discount it is"
    for said, part in zip(told, (whose, whose, "valid_to is before", "100"), strict=True):
        assert part in said


FOR_MANY = """
kind = "prices"
numbers = "1.234,56"
[[tables]]
[tables.constants]
price_book_id = "pb_cennik"
[tables.fields]
product_id = { from = "Indeks" }
price = { from = "Cena", per = "Za", values = { rolka = "1" } }
"tiers.10" = { from = "od 10" }
"""


def test_tiers_are_for_as_many_pieces_as_the_price_and_a_word_for_what_the_mapping_says() -> None:
    text = "Indeks;Za;Cena;od 10\nV-5;1000 szt;312,00;295,00\nV-1;rolka;58,90;54,50\n"
    first, second = [item.row for item in items(FOR_MANY, text)]
    assert [(str(tier.min), plainly(tier.price)) for tier in first.tiers] == [("1", "0.312"), ("10", "0.295")]
    assert [plainly(tier.price) for tier in second.tiers] == ["58.9", "54.5"]
    [rejected] = items(FOR_MANY, "Indeks;Za;Cena;od 10\nV-2;karton;58,90;\n")
    assert (
        "is for 'karton' in 'Za', which is no number of pieces: say in its values how many it is" in rejected.reason
    )


def test_goods_without_a_price_in_a_list_are_no_rows_and_are_told() -> None:
    mapping = Mapping.parse(OF_PRICES + IN_COLUMNS, source="test")
    text = "Indeks;Cena;od 5;od 10\nZK;;;\nNP;80,00;;\nKO;;;\n"
    rows = read(BytesIO(text.encode()), KINDS["prices"], file_name="a.csv", mappings=[mapping])
    assert [item.line for item in rows] == [3]
    assert rows.leftover == ["rows without an amount, of which none is stored: line 2, line 4"]


def test_a_constant_is_read_as_the_same_word_in_a_cell() -> None:
    mapping = MATRIX.replace(
        '[tables.fields]\ndiscount_group = { from = "Grupa" }',
        """[tables.constants]
discount_group = "Armatura DN"
[tables.fields]""",
    )
    [row] = [item.row.model_dump(mode="json") for item in items(mapping, "Hurt;Instalator\n30;\n")]
    assert (row["discount_group"], row["segment"]) == ("armatura_dn", "hurt")
    [faulty] = items(
        OF_PRICES.replace("[tables.fields]", 'unit = "per_1000"\n[tables.fields]'), "Indeks;Cena\nZK;9,00\n"
    )
    assert "write per_ and a word of small letters" in faulty.reason
