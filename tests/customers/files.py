"""Writes the raw files of four invented companies, as they would come from their programs, out of ``tables``.

A cell that begins with "=" is a number or a date there, all others are text.
"""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import xlwt
from lxml import etree
from lxml.builder import E
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


def husum() -> dict[str, bytes]:
    """Nordlicht Elektrogroßhandel of Husum: goods with ETIM features as BMEcat 2005, CSVs of an ERP; cp1252."""
    return {
        "Katalog 2026.xml": bmecat(),
        "Objektpreise.csv": text(table("husum", "projects"), separator=";", encoding="cp1252"),
        "Kunden.csv": text(table("husum", "customers"), separator=";", encoding="cp1252"),
        "Angebote.csv": text(table("husum", "quotes"), separator=";", encoding="cp1252"),
        "Angebotspositionen.csv": text(table("husum", "lines"), separator=";", encoding="cp1252"),
    }


ARTICLE = (
    "number",
    "part",
    "maker",
    "short",
    "long",
    "polish",
    "group",
    "class",
    "features",
    "per",
    "prices",
    "factor",
)
"""Columns of husum's articles."""


def bmecat() -> bytes:
    """Husum's catalogue: list prices in tiers, what it pays itself beside, a class model with most of the words."""
    root = E.BMECAT({"version": "2005", "xmlns": "http://www.bmecat.org/bmecat/2005"})
    languages = [E.LANGUAGE("deu", default="true"), E.LANGUAGE("pol")]
    root.append(E.HEADER(E.CATALOG(*languages, E.CATALOG_ID("NL26"), E.CURRENCY("EUR"))))
    catalogue = E.T_NEW_CATALOG()
    articles = [dict(zip(ARTICLE, map(str, row), strict=True)) for row in table("husum", "articles")]
    groups = {name: f"G{at}" for at, name in enumerate(dict.fromkeys(each["group"] for each in articles))}
    structure = (
        E.CATALOG_STRUCTURE(E.GROUP_ID(key), E.GROUP_NAME(name), type="leaf") for name, key in groups.items()
    )
    catalogue.append(E.CATALOG_GROUP_SYSTEM(*structure))
    catalogue.append(E.CLASSIFICATION_SYSTEM(*map(_named, table("husum", "names"))))
    catalogue.extend(map(_product, articles))
    for each in articles:
        pair = E.PROD_ID(each["number"]), E.CATALOG_GROUP_ID(groups[each["group"]])
        catalogue.append(E.PRODUCT_TO_CATALOGGROUP_MAP(*pair))
    root.append(catalogue)
    return bytes(etree.tostring(root, encoding="iso-8859-2", xml_declaration=True, pretty_print=True))


def _named(row: Sequence[Cell]) -> Any:
    """A code of the class model with its names."""
    kind, code, german, polish = map(str, row)
    outer, name = {
        "FT_ID": ("CLASSIFICATION_SYSTEM_FEATURE_TEMPLATE", "FT_NAME"),
        "UNIT_ID": ("UNIT", "UNIT_SHORTNAME"),
        "CLASSIFICATION_GROUP_ID": ("CLASSIFICATION_GROUP", "CLASSIFICATION_GROUP_NAME"),
    }[kind]
    return E(outer, E(kind, code), E(name, polish, lang="pol"), E(name, german, lang="deu"))


def _product(article: Mapping[str, str]) -> Any:
    details = E.PRODUCT_DETAILS(
        E.DESCRIPTION_SHORT(article["short"], lang="deu"),
        E.DESCRIPTION_SHORT(article["polish"], lang="pol"),
        E.DESCRIPTION_LONG(article["long"], lang="deu"),
        E.MANUFACTURER_PID(article["part"]),
        E.MANUFACTURER_NAME(article["maker"]),
    )
    system = E.REFERENCE_FEATURE_SYSTEM_NAME("ETIM-9.0"), E.REFERENCE_FEATURE_GROUP_ID(article["class"])
    features = []
    for said in article["features"].split("; "):
        code, _, value = said.partition("=")
        figure, *unit = value.split(" ")
        features.append(E.FEATURE(E.FNAME(code), E.FVALUE(figure), *(E.FUNIT(each) for each in unit)))
    tiers = [tier.split("=") for tier in article["prices"].split("; ")]
    prices = [
        E.PRODUCT_PRICE(E.PRICE_AMOUNT(amount), E.LOWER_BOUND(start), price_type="net_list")
        for start, amount in tiers
    ]
    own = E.PRICE_AMOUNT(tiers[0][1]), E.PRICE_FACTOR(article["factor"]), E.LOWER_BOUND("1")
    return E.PRODUCT(
        E.SUPPLIER_PID(article["number"]),
        details,
        E.PRODUCT_FEATURES(*system, *features),
        E.PRODUCT_ORDER_DETAILS(E.ORDER_UNIT("C62"), E.PRICE_QUANTITY(article["per"])),
        E.PRODUCT_PRICE_DETAILS(*prices, E.PRODUCT_PRICE(*own, price_type="net_customer")),
        E.MIME_INFO(E.MIME(E.MIME_SOURCE(f"{article['number']}.jpg"))),
        mode="new",
    )


COMPANIES: dict[str, Callable[[], dict[str, bytes]]] = {
    "cascade": cascade,
    "harz": harz,
    "ebro": ebro,
    "husum": husum,
}
