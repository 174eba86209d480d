"""Workbooks and CSV files as people have them, read by a mapping or under a kind's own names."""

import io
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
import xlwt
from openpyxl import Workbook, load_workbook
from openpyxl.comments import Comment
from psycopg.sql import SQL
from pydantic import Field

from cpq.ingestion.customers import ACCOUNTS
from equipment.ingestion import PRODUCTS
from operations.reading import RowsRead, read
from operations.tables.lists import part_of
from operations.tables.mapping import Mapping
from operations.tables.sheets import Sheet, header_at, read_workbook
from quarry.attributes.model import Attribute, Attributes
from quarry.attributes.stored import Stored
from quarry.ingestion import Accepted, Kind, Rejected, Row
from quarry.tool.errors import ValidationFailed


class MachineRow(Row):
    name: str = Field(min_length=1)
    group: str | None = None
    attributes: Stored = None
    price: Decimal | None = None
    currency: str | None = Field(default=None, pattern=r"^[A-Z]{3}$")
    day: date | None = None


OWN = Attributes({"hp": Attribute("hp", "number", unit="hp")})
MACHINES = Kind(
    name="machines", row=MachineRow, key=("name",), upsert=SQL(""), table="test.machines", attributed=True
)
MAPPING = Mapping.parse(
    """
    kind = "machines"
    [[tables]]
    skip = 2
    constants = { currency = "EUR" }
    [tables.fields]
    name = { from = "Typ" }
    hp = { from = "Leistung [kW]", unit = "kW" }
    price = { from = "Listenpreis" }
    day = { from = "gültig ab" }
    group = { from = "(section)" }
    """,
    source="test",
)
ROWS: tuple[tuple[Any, ...], ...] = (
    ("Preisliste 2024",),
    (),
    ("Typ", "Leistung [kW]", "Listenpreis", "gültig ab"),
    ("Schraubenverdichter",),
    ("SV 75", 75, "31.450,00 €", date(2024, 1, 1)),
    ("SV 90", "90,5", 35990.5, "01.04.2024"),
    (),
    ("Kolben",),
    ("K 4", "vier", "auf Anfrage", None),
    ("Typ", "Leistung [kW]", "Listenpreis", "gültig ab"),
    ("K 5", 5.5, "1.234", None),
)


def xlsx(*sheets: tuple[str, tuple[tuple[Any, ...], ...]], merge: str = "") -> bytes:
    workbook = Workbook()
    workbook.remove(workbook.worksheets[0])
    for name, rows in sheets:
        sheet = workbook.create_sheet(name)
        for row in rows:
            sheet.append(row)
        if merge:
            sheet.merge_cells(merge)
    content = io.BytesIO()
    workbook.save(content)
    return content.getvalue()


def xls(rows: tuple[tuple[Any, ...], ...]) -> bytes:
    workbook = xlwt.Workbook()
    sheet = workbook.add_sheet("Preise")
    as_date = xlwt.easyxf(num_format_str="DD.MM.YYYY")
    for at, row in enumerate(rows):
        for column, cell in enumerate(row):
            if cell is not None:
                sheet.write(at, column, cell, *([as_date] if isinstance(cell, date) else []))
    content = io.BytesIO()
    workbook.save(content)
    return content.getvalue()


def csv_of(rows: tuple[tuple[Any, ...], ...], separator: str) -> str:
    said = {date(2024, 1, 1): "01.01.2024", 75: "75", 35990.5: "35.990,50", 5.5: "5,5", None: ""}
    return "".join(
        separator.join(said.get(cell, str(cell)) for cell in (*row, "", "", "")[:4]) + "\r\n" for row in rows
    )


def machines(content: bytes, file_name: str, *mappings: Mapping) -> RowsRead:
    return read(io.BytesIO(content), MACHINES, file_name=file_name, mappings=mappings, attributes=OWN)


