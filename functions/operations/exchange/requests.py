"""A customer's request as rows: UBL 2 RequestForQuotation, or a bill of quantities of GAEB DA XML (X81 to X86)."""

from collections.abc import Iterator
from typing import Any

from operations.exchange.files import (
    Cells,
    Skipped,
    columns,
    figure,
    header,
    leaves,
    local,
    put,
    sheet,
    text_in,
)
from operations.tables.sheets import Sheet

LINE = "RequestForQuotationLine"
PROPERTY = "AdditionalItemProperty"
BETWEEN = {"Remark": "Remark", "PerfDescr": "Description of work", "MarkupItem": "Markup"}
"""The elements that GAEB has between positions, with what a heading calls them."""


def ubl(root: Any) -> list[Sheet]:
    lines = [_line(element) for element in root if local(element) == LINE]
    said = (leaf for element in root if local(element) != LINE for leaf in leaves(element))
    first = ("position", "what", "description", "quantity", "unit")
    return [header(said, whole=True), sheet("lines", lines, first=first, whole=True)]


def _line(element: Any) -> Cells:
    """Returns all that the line says; an element without a column of its own stands under its path."""
    cells = Cells()
    for leaf in leaves(element):
        path = ".".join(leaf.path[1:])
        if path != "LineItem.ID" and PROPERTY not in leaf.path:
            put(cells, columns("ubl").get(path, path), leaf.text)
    for item in element.iterfind("{*}LineItem"):
        cells.setdefault("position", item.findtext("{*}ID") or "")
        for quantity in item.iterfind("{*}Quantity"):
            put(cells, "unit", quantity.get("unitCode", ""))
    for each in element.iter(f"{{*}}{PROPERTY}"):
        said = {leaf.path[-1]: leaf.text for leaf in leaves(each)}
        put(cells, "properties", f"{said.pop('Name', '')}: {' '.join(said.values())}")
    return {**cells, "quantity": figure(str(cells.get("quantity") or ""))}


def gaeb(root: Any) -> list[Sheet]:
    unread = Skipped()
    positions = [row for body in root.iterfind(".//{*}BoQ/{*}BoQBody") for row in _body(body, "", unread)]
    said = (leaf for leaf in leaves(root) if "BoQBody" not in leaf.path)
    first = ("OZ", *(columns("gaeb")[name] for name in ("OutlineText", "Qty", "QU", "UP", "IT", "DetailTxt")))
    table = sheet("positions", positions, first=first, whole=True, unread=unread.told())
    return [header(said, whole=True), table]


def _body(body: Any, above: str, unread: Skipped) -> Iterator[Cells]:
    """Yields rows in order; a category, or a text between positions, is a row of one text, as headings are."""
    for element in body:
        name, number = local(element), number_of(element, above)
        if name == "BoQCtgy":
            label = next((text_in(each) for each in element if local(each) == "LblTx"), "")
            yield {"OZ": f"{number} {label}".strip()}
            yield from _body(element, number, unread)
        elif name in ("BoQBody", "Itemlist"):
            yield from _body(element, above, unread)
        elif name == "Item":
            yield _item(element, number, unread)
        elif name in BETWEEN:
            yield {"OZ": f"{BETWEEN[name]}: {text_in(element)}"}
        elif name != "LblTx":
            unread.add(leaves(element))


def number_of(element: Any, above: str) -> str:
    return ".".join(filter(None, (above, element.get("RNoPart", "") + element.get("RNoIndex", ""))))


def _item(item: Any, number: str, unread: Skipped) -> Cells:
    cells, named = Cells(OZ=number), columns("gaeb")
    for part in item:
        name = local(part)
        if name == "Description":
            texts = list(part.iter("{*}OutlineText", "{*}DetailTxt"))
            for text in texts or [part]:
                put(cells, named.get(local(text), named["DetailTxt"]), text_in(text))
        elif name in named and not len(part):
            cells[named[name]] = figure(text_in(part) or "yes")
        else:
            unread.add(leaves(part))
    return cells
