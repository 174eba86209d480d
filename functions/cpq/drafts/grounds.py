"""What a draft rests on: the rows that its ids name, read at one moment; all that is wrong with them at once."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import yaml
from psycopg.rows import DictRow
from psycopg.sql import SQL

from cpq import house, payment
from cpq.accounts import PROSPECT_SEGMENT
from cpq.catalogue import queries as catalogue
from cpq.catalogue.configuration import Relation
from cpq.documents.printing import language_of
from cpq.drafts import proven, queries
from cpq.drafts.figures import Reader
from cpq.drafts.folding import model_key
from cpq.drafts.proven import ProvenLine, ProvenPassage
from cpq.drafts.value import DraftArgs, DraftItemArgs, Role, references
from cpq.drafts.wording import LetterWording, wording_of
from cpq.model import Problem, QuoteVersion, VersionLine
from cpq.pricing import queries as prices
from cpq.pricing.books import Buyer, PriceBook, PriceBookEntry, rank, tier_for
from cpq.pricing.engine import sources
from cpq.quotes import queries as quotes
from quarry.attributes.model import Attributes
from quarry.attributes.systems import Beside, beside
from quarry.data.database import Connection
from quarry.money import in_currency
from quarry.precedents import sales
from quarry.precedents.sales import Market, SaleFacts
from quarry.retrieval.here import attributes_of
from quarry.spelling import alike


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftedItem:
    """A row of the letter's table; prices are None where nothing says them. ``amount`` is less discount."""

    name: str
    sku: str
    product_id: str
    role: Role
    quantity: int
    unit_price: Decimal | None
    amount: Decimal | None
    discount_pct: Decimal | None
    source: str
    note: str | None
    description: str
    machine: Mapping[str, Any] | None
    sale: SaleFacts | None
    passages: Sequence[ProvenPassage]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredQuote:
    version: QuoteVersion
    lines: Sequence[VersionLine]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounds:
    """``machines`` are catalogue rows by model_key, ``lines`` past lines by number and position."""

    content: DraftArgs
    today: date
    wording: LetterWording
    beside: Beside
    attributes: Attributes
    currency: str
    customer: str
    account: Mapping[str, Any] | None
    quotes: Sequence[StoredQuote]
    items: Sequence[DraftedItem]
    machines: Mapping[str, Mapping[str, Any]]
    lines: Mapping[str, ProvenLine]
    house: Mapping[str, str]
    relations: Sequence[Relation]
    went_with: Sequence[DictRow]
    sold: Mapping[sales.Name, SaleFacts]

    def of_role(self, *roles: Role) -> list[DraftedItem]:
        return [item for item in self.items if item.role in roles]

    def item_of(self, key: str) -> DraftedItem | None:
        """The row that sells a model or product."""
        return next((item for item in self.items if key in keys_of(item)), None)

    @property
    def main(self) -> StoredQuote | None:
        return self.quotes[0] if self.quotes else None


def keys_of(item: DraftedItem) -> set[str]:
    model = str(item.machine["model"]) if item.machine else ""
    return {model_key(each) for each in (item.product_id, item.sku, model) if each}