FILES = [
    ("prices.xlsx", xlsx(("Preise", ROWS)), "xlsx, sheets 'Preise'"),
    ("prices.xls", xls(ROWS), "xls, sheets 'Preise'"),
    ("prices.csv", csv_of(ROWS, ";").encode("cp1252"), "cp1252"),
    ("prices.csv", csv_of(ROWS, "\t").encode("utf-16"), "utf-16"),
    ("prices.csv", csv_of(ROWS, "|").encode("utf-8-sig"), "utf-8"),
]


@pytest.mark.parametrize(("name", "content", "said"), FILES, ids=["xlsx", "xls", "semicolons", "tabs", "bars"])
def test_a_price_list_with_titles_and_headings_is_read_the_same_from_any_file(
    name: str, content: bytes, said: str
) -> None:
    reading = machines(content, name, MAPPING)
    items = list(reading)
    rows = [item.row.model_dump(exclude_none=True) for item in items if isinstance(item, Accepted)]
    assert [{"hp": row.pop("attributes")["hp"]["value"], **row} for row in rows] == [
        {
            "name": "SV 75",
            "group": "Schraubenverdichter",
            "hp": 100.577,
            "price": Decimal("31450.00"),
            "currency": "EUR",
            "day": date(2024, 1, 1),
        },
        {
            "name": "SV 90",
            "group": "Schraubenverdichter",
            "hp": 121.362,
            "price": Decimal("35990.5"),
            "currency": "EUR",
            "day": date(2024, 4, 1),
        },
        {"name": "K 5", "group": "Kolben", "hp": 7.37562, "price": Decimal(1234), "currency": "EUR"},
    ]
    [reject] = [item for item in items if isinstance(item, Rejected)]
    assert [(fault.field, fault.cause, fault.value) for fault in reject.faults] == [
        ("hp", "is not a number", "vier"),
        ("price", "is not a number", "auf Anfrage"),
    ]
    place = "Preise!B9, column 'Leistung [kW]'" if "xls" in name else "line 9, column 'Leistung [kW]'"
    assert reject.reason.startswith(f"hp: 'vier' is not a number ({place}); price: ")
    assert reading.encoding == f"{said}, numbers as 1.234,56, dates day first"


def test_every_sheet_that_the_mapping_fits_is_read_and_the_others_are_said() -> None:
    notes = (("Alle Preise netto",), ("Stand", "2024"))
    reading = machines(xlsx(("A", ROWS), ("Hinweise", notes), ("B", ROWS)), "prices.xlsx", MAPPING)
    items = list(reading)
    assert [item.line for item in items] == [5, 6, 9, 11, 18, 19, 22, 24]
    assert reading.encoding.startswith("xlsx, sheets 'A', 'B', not read: 'Hinweise'")


BOOKS = """
    kind = "machines"
    [[tables]]
    sheet = "EUR"
    {aside}
    constants = {{ group = "{first}" }}
    fields = {{ name = {{ from = "Art" }}, price = {{ from = "{first}" }} }}
    [[tables]]
    sheet = "{sheet}"
    constants = {{ group = "{second}" }}
    fields = {{ name = {{ from = "Art" }}, price = {{ from = "{second}" }} }}
    """
IN_TWO = xlsx(("EUR", (("Art", "P1", "P2"), ("K 4", 10, 9))), ("CHF", (("Art", "PC"), ("K 4", 11))))


def priced(*mappings: Mapping) -> tuple[list[tuple[str | None, int]], list[str]]:
    reading = machines(IN_TWO, "prices.xlsx", *mappings)
    rows = [item.row for item in reading if isinstance(item, Accepted)]
    return [(row.group, int(row.price or 0)) for row in rows if isinstance(row, MachineRow)], reading.leftover


def test_each_table_that_names_a_sheet_reads_it() -> None:
    twice = BOOKS.format(aside='aside = ["CHF"]', first="P1", sheet="EUR", second="P2")
    assert priced(Mapping.parse(twice, source="test")) == ([("P1", 10), ("P2", 9)], [])


