"""Answers as tables: one compact row a candidate, with its signs, values, price and newest sale."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from pydantic import Field, RootModel

from quarry.attributes.model import Attribute, Attributes, Value, value_of
from quarry.money import with_code
from quarry.needs.grammar import unknown_attribute
from quarry.needs.model import BUILT_IN, DESCRIPTION
from quarry.precedents import sales
from quarry.precedents.sales import Market, SaleFacts
from quarry.retrieval.corpus import Corpus
from quarry.retrieval.here import attributes_of
from quarry.retrieval.hits import Outcome
from quarry.retrieval.reasons import label_of
from quarry.text import passage
from quarry.tool.contract import Part

LONGEST_CELL, LONGEST_ASKED = 32, 80
"""Characters of a value in a row, and in a column that was asked for by name; get_* has all of it."""

ALL = "*"
"""The column that stands for all that rows say."""

MORE = "more"
"""The column of what few rows say, each value behind its name."""

MOST_COLUMNS = 40

WORDS = 15_000
"""Most characters of what several rows say together where all of it is asked for."""

OFTEN = 0.25
"""From this share of rows on an attribute has a column of its own among all."""

FIT = "fit"
SALE_CELLS = {"list price": "list_price", "newest sale": "newest_sale", "lead time": "lead_time", "won": "won"}
MONEY = frozenset(("price", "total", "unit_price", "extended_price", "total_price"))
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
) -> Table:
    """The hits of a search, a column for each need and for each of ``columns``, and of ``beside`` behind those that
    rows are known by; products with what is on record.
    Without ``values`` needs have their signs alone. A column of ALL is all that rows say, one of DESCRIPTION their
    words, of long ones the part that answers ``query`` best.
    """
    attributes = attributes_of(tenant)
    rows = [hit.row for hit in outcome.hits]
    needed = [need.name for need in outcome.needs] if values else []
    asked = [name for name in columns if name != ALL and unknown_attribute(name, attributes) is None]
    maker = ["manufacturer"] if ALL in columns and corpus.kind == "equipment" else []
    named = columns_of(corpus, [*maker, *needed, *asked, *beside], bare=not asked)
    often, rest = _said(rows, attributes, but=named) if ALL in columns else ([], ())
    longest = dict.fromkeys(asked, LONGEST_ASKED)
    facts = _facts(corpus, rows, tenant=tenant, currency=currency, market=market)
    words = max(LONGEST_ASKED, WORDS // max(len(rows), 1)) if DESCRIPTION in asked else 0
    units = [f"{one.name} ({one.unit})" if one.unit else one.name for one in often]
    head = [
        "id", *([FIT] if outcome.needs else []), *named, *units, *([MORE] if rest else []),
        *(SALE_CELLS if corpus.kind == "equipment" else ()), *([DESCRIPTION] if words else []),
    ]  # fmt: skip
    return Table(
        columns=head,
        rows=[
            Cells([
                label_of(hit.row, corpus),
                *([hit.judgement.signs if hit.judgement else ""] if outcome.needs else []),
                *(cell(corpus, hit.row, name, attributes, most=longest.get(name, LONGEST_CELL)) for name in named),
                *(_shortened(_own(hit.row, one, unit=None), LONGEST_ASKED) for one in often),
                *(["; ".join(f"{one.name} {said}" for one in rest if (said := _own(hit.row, one, unit=one.unit)))]
                  if rest else []),
                *_sold(corpus, hit.row, facts),
                *([passage(_written(corpus, hit.row, DESCRIPTION, attributes), query=query, most=words)]
                  if words else []),
            ])
            for hit in outcome.hits
        ],
        total=outcome.total,
    )  # fmt: skip


def columns_of(corpus: Corpus, asked: Sequence[str], *, bare: bool) -> list[str]:
    """The columns of a table in their order, each once; ``bare``: with those that rows of the kind are known by."""
    usual = {"line_items": LINE_COLUMNS, "past_quotes": QUOTE_COLUMNS}.get(corpus.kind, ("category",)) if bare else ()
    skipped = {"id", "description", "model", "price"} if corpus.kind == "equipment" else {"id", "description"}
    if corpus.kind == "past_quotes":
        skipped |= {"quote_number"}
    return [name for name in dict.fromkeys((*usual, *asked)) if name not in skipped]


def unknown_columns(asked: Sequence[str], attributes: Attributes) -> list[str]:
    """Of the columns asked for those that nothing here has, with how to ask."""
    known = {ALL, "id", FIT, *SALE_CELLS, *SALE_CELLS.values()}
    found = (unknown_attribute(name, attributes) for name in asked if name not in known)
    return [f"column {each}" for each in found if each]


def _said(
    rows: Sequence[Mapping[str, Any]], attributes: Attributes, *, but: Sequence[str]
) -> tuple[Sequence[Attribute], Sequence[Attribute]]:
    """(attributes that many of the rows say, those that few do), the most frequent first."""
    counts = Counter(name for row in rows for name in row.get("attributes") or {})
    known = [(attributes.by_name[name], count) for name, count in counts.most_common()
             if name in attributes.by_name and name not in but]  # fmt: skip
    return (
        [one for one, count in known if count >= OFTEN * len(rows)],
        [one for one, count in known if count < OFTEN * len(rows)],
    )


def _own(row: Mapping[str, Any], attribute: Attribute, *, unit: str | None) -> str:
    held = value_of((row.get("attributes") or {}).get(attribute.name))
    return held.shown(unit) if held else ""


def _facts(
    corpus: Corpus,
    rows: Sequence[Mapping[str, Any]],
    *,
    tenant: str,
    currency: str | None,
    market: Market | None,
) -> Mapping[tuple[str, str], SaleFacts]:
    if corpus.kind != "equipment" or not rows:
        return {}
    names = [(str(row["manufacturer"]), str(row["model"])) for row in rows]
    return sales.facts(tenant, names, currency=currency, market=market)


def _sold(corpus: Corpus, row: Mapping[str, Any], facts: Mapping[tuple[str, str], SaleFacts]) -> list[str]:
    if corpus.kind != "equipment":
        return []
    known = facts.get((str(row["manufacturer"]), str(row["model"])), sales.NOTHING)
    return [known.cell(name) for name in SALE_CELLS.values()]


def cell(
    corpus: Corpus, row: Mapping[str, Any], name: str, attributes: Attributes, *, most: int = LONGEST_CELL
) -> str:
    """A row's value of an attribute as it has it; empty where it says nothing."""
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
        return _sold_in(row, name) if value is None and "_lines" in row else plain(value, name, row)
    held = value_in(row, attribute.name)
    return held.shown(attribute.unit) if held else ""


def value_in(row: Mapping[str, Any], name: str) -> Value | None:
    """A row's own value, else that of its catalogue row, else of a quote's first line that has one."""
    sold: Mapping[str, Any] = next(
        (line for line in row.get("_lines") or () if (line.get("attributes") or {}).get(name)), {}
    )
    for held in (row.get("attributes"), row.get("_catalogue"), sold.get("attributes")):
        if held and (value := value_of(held.get(name))) is not None:
            return value
    return None


def _sold_in(row: Mapping[str, Any], name: str) -> str:
    """What the lines of a quote say of it."""
    lines = row.get("_lines") or ()
    return ", ".join(dict.fromkeys(str(line[name]) for line in lines if line.get(name) and not line.get("optional")))


def plain(value: object, name: str, row: Mapping[str, Any]) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case Decimal() if name in MONEY and row.get("currency"):
            return with_code(value, str(row["currency"]))
        case Decimal() | float():
            return f"{value:f}".rstrip("0").rstrip(".")
        case date():
            return value.isoformat()
    return str(value)
