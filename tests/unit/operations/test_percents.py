"""Figures in per cent, as workbooks and other tables have them."""

import io
from decimal import Decimal
from typing import Any

import pytest
from openpyxl import Workbook

from operations.reading import RowsRead, read
from operations.tables.mapping import Mapping
from quarry.attributes.model import Attribute, Attributes
from quarry.ingestion import Accepted, Rejected
from quotes.ingestion import LINE_ITEMS

MAPPING = Mapping.parse(
    """
    kind = "line_items"
    numbers = "1.234,56"
    [[tables]]
    [tables.constants]
    quote_number = "Q-1"
    quantity = 1
    description = "A pump."
    currency = "PLN"
    [tables.fields]
    position = { from = "Lp." }
    discount_pct = { from = "Rabat" }
    slip = { from = "Slip" }
    """,
    source="test",
)
OWN = Attributes({"slip": Attribute("slip", "number", unit="%")})


def lines(content: bytes, name: str) -> tuple[RowsRead, list[tuple[Decimal | None, Any]]]:
    reading = read(io.BytesIO(content), LINE_ITEMS, file_name=name, mappings=[MAPPING], attributes=OWN)
    items = list(reading)
    assert all(isinstance(item, Accepted) for item in items), items
    rows = [item.row.model_dump() for item in items if isinstance(item, Accepted)]
    return reading, [(row["discount_pct"], (row["attributes"] or {}).get("slip")) for row in rows]


def workbook(*rows: tuple[Any, ...], form: str = "General") -> bytes:
    book = Workbook()
    book.remove(book.worksheets[0])
    book.create_sheet("Zestawienie <1>")
    sheet = book.create_sheet("Oferty")
    sheet.append(("Lp.", "Rabat", "Slip"))
    for at, row in enumerate(rows, start=2):
        sheet.append((at - 1, *row))
        for letter in "BC":
            sheet[f"{letter}{at}"].number_format = form
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


@pytest.mark.parametrize("form", ["0%", "0.00%", "0.0%", '#,##0.0 "rabatu" %;[Red]-0.0%'])
def test_a_cell_that_is_shown_in_per_cent_means_what_it_shows(form: str) -> None:
    reading, rows = lines(workbook((0.065, 0.0325), (0.07, None), form=form), "a.xlsx")
    assert rows == [(Decimal("6.5"), 3.25), (Decimal(7), None)]
    assert reading.doubts == []


@pytest.mark.parametrize("left", ["85 %", "85", "0,85", "85%"])
def test_a_discount_is_the_complement_of_what_is_left_to_pay(left: str) -> None:
    given = Mapping.parse(MAPPING.written().replace('"Rabat" }', '"Rabat", complement = true }'), source="test")
    text = f"Lp.;Rabat;Slip\n1;{left};\n".encode()
    [item] = read(io.BytesIO(text), LINE_ITEMS, file_name="a.csv", mappings=[given], attributes=OWN)
    assert isinstance(item, Accepted)
    assert item.row.model_dump()["discount_pct"] == 15


def test_figures_that_a_workbook_calculated_are_rounded_as_their_field_has_them() -> None:
    assert lines(workbook((1 / 15, None), form="0.0%"), "a.xlsx")[1] == [(Decimal("6.6667"), None)]
    assert lines(workbook((20 / 3, None)), "a.xlsx")[1] == [(Decimal("6.6667"), None)]


def test_an_amount_for_several_pieces_is_divided_and_one_with_too_many_places_is_told_what_to_do() -> None:
    given = Mapping.parse(
        MAPPING.written()
        .replace('discount_pct = { from = "Rabat" }', 'unit_price = { from = "Rabat", per = "Slip" }')
        .replace('slip = { from = "Slip" }', ""),
        source="test",
    )
    text = "Lp.;Rabat;Slip\n1;1.211,51;3\n2;1,23456;1\n3;1,23456;\n"
    items = list(read(io.BytesIO(text.encode()), LINE_ITEMS, file_name="a.csv", mappings=[given], attributes=OWN))
    prices = [item.row.model_dump()["unit_price"] for item in items if isinstance(item, Accepted)]
    assert prices == [Decimal("403.8367"), Decimal("1.2346"), Decimal("1.2346")]
    own = "quote_number,position,description,quantity,unit_price\nQ-1,1,x,1,1.23456\n"
    [rejected] = read(io.BytesIO(own.encode()), LINE_ITEMS, file_name="a.csv", attributes=OWN)
    assert isinstance(rejected, Rejected)
    assert "has more than 4 decimal places: round it in the file" in rejected.reason