def test_of_remembered_mappings_the_newest_is_taken_that_says_of_each_sheet_whether_it_is_read() -> None:
    both = Mapping.parse(BOOKS.format(aside="", first="P1", sheet="CHF", second="PC"), source="test")
    other = BOOKS.format(aside='aside = ["P1", "CHF"]', first="P2", sheet="None", second="P3")
    assert priced(Mapping.parse(other, source="test"), both)[0] == [("P2", 9)]
    assert priced(both, Mapping.parse(other, source="test"))[0] == [("P1", 10), ("PC", 11)]


TITLED: tuple[tuple[Any, ...], ...] = (
    ("Preisliste 2024", None, "Preise netto"),
    ("Gültig ab", "01.04.2024, bis auf Widerruf"),
    ("Typ", "Listenpreis"),
    ("Schraubenverdichter",),
    ("SV 75", "31.450,00 €", "neu"),
    ("Alle Preise ab Werk",),
)
TITLES = """
    kind = "machines"
    [[tables]]
    skip = 2
    aside = ["(A1)", "Lager"]
    [tables.fields]
    name = { from = "Typ" }
    price = { from = "Listenpreis" }
    day = { from = "(B2)", says = "01.04.2024" }
    group = { from = "(section)" }
    """


def test_a_date_above_the_table_is_mapped_by_its_cell_and_held_against_it() -> None:
    titles, list_ = Mapping.parse(TITLES, source="test"), xlsx(("Liste", TITLED), ("Lager", (("SV 75", 4),)))
    read_rows = machines(list_, "liste.xlsx", titles)
    assert [item.row.model_dump()["day"] for item in read_rows if isinstance(item, Accepted)] == [date(2024, 4, 1)]
    next_year = xlsx(("Liste", (TITLED[0], ("Gültig ab", "01.04.2025"), *TITLED[2:])))
    [reject] = [item for item in machines(next_year, "liste.xlsx", titles) if isinstance(item, Rejected)]
    assert reject.reason == "day: '01.04.2025' does not say '01.04.2024' (Liste!B2)"
    text = "Preisliste;\nGültig ab;01.04.2024\nTyp;Listenpreis\nSV 75;31.450,00\n".encode()
    [row] = [item.row for item in machines(text, "liste.csv", titles) if isinstance(item, Accepted)]
    assert row.model_dump()["day"] == date(2024, 4, 1)


def test_what_a_sheet_says_outside_its_table_is_used_set_aside_or_listed() -> None:
    titles = Mapping.parse(TITLES, source="test")
    rows = machines(
        xlsx(("Liste", TITLED), ("Lager", (("SV 75", 4),)), ("Info", (("Skonto", "2 %"),))), "l.xlsx", titles
    )
    list(rows)
    assert rows.leftover == [
        "cell '(C1)' of sheet 'Liste' is read by no field: 'Preise netto'",
        "cell '(A2)' of sheet 'Liste' is read by no field: 'Gültig ab'",
        "Liste, row 6 is a heading without rows: 'Alle Preise ab Werk'",
        "column '(column C)' of sheet 'Liste' is read by no field: 1 cells, 'neu'",
        "sheet 'Info' is read by no table: 2 cells, 'Skonto', '2 %'",
    ]


def test_a_comment_on_a_cell_is_told_with_its_place() -> None:
    workbook = load_workbook(io.BytesIO(xlsx(("Info", (("x",),)), ("Preise", ROWS))))
    workbook["Preise"]["B5"].comment = Comment("only with\noil cooler", "Ann")
    content = io.BytesIO()
    workbook.save(content)
    rows = machines(content.getvalue(), "prices.xlsx", MAPPING)
    list(rows)
    assert "comments on cells of sheet 'Preise', which no field reads: B5 'only with oil cooler'" in rows.leftover


def test_a_merged_title_is_told_once() -> None:
    list_ = xlsx(("Liste", (("Preise 2024", None, None, None, "netto"), *ROWS[2:])), merge="A1:B1")
    rows = machines(
        list_,
        "liste.xlsx",
        MAPPING.model_copy(update={"tables": (MAPPING.tables[0].model_copy(update={"skip": 1}),)}),
    )
    list(rows)
    assert [line.split(" is read")[0] for line in rows.leftover if line.startswith("cell")] == [
        "cell '(A1)' of sheet 'Liste'",
        "cell '(E1)' of sheet 'Liste'",
    ]


