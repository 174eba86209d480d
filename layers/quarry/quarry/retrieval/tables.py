"""Answers as tables: one compact row per hit, with its signs, values, price and what it was sold for last."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from typing import Any

from pydantic import Field, RootModel

from quarry.attributes.model import Attribute, Attributes, value_of
from quarry.money import MONEY, plain
from quarry.needs.grammar import attribute_of, unknown_attribute
from quarry.needs.model import BUILT_IN, DESCRIPTION
from quarry.needs.set_up import asked_at
from quarry.precedents import sales
from quarry.precedents.list_prices import Market, in_words
from quarry.retrieval.corpus import Corpus
from quarry.retrieval.here import attributes_of
from quarry.retrieval.hits import Hit, Outcome
from quarry.retrieval.judging import held_value
from quarry.retrieval.reasons import label_of
from quarry.text import passage
from quarry.tool.contract import Part

LONGEST_CELL, LONGEST_ASKED = 32, 80
"""Most characters of a cell, and fewest of one in a column that was asked for; get_* has all of it."""

ALL = "*"
"""The column that stands for all attributes of the rows."""

MORE = "more"
"""The column for attributes that few rows have, each value behind its name."""

MOST_COLUMNS = 40
COLUMNS = "In place of the usual ones; '*': all; description: words."

WORDS, OF_A_COLUMN = 15_000, 4_000
"""Most characters of the texts of several rows together: in full, and as a column."""

OFTEN = 0.25
"""Share of rows from which on an attribute that they have gets a column of its own under ALL."""

FIT, WITHDRAWN = "fit", "withdrawn"
SALE_CELLS = {"list price": "list_price", "sold or quoted": "sold_or_quoted", "lead time": "lead_time", "won": "won"}
OF_SALES = ("sold or quoted", "won")
"""Columns that tell what goods were sold for."""
NO_ATTRIBUTES = frozenset((ALL, "id", FIT, *SALE_CELLS, *SALE_CELLS.values()))
"""What may be asked for as a column beside attributes."""
LINE_COLUMNS = ("date", "status", "customer", "model", "category", "price")
QUOTE_COLUMNS = ("date", "status", "customer", "industry", "project", "total")


class Cells(RootModel[list[str]]):
    """One row, a cell a column."""


class Table(Part):
    columns: list[str] = Field(
        description="id first; fit: a sign per need (+ met, ~ close, ? unknown, - no, w wish)."
    )
    rows: list[Cells] = Field(description="Best first.")
    total: int = Field(description="Rows there are; of needs those that contradict none.")


def table_of(
    corpus: Corpus,
    outcome: Outcome,
    *,
    tenant: str,
    columns: Sequence[str] = (),
    beside: Sequence[str] = (),
    currency: str | None = None,
    market: Market | None = None,
    values: bool = True,
    query: str = "",
    sold: bool = True,
) -> Table:
    """Returns the table of a search's hits: columns that rows of the kind are known by, for each need, each of
    ``columns`` and of ``beside``, and for products what is on record, of prices without ``sold`` the list's alone.
    Without ``values`` needs have their signs alone. ALL stands for all attributes, DESCRIPTION for the text, of a
    long one the part that answers ``query`` best.
    """
    attributes = attributes_of(tenant)
    hits, rows = outcome.hits, [hit.row for hit in outcome.hits]
    needed = [need.name for need in outcome.needs] if values else []
    at = asked_at(tuple(outcome.needs), attributes) if values else None
    elsewhere = at.judged if at else frozenset[str]()
    asked = [name for name in columns if name != ALL and attribute_of(name, attributes) is not None]
    shown: dict[str, list[str]] = {"id": [label_of(row, corpus) for row in rows]}
    if outcome.needs:
        shown[FIT] = [hit.judgement.signs if hit.judgement else "" for hit in hits]
    if any(row.get(WITHDRAWN) for row in rows):
        shown[WITHDRAWN] = [gone_of(row) for row in rows]
    maker = ["manufacturer"] if ALL in columns and corpus.kind == "equipment" else []
    share = max(LONGEST_ASKED, OF_A_COLUMN // max(len(rows), 1))
    for name in columns_of(corpus, [*maker, *needed, *asked, *beside], bare=not asked):
        most = share if name in asked else LONGEST_CELL
        printed = [cell(corpus, row, name, attributes, most=most) for row in rows]
        if name in elsewhere:
            # A value that was judged at conditions of the job is told with its derivation.
            printed = [_judged(hit, name) or own for hit, own in zip(hits, printed, strict=True)]
        shown.setdefault(name, printed)
    if ALL in columns:
        shown |= _all_that_is_said(rows, attributes, but=shown, most=share)
    if corpus.kind == "equipment":
        names = [(str(row["manufacturer"]), str(row["model"])) for row in rows]
        facts = sales.facts(tenant, names, currency=currency, market=market)
        known = [facts.get(name, sales.NOTHING) for name in names]
        heads = {head: name for head, name in SALE_CELLS.items() if sold or head not in OF_SALES}
        if not sold:
            known = [one.of_the_product() for one in known]
        shown |= {head: [one.cell(name) for one in known] for head, name in heads.items()}
    if DESCRIPTION in asked:
        shown[DESCRIPTION] = [_words(row, query=query, most=share) for row in rows]
    cells = [Cells(list(row)) for row in zip(*shown.values(), strict=True)]
    return Table(columns=list(shown), rows=cells, total=outcome.total)


def _judged(hit: Hit, name: str) -> str:
    findings = hit.judgement.findings if hit.judgement else ()
    return _shortened(next((one.has for one in findings if one.need.name == name), ""), LONGEST_ASKED)


def _words(row: Mapping[str, Any], *, query: str, most: int) -> str:
    text = str(row[DESCRIPTION] or "")
    part = passage(text, query=query, most=most)
    return part if len(part) == len(text) else f"{part}…"


def gone_of(row: Mapping[str, Any]) -> str:
    """Formats the column of products that are no longer sold; empty for all others."""
    if not row.get(WITHDRAWN):
        return ""
    return f"yes, successor {row['successor']}" if row.get("successor") else "yes, no successor"


def columns_of(corpus: Corpus, asked: Sequence[str], *, bare: bool) -> list[str]:
    """Returns a table's columns in order, each once; ``bare`` adds those that rows of the kind are known by."""
    usual = {"line_items": LINE_COLUMNS, "past_quotes": QUOTE_COLUMNS}.get(corpus.kind, ("category",)) if bare else ()
    skipped = {"id", "description", "model", "price"} if corpus.kind == "equipment" else {"id", "description"}
    if corpus.kind == "past_quotes":
        skipped |= {"quote_number"}
    return [name for name in dict.fromkeys((*usual, *asked)) if name not in skipped]


