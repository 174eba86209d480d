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
from cpq.drafts import queries
from cpq.drafts.figures import Reader
from cpq.drafts.proven import ProvenPassage
from cpq.drafts.value import DraftArgs, DraftItemArgs, Role
from cpq.drafts.wording import LetterWording
from cpq.model import Problem, QuoteVersion, VersionLine
from cpq.pricing import queries as prices
from cpq.pricing.books import Buyer, PriceBook, PriceBookEntry, rank, tier_for
from cpq.pricing.engine import sources
from cpq.quotes import queries as quotes
from quarry.attributes.model import Attribute, Attributes, Value
from quarry.attributes.systems import Beside
from quarry.characteristics import shown
from quarry.data.database import Connection
from quarry.money import in_currency
from quarry.precedents import sales
from quarry.precedents.sales import SaleFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftedItem:
    """A row of the letter's table; prices are None where nothing says them. ``amount`` is less discount.

    ``quote`` is the one that it is a line of, empty where it is of none; ``per``: what it costs again and again.
    """

    name: str
    sku: str
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


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredQuote:
    version: QuoteVersion
    lines: Sequence[VersionLine]


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
        """The quote's lines, each with what the call says of its product; then what it names beside them."""
        given = list(zip(self._sold(), self._content.items, passages, strict=True))
        lines: list[tuple[StoredQuote, VersionLine, Role]] = [
            (quote, line, "item" if place == 0 or self._content.together else "option")
            for place, quote in enumerate(stored)
            for line in quote.lines
        ]
        ids = [line.product_id for _, line, _ in lines]
        rows = {row["id"]: row for row in self._rows(queries.FOR_SALE, ids=ids)} if ids else {}
        items, used = list[DraftedItem](), set[int]()

        def called(row: DictRow | None, name: str) -> str:
            return _called(row, name, wording=wording, is_own=wording.language == (own.get("language") or "en"))

        for quote, line, role in lines:
            same = (at for at, (row, asked, _) in enumerate(given) if at not in used and row
                    and row["id"] == line.product_id and (role != "item" or asked.role == "item"))  # fmt: skip
            place = next(same, None)
            if place is not None:
                used.add(place)
                wanted = given[place][1]
                if wanted.quantity not in (0, line.quantity):
                    message = (
                        f"{quote.version.name} has {line.quantity}: revise it with quote_create, or leave it out."
                    )
                    self._wrong(f"items[{place}].quantity", message, code="NOT_ALLOWED")
            extra = given[place] if place is not None else None
            row = rows.get(line.product_id)
            name = called(row, line.product_name)
            items.append(_of_line(quote.version, line, role, row, extra, name=name))
        rest = [(at, *each) for at, each in enumerate(given) if at not in used and each[0]]
        listed = self._listed([row["id"] for _, row, _, _ in rest if row], account, own, currency=currency)
        for at, row, asked, chosen in rest:
            if stored and asked.role == "item":
                message = f"{asked.product_id} is not in {stored[0].version.name}: revise that, or offer an option."
                self._wrong(f"items[{at}].product_id", message, code="NOT_ALLOWED")
            elif row:
                name = called(row, row["name"])
                items.append(_listed_item(row, asked, chosen, listed.get(row["id"]), name=name))
        if not items and not self.problems:
            self._wrong("items", "Name the goods: items, or a quote with quote_ids.", code="MISSING")
        return items

    def _sold(self) -> list[DictRow | None]:
        """Of each item the product for sale that its id, SKU or model names."""
        rows = self._products([item.product_id for item in self._content.items])
        found: list[DictRow | None] = []
        for place, item in enumerate(self._content.items):
            path, row = f"items[{place}].product_id", rows.get(item.product_id)
            machine = (row["machine"] if row else None) or {}
            is_sold = row is not None and row["active"] and not machine.get("withdrawn")
            found.append(row if is_sold else None)
            if row is None:
                near = catalogue.nearest(self._connection, item.product_id)
                self._wrong(path, f"No product '{item.product_id}'. Nearest: {', '.join(near) or 'none'}.")
            elif not is_sold:
                successor = row["successor"] or machine.get("successor")
                self._wrong(path, no_longer_sold(row["name"], successor), code="INACTIVE")
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


def finished(
    item: DraftedItem, sold: Mapping[sales.Name, SaleFacts], reader: Reader, attributes: Attributes, *,
    beside: Beside, wording: LetterWording,
) -> DraftedItem:  # fmt: skip
    """With its sales, and the figures of its name in the reader's units."""
    name, mark = item.name, wording.labels.decimal_mark
    for figure in reader.figures(name) if item.machine and beside else ():
        if figure.unit:
            value = Value(low=figure.readings[0].value, high=figure.readings[0].value)
            as_said = Attribute(name="", kind="number", unit=figure.unit.symbol)
            told, bracket, _ = shown(value, as_said, attributes, decimal_mark=mark, beside=beside).partition(" (")
            name = name.replace(figure.text, told, 1) if bracket else name
    sale = sold.get((str(item.machine["manufacturer"]), str(item.machine["model"]))) if item.machine else None
    return replace(item, name=name, sale=sale)


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
    given: tuple[DictRow | None, DraftItemArgs, Sequence[ProvenPassage]] | None,
    *,
    name: str,
) -> DraftedItem:
    priced = version.priced_at is not None
    return DraftedItem(
        name=name,
        sku=line.sku,
        product_id=line.product_id,
        role=role,
        quantity=line.quantity,
        unit_price=in_currency(line.unit_price, version.currency) if priced else None,
        amount=line.line_total if priced else None,
        discount_pct=line.effective_discount_pct or None if priced else None,
        source=f"{version.name}, line {line.sort_order}",
        quote=version.quote_id,
        note=(given[1].note if given else None) or line.notes,
        machine=row["machine"] if row else None,
        passages=given[2] if given else (),
        unit=line.unit,
        term_months=version.term_months,
    )


def _listed_item(
    row: DictRow,
    asked: DraftItemArgs,
    chosen: Sequence[ProvenPassage],
    listed: tuple[PriceBook, PriceBookEntry] | None,
    *,
    name: str,
) -> DraftedItem:
    """At the list price of its quantity."""
    quantity, price, source = asked.quantity or 1, None, "no price"
    per: Literal["", "month", "year"] = ""
    if listed is not None:
        book, entry = listed
        if entry.recurring:
            per = "month" if entry.unit.endswith("month") else "year"
        tier = tier_for(entry.tiers, quantity)
        listed_at, source = tier.price if tier else entry.price, f"price book {book.name}"
        if listed_at is None:
            source += ", on request"
        else:
            price = in_currency(listed_at, book.currency)
    return DraftedItem(
        name=name,
        sku=row["sku"],
        product_id=row["id"],
        role=asked.role,
        quantity=quantity,
        unit_price=price,
        amount=price * quantity if price is not None else None,
        source=source,
        note=asked.note,
        machine=row["machine"],
        passages=chosen,
        per=per,
    )