def test_a_merged_cell_stands_in_each_of_its_rows_and_a_header_may_have_two_rows() -> None:
    rows = (
        ("Type", "Motor", "Motor", "Group"),
        ("Type", "kW", "note", "Group"),
        ("SV 75", 75, "x", "screw"),
        ("SV 90", 90, "y", None),
    )
    mapping = Mapping.parse(
        """
        kind = "machines"
        [[tables]]
        header_rows = 2
        [tables.fields]
        name = { from = "Type" }
        hp = { from = "Motor kW", unit = "kW" }
        group = { from = ["Group", "Motor note"], join = "/" }
        """,
        source="test",
    )
    items = list(machines(xlsx(("A", rows), merge="D3:D4"), "a.xlsx", mapping))
    assert [(item.row.name, item.row.group) for item in items if isinstance(item, Accepted)] == [  # type: ignore[attr-defined]  # rows of this kind
        ("SV 75", "screw/x"),
        ("SV 90", "screw/y"),
    ]


def test_a_row_of_units_has_one_pair_of_brackets_about_each() -> None:
    rows = [["Type", "Motor", "Speed", "Limit"], [None, "[kW]", "[1/min]", "[florps]"], ["A", 1, 2, 3]]
    header = header_at(Sheet("A", rows), skip=0)  # type: ignore[arg-type]  # a list of lists of cells
    assert header is not None
    assert header.names == ("Type", "Motor [kW]", "Speed [1/min]", "Limit [florps]")


def test_of_rows_of_one_key_the_text_of_several_cells_is_that_of_the_row_that_fills_them() -> None:
    mapping = Mapping.parse(
        'kind = "machines"\n[[tables]]\n[tables.fields]\nname = { from = "No" }\n'
        'group = { from = ["A", "B"], join = ": " }\n',
        source="test",
    )
    rows = list(machines(b"No;A;B\n1;x;why\n1;x;\n1;y;else\n2;z;\n", "a.csv", mapping))
    groups = [item.row.model_dump()["group"] for item in rows if isinstance(item, Accepted)]
    assert groups == ["x: why", "x: why", "y: else", "z"]


def test_a_header_of_two_rows_is_not_made_of_a_blank_row_and_its_first() -> None:
    rows = (("Pumps", None), (None, None), ("Type", "Motor"), (None, "kW"), ("SV 75", 75))
    mapping = Mapping.parse(
        """
        kind = "machines"
        [[tables]]
        skip = 2
        header_rows = 2
        [tables.fields]
        name = { from = "Type" }
        hp = { from = "Motor", unit = "kW" }
        """,
        source="test",
    )
    sheets = read_workbook(xlsx(("A", rows)), file_name="a.xlsx")
    assert mapping.tables_in(sheets) == []
    assert mapping.unfit(sheets) == ["row 3 of sheet 'A' has no 'Motor'; it reads 'Type', 'Motor kW'"]


@pytest.mark.parametrize(
    ("said", "others"), [('dates = "day first"', ""), ('numbers = "1.234,56"', "SV 80;1.200,50;25/04/2023\n")]
)
def test_what_a_mapping_leaves_unsaid_of_a_csv_is_learnt_from_its_cells(said: str, others: str) -> None:
    fields = 'name = { from = "Typ" }\nprice = { from = "Preis" }\nday = { from = "ab" }'
    mapping = Mapping.parse(f'kind = "machines"\n{said}\n[[tables]]\n[tables.fields]\n{fields}', source="test")
    csv = f"Typ;Preis;ab\nSV 75;1.234,50;03/04/2023\n{others}"
    [first, *_] = machines(csv.encode(), "list.csv", mapping)
    assert isinstance(first, Accepted), first
    assert isinstance(first.row, MachineRow)
    assert (first.row.price, first.row.day) == (Decimal("1234.50"), date(2023, 4, 3))


