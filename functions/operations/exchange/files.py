"""Opens a file that is read whole into sheets: a workbook, or an exchange format known by what its content is."""

import json
from pathlib import Path
from typing import Any

from operations.bounds import check_size
from operations.tables.sheets import WORKBOOKS, Sheet, read_workbook
from quarry.tool.errors import ValidationFailed

GAEB_PHASES = tuple(f".x8{phase}" for phase in range(1, 7))
EXCHANGED = (".xml", ".json", *GAEB_PHASES)
WHOLE = (*WORKBOOKS, *EXCHANGED)
"""Endings of files that are read as a whole."""

MOST_MARKS = 1_000_000
"""Signs that begin an element, an attribute or a value: what memory a tree takes goes by their number."""


def read_sheets(content: bytes, *, file_name: str) -> list[Sheet]:
    """Raises ValidationFailed for what is damaged, too large, unsafe, or of a form that nothing here reads."""
    if Path(file_name).suffix.lower() in WORKBOOKS:
        return read_workbook(content, file_name=file_name)
    check_size(len(content), whole=True)
    # The readers import lxml, which a start need not pay that opens a workbook or a CSV.
    from operations.exchange import catalogues, requests

    if Path(file_name).suffix.lower() == ".json":
        return catalogues.xchange(_json(content, file_name), file_name=file_name)
    root = xml_of(content, file_name)
    form = str(root.tag).rpartition("}")[2]
    readers = {"BMECAT": catalogues.bmecat, "GAEB": requests.gaeb, "RequestForQuotation": requests.ubl}
    if form not in readers:
        raise ValidationFailed(
            f"'{file_name}' is XML of the form {form[:60]}; BMEcat (1.2, 2005), GAEB DA XML (X81 to X86) and UBL "
            "RequestForQuotation are read."
        )
    return readers[form](root)


def xml_of(content: bytes, file_name: str) -> Any:
    """The root, read without network, DTD or entities: a document that has any of its own is refused."""
    from lxml import etree

    _bounded(content, b"<=", file_name)
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        raise ValidationFailed(f"'{file_name}' cannot be read as XML: {str(error)[:200]}.") from error
    own = root.getroottree().docinfo.internalDTD
    declared = own.iterentities() if own is not None else iter(())
    if [*declared, *root.iter(etree.Entity)]:
        raise ValidationFailed(f"'{file_name}' uses entities of its own, which are not read: write the characters.")
    return root


def _json(content: bytes, file_name: str) -> Any:
    _bounded(content, b",:[{", file_name)
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ValidationFailed(f"'{file_name}' cannot be read as JSON: {str(error)[:200]}.") from error


def _bounded(content: bytes, marks: bytes, file_name: str) -> None:
    if sum(content.count(mark) for mark in marks) > MOST_MARKS:
        raise ValidationFailed(f"'{file_name}' has more than {MOST_MARKS:,} elements and values: split it.")
