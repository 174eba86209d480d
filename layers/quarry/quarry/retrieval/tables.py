"""Answers as tables: one compact row a candidate, with its signs, values, price and newest sale."""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from pydantic import Field, RootModel

from quarry.attributes.model import Attributes, Value, value_of
from quarry.money import with_code
from quarry.needs.model import BUILT_IN
from quarry.precedents import sales
from quarry.precedents.sales import Market, SaleFacts
from quarry.retrieval.corpus import Corpus
from quarry.retrieval.here import attributes_of
from quarry.retrieval.hits import Outcome
from quarry.retrieval.reasons import label_of
from quarry.tool.contract import Part

LONGEST_CELL = 32
"""Characters of a value in a row; get_* has all of it."""

FIT, WITHDRAWN = "fit", "withdrawn"
SALE_CELLS = {"list price": "list_price", "newest sale": "newest_sale", "lead time": "lead_time", "won": "won"}
MONEY = frozenset(("price", "list_price", "total", "unit_price", "extended_price", "total_price"))
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
    currency: str | None = None,
    market: Market | None = None,
    values: bool = True,
) -> Table:
    """The hits of a search, a column for each need and for each of ``columns``; products with what is on record.
    Without ``values`` needs have their signs alone.
    """
    attributes = attributes_of(tenant)
    rows = [hit.row for hit in outcome.hits]
    needed = [need.name for need in outcome.needs] if values else []
    named = columns_of(corpus, [*needed, *columns], bare=not columns)
    facts = _facts(corpus, rows, tenant=tenant, currency=currency, market=market)
    gone = [WITHDRAWN] if any(row.get(WITHDRAWN) for row in rows) else []
    named = [name for name in named if name not in gone]
    head = ["id", *([FIT] if outcome.needs else []), *gone, *named,
            *(SALE_CELLS if corpus.kind == "equipment" else ())]  # fmt: skip
    return Table(
        columns=head,
        rows=[
            Cells([
                label_of(hit.row, corpus),
                *([hit.judgement.signs if hit.judgement else ""] if outcome.needs else []),
                *(gone_of(hit.row) for _ in gone),
                *(cell(corpus, hit.row, name, attributes) for name in named),
                *_sold(corpus, hit.row, facts),
            ])
            for hit in outcome.hits
        ],
        total=outcome.total,
    )  # fmt: skip


def gone_of(row: Mapping[str, Any]) -> str:
    """What a row's column of what is no longer sold says: empty for what is."""
    if not row.get(WITHDRAWN):
        return ""
    return f"yes, successor {row['successor']}" if row.get("successor") else "yes, no successor"


def columns_of(corpus: Corpus, asked: Sequence[str], *, bare: bool) -> list[str]:
    """The columns of a table in their order, each once; ``bare``: with those that rows of the kind are known by."""
    usual = {"line_items": LINE_COLUMNS, "past_quotes": QUOTE_COLUMNS}.get(corpus.kind, ("category",)) if bare else ()
    skipped = {"id", "description", "model", "price"} if corpus.kind == "equipment" else {"id", "description"}
    if corpus.kind == "past_quotes":
        skipped |= {"quote_number"}
    return [name for name in dict.fromkeys((*usual, *asked)) if name not in skipped]


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


def cell(corpus: Corpus, row: Mapping[str, Any], name: str, attributes: Attributes) -> str:
    """A row's value of an attribute as it has it; empty where it says nothing."""
    text = _written(corpus, row, name, attributes).replace("\n", " ")
    return text if len(text) <= LONGEST_CELL else f"{text[: LONGEST_CELL - 1]}…"


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