def test_a_workbook_and_a_csv_under_the_kinds_own_names_need_no_mapping() -> None:
    rows = (("name", "hp", "price"), ("SV 75", "100,5", "1.234,50"))
    for content, name in ((xlsx(("A", rows)), "a.xlsx"), (b"name;hp;price\nSV 75;100,5;1.234,50\n", "a.csv")):
        [item] = machines(content, name)
        assert isinstance(item, Accepted)
        assert item.row.model_dump(exclude_none=True) == {
            "name": "SV 75",
            "attributes": {"hp": 100.5},
            "price": Decimal("1234.50"),
        }


def test_a_workbook_that_was_renamed_to_csv_is_told_to_keep_its_ending() -> None:
    with pytest.raises(ValidationFailed, match=r"A workbook keeps its ending, \.xlsx"):
        machines(xlsx(("Preise", ROWS)), "prices.csv", MAPPING)


@pytest.mark.parametrize(("name", "content"), [(name, content) for name, content, _ in FILES[:3]])
def test_columns_of_its_own_without_a_mapping_are_refused_with_what_to_do(name: str, content: bytes) -> None:
    with pytest.raises(ValidationFailed, match="make preview KIND=machines"):
        list(machines(content, name))


def test_a_mapping_that_does_not_fit_is_refused_with_the_columns_that_it_reads_in_vain() -> None:
    with pytest.raises(ValidationFailed, match=r"given or remembered \(row 3 has no 'Typ', 'gültig ab'; it reads"):
        list(machines(b"A\nB\nModell;Leistung [kW];Listenpreis\nSV;75;1\n", "p.csv", MAPPING))


def test_what_is_no_workbook_and_what_is_locked_is_refused_by_name() -> None:
    with pytest.raises(ValidationFailed, match=r"'a\.xlsx' cannot be read as a workbook: .* Save it as \.xlsx"):
        machines(b"no workbook", "a.xlsx", MAPPING)


def test_a_mapping_is_written_as_it_is_read() -> None:
    assert Mapping.parse(MAPPING.written(comments=["A comment."]), source="again") == MAPPING


@pytest.mark.parametrize(
    ("mapping", "advice"),
    [
        ('kind = "prices"\n', "there is no [[tables]]; write one for each sheet"),
        ('kind = "prices"\n[[tables]]\nskip = 1\n', "table 1, fields: is missing; write model = "),
        (
            'kind = "prices"\n[[tables]]\n[tables.fields]\nprice = { form = "P" }\n',
            "table 1, fields.price.form: nothing is called so here; what may stand here: from, unit, values",
        ),
        ('kind = "prices"\n[[tables]]\n[tables.fields]\nprice = 7\n', "table 1, fields.price: is 7; write {"),
        ("kind =", "The mapping mine is not valid TOML"),
    ],
)
def test_what_is_wrong_with_a_mapping_is_said_with_what_to_write(mapping: str, advice: str) -> None:
    with pytest.raises(ValidationFailed) as refused:
        Mapping.parse(mapping, source="mine")
    assert advice in refused.value.message


def listed(*cells: str) -> tuple[list[object], list[str]]:
    """(what is stored of a column of texts, doubts)."""
    own = Attributes({"regions": Attribute("regions")})
    lines = ["name;regions", *(f"A{at};{cell}" for at, cell in enumerate(cells))]
    rows = read(io.BytesIO("\n".join(lines).encode()), MACHINES, file_name="a.csv", attributes=own)
    found = [item.row.model_dump()["attributes"]["regions"] for item in rows if isinstance(item, Accepted)]
    return found, rows.doubts


