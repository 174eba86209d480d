"""The goods of a draft: the lines of its quotes and what it names beside them, each with its price."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from psycopg.rows import DictRow
from psycopg.sql import SQL, Composed

from cpq import house
from cpq.catalogue import queries as catalogue
from cpq.catalogue.configuration import no_longer_sold
from cpq.documents import queries as documents
from cpq.documents.composition import StoredQuote
from cpq.documents.wording import country, language_of, languages, tables, unit
from cpq.drafts import queries
from cpq.drafts.figures import Reader
from cpq.drafts.proven import ProvenLine, ProvenPassage, passage
from cpq.drafts.value import GROSS, LINE, NET, TAX, DraftArgs, DraftItemArgs, Role, facts_named, machine_in, things_in
from cpq.drafts.wording import wording_of
from cpq.model import Problem, QuoteVersion, VersionLine
from cpq.pricing import queries as prices
from cpq.pricing.arithmetic import compounded, line_amounts
from cpq.pricing.books import Buyer, PriceBook, PriceBookEntry, rank, tier_for
from cpq.pricing.engine import sources
from cpq.pricing.trace import Trace
from cpq.quotes import queries as quotes
from quarry.attributes.model import model_look
from quarry.data.database import Connection, rows_of
from quarry.money import in_currency
from quarry.precedents.accounts import PROSPECT_SEGMENT
from quarry.precedents.list_prices import parted
from quarry.precedents.sales import SaleFacts
from quarry.text import alike, goods_named, part_key, says_model


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftedItem:
    """A row of the letter's table; prices are None where nothing says them, and ``amount`` is after discount.

    ``quote`` is the id of the quote that it is a line of, or empty; ``per`` is the period of a price that recurs;
    ``buys`` says what the price is for, "per day", and ``sold_by`` is the code of its unit.
    """

    name: str
    product_id: str
    role: Role
    quantity: Decimal | int
    unit_price: Decimal | None = None
    amount: Decimal | None = None
    source: str
    note: str | None
    machine: Mapping[str, Any] | None
    passages: Sequence[ProvenPassage]
    discount_pct: Decimal | None = None
    quote: str = ""
    sale: SaleFacts | None = None
    per: str = ""
    buys: str | None = None
    sold_by: str | None = None
    allowance: Sequence[Decimal] | None = None

    @property
    def short(self) -> str:
        """The model of a machine, else the name."""
        return str(self.machine["model"]) if self.machine else self.name


class Offer(NamedTuple):
    """A quote that can be taken in place of another one, its most expensive machine and others of that family."""

    quote: StoredQuote
    item: DraftedItem
    others: Sequence[DraftedItem] = ()

    @property
    def machine(self) -> Mapping[str, Any]:
        return self.item.machine or {}

    @property
    def name(self) -> str:
        goods = (self.item, *self.others)
        return " + ".join(one.short if one.quantity == 1 else f"{one.quantity} × {one.short}" for one in goods)


@dataclass(frozen=True, slots=True)
class GivenItem:
    """An item of the call with its place there, its product's row and the passages chosen for it."""

    place: int
    row: DictRow
    asked: DraftItemArgs
    passages: Sequence[ProvenPassage]


