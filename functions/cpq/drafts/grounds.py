"""What a draft rests on: the rows that its ids name, read at one moment; all that is wrong with them at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from psycopg.rows import DictRow

from cpq import house
from cpq.approvals import queries as approvals
from cpq.catalogue import queries as catalogue
from cpq.catalogue.configuration import Relation
from cpq.documents.wording import LetterWording, country, language_of, languages, payment, wording_of
from cpq.drafts import proven, queries
from cpq.drafts.figures import Reader
from cpq.drafts.goods import DraftedItem, GoodsReader, StoredQuote
from cpq.drafts.proven import ProvenLine, ProvenPassage
from cpq.drafts.units import CustomersUnits, as_written
from cpq.drafts.value import DraftArgs, RequirementArgs, Role
from cpq.pricing import queries as prices
from cpq.pricing.arithmetic import Rate
from cpq.pricing.policies import Policy
from cpq.quotes import queries as quotes
from cpq.quotes.drafting import refusal
from quarry.attributes.model import Attributes
from quarry.data.database import Connection
from quarry.needs.arguments import NeedRow, needs_of
from quarry.needs.model import Need, Unread
from quarry.precedents import sales, sold_with
from quarry.precedents.sales import Market, SaleFacts
from quarry.retrieval.here import attributes_of, beside
from quarry.text import alike, part_key

DELIVERY = "delivery"
"""The house's fact that is its term of delivery, with _at behind it that for Austria."""


class Must(NamedTuple):
    """A requirement with its need, or why that cannot be read."""

    asked: RequirementArgs
    needs: Sequence[Need] = ()
    unread: Sequence[Unread] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounds:
    """``machines`` are catalogue rows by part_key, ``lines`` past lines by number and position."""

    content: DraftArgs
    today: date
    wording: LetterWording
    units: CustomersUnits
    attributes: Attributes
    currency: str
    customer: str
    signed_by: str
    account: Mapping[str, Any] | None
    quotes: Sequence[StoredQuote]
    items: Sequence[DraftedItem]
    musts: Sequence[Must]
    machines: Mapping[str, Mapping[str, Any]]
    lines: Mapping[str, ProvenLine]
    house: Mapping[str, str]
    relations: Sequence[Relation]
    went_with: Sequence[DictRow]
    sold: Mapping[sales.Name, SaleFacts]
    policy: Policy | None
    rates: Sequence[Rate]

    def of_role(self, *roles: Role) -> list[DraftedItem]:
        return [item for item in self.items if item.role in roles]

    def sum_of(self, period: str) -> Decimal | None:
        """What the items come to that are paid once or again each period; None without any or while a price lacks."""
        amounts = [item.amount for item in self.of_role("item") if item.per == period]
        priced = [each for each in amounts if each is not None]
        return sum(priced, Decimal(0)) if amounts and len(priced) == len(amounts) else None

    def money(self, value: Decimal) -> str:
        return self.wording.money(value, self.currency)

    def list_price(self, machine: Mapping[str, Any]) -> str:
        """Empty where no book has it."""
        sale = self.sale_of(machine)
        if sale is None or sale.list_price is None or sale.list_currency is None:
            return ""
        return self.wording.money(sale.list_price, sale.list_currency)

    def sale_of(self, machine: Mapping[str, Any] | None) -> SaleFacts | None:
        return self.sold.get(_sold_as(machine)) if machine else None

    def machine_of(self, asked: RequirementArgs) -> Mapping[str, Any] | None:
        """The one that a must is tested on."""
        if asked.model:
            return self.machines.get(part_key(asked.model))
        return next((item.machine for item in self.of_role("item") if item.machine), None)

    @property
    def needs(self) -> tuple[Need, ...]:
        return tuple(need for must in self.musts for need in must.needs)

    def needs_on(self, machine: Mapping[str, Any]) -> tuple[Need, ...]:
        """Those of the musts that are tested on the machine."""
        return tuple(need for must in self.musts for need in must.needs
                     if (own := self.machine_of(must.asked)) and own["model"] == machine["model"])  # fmt: skip

    @property
    def recurring(self) -> list[tuple[str, Decimal]]:
        return [(period, value) for period in ("month", "year") if (value := self.sum_of(period)) is not None]

    @property
    def ordered(self) -> Sequence[StoredQuote]:
        """The quotes that make the letter's total."""
        return self.quotes if self.content.together else self.quotes[:1]

    @property
    def further(self) -> Sequence[StoredQuote]:
        """Those offered beside it, each with a total of its own."""
        return self.quotes[len(self.ordered) :]


def _sold_as(machine: Mapping[str, Any]) -> sales.Name:
    return str(machine["manufacturer"]), str(machine["model"])


def _must(asked: RequirementArgs, attributes: Attributes) -> Must:
    if asked.attribute is None or asked.is_ is None:
        return Must(asked)
    return Must(asked, *needs_of([NeedRow(attribute=asked.attribute, is_=asked.is_)], attributes=attributes))