@pytest.mark.parametrize(
    ("cells", "stored"),
    [
        (("EU", "EU, US", "US"), ["EU", ["EU", "US"], "US"]),
        (("EU", "EU, US", "EU, US, UK", "UK,US"), ["EU", ["EU", "US"], ["EU", "US", "UK"], "UK,US"]),
        (("EU", "EU، US، UK", "US", "UK"), ["EU", ["EU", "US", "UK"], "US", "UK"]),
        (("EU|US", "EU, US, APAC"), [["EU", "US"], "EU, US, APAC"]),
        (("en|de", "en, de"), [["en", "de"], ["en", "de"]]),
        (("100 HP, 1800 RPM", "75 HP, 1800 RPM", "100 HP, 1200 RPM"), None),
        (("7,5", "7", "5"), None),
        (("1.5 kW, 50 Hz", "2.2 kW, 50 Hz", "with stand, painted"), None),
    ],
)
def test_a_column_tells_which_of_its_texts_are_lists(cells: tuple[str, ...], stored: list[object] | None) -> None:
    assert listed(*cells)[0] == (list(cells) if stored is None else stored)


def test_a_text_that_may_be_a_list_stays_whole_and_is_a_doubt_with_its_cell() -> None:
    stored, doubts = listed("EU", "EU, US", "100 HP, 1800 RPM", "75 HP, 1800 RPM")
    assert stored[1] == "EU, US"
    [doubt] = doubts
    assert "write them apart by |" in doubt
    assert "'EU, US' in line 3" in doubt
    for cells in (("EU, US", "EU, UK", "US, UK"), ("EU|US", "EU, US, APAC")):
        assert "may be several values" in str(listed(*cells)[1])
    assert not listed("100 HP, 1800 RPM", "75 HP, 1800 RPM", "100 HP, 1200 RPM", "steel, blue", "iron")[1]


def test_parts_of_a_slash_that_are_values_and_figures_with_letters_among_figures_are_doubts() -> None:
    stored, [doubt] = listed("EU, US", "EU/US/UK", "24/48", "24", "UK")
    assert stored[1] == "EU/US/UK"
    assert "'EU/US/UK' in line 3" in doubt
    [unlike] = listed("3", "3p", "4", "3")[1]
    assert "is a figure with letters where most cells are bare figures" in unlike
    assert not listed("3p", "4p", "3", "S/L", "N/A")[1]


FROM_TO = Attributes({name: Attribute(name, "number", unit="°C") for name in ("low", "high")})
RANGES = Mapping.parse(
    """
    kind = "machines"
    numbers = "1.234,56"
    [[tables]]
    [tables.fields]
    name = { from = "Typ" }
    low = { from = "Temp", part = 1, unit = "°C" }
    high = { from = "Temp", part = 2, unit = "°C" }
    group = { from = "Art", values = { A = "a", "(others)" = "" } }
    """,
    source="test",
)


@pytest.mark.parametrize(
    ("cell", "low", "high"),
    [
        ("-40 / +100", "-40", "+100"),
        ("-40/+100", "-40", "+100"),
        ("-40 à +100", "-40", "+100"),
        ("-40 +100", "-40", "+100"),
        ("-40...+100", "-40", "+100"),
        ("-40/100 °C", "-40 °C", "100 °C"),
        ("-40–100 °C", "-40 °C", "100 °C"),
        ("-40 až 100 °C", "-40 °C", "100 °C"),
        ("-40 °C bis 100 °C", "-40 °C", "100 °C"),
        ("3 G 1,5", "3", "1,5"),
        ("3G1,5", "3", "1,5"),
        ("4G2", "4", "2"),
        ("4 x D", "4", ""),
        ("3 m2", "3 m2", ""),
        ("10 °C 20 °C", "10 °C 20 °C", ""),
        ("57 x 102 mm (2¼ x 4 in)", "57 mm", "102 mm"),
        ("57 x 102 (2¼ x 4 in)", "57", "102"),
        ("89 mm (3½ in)", "89 mm", "3½ in"),
        ("2¼ x 4 in", "2¼ in", "4 in"),
        ("27 x ½ in", "27 in", "½ in"),
        ("27G x ½ in", "27G", "½ in"),
        ("½ in", "½ in", ""),
        ("≤ 8 µm", "≤ 8 µm", ""),
        ("%50", "%50", ""),
        ("⌀ 80", "⌀ 80", ""),
    ],
)
def test_the_figures_of_a_cell_are_parted_with_their_signs_and_unit_and_at_no_unit(
    cell: str, low: str, high: str
) -> None:
    assert [part_of(cell, place) for place in (1, 2)] == [low, high]