def unknown_columns(asked: Sequence[str], attributes: Attributes) -> list[str]:
    """Returns a message for each column asked for that nothing here has, with how to ask."""
    found = (unknown_attribute(name, attributes) for name in asked if name not in NO_ATTRIBUTES)
    return [f"column {each}" for each in found if each]


def _all_that_is_said(
    rows: Sequence[Mapping[str, Any]], attributes: Attributes, *, but: Collection[str], most: int
) -> dict[str, list[str]]:
    """Returns a column for each attribute that many rows have, the most frequent first, and one for all others."""
    counts = Counter(name for row in rows for name in row.get("attributes") or {})
    known = [(attributes.by_name[name], count) for name, count in counts.most_common()
             if name in attributes.by_name and name not in but]  # fmt: skip
    shown = {
        f"{one.name} ({one.unit})" if one.unit else one.name: [
            _shortened(_own(row, one, unit=None), most) for row in rows
        ]
        for one, count in known
        if count >= OFTEN * len(rows)
    }
    if rest := [one for one, count in known if count < OFTEN * len(rows)]:
        shown[MORE] = [
            "; ".join(f"{one.name} {said}" for one in rest if (said := _own(row, one, unit=one.unit))) for row in rows
        ]
    return shown


def _own(row: Mapping[str, Any], attribute: Attribute, *, unit: str | None) -> str:
    held = value_of((row.get("attributes") or {}).get(attribute.name))
    return held.shown(unit) if held else ""


def cell(
    corpus: Corpus, row: Mapping[str, Any], name: str, attributes: Attributes, *, most: int = LONGEST_CELL
) -> str:
    """Returns a row's value of an attribute as the row has it; empty where it has none."""
    return _shortened(_written(corpus, row, name, attributes), most)


def _shortened(text: str, most: int) -> str:
    line = text.replace("\n", " ")
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _written(corpus: Corpus, row: Mapping[str, Any], name: str, attributes: Attributes) -> str:
    attribute = attributes.named(name)
    if name in corpus.built_in or name in BUILT_IN or attribute is None:
        column = corpus.built_in.get(name)
        if name == "year" and row.get("quote_date"):
            return str(row["quote_date"].year)
        value = row.get(column.key if column else name)
        return _sold_in(row, name) if value is None and "_lines" in row else _plain(value, name, row)
    # A quote has what the first of its lines has that says it.
    rows = (row, *(row.get("_lines") or ()))
    held = next((value for one in rows if (value := held_value(one, attribute.name))), None)
    return held.shown(attribute.unit) if held else ""


def _plain(value: object, name: str, row: Mapping[str, Any]) -> str:
    said = plain(value, name, row)
    return said + in_words(row.get("unit")) if said and name in ("price", "list_price") else said


def _sold_in(row: Mapping[str, Any], name: str) -> str:
    """Returns what the lines of a quote say of an attribute, options apart."""
    said = [
        _plain(Decimal(str(line[name])) if name in MONEY else line[name], name, line)
        for line in row.get("_lines") or ()
        if not line.get("optional") and line.get(name) is not None
    ]
    return ", ".join(dict.fromkeys(filter(None, said)))
