"""The goods of a draft: the lines of its quotes and what it names beside them, each with its price."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Literal

from psycopg.rows import DictRow
from psycopg.sql import SQL

from cpq.accounts import PROSPECT_SEGMENT
from cpq.catalogue import queries as catalogue
from cpq.catalogue.configuration import no_longer_sold
from cpq.documents.wording import LetterWording
from cpq.drafts import queries
from cpq.drafts.figures import Reader
from cpq.drafts.proven import ProvenPassage
from cpq.drafts.value import DraftArgs, DraftItemArgs, Role
from cpq.model import Problem, QuoteVersion, VersionLine
from cpq.pricing import queries as prices
from cpq.pricing.books import Buyer, PriceBook, PriceBookEntry, rank, tier_for
from cpq.pricing.engine import sources
from cpq.quotes import queries as quotes
from quarry.attributes.model import Attribute, Attributes, Value
from quarry.attributes.units import Beside, Unit
from quarry.characteristics import shown
from quarry.data.database import Connection
from quarry.money import in_currency
from quarry.precedents.sales import SaleFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftedItem:
    """A row of the letter's table; prices are None where nothing says them. ``amount`` is less discount.

    ``quote`` is the one that it is a line of, empty where it is of none; ``per``: what it costs again and again.
    """

    name: str
    product_id: str
    role: Role
    quantity: int
    unit_price: Decimal | None
    amount: Decimal | None
    source: str
    note: str | None
    machine: Mapping[str, Any] | None
    passages: Sequence[ProvenPassage]
    discount_pct: Decimal | None = None
    quote: str = ""
    sale: SaleFacts | None = None
    per: Literal["", "month", "year"] = ""
    unit: str | None = None
    """What a quote's line says that its price buys; its amount is for ``term_months``."""
    term_months: int | None = None
    allowance: Sequence[Decimal] | None = None

    @property
    def short(self) -> str:
        """For the house, which knows the model."""
        return str(self.machine["model"]) if self.machine else self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredQuote:
    version: QuoteVersion
    lines: Sequence[VersionLine]


@dataclass(frozen=True, slots=True)
class GivenItem:
    """An item of the call at its place there, with the product's row and the passages chosen for it."""

    place: int
    row: DictRow
    asked: DraftItemArgs
    passages: Sequence[ProvenPassage]


class GoodsReader:
    """Reads the goods that a draft names; ``problems`` collects what is wrong with them."""

    def __init__(self, connection: Connection, content: DraftArgs) -> None:
        self._connection, self._content = connection, content
        self.problems: list[Problem] = []

    def _wrong(self, path: str, message: str, *, code: str = "NOT_FOUND") -> None:
        self.problems.append(Problem(code=code, path=path, message=message))

    def _rows(self, query: SQL, **named: object) -> list[DictRow]:
        return self._connection.execute(query, named).fetchall()

    def _items(
        self,
        stored: Sequence[StoredQuote],
        account: DictRow | None,
        own: Mapping[str, Any],
        passages: Sequence[Sequence[ProvenPassage]],
        *,
        currency: str | None,
        wording: LetterWording,
    ) -> list[DraftedItem]:
        """The quotes' lines, each with what the call says of its product; then what it names beside them."""
        given = self._given(passages)
        lines = [(quote, line) for quote in stored for line in quote.lines]
        ids = [line.product_id for _, line in lines]
        rows = {row["id"]: row for row in self._rows(queries.FOR_SALE, ids=ids)} if ids else {}
        is_own = wording.language == (own.get("language") or "en")
        items = list[DraftedItem]()
        for quote, line in lines:
            role: Role = "item" if quote is stored[0] or self._content.together else "option"
            said = next((one for one in given if one.row["id"] == line.product_id
                         and (role != "item" or one.asked.role == "item")), None)  # fmt: skip
            if said:
                given.remove(said)
                if said.asked.quantity not in (0, line.quantity):
                    how = "revise it with quote_create, or leave it out."
                    message = f"{quote.version.name} has {line.quantity}: {how}"
                    self._wrong(f"items[{said.place}].quantity", message, code="NOT_ALLOWED")
            row = rows.get(line.product_id)
            name = _called(row, line.product_name, wording=wording, is_own=is_own)
            items.append(_of_line(quote.version, line, role, row, said, name=name))
        listed = self._listed([one.row["id"] for one in given], account, own, currency=currency)
        for one in given:
            if stored and one.asked.role == "item":
                message = (
                    f"{one.asked.product_id} is not in {stored[0].version.name}: revise that, or offer an option."
                )
                self._wrong(f"items[{one.place}].product_id", message, code="NOT_ALLOWED")
                continue
            name = _called(one.row, one.row["name"], wording=wording, is_own=is_own)
            items.append(_listed_item(one, listed.get(one.row["id"]), name=name))
        if not items and not self.problems:
            self._wrong("items", "Name the goods: items, or a quote with quote_ids.", code="MISSING")
        return items

    def _given(self, passages: Sequence[Sequence[ProvenPassage]]) -> list[GivenItem]:
        """What the call names by id, SKU or model, and is sold."""
        rows = self._products([item.product_id for item in self._content.items])
        found = list[GivenItem]()
        for place, (item, chosen) in enumerate(zip(self._content.items, passages, strict=True)):
            path, row = f"items[{place}].product_id", rows.get(item.product_id)
            machine = (row["machine"] if row else None) or {}
            if row is None:
                near = catalogue.nearest(self._connection, item.product_id)
                self._wrong(path, f"No product '{item.product_id}'. Nearest: {', '.join(near) or 'none'}.")
            elif not row["active"] or machine.get("withdrawn"):
                successor = row["successor"] or machine.get("successor")
                self._wrong(path, no_longer_sold(row["name"], successor), code="INACTIVE")
            else:
                found.append(GivenItem(place, row, item, chosen))
        return found

    def _products(self, names: Sequence[str]) -> dict[str, DictRow]:
        """By each name that is an id, a SKU or the model of one product."""
        if not names:
            return {}
        ids = catalogue.ids_of_names(self._connection, names=names)
        wanted = {name: ids.get(name, name.lower()) for name in names}
        rows = {row["id"]: row for row in self._rows(queries.FOR_SALE, ids=list(wanted.values()))}
        return {name: rows[wanted[name]] for name in names if wanted[name] in rows}

    def _listed(
        self, ids: Sequence[str], account: DictRow | None, own: Mapping[str, Any], *, currency: str | None
    ) -> Mapping[str, tuple[PriceBook, PriceBookEntry]]:
        """By product, book and entry that quote_price would take for the account, or for a prospect."""
        if not ids or currency is None:
            return {}
        of = account or {"segment": PROSPECT_SEGMENT, "country": own.get("country")}
        buyer = Buyer(segment=of["segment"], country=of["country"] or "")
        books = prices.books(self._connection, currency=currency)
        today = quotes.today(self._connection)
        ranking = rank(books, buyer=buyer, currency=currency, on=today)
        entries = prices.entries(self._connection, product_ids=ids, book_ids=[book.id for book in ranking.fitting])
        return sources(ranking.fitting, entries)


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomersUnits:
    """How the customer reads what rows say: his units, his country's marks, his language's words."""

    reader: Reader
    attributes: Attributes
    beside: Beside
    wording: LetterWording

    def told(self, value: Value, attribute: Attribute, *, alone: bool = True) -> str:
        """What the catalogue prints stands beside it once, where its goods are described."""
        if value.low is None:
            return self.text(self.wording.value(value.shown(attribute.unit)))
        mark = self.wording.labels.decimal_mark
        said = shown(value, attribute, self.attributes, decimal_mark=mark, beside=self.beside, alone=alone)
        return self.wording.value(said)

    def saying(self, text: str, unit: Unit | None) -> "CustomersUnits":
        """With the first unit of the text that measures the same before others."""
        said = [one.unit for one in self.reader.figures(text) if one.unit and not one.weak]
        first = next((one for one in said if unit and one.dimension == unit.dimension), None)
        if first is None:
            return self
        own = self.beside.get(first.dimension, ())
        return replace(self, beside={**self.beside, first.dimension: (first.symbol, *own)})

    def text(self, text: str) -> str:
        """The figures of a name or of other words."""
        for figure in self.reader.figures(text) if self.beside else ():
            if figure.unit and not (figure.weak or figure.factor):
                value = Value(low=figure.readings[0].value, high=figure.readings[0].value)
                told = self.told(value, Attribute(name="", kind="number", unit=figure.unit.symbol), alone=False)
                told, bracket, _ = told.partition(" (")
                text = text.replace(figure.text, told, 1) if bracket else text
        return text