def test_a_cell_of_fewer_figures_than_others_of_its_column_is_doubted_unless_the_mapping_says_what_they_are() -> None:
    text = "Typ;Temp;Art\nT;3/4;B\nU;5/6;B\nV;⌀ 300;B\n".encode()
    rows = read(io.BytesIO(text), MACHINES, file_name="a.csv", mappings=[RANGES], attributes=FROM_TO)
    assert len(list(rows)) == 3
    [doubt] = rows.doubts
    assert doubt.startswith("low, high is read from fewer figures than its column's other cells have")
    assert doubt.endswith("'⌀ 300' in line 4, column 'Temp'")


def test_a_figure_that_the_mapping_says_for_a_part_is_stored() -> None:
    said = RANGES.written().replace("part = 2", 'part = 2, values = { "300" = "300", "400" = "0-400" }')
    rows = read(
        io.BytesIO(b"Typ;Temp;Art\nT;3/4;B\nU;300;B\nV;400;B\n"),
        MACHINES, file_name="a.csv", mappings=[Mapping.parse(said, source="test")], attributes=FROM_TO,
    )  # fmt: skip
    stored = [item.row.model_dump()["attributes"]["high"] for item in rows if isinstance(item, Accepted)]
    assert stored == [4, 300, 400]


def test_the_parts_of_a_range_are_values_of_their_attributes() -> None:
    text = "Typ;Temp;Art\nT;-40/100 °C;B\n".encode()
    rows = read(io.BytesIO(text), MACHINES, file_name="a.csv", mappings=[RANGES], attributes=FROM_TO)
    [row] = [item.row.model_dump() for item in rows if isinstance(item, Accepted)]
    assert (row["attributes"], row["group"]) == ({"low": -40, "high": 100}, None)


def test_what_is_multiplied_by_a_measured_figure_is_counted_and_has_no_unit() -> None:
    own = Attributes({"low": Attribute("low", "number", unit="pcs"), "high": Attribute("high", "number", unit="mm²")})
    text = "Typ;Temp;Art\nT;4 x 1,5 mm²;B\n".encode()
    mapping = Mapping.parse(RANGES.written().replace(', unit = "°C"', ""), source="test")
    rows = read(io.BytesIO(text), MACHINES, file_name="a.csv", mappings=[mapping], attributes=own)
    assert [item.row.model_dump()["attributes"] for item in rows if isinstance(item, Accepted)] == [
        {"low": 4, "high": 1.5}
    ]
    assert part_of("850x775 mm", 1) == "850 mm"


MARKED = Mapping.parse(
    """
    kind = "machines"
    numbers = "1.234,56"
    [[tables]]
    [tables.fields]
    name = { from = "Typ" }
    dry = { from = "Dry", values = { "" = "no" } }
    weight = { from = "Masse", per = "PE", unit = "kg" }
    price = { from = "Preis", per = "PE", values = { "" = "10" } }
    """,
    source="test",
)


def test_a_mapping_says_what_an_empty_cell_means_and_for_how_many_a_figure_of_the_goods_is() -> None:
    own = Attributes({"dry": Attribute("dry", "flag"), "weight": Attribute("weight", "number", unit="kg")})
    text = b"Typ;Dry;Masse;PE;Preis\nA;X;34,24;100;50\nB;;2;;30\nC;-;;100;\n"
    rows = read(io.BytesIO(text), MACHINES, file_name="a.csv", mappings=[MARKED], attributes=own)
    found = [item.row.model_dump(exclude_none=True) for item in rows if isinstance(item, Accepted)]
    assert found == [
        {"name": "A", "attributes": {"dry": True, "weight": 0.3424}, "price": Decimal("0.5")},
        {"name": "B", "attributes": {"dry": False, "weight": 2}, "price": Decimal(3)},
        {"name": "C"},
    ]