class Gathered:
    """Reads the grounds of one draft; ``problems`` collects whatever is wrong, so that it is told in one answer."""

    def __init__(self, connection: Connection, content: DraftArgs, *, tenant: str, templates: Path) -> None:
        self._connection, self._content, self._tenant, self._templates = connection, content, tenant, templates
        self.problems: list[Problem] = []
        self._references = references(content)

    def _wrong(self, path: str, message: str, *, code: str = "NOT_FOUND") -> None:
        self.problems.append(Problem(code=code, path=path, message=message))

    def _rows(self, query: SQL, **named: object) -> list[DictRow]:
        return self._connection.execute(query, named).fetchall()

    def grounds(self) -> Grounds | None:
        """None where something is wrong: ``problems`` says what."""
        account, customer = self._customer()
        own = next(iter(self._rows(queries.HOUSE)), {})
        language = (
            self._content.language or (language_of(account) if account else None) or own.get("language") or "en"
        )
        stored = [each for place, number in enumerate(self._content.quote_ids)
                  if (each := self._quote(number, place, account=account))]  # fmt: skip
        attributes = attributes_of(self._tenant)
        lines = self._past_lines(customer)
        machines = self._machines()
        currency = self._currency(stored, account)
        passages = self._passages(lines, Reader(attributes.units, frozenset(prices.currencies(self._connection))))
        items = self._items(stored, account, own, passages, currency=currency)
        if self.problems or currency is None:
            return None
        market = Market(account["segment"], account["country"]) if account else None
        names = {(str(row["manufacturer"]), str(row["model"])) for row in machines.values()}
        names |= {(str(one.machine["manufacturer"]), str(one.machine["model"])) for one in items if one.machine}
        sold = sales.facts(self._tenant, names, currency=currency, market=market)
        families = sorted({str(item.machine["family"]) for item in items if item.machine and item.role == "item"})
        sold_ids = [item.product_id for item in items]
        return Grounds(
            content=self._content,
            today=datetime.now(UTC).date(),
            wording=wording_of(self._templates, language),
            beside=beside(self._content.units, tenant=self._tenant),
            attributes=attributes,
            currency=currency,
            customer=customer,
            account=account,
            quotes=stored,
            items=[_with_sale(item, sold) for item in items],
            machines=machines,
            lines=lines,
            house=self._house(account, language),
            relations=catalogue.relations(self._connection, product_ids=sold_ids),
            went_with=self._rows(queries.WENT_WITH, families=families) if families else [],
            sold=sold,
        )

    def _customer(self) -> tuple[DictRow | None, str]:
        asked = self._content.account_id
        if asked is None:
            if not self._content.customer:
                self._wrong("account_id", "Say whom the letter is for: account_id, or customer.", code="MISSING")
            return None, self._content.customer or ""
        found = next(iter(self._rows(queries.CUSTOMER, account_id=asked)), None)
        if found is None:
            ids = prices.account_names(self._connection, account_id=asked)
            near = dict.fromkeys(ids[text] for text in alike(asked, ids))
            hint = f"Nearest: {', '.join(near)}." if near else "Give customer where there is no account."
            self._wrong("account_id", f"No account '{asked}'. {hint}")
            return None, ""
        row: DictRow = found["row"]
        return row, str(row["name"])

    def _quote(self, number: str, place: int, *, account: DictRow | None) -> StoredQuote | None:
        version = quotes.version(self._connection, quote_id=number)
        path = f"quote_ids[{place}]"
        if version is None:
            near = alike(number, quotes.newest_ids(self._connection))
            self._wrong(path, f"No quote '{number}'. " + (f"Nearest: {', '.join(near)}." if near else ""))
        elif account is None or version.account_id != account["id"]:
            message = f"{number} is another account's: give its account_id, or leave the quote out."
            self._wrong(path, message, code="NOT_ALLOWED")
        elif version.status == "discarded":
            self._wrong(path, f"{number} was discarded.", code="NOT_ALLOWED")
        else:
            lines = quotes.lines(self._connection, quote_id=version.quote_id, version=version.version)
            return StoredQuote(version=version, lines=lines)
        return None

    def _currency(self, stored: Sequence[StoredQuote], account: DictRow | None) -> str | None:
        account_id = account["id"] if account else None
        said = house.defaults(self._connection, account_id=account_id).currency
        currency = stored[0].version.currency if stored else said
        if currency is None:
            self._wrong("account_id", "Neither account nor house names a currency.", code="MISSING")
        return currency

    def _past_lines(self, customer: str) -> dict[str, ProvenLine]:
        """The lines that passages and facts name."""
        asked = {passage.line: f"items[{place}].passages" for place, item in enumerate(self._content.items)
                 for passage in item.passages}  # fmt: skip
        asked |= dict.fromkeys(self._references.lines, "page")
        numbers = sorted({name.rpartition("/")[0].upper() for name in asked})
        columns = list(ProvenLine.__dataclass_fields__)
        rows = self._rows(queries.PAST_LINES, customer=customer, numbers=numbers) if numbers else []
        held = {f"{row['quote_number']}/{row['position']}".upper(): row for row in rows}
        found = {}
        for name, path in asked.items():
            if row := held.get(name.upper()):
                found[name] = ProvenLine(**{column: row[column] for column in columns})
                continue
            near = [key for key in held if key.startswith(name.rpartition("/")[0].upper() + "/")]
            near = near or alike(
                name.rpartition("/")[0], [each["quote_number"] for each in self._rows(queries.PAST_NUMBERS)]
            )
            self._wrong(path, f"No past line '{name}'. Nearest: {', '.join(near[:5]) or 'none'}; write Q24-0101/2.")
        return found

    def _machines(self) -> dict[str, Mapping[str, Any]]:
        """Catalogue rows of models that requirements, comparison and facts name."""
        named = dict.fromkeys(self._content.comparison, "comparison")
        named |= {each.model: f"requirements[{place}].model" for place, each in enumerate(self._content.requirements)
                  if each.model}  # fmt: skip
        named |= dict.fromkeys(self._references.models, "page")
        named |= {item.product_id: "" for item in self._content.items}
        keys = [model_key(name) for name in named]
        found = {row["thing"]: row["row"] for row in self._rows(queries.MACHINES, keys=keys)} if keys else {}
        missing = {name: path for name, path in named.items() if path and model_key(name) not in found}
        if missing:
            rows = self._rows(queries.FOR_SALE, names=list(missing), keys=[model_key(name) for name in missing])
            sold = {
                key: row["machine"] for row in rows if row["machine"]
                for key in (model_key(row["id"]), row["sku_key"], row["model_key"])
            }  # fmt: skip
            models = [row["model"] for row in self._rows(queries.MODELS)]
            for name, path in missing.items():
                if machine := sold.get(model_key(name)):
                    found[model_key(name)] = machine
                else:
                    near = alike(name, models, key=model_key)
                    self._wrong(path, f"No model '{name}' in the catalogue. Nearest: {', '.join(near) or 'none'}.")
        return found

    def _passages(self, lines: Mapping[str, ProvenLine], reader: Reader) -> list[list[ProvenPassage]]:
        """Those of each item that the call names."""
        found: list[list[ProvenPassage]] = []
        for place, item in enumerate(self._content.items):
            found.append([])
            for number, asked in enumerate(item.passages):
                if asked.line not in lines:
                    continue
                made, wrong = proven.passage(asked, lines[asked.line], reader=reader)
                for message in wrong:
                    self._wrong(f"items[{place}].passages[{number}]", message, code="NOT_ALLOWED")
                if made:
                    found[-1].append(made)
        return found

    def _items(
        self,
        stored: Sequence[StoredQuote],
        account: DictRow | None,
        own: Mapping[str, Any],
        passages: Sequence[Sequence[ProvenPassage]],
        *,
        currency: str | None,
    ) -> list[DraftedItem]:
        """The quote's lines, each with what the call says of its product; then what it names beside them."""
        given = list(zip(self._sold(), self._content.items, passages, strict=True))
        lines: list[tuple[StoredQuote, VersionLine, Role]] = [
            (quote, line, "item" if place == 0 else "option")
            for place, quote in enumerate(stored)
            for line in quote.lines
        ]
        ids = [line.product_id for _, line, _ in lines]
        rows = {row["id"]: row for row in self._rows(queries.FOR_SALE, names=ids, keys=[])} if ids else {}
        items, used = list[DraftedItem](), set[int]()
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
            items.append(_of_line(quote.version, line, role, rows.get(line.product_id), extra))
        rest = [(at, *each) for at, each in enumerate(given) if at not in used and each[0]]
        listed = self._listed([row["id"] for _, row, _, _ in rest if row], account, own, currency=currency)
        for at, row, asked, chosen in rest:
            if stored and asked.role == "item":
                message = f"{asked.product_id} is not in {stored[0].version.name}: revise that, or offer an option."
                self._wrong(f"items[{at}].product_id", message, code="NOT_ALLOWED")
            elif row:
                items.append(_listed_item(row, asked, chosen, listed.get(row["id"])))
        if not items and not self.problems:
            self._wrong("items", "Name the goods: items, or a quote with quote_ids.", code="MISSING")
        return items

    def _sold(self) -> list[DictRow | None]:
        """Of each item the product for sale that its id, SKU or model names."""
        names = [item.product_id for item in self._content.items]
        keys = [model_key(name) for name in names]
        rows = self._rows(queries.FOR_SALE, names=[*names, *map(str.lower, names)], keys=keys) if names else []
        found: list[DictRow | None] = []
        for place, name in enumerate(names):
            path = f"items[{place}].product_id"
            by_id = [row for row in rows if row["id"] in (name, name.lower())]
            fitting = by_id or [row for row in rows if model_key(name) in (row["sku_key"], row["model_key"])]
            active = [row for row in fitting if row["active"]]
            found.append(active[0] if len(active) == 1 else None)
            if not fitting:
                near = catalogue.nearest(self._connection, name)
                self._wrong(path, f"No product '{name}'. Nearest: {', '.join(near) or 'none'}.")
            elif not active:
                self._wrong(path, f"{fitting[0]['name']} is no longer sold.", code="INACTIVE")
            elif len(active) > 1:
                self._wrong(path, f"'{name}' is {' or '.join(row['id'] for row in active)}: name one.")
        return found

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

    def _house(self, account: DictRow | None, language: str) -> dict[str, str]:
        """What the house says of itself, and its terms of payment as agreed with the account."""
        template = (self._templates / "quote.md").read_text("utf-8")
        block = re.search(r"(?ms)^```yaml\n(.*?)^```", template)
        said = yaml.safe_load(block[1]) if block else {}
        known = {name: "; ".join(map(str, value)) if isinstance(value, list) else " ".join(str(value).split())
                 for name, value in said.items()}  # fmt: skip
        terms = house.defaults(self._connection, account_id=account["id"] if account else None).payment_terms
        return known | ({"payment_terms": payment.worded(terms)} if terms and language == "en" else {})