def _called(row: DictRow | None, name: str, *, wording: LetterWording, is_own: bool) -> str:
    """The product's name in the letter's language; of a machine without one what its kind is called there."""
    if row is None or (row["names"] or {}).get(wording.language):
        return row["names"][wording.language] if row else name
    if row["machine"] and not is_own and (kind := wording.values.get(row["machine"]["category"])):
        return f"{row['machine']['manufacturer']} {row['machine']['model']} {kind.capitalize()}"
    return name


def _of_line(
    version: QuoteVersion,
    line: VersionLine,
    role: Role,
    row: DictRow | None,
    said: GivenItem | None,
    *,
    name: str,
) -> DraftedItem:
    priced = version.priced_at is not None
    return DraftedItem(
        name=name,
        product_id=line.product_id,
        role=role,
        quantity=line.quantity,
        unit_price=in_currency(line.unit_price, version.currency) if priced else None,
        amount=line.line_total if priced else None,
        discount_pct=line.effective_discount_pct or None if priced else None,
        source=f"{version.name}, line {line.sort_order}",
        quote=version.quote_id,
        note=(said.asked.note if said else None) or line.notes,
        machine=row["machine"] if row else None,
        passages=said.passages if said else (),
        unit=line.unit,
        allowance=line.allowance,
        term_months=version.term_months,
    )


def _listed_item(given: GivenItem, listed: tuple[PriceBook, PriceBookEntry] | None, *, name: str) -> DraftedItem:
    """At the list price of its quantity."""
    quantity, price, source = given.asked.quantity or 1, None, "no price"
    per: Literal["", "month", "year"] = ""
    allowance = None
    if listed is not None:
        book, entry = listed
        if entry.recurring:
            per = "month" if entry.unit.endswith("month") else "year"
        tier = tier_for(entry.tiers, quantity)
        listed_at, source = tier.price if tier else entry.price, f"price book {book.name}"
        if listed_at is None:
            source += ", on request"
        else:
            price, allowance = in_currency(listed_at, book.currency), entry.allowance
    return DraftedItem(
        name=name,
        product_id=given.row["id"],
        role=given.asked.role,
        quantity=quantity,
        unit_price=price,
        amount=price * quantity if price is not None else None,
        source=source,
        note=given.asked.note,
        machine=given.row["machine"],
        passages=given.passages,
        per=per,
        allowance=allowance,
    )