def test_words_that_are_held_against_a_column_say_nothing_of_its_empty_cells() -> None:
    mapping = Mapping.parse(
        'kind = "machines"\n[[tables]]\n[tables.fields]\nname = { from = "Typ" }\n'
        'group = { from = "Text", says = "inox" }\n',
        source="test",
    )
    rows = list(machines(b"Typ;Text\nA;tige inox\nB;\nC;acier\n", "a.csv", mapping))
    assert [item.row.model_dump()["group"] for item in rows if isinstance(item, Accepted)] == ["inox", None]
    assert [item.reason for item in rows if isinstance(item, Rejected)] == [
        "group: 'acier' does not say 'inox' (line 4, column 'Text')"
    ]


def test_what_is_wrong_with_a_whole_row_of_a_workbook_names_its_sheet() -> None:
    mapping = Mapping.parse(
        'kind = "machines"\n[[tables]]\n[tables.fields]\nname = { from = "Typ" }\n', source="test"
    )
    sheets = xlsx(("Liste", (("Typ", "Text"), ("A", "x"))), ("Lager", (("Typ", "Text"), ("@SUM(A1)", "x"))))
    rows = machines(sheets, "l.xlsx", mapping)
    assert [item.where for item in rows if isinstance(item, Rejected)] == ["Lager, row 2"]


def test_a_joined_text_stays_with_its_row_where_rows_have_only_a_number_of_ones_own() -> None:
    mapping = Mapping.parse(
        """
        kind = "products"
        [[tables]]
        [tables.fields]
        sku = { from = "SKU" }
        description = { from = ["A", "B"], join = ". " }
        """,
        source="test",
    )
    text = b"SKU;A;B\nA-1;Ball valve;brass\nA-2;Gate valve;\nA-3;Globe valve;\n"
    rows = read(io.BytesIO(text), PRODUCTS, file_name="a.csv", mappings=[mapping], partly=True)
    told = [item.row.description for item in rows if isinstance(item, Accepted)]  # type: ignore[attr-defined]  # rows of this kind
    assert told == ["Ball valve. brass", "Gate valve", "Globe valve"]


def test_ids_and_keys_are_made_of_names_in_any_script_and_two_names_of_one_id_are_told() -> None:
    class GoodsRow(Row):
        id: str = Field(pattern=r"^prod_[a-z0-9_]{1,90}$")
        group: str = Field(pattern=r"^[a-z0-9_]{1,60}$")

    kind = Kind(name="goods", row=GoodsRow, key=("id",), upsert=SQL(""), table="test.goods")
    fields = '[tables.fields]\nid = { from = "№" }\ngroup = { from = "Група" }'
    mapping = Mapping.parse(f'kind = "goods"\n[[tables]]\nskip = 0\n{fields}', source="test")
    numbers = ("НЦ-10", "ТСЦ-10", "弁 25", "ポンプ", "مضخة", "ปั๊ม", "Größe 5", "НЦЬ-10")
    text = "№;Група\n" + "".join(f"{number};Норії та шнеки\n" for number in numbers)
    items = list(read(io.BytesIO(text.encode()), kind, file_name="g.csv", mappings=[mapping]))
    made = [item.row.model_dump() for item in items if isinstance(item, Accepted)]
    ids = ("nts_10", "tsts_10", "bian_25", "ponpu", "mdkhh", "pam", "grosse_5")
    assert made == [{"id": f"prod_{each}", "group": "norii_ta_shneki"} for each in ids]
    [same] = [item for item in items if isinstance(item, Rejected)]
    assert "makes the same id as 'НЦ-10'" in same.reason


def test_parts_of_an_address_are_headings_of_the_kinds_own() -> None:
    text = "id,name,segment,billing_address.lines,billing_address.city,billing_address.country\n"
    [item] = read(io.BytesIO(f"{text}a1,Alfa,all,Way 1,Ulm,DE\n".encode()), ACCOUNTS, file_name="a.csv")
    assert isinstance(item, Accepted)
    assert item.row.model_dump()["billing_address"]["lines"] == ["Way 1"]
