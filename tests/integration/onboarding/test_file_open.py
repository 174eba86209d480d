"""file_open: the inbox, links into it, and what is in a file."""

import io
from typing import Any

import pytest
from openpyxl import Workbook

from onboarding.file_open import handler
from tests.deployment import invoke
from tests.integration.onboarding.conftest import GOODS, Desk


def workbook(**sheets: list[list[object]]) -> bytes:
    book = Workbook(write_only=True)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def test_an_empty_inbox_says_how_to_fill_it(desk: Desk) -> None:
    answer = desk.ask("file_open")
    assert "files" not in answer
    assert f"s3://inboxes/{desk.tenant}/inbox/" in answer["notice"]


def test_a_link_takes_a_file_of_the_size_that_was_said_and_the_file_is_listed(desk: Desk) -> None:
    content = GOODS.encode()
    upload = desk.ask("file_open", name="goods.csv", size=len(content))["upload"]
    assert "content-length" in upload["url"].lower()
    assert upload["expires_in"] == 900
    assert desk.upload(upload["url"], content) == 200
    [listed] = desk.ask("file_open")["files"]
    assert (listed["name"], listed["size"]) == ("goods.csv", len(content))
    assert "is there already" in desk.refused("file_open", name="goods.csv", size=3)


def test_a_link_to_upload_is_for_who_may_write(desk: Desk) -> None:
    def asked(*scopes: str, **arguments: object) -> dict[str, Any]:
        return invoke(handler, arguments, tenant=desk.tenant, tool="file_open", scopes=list(scopes))

    refused = asked("onboarding:read", name="goods.csv", size=5)
    assert (refused["code"], "upload" in refused) == ("PERMISSION_DENIED", False)
    assert "notice" in asked("onboarding:read")
    assert asked("onboarding:read", "onboarding:write", name="goods.csv", size=5)["upload"]


def test_a_text_that_is_a_table_by_its_separators_is_one_and_prose_is_told_how_to_be(desk: Desk) -> None:
    name = desk.put("goods.txt", ("Ventile\t\t\n" + GOODS.replace(";", "\t")).encode("utf-16"))
    text = desk.ask("file_open", name=name)["contents"]
    assert text.startswith("goods.txt: utf-16, separated by '\\t'")
    assert "Table: 4 rows, header in row 2" in text
    lines = "quote_number\tposition\tquantity\tdescription\nQ-1\t1\t2\tPump\n"
    checked = desk.ask("load_check", kind="line_items", file=desk.put("lines.txt", lines))
    assert "by the kind's own names" in checked["notice"]
    prose = desk.put("terms.txt", "Dostawa, od ręki.\nCeny netto, bez VAT.\nZ góry, dziękujemy.\n")
    assert "named .csv" in desk.ask("file_open", name=prose)["contents"]
    assert desk.ask("load_check", kind="documents", file=prose)["rows"]["new"] == 1


def test_columns_that_cannot_be_guessed_are_asked_for_with_the_fields_that_are_needed(desk: Desk) -> None:
    name = desk.put("odd.csv", "Aaa;Bbb\nx;y\n")
    for kind, needed in (("accounts", "name, segment"), ("prices", "price_book_id, product_id, price")):
        doubts = " ".join(desk.ask("load_check", kind=kind, file=name)["doubts"])
        assert all(f"NEEDED: {field} has no column" in doubts for field in needed.split(", "))


def test_a_tenant_sees_its_own_inbox_and_no_other(desk: Desk) -> None:
    desk.put("goods.csv", GOODS)
    assert "files" not in desk.ask("file_open", tenant="neighbour")
    assert desk.refused("file_open", tenant="neighbour", name="goods.csv").startswith("NOT_FOUND")
    assert "VALIDATION_ERROR" in desk.refused("file_open", name=f"../{desk.tenant}/inbox/goods.csv")


def test_a_table_is_told_in_a_line_for_each_column(desk: Desk) -> None:
    text = desk.ask("file_open", name=desk.put("goods.csv", GOODS.encode("cp1252")))["contents"]
    assert text.startswith("goods.csv: cp1252, separated by ';'")
    assert "Table: 4 rows, header in row 1" in text
    assert "B 'Bezeichnung': 4 filled, 4 different: Kugelhahn DN10 | " in text
    column = "D 'PN [bar]': 3 filled, 3 different; numbers 16..40 in 2 cells; bar in its name: 16 | 40 | viel"
    assert column in text.splitlines()


def test_sheets_headers_below_a_title_units_and_hidden_ones_are_told(desk: Desk) -> None:
    rows: list[list[object]] = [["Price list 2026"], [], ["Model", "Flow"], ["A", "12 l/min"], ["B", "1,5 m³/h"]]
    text = desk.ask("file_open", name=desk.put("list.xlsx", workbook(Pumps=rows, Notes=[["By Eva"]])))["contents"]
    assert "Sheets: 'Pumps', 'Notes'" in text
    assert "Sheet 'Pumps': 2 rows, header in row 3" in text
    assert "l/min (1), m³/h (1)" in text
    assert "Sheet 'Notes': no header; of 1 rows: By Eva" in text


def test_a_wide_workbook_comes_in_pieces_that_begin_where_the_last_one_ended(desk: Desk) -> None:
    names = [f"Column {number} of a long table" for number in range(150)]
    rows: list[list[object]] = [list(names), [f"what stands in cell {number}" for number in range(150)]]
    name = desk.put("wide.xlsx", workbook(First=rows, Second=[["Model", "Maker"], ["A", "Acme"]]))
    seen, where = "", dict[str, Any]()
    for _ in range(9):
        answer = desk.ask("file_open", name=name, **where)
        assert len(answer["contents"]) <= 6_000
        seen += answer["contents"]
        if "next_sheet" not in answer:
            break
        where = {"sheet": answer["next_sheet"], "column": answer["next_column"]}
    assert all(seen.count(f"{each!r}") == 1 for each in names)
    assert "Sheet 'Second'" in seen


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("archive.zip", b"PK\x03\x04", "is no table"),
        ("list.csv", b"\x1f\x8b\x08", "compressed"),
        ("list.xlsx", b"no workbook", "cannot be read as a workbook"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(desk: Desk, name: str, content: bytes, says: str) -> None:
    assert says in desk.refused("file_open", name=desk.put(name, content))


def test_a_record_that_cannot_be_read_is_told_beside_those_that_can(desk: Desk) -> None:
    content = b'a;b\n"' + b"x" * 500_001 + b'";1\nx;2\n'
    told = desk.ask("file_open", name=desk.put("list.csv", content))["contents"]
    assert "line 2 is not valid CSV: field larger" in told
    assert "1 rows, header in row 1" in told