def _with_sale(item: DraftedItem, sold: Mapping[sales.Name, SaleFacts]) -> DraftedItem:
    if item.machine is None:
        return item
    sale = sold.get((str(item.machine["manufacturer"]), str(item.machine["model"])))
    values: dict[str, Any] = {name: getattr(item, name) for name in item.__dataclass_fields__}
    return DraftedItem(**{**values, "sale": sale})


def _of_line(
    version: QuoteVersion,
    line: VersionLine,
    role: Role,
    row: DictRow | None,
    given: tuple[DictRow | None, DraftItemArgs, Sequence[ProvenPassage]] | None,
) -> DraftedItem:
    priced = version.priced_at is not None
    return DraftedItem(
        name=line.product_name,
        sku=line.sku,
        product_id=line.product_id,
        role=given[1].role if given and role != "item" else role,
        quantity=line.quantity,
        unit_price=in_currency(line.unit_price, version.currency) if priced else None,
        amount=line.line_total if priced else None,
        discount_pct=line.effective_discount_pct or None if priced else None,
        source=f"{version.name}, line {line.sort_order}",
        note=(given[1].note if given else None) or line.notes,
        description=line.description,
        machine=row["machine"] if row else None,
        sale=None,
        passages=given[2] if given else (),
    )


def _listed_item(
    row: DictRow,
    asked: DraftItemArgs,
    chosen: Sequence[ProvenPassage],
    listed: tuple[PriceBook, PriceBookEntry] | None,
) -> DraftedItem:
    """At the list price of its quantity; what is charged by month or year has a price in a quote alone."""
    quantity, price, source = asked.quantity or 1, None, "no price"
    if listed is not None and not listed[1].recurring:
        book, entry = listed
        tier = tier_for(entry.tiers, quantity)
        price, source = in_currency(tier.price if tier else entry.price, book.currency), f"price book {book.name}"
    return DraftedItem(
        name=row["name"],
        sku=row["sku"],
        product_id=row["id"],
        role=asked.role,
        quantity=quantity,
        unit_price=price,
        amount=price * quantity if price is not None else None,
        discount_pct=None,
        source=source,
        note=asked.note,
        description=row["description"],
        machine=row["machine"],
        sale=None,
        passages=chosen,
    )
