"""The rules of README.md, row by row."""

from collections import Counter
from typing import Any

import pytest

from tests.trade.cases import Case, judged, read_cases
from tests.trade.judge import Needs, judge, passes
from tests.trade.quantities import Status, status
from tests.trade.rows import Row, read_corpus
from tests.trades.requests import Judgement


def row(**columns: Any) -> Row:
    return Row("X-1", {"family": "compressor", "category": "ROTARY SCREW AIR COMPRESSOR", **columns}, "")


@pytest.mark.parametrize(
    ("quantity", "asked", "value", "expected"),
    [
        ("power", "75 kW", 100, Status.MET),
        ("power", "75 hp", 100, Status.CLOSE),
        ("power", "75 hp", 50, Status.CONTRADICTED),
        ("power", "<=60 hp", 75, Status.CONTRADICTED),
        ("capacity", "11 m3/min", 396, Status.MET),
        ("capacity", "400 cfm", 396, Status.FINE),
        ("capacity", "400 cfm", 370, Status.CONTRADICTED),
        ("capacity", "200 cfm", 400, Status.CLOSE),
        ("capacity", "200 cfm", 500, Status.FAR),
        ("capacity", "350..400 cfm", 470, Status.CLOSE),
        ("pressure", "7.5 bar", 125, Status.MET),
        ("pressure", "150 psi", 145, Status.CONTRADICTED),
        ("vacuum", "20 mbar", 29.9, Status.MET),
        ("vacuum", "20 mbar", 28, Status.CONTRADICTED),
        ("dewpoint", "-40 C", -40, Status.MET),
        ("dewpoint", "38 F", -40, Status.CLOSE),
        ("dewpoint", "-40 F", 38, Status.CONTRADICTED),
        ("tank", "1500 l", 400, Status.MET),
        ("tank", "1060 gal", 400, Status.CONTRADICTED),
        ("noise", "62 dBA", 64, Status.CONTRADICTED),
    ],
)
def test_a_quantity_is_met_close_or_contradicted(quantity: str, asked: str, value: float, expected: Status) -> None:
    assert status(value, asked, quantity=quantity) is expected


@pytest.mark.parametrize(
    ("needs", "columns", "grade", "contradicts"),
    [
        ({"lubrication": "oil-free"}, {"lubrication": "oilless"}, 3, False),
        ({"lubrication": "oilless"}, {"lubrication": "oil-free"}, 0, True),
        ({"lubrication": "oilless"}, {"lubrication": ""}, 0, False),
        ({"lubrication": "lubricated"}, {"lubrication": ""}, 1, False),
        ({"maker": "Quincy"}, {"manufacturer": "Kaeser"}, 1, False),
        ({"only_maker": "Quincy"}, {"manufacturer": "Kaeser"}, 0, True),
        ({"not": {"only_maker": "Quincy"}}, {"manufacturer": "Quincy"}, 0, True),
        ({"not": {"only_maker": "Quincy"}}, {"manufacturer": "Kaeser"}, 3, False),
        ({"model": "ZT75"}, {"model": "ZT75 VSD"}, 0, True),
        ({"absent": True, "power": "100 hp"}, {"hp": 100}, 1, False),
        ({"power": "75 hp", "maker": "Quincy"}, {"hp": 100, "manufacturer": "Kaeser"}, 0, False),
        ({"family": "compressor"}, {"category": "MEDICAL AIR SYSTEM"}, 1, False),
        ({"voltage": "208/3"}, {"voltage": "208-230/460/3/60"}, 3, False),
        ({"voltage": "*/1"}, {"voltage": "460/3/60"}, 0, True),
        ({"family": "compressor"}, {"optional": True}, 2, False),
        ({"family": "compressor", "wishes": {"noise": "70 dBA"}}, {"noise_dba": 75}, 2, False),
    ],
)
def test_a_row_is_graded_by_all_its_needs(
    needs: Needs, columns: dict[str, Any], grade: int, contradicts: bool
) -> None:
    found = judge(row(**columns), needs)
    assert (found.grade, found.contradicts) == (grade, contradicts)


def test_an_unknown_value_passes_no_filter() -> None:
    assert not passes(row(psi=""), {"psi_min": 100})
    assert passes(row(psi=125), {"psi_min": 100})


def test_a_line_takes_from_the_catalogue_what_it_does_not_say() -> None:
    lines = read_corpus().rows["search_line_items"]
    assert lines["Q21-0128/1"].string("lubrication") == "oil-flooded"


def test_named_rows_stand_above_those_that_only_meet_the_needs() -> None:
    corpus = read_corpus()
    case = Case(of="-", tool="search_equipment", ask="-", needs={"lubrication": "oilless"}, right=["QOF-55"])
    found = judged(case, corpus).judgements
    assert (found["QOF-55"], found["SES0507-5"].grade) == (Judgement(3), 2)


def test_every_class_has_cases_and_no_question_is_asked_twice() -> None:
    cases = read_cases()
    assert len(cases) >= 420
    assert (
        min(Counter(case.of for case in cases if case.unseen is None and not case.of.startswith("fresh")).values())
        >= 10
    )
    assert max(Counter(case.id for case in cases).values()) == 1


@pytest.mark.parametrize(
    ("total", "currency", "expected"),
    [(300_000, "USD", (3, False)), (299_999, "USD", (0, True)), (1_060_950, "MXN", (1, False))],
)
def test_an_amount_is_met_to_the_cent_and_in_its_currency(
    total: float, currency: str, expected: tuple[int, bool]
) -> None:
    found = judge(Row("Q1", {"total_price": total, "currency": currency}, ""), {"total": ">=300000 usd"})
    assert (found.grade, found.contradicts) == expected


def test_a_line_that_says_what_a_sold_one_says_is_not_sold_with_it() -> None:
    corpus = read_corpus()
    case = Case(of="x", tool="search_line_items", ask="x", needs={"model": "QGV-100", "status": "lost"})
    rows = corpus.rows["search_line_items"]
    assert {rows[key].string("status") for key, one in judged(case, corpus).judgements.items() if one.grade} == {
        "lost"
    }
