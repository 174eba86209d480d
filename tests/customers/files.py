"""Writes the raw files of three invented companies, as they would come from their programs, out of ``tables``.

A cell that begins with "=" is a number or a date there, all others are text.
"""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path

import xlwt
from openpyxl import Workbook
from openpyxl.styles import Font

Cell = str | int | float | date
Rows = Sequence[Sequence[Cell]]
TABLES = Path(__file__).with_name("tables")
HOUSE = Path(__file__).with_name("house")
"""Files that a company writes by hand: what its goods are called and told apart by, and how it quotes."""


def write_all(folder: Path) -> None:
    """A folder for each company."""
    for name, files in COMPANIES.items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        for file_name, content in files().items():
            (folder / name / file_name).write_bytes(content)


def table(company: str, name: str) -> list[list[Cell]]:
    lines = (TABLES / company / f"{name}.txt").read_text("utf-8").splitlines()
    return [[_cell(text) for text in line.split(" | ")] if line else [] for line in lines]


def _cell(text: str) -> Cell:
    text = text.strip(" |")
    if not text.startswith("="):
        return text
    said = text[1:]
    return date.fromisoformat(said) if said.count("-") == 2 else float(said) if "." in said else int(said)


def xlsx(sheets: Mapping[str, Rows], *, merged: Sequence[str] = ()) -> bytes:
    workbook = Workbook()
    workbook.remove(workbook.worksheets[0])
    for name, rows in sheets.items():
        sheet = workbook.create_sheet(name)
        for row in rows:
            sheet.append([None if cell == "" else cell for cell in row])
        sheet["A1"].font = Font(bold=True, size=16)
        for cells in merged:
            sheet.merge_cells(cells)
    content = io.BytesIO()
    workbook.save(content)
    return content.getvalue()


def xls(rows: Rows) -> bytes:
    workbook = xlwt.Workbook()
    sheet = workbook.add_sheet("Tabelle1")
    as_date = xlwt.easyxf(num_format_str="DD.MM.YYYY")
    for at, row in enumerate(rows):
        for column, cell in enumerate(row):
            sheet.write(at, column, cell, *([as_date] if isinstance(cell, date) else []))
    content = io.BytesIO()
    workbook.save(content)
    return content.getvalue()


def text(rows: Rows, *, separator: str, encoding: str) -> bytes:
    written = io.StringIO(newline="")
    width = len(rows[0])
    csv.writer(written, delimiter=separator).writerows([*row, *[""] * (width - len(row))] for row in rows)
    return written.getvalue().encode(encoding)


def cascade() -> dict[str, bytes]:
    """Cascade Pump & Supply of Tacoma: an Excel list of two sheets under title rows, comma CSVs of a CRM."""
    lists = {name.title(): table("cascade", name) for name in ("centrifugal", "submersible", "terms")}
    return {
        "Price List 2026.xlsx": xlsx(lists, merged=["A1:J1"]),
        "crm_quotes.csv": text(table("cascade", "quotes"), separator=",", encoding="utf-8-sig"),
        "crm_quote_lines.csv": text(table("cascade", "lines"), separator=",", encoding="utf-8"),
        "customers.csv": text(table("cascade", "customers"), separator=",", encoding="utf-8"),
    }


def harz() -> dict[str, bytes]:
    """Drucklufttechnik Harz of Goslar: two header rows, headings between rows, text amounts; ; and cp1252; .xls."""
    merged = ["A1:J1", "A6:J6", "A11:J11", "A14:J14"]
    return {
        "Preisliste_2026.xlsx": xlsx({"Preise": table("harz", "preise")}, merged=merged),
        "Angebote.csv": text(table("harz", "quotes"), separator=";", encoding="cp1252"),
        "Angebotspositionen.csv": text(table("harz", "lines"), separator=";", encoding="cp1252"),
        "Kunden.xls": xls(table("harz", "customers")),
    }


def ebro() -> dict[str, bytes]:
    """Valvulería del Ebro of Zaragoza: tabs in UTF-16 of an ERP, volume prices in Excel, bars in Latin-1."""
    return {
        "articulos.csv": text(table("ebro", "articles"), separator="\t", encoding="utf-16"),
        "Tarifa 2026.xlsx": xlsx({"Tarifa": table("ebro", "tarifa")}),
        "ofertas.csv": text(table("ebro", "quotes"), separator="|", encoding="latin-1"),
        "lineas_oferta.csv": text(table("ebro", "lines"), separator="|", encoding="latin-1"),
        "clientes.csv": text(table("ebro", "customers"), separator=";", encoding="utf-8"),
    }


COMPANIES: dict[str, Callable[[], dict[str, bytes]]] = {"cascade": cascade, "harz": harz, "ebro": ebro}