def test_a_percent_sign_that_a_format_only_prints_means_nothing() -> None:
    _, rows = lines(workbook((6.5, 3), form='0.0"%"'), "a.xlsx")
    assert rows == [(Decimal("6.5"), 3)]


def test_a_table_of_text_says_per_cent_in_its_cells() -> None:
    reading, rows = lines(b"Lp.;Rabat;Slip\n1;6,5%;0,5 %\n2;0.5 %;2%\n", "a.csv")
    assert rows == [(Decimal("6.5"), 0.5), (Decimal("0.5"), 2)]
    assert reading.doubts == []
    own = "quote_number;position;description;quantity;discount_pct;slip\n"
    for said in ("6,5%", "6.5 %"):
        [item] = read(
            io.BytesIO(f"{own}Q;1;x;1;{said};{said}\n".encode()), LINE_ITEMS, file_name="b.csv", attributes=OWN
        )
        assert isinstance(item, Accepted)
        stored = item.row.model_dump()
        assert (stored["discount_pct"], stored["attributes"]["slip"]) == (Decimal("6.5"), 6.5)


def test_figures_that_may_all_be_hundredths_are_a_doubt_with_their_cells() -> None:
    reading, rows = lines(workbook((0.065, None), (0, None), (0.1, 2.5)), "a.xlsx")
    assert rows[0] == (Decimal("0.065"), None)
    [doubt] = reading.doubts
    assert doubt.startswith("discount_pct is in per cent, and no cell has 1 or more or says %")
    assert doubt.endswith("(2): '0.065' in Oferty!B2, column 'Rabat'; '0.1' in Oferty!B4, column 'Rabat'")
    assert lines(workbook((0.5, None), (12, None)), "a.xlsx")[0].doubts == []


def test_discounts_in_series_are_the_one_that_they_come_to() -> None:
    reading, rows = lines(b"Lp.;Rabat;Slip\n1;40+10+5;\n2;10 + 5,5%;\n3;+5;\n4;12,5%+7,5%+3,3%;\n", "a.csv")
    assert [discount for discount, _ in rows] == [Decimal(said) for said in ("48.7", "14.95", "5", "21.7334")]
    assert reading.doubts == []
    text = b"Lp.;Rabat;Slip\n1;40+110;\n"
    [item] = read(io.BytesIO(text), LINE_ITEMS, file_name="a.csv", mappings=[MAPPING], attributes=OWN)
    assert isinstance(item, Rejected)
    assert item.reason.startswith("discount_pct: '40+110' takes off more than there is")
    noted = Mapping.parse(MAPPING.written().replace("slip = ", "price_note = "), source="test")
    text = b"Lp.;Rabat;Slip\n1;10+5;10+5%\n"
    [item] = read(io.BytesIO(text), LINE_ITEMS, file_name="a.csv", mappings=[noted])
    assert isinstance(item, Accepted)
    row = item.row.model_dump()
    assert (row["discount_pct"], row["price_note"]) == (Decimal("14.5"), "10+5%")


def test_a_word_for_what_a_line_counts_that_is_no_known_unit_is_a_doubt_with_its_cells() -> None:
    mapping = Mapping.parse(MAPPING.written().replace("slip = ", "unit = "), source="test")
    text = b"Lp.;Rabat;Slip\n1;;NR\n2;;szt.\n3;;\n4;;NR\n"
    reading = read(io.BytesIO(text), LINE_ITEMS, file_name="a.csv", mappings=[mapping])
    units = [item.row.model_dump()["unit"] for item in reading if isinstance(item, Accepted)]
    assert units == ["NR", "szt.", None, "NR"]
    [doubt] = reading.doubts
    assert doubt.startswith("unit is no known unit, so prices of such lines stand apart: ingest it as units")
    assert "(2): 'NR' in line 2" in doubt