class GoodsReader:
    """Reads the customer of a draft and the goods that it names; ``problems`` collects what is wrong with them."""

    def __init__(self, connection: Connection, content: DraftArgs, *, tenant: str, templates: Path) -> None:
        self._connection, self._content, self._tenant = connection, content, tenant
        self._facts = facts_named(content)
        self.problems: list[Problem] = []
        self._services: dict[str, DictRow] = {}
        self._own = documents.house(connection)
        self._own_language = str(self._own.get("language") or "en")
        self._account, self._customer = self._addressed()
        self._defaults = house.defaults(connection, account_id=self._account["id"] if self._account else None)
        at = country(self._account) if self._account else self._own.get("country") or ""
        layouts = templates / "pdf"
        self._wording = wording_of(layouts, self._language(layouts), at)
        is_home = self._account is None or self._own.get("country") in (None, at)
        self._abroad = "" if is_home else tables(layouts, self._wording.language)["countries"].get(at, at)
        self._unnamed = dict[str, None]()

    def _wrong(self, path: str, message: str, *, code: str = "NOT_FOUND") -> None:
        self.problems.append(Problem(code=code, path=path, message=message))

    def _rows(self, query: SQL | Composed, **named: object) -> list[DictRow]:
        return self._connection.execute(query, named).fetchall()

    def _addressed(self) -> tuple[DictRow | None, str]:
        """Returns the account's row, None without an account, and what the customer is called."""
        asked = self._content.account_id
        if asked is None:
            if not self._content.customer:
                self._wrong("account_id", "Say whom the letter is for: account_id, or customer.", code="MISSING")
            return None, self._content.customer or ""
        found = next((row["row"] for row in self._rows(queries.ACCOUNT, name=asked)), None)
        if found is None or found["id"] != asked:
            near = prices.accounts_alike(self._connection, asked)
            hint = f"Nearest: {', '.join(near)}." if near else "Give customer where there is no account."
            self._wrong("account_id", f"No account '{asked}'. {hint}")
            return None, ""
        return found, str(found["name"])

    def _language(self, layouts: Path) -> str:
        known, asked = languages(layouts), self._content.language
        if asked and asked not in known:
            self._wrong("language", f"No labels in '{asked}': there are {', '.join(known)}.")
        of_account = language_of(self._account, layouts) if self._account else None
        wanted = asked or of_account or self._own.get("language")
        return str(wanted) if wanted in known else "en"

    def _past_lines(self, machines: Mapping[str, object]) -> dict[str, ProvenLine]:
        """Returns the past lines that passages and facts name."""
        asked = {passage.line: f"items[{place}].passages" for place, item in enumerate(self._content.items)
                 for passage in item.passages}  # fmt: skip
        asked |= {fact: "page" for fact in self._facts if LINE.fullmatch(fact) and not machine_in(fact, machines)}
        if not asked:
            return {}
        numbers = sorted({name.rpartition("/")[0].upper() for name in asked})
        named = {"customer": self._customer, "numbers": numbers}
        held = {one.name.upper(): one for one in rows_of(self._connection, ProvenLine, queries.PAST_LINES, named)}
        for name, path in asked.items():
            if name.upper() in held:
                continue
            near = [key for key in held if key.startswith(name.rpartition("/")[0].upper() + "/")][:5]
            hint = f"Nearest: {', '.join(near)}" if near else "search_line_items finds them"
            self._wrong(path, f"No past line '{name}'. {hint}; write Q24-0101/2.")
        return {name: held[name.upper()] for name in asked if name.upper() in held}

    def _machines(self) -> dict[str, Mapping[str, Any]]:
        """Returns catalogue rows, by part_key, of models that items, requirements, comparison and facts name; keeps
        products that are in no catalogue.
        """
        named = dict.fromkeys((each.model for each in self._content.comparison), "comparison")
        named |= {each.model: f"requirements[{place}].model" for place, each in enumerate(self._content.requirements)
                  if each.model}  # fmt: skip
        items = [item.product_id for item in self._content.items]
        names = [*named, *items, *(thing for fact in self._facts for thing in things_in(fact))]
        keys = [part_key(name) for name in names]
        found = {row["thing"]: row["row"] for row in self._rows(queries.MACHINES, keys=keys)} if keys else {}
        others = self._products([name for name in names if part_key(name) not in found])
        found |= {part_key(name): row["machine"] for name, row in others.items() if row["machine"]}
        self._services = {part_key(name): row for name, row in others.items() if not row["machine"]}
        missing = {name: path for name, path in named.items() if part_key(name) not in found}
        missing |= {fact.rpartition(".")[0]: "page" for fact in self._facts
                    if not LINE.fullmatch(fact) and not machine_in(fact, {**found, **self._services})}  # fmt: skip
        models = [row["model"] for row in self._rows(queries.MODELS)] if missing else []
        own = {each.upper() for each in self._content.quote_ids}
        for name, path in missing.items():
            if (ours := name.upper()) in own:
                has = ", ".join(f"{{{{{ours}.{what}}}}}" for what in (NET, GROSS, TAX))
                self._wrong(path, f"A quote has {has}: before tax, with it, and the tax.")
                continue
            if quotes.version(self._connection, quote_id=name.upper()):
                self._wrong(path, f"{name} is no quote of this letter: add it to quote_ids, or take the fact out.")
                continue
            near = alike(name, models, key=lambda model: model_look(part_key(model)))
            self._wrong(path, f"No model '{name}' in the catalogue. Nearest: {', '.join(near) or 'none'}.")
        return found

    def _items(
        self, stored: Sequence[StoredQuote], past: Mapping[str, ProvenLine], reader: Reader, *, currency: str | None
    ) -> list[DraftedItem]:
        """Returns the quotes' lines, each with what the call says of its product, then what it names beside them."""
        given, items = self._given(past, reader), list[DraftedItem]()
        lines = [(quote, line) for quote in stored for line in quote.lines]
        rows = self._for_sale([line.product_id for _, line in lines])
        for quote, line in lines:
            role: Role = "item" if quote is stored[0] or self._content.together else "option"
            # An option is one more beside the quotes, whose totals have their own lines.
            said = next((one for one in given if one.row["id"] == line.product_id and one.asked.role == "item"), None)
            if said:
                given.remove(said)
                if said.asked.quantity not in (0, line.quantity):
                    how = "revise it with quote_create, or leave it out."
                    message = f"{quote.version.name} has {line.quantity}: {how}"
                    self._wrong(f"items[{said.place}].quantity", message, code="NOT_ALLOWED")
            items.append(self._of_line(quote.version, line, role, rows.get(line.product_id), said))
        listed = self._listed([one.row["id"] for one in given], currency=currency)
        for one in given:
            if stored and one.asked.role == "item":
                named = f"{one.asked.product_id} is not in {stored[0].version.name}"
                message = f"{named}: revise that, or offer an option."
                self._wrong(f"items[{one.place}].product_id", message, code="NOT_ALLOWED")
                continue
            off = _discount_of(one.row, rows, stored[0] if stored else None)
            off = Decimal(one.row["standing_discount_pct"]) if off is None else off
            items.append(self._listed_item(one, listed.get(one.row["id"]), off))
        if not items and not self._content.page and not self.problems:
            self._wrong(
                "page", "Write the page, or name the goods: items, or a quote with quote_ids.", code="MISSING"
            )
        return items

    def _given(self, past: Mapping[str, ProvenLine], reader: Reader) -> list[GivenItem]:
        """Returns the items of the call whose products exist and are still sold, with passages of ``past`` lines."""
        rows = self._products([item.product_id for item in self._content.items])
        found = list[GivenItem]()
        for place, item in enumerate(self._content.items):
            chosen = list[ProvenPassage]()
            for number, asked in enumerate(item.passages):
                made, wrong = passage(asked, past[asked.line], reader=reader) if asked.line in past else (None, [])
                chosen += [made] if made else []
                for message in wrong:
                    self._wrong(f"items[{place}].passages[{number}]", message, code="NOT_ALLOWED")
            path, row = f"items[{place}].product_id", rows.get(item.product_id)
            machine = (row["machine"] if row else None) or {}
            if row is None:
                near = catalogue.nearest(self._connection, item.product_id)
                self._wrong(path, f"No single product '{item.product_id}'. Nearest: {', '.join(near) or 'none'}.")
            elif not row["active"] or machine.get("withdrawn"):
                successor = row["successor"] or machine.get("successor")
                self._wrong(path, no_longer_sold(row["name"], successor), code="INACTIVE")
            else:
                found.append(GivenItem(place, row, item, chosen))
        return found

    def _products(self, names: Sequence[str]) -> dict[str, DictRow]:
        """Returns product rows by each of the names that is an id, a SKU or the model of one product."""
        ids = catalogue.ids_of_names(self._connection, names=names) if names else {}
        wanted = {name: ids.get(name, name.lower()) for name in names}
        rows = self._for_sale(list(wanted.values()))
        return {name: rows[wanted[name]] for name in names if wanted[name] in rows}

    def _for_sale(self, ids: Sequence[str]) -> dict[str, DictRow]:
        account = self._account["id"] if self._account else None
        return {row["id"]: row for row in self._rows(queries.FOR_SALE, ids=ids, account=account)} if ids else {}

    def _listed(self, ids: Sequence[str], *, currency: str | None) -> Mapping[str, tuple[PriceBook, PriceBookEntry]]:
        """Returns by product the book and entry that quote_price would take for the account or a prospect."""
        if not ids or currency is None:
            return {}
        of = self._account or {"segment": PROSPECT_SEGMENT, "country": self._own.get("country")}
        buyer = Buyer(segment=of["segment"], country=of["country"] or "")
        books = prices.books(self._connection, currency=currency)
        today = quotes.today(self._connection)
        ranking = rank(books, buyer=buyer, currency=currency, on=today)
        entries = prices.entries(self._connection, product_ids=ids, book_ids=[book.id for book in ranking.fitting])
        return sources(ranking.fitting, entries)

    def _compared(self, stored: Sequence[StoredQuote], *, currency: str | None) -> dict[str, DraftedItem]:
        """Returns by part_key the compared models that are for sale, one of each at the discount of options; those
        that cannot have the offer's are left out.
        """
        found = self._products([each.model for each in self._content.comparison])
        quote = stored[0] if stored and found else None
        lines = self._for_sale([line.product_id for line in quote.lines]) if quote else {}
        rows = {part_key(name): row for name, row in found.items()}
        off = {key: share for key, row in rows.items() if (share := _discount_of(row, lines, quote)) is not None}
        return self._one_of_each({key: rows[key] for key in off}, off, currency=currency)

    def _one_of_each(
        self, rows: Mapping[str, DictRow], off: Mapping[str, Decimal], *, currency: str | None
    ) -> dict[str, DraftedItem]:
        """Returns one of each product at its list price less its share, by the keys of the rows."""
        listed = self._listed([row["id"] for row in rows.values()], currency=currency)
        given = {key: GivenItem(0, row, DraftItemArgs(product_id=row["id"]), ()) for key, row in rows.items()}
        return {key: self._listed_item(one, listed.get(one.row["id"]), off.get(key, Decimal(0)))
                for key, one in given.items()}  # fmt: skip

    def _called(self, row: DictRow | None, name: str) -> str:
        """Returns the name in the letter's language, with maker and model of a machine behind one that does not say
        the model, and in place of one that is their beginning; or maker, model and kind of a machine without one.
        """
        language = self._wording.language
        own = (row["names"] or {}).get(language) if row else None
        machine, is_foreign = row["machine"] if row else None, not own and language != self._own_language
        goods = goods_named(machine["manufacturer"], machine["model"]) if machine else ""
        kind = self._wording.values.get(machine["category"]) if machine else None
        if kind and is_foreign:
            return f"{goods} {kind.capitalize()}"
        if is_foreign:
            self._unnamed[name] = None
        called = str(own or name)
        if not machine or says_model(called, machine["model"]):
            return called
        # Many a system cuts names at its field's length.
        whole, key = (part_key(machine["model"]), part_key(goods)), part_key(called) or called
        return goods if any(each.startswith(key) for each in whole) else f"{called}, {goods}"

    def _of_line(
        self, version: QuoteVersion, line: VersionLine, role: Role, row: DictRow | None, said: GivenItem | None
    ) -> DraftedItem:
        priced = version.priced_at is not None
        return DraftedItem(
            name=self._called(row, line.product_name),
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
            buys=unit(line.unit, term_months=version.term_months, labels=self._wording.labels),
            sold_by=line.unit,
            allowance=line.allowance,
        )

    def _listed_item(
        self, given: GivenItem, listed: tuple[PriceBook, PriceBookEntry] | None, discount_pct: Decimal
    ) -> DraftedItem:
        """Makes an item that is no line of a quote, at the list price for its quantity less the discount."""
        asked, quantity = given.asked, given.asked.quantity or 1
        item = DraftedItem(
            name=self._called(given.row, given.row["name"]),
            product_id=given.row["id"],
            role=asked.role,
            quantity=quantity,
            source="no price",
            note=asked.note,
            machine=given.row["machine"],
            passages=given.passages,
        )
        if listed is None:
            return item
        book, entry = listed
        discount_pct = Decimal(0) if entry.net else discount_pct
        _, per = parted(entry.unit)
        buys = unit(entry.unit, term_months=None, labels=self._wording.labels)
        item = replace(item, source=f"price book {book.name}", per=per, buys=buys, sold_by=entry.unit)
        tier = tier_for(entry.tiers, quantity)
        price = tier.price if tier else entry.price
        if price is None:
            return replace(item, source=f"{item.source}, on request")
        price = in_currency(price, book.currency)
        amount = line_amounts(
            currency=book.currency,
            unit_price=price,
            quantity=quantity,
            periods=Fraction(1),
            effective_discount_pct=discount_pct,
        ).net
        discount = discount_pct or None
        return replace(item, unit_price=price, amount=amount, discount_pct=discount, allowance=entry.allowance)


def _discount_of(row: DictRow, rows: Mapping[str, DictRow], quote: StoredQuote | None) -> Decimal | None:
    """Returns the discount in percent that goods beside a quote have: what the customer always has of them, and the
    quote's own on top, or the one that was typed on all its lines of their kind, machines or services. None where a
    discount of the quote is not theirs, because it needs somebody's approval or was typed for other goods alone.
    """
    standing = Decimal(row["standing_discount_pct"])
    if quote is None or quote.version.trace is None:
        return standing
    lines = [line for line in quote.lines
             if bool(rows.get(line.product_id, {}).get("machine")) == bool(row["machine"])]  # fmt: skip
    asked = Trace.model_validate(quote.version.trace).quote_discount_pct
    typed = any(line.discount_pct for line in lines)
    if not lines or not (asked or typed):
        return standing
    if quote.version.evaluation is None or not quote.version.evaluation.auto_approved:
        return None
    found = {line.effective_discount_pct for line in lines}
    if typed:
        return found.pop() if len(lines) > 1 and len(found) == 1 else None
    # More than any of the quote's own lines has might need somebody.
    share = compounded(standing, asked)
    return share if share <= max(found) else None