class Gathered(GoodsReader):
    """Reads the grounds of one draft; ``problems`` collects whatever is wrong, so that it is told in one answer."""

    def __init__(self, connection: Connection, content: DraftArgs, *, tenant: str, templates: Path) -> None:
        super().__init__(connection, content)
        self._tenant, self._templates = tenant, templates

    def grounds(self) -> Grounds:
        """Raises a ToolError with all that is wrong."""
        account, customer = self._customer()
        own = next(iter(self._rows(queries.HOUSE)), {})
        language = self._language(account, own.get("language"))
        stored = [each for place, number in enumerate(self._content.quote_ids)
                  if (each := self._quote(number, place, account=account))]  # fmt: skip
        attributes = attributes_of(self._tenant)
        machines = self._machines()
        lines = self._past_lines(customer, machines)
        currency = self._currency(stored, account)
        reader = Reader(attributes.units, frozenset(prices.currencies(self._connection)))
        passages = self._passages(lines, reader)
        wording = wording_of(self._templates, language, country(account) if account else "")
        items = self._items(stored, account, own, passages, currency=currency, wording=wording)
        if self.problems or currency is None:
            raise refusal(self.problems)
        market = Market(account["segment"], account["country"]) if account else None
        named = {_sold_as(row) for row in (*machines.values(), *(one.machine for one in items)) if row}
        sold = sales.facts(self._tenant, named, currency=currency, market=market)
        families = {str(item.machine["family"]) for item in items if item.machine and item.role == "item"}
        system = beside(self._content.units, tenant=self._tenant)
        units = CustomersUnits(reader=reader, attributes=attributes, beside=system, wording=wording)
        units = as_written(units, self._content)
        terms = house.defaults(self._connection, account_id=account["id"] if account else None).payment_terms
        agreed = {"payment_terms": payment(terms, labels=wording.labels)} if terms else {}
        said = (own.get("facts") or {}) | agreed
        last = next((row["salesperson"] for row in self._rows(queries.SALESPERSON, customer=customer)), "")
        return Grounds(
            content=self._content,
            today=datetime.now(UTC).date(),
            wording=wording,
            units=units,
            attributes=attributes,
            currency=currency,
            customer=customer,
            signed_by=self._content.signed_by or last,
            account=account,
            quotes=stored,
            items=[
                replace(one, name=units.text(one.name), sale=sold.get(_sold_as(one.machine)) if one.machine else None)
                for one in items
            ],
            musts=[_must(each, attributes) for each in self._content.requirements],
            machines=machines,
            lines=lines,
            house=said | ({DELIVERY: term} if (term := self._delivery(account, said)) else {}),
            relations=catalogue.relations(self._connection, product_ids=[item.product_id for item in items]),
            went_with=sold_with.usual(self._tenant, families, currency=currency),
            sold=sold,
            policy=prices.policy(self._connection, segment=account["segment"]) if account else None,
            rates=prices.rates(self._connection, on=quotes.today(self._connection)),
        )

    def _customer(self) -> tuple[DictRow | None, str]:
        asked = self._content.account_id
        if asked is None:
            if not self._content.customer:
                self._wrong("account_id", "Say whom the letter is for: account_id, or customer.", code="MISSING")
            return None, self._content.customer or ""
        found = next(iter(self._rows(queries.ACCOUNT, name=asked)), None)
        if found is None or found["id"] != asked:
            near = prices.accounts_alike(self._connection, asked)
            hint = f"Nearest: {', '.join(near)}." if near else "Give customer where there is no account."
            self._wrong("account_id", f"No account '{asked}'. {hint}")
            return None, ""
        row: DictRow = found["row"]
        return row, str(row["name"])

    def _delivery(self, account: DictRow | None, said: Mapping[str, str]) -> str | None:
        """The draft's own term, else the account's, else the house's for the account's country or for all."""
        country = str(account["country"]).lower() if account else ""
        of_account = account.get("delivery_terms") if account else None
        return self._content.delivery or of_account or said.get(f"{DELIVERY}_{country}") or said.get(DELIVERY)

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
            named: Any = {"quote_id": version.quote_id, "version": version.version}
            asked = approvals.undecided(self._connection, **named)
            return StoredQuote(version=version, lines=quotes.lines(self._connection, **named), asked=asked)
        return None

    def _currency(self, stored: Sequence[StoredQuote], account: DictRow | None) -> str | None:
        account_id = account["id"] if account else None
        said = house.defaults(self._connection, account_id=account_id).currency
        currencies = dict.fromkeys(each.version.currency for each in stored)
        if len(currencies) > 1:
            message = f"A letter is in one currency, and these are in {', '.join(currencies)}: write one for each."
            self._wrong("quote_ids", message, code="NOT_ALLOWED")
        currency = next(iter(currencies), said)
        if currency is None:
            self._wrong("account_id", "Neither account nor house names a currency.", code="MISSING")
        return currency

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

    def _language(self, account: DictRow | None, own: str | None) -> str:
        layouts = self._templates / "pdf"
        known, asked = languages(layouts), self._content.language
        if asked and asked not in known:
            self._wrong("language", f"No labels in '{asked}': there are {', '.join(known)}.")
        wanted = asked or (language_of(account, layouts) if account else None) or own
        return wanted if wanted is not None and wanted in known else "en"
