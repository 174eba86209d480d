"""The grounds of a draft: the rows that its ids name, read at one moment; all that is wrong is told at once."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from decimal import Decimal
from string import ascii_uppercase
from typing import Any, NamedTuple

from psycopg.rows import DictRow

from cpq.approvals import queries as approvals
from cpq.catalogue import queries as catalogue
from cpq.catalogue.configuration import Relation
from cpq.documents import queries as documents
from cpq.documents.composition import StoredQuote
from cpq.documents.wording import payment, unit
from cpq.drafts import queries
from cpq.drafts.figures import Reader
from cpq.drafts.goods import DraftedItem, GoodsReader, Offer
from cpq.drafts.proven import ProvenLine
from cpq.drafts.value import DraftArgs, RequirementArgs, Role
from cpq.drafts.wording import CustomersUnits, LetterWording, customers_units
from cpq.pricing import queries as prices
from cpq.pricing.arithmetic import Rate
from cpq.pricing.outdated import outdated
from cpq.pricing.policies import Policy
from cpq.quotes import queries as quotes
from cpq.quotes.drafting import refusal
from quarry.attributes.model import Attribute, Attributes
from quarry.characteristics import label_of
from quarry.needs.arguments import NeedRow, needs_of
from quarry.needs.model import Need, Unread
from quarry.precedents import sales, sold_with
from quarry.precedents.list_prices import Market
from quarry.precedents.sales import SaleFacts
from quarry.retrieval.here import AGAIN_S, attributes_of, beside
from quarry.text import alike, part_key

DELIVERY = "delivery"
"""The house's fact with its term of delivery; delivery_at is the one for Austria."""


class Must(NamedTuple):
    """A requirement with the needs read from it, or why they cannot be read."""

    asked: RequirementArgs
    needs: Sequence[Need] = ()
    unread: Sequence[Unread] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounds:
    """The rows that a draft rests on: ``machines`` of the catalogue, ``services`` that facts name and ``compared``
    models that are for sale by part_key, past ``lines`` by their names. ``abroad`` names the customer's country where
    it is not the house's, ``unnamed`` are goods without a name in the letter's language.
    """

    content: DraftArgs
    today: date
    wording: LetterWording
    own_language: str
    units: CustomersUnits
    attributes: Attributes
    currency: str
    customer: str
    signed_by: str
    writers: Sequence[str]
    """Who wrote the newest quotes, where nobody is known to sign."""
    account: Mapping[str, Any] | None
    abroad: str
    unnamed: Collection[str]
    quotes: Sequence[StoredQuote]
    items: Sequence[DraftedItem]
    musts: Sequence[Must]
    machines: Mapping[str, Mapping[str, Any]]
    services: Mapping[str, DraftedItem]
    compared: Mapping[str, DraftedItem]
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
        """Sums items paid once ("") or each ``period``; None without any, or while a price is missing."""
        amounts = [item.amount for item in self.of_role("item") if item.per == period]
        priced = [each for each in amounts if each is not None]
        return sum(priced, Decimal(0)) if amounts and len(priced) == len(amounts) else None

    def label(self, attribute: Attribute) -> str:
        return label_of(attribute, self.wording.language, house=self.attributes.language)

    def money(self, value: Decimal) -> str:
        return self.wording.money(value, self.currency)

    def list_price(self, machine: Mapping[str, Any]) -> str:
        """Returns the list price with its currency; empty where no book has it that holds for the customer."""
        sale = self.sale_of(machine)
        listed = sale.listed if sale else None
        if listed is None or listed.price is None or listed.whose:
            return ""
        buys = unit(listed.unit, term_months=None, labels=self.wording.labels)
        return " ".join(filter(None, [self.wording.money(listed.price, listed.currency), buys]))

    def sale_of(self, machine: Mapping[str, Any] | None) -> SaleFacts | None:
        return self.sold.get(_sold_as(machine)) if machine else None

    @property
    def offers(self) -> Sequence[Offer]:
        """The first quote and those offered in its place, whose most expensive machine is of the same family; empty
        where there are none.
        """
        found = [offer for quote in self.quotes if (offer := self._offer(quote))] if self.further else []
        found = [offer for offer in found if offer.machine["family"] == found[0].machine["family"]]
        return found if len(found) > 1 and found[0].quote is self.quotes[0] else []

    @property
    def ways(self) -> list[str]:
        """Names of the offers with a letter each, as columns of prices, boxes to tick and the page refer to them."""
        offers = self.offers
        named = (self._told_apart(each, offers) for each in offers)
        return [f"{letter}: {name}" for letter, name in zip(ascii_uppercase, named, strict=False)]

    def _told_apart(self, offer: Offer, offers: Sequence[Offer]) -> str:
        """Names an offer; of several with one name also by the most expensive of its goods that only it has."""
        alike = {each.item.quote for each in offers if each.name == offer.name} - {offer.item.quote}
        theirs = {item.product_id for item in self.items if item.quote in alike}
        own = [item for item in self.items if item.quote == offer.item.quote and item.product_id not in theirs]
        if not alike or not own:
            return offer.name
        only = max(own, key=lambda item: (item.machine is not None, _amount(item)))
        if only == offer.item:
            return offer.name.replace(only.short, only.name)
        return f"{offer.name} + {only.short.partition(':')[0]}"

    def _offer(self, quote: StoredQuote) -> Offer | None:
        machines = [one for one in self.items if one.machine and one.quote == quote.version.quote_id]
        dearest = max(machines, key=_amount, default=None)
        if dearest is None or dearest.machine is None:
            return None
        family = dearest.machine["family"]
        others = [one for one in machines if one.machine and one.machine["family"] == family]
        return Offer(quote, dearest, [one for one in others if one.product_id != dearest.product_id])

    def machine_of(self, asked: RequirementArgs) -> Mapping[str, Any] | None:
        """Returns the machine that a requirement is tested on; None where there is none."""
        if asked.model:
            return self.machines.get(part_key(asked.model))
        if self.offers:
            return self.offers[0].machine
        return next((item.machine for item in self.of_role("item") if item.machine), None)

    def needs(self, is_meant: Callable[[Mapping[str, Any]], bool] = lambda _: True) -> tuple[Need, ...]:
        """Returns the needs of the requirements that are tested on a machine that is meant."""
        return tuple(need for must in self.musts for need in must.needs
                     if (own := self.machine_of(must.asked)) and is_meant(own))  # fmt: skip

    def needs_on(self, machine: Mapping[str, Any]) -> tuple[Need, ...]:
        """Returns the needs of the requirements that are tested on the machine, or on one offered in its place."""
        offered = {offer.machine["model"] for offer in self.offers}
        here = offered if machine["model"] in offered else {machine["model"]}
        return self.needs(lambda own: own["model"] in here)

    @property
    def recurring(self) -> list[tuple[str, Decimal]]:
        return [(period, value) for period in ("month", "year") if (value := self.sum_of(period)) is not None]

    @property
    def ordered(self) -> Sequence[StoredQuote]:
        """The quotes that make the letter's total."""
        return self.quotes if self.content.together else self.quotes[:1]

    @property
    def further(self) -> Sequence[StoredQuote]:
        """The quotes that are offered beside the ordered ones, each with a total of its own."""
        return self.quotes[len(self.ordered) :]

    @property
    def offered(self) -> Sequence[StoredQuote]:
        """The quotes of which the customer takes one, else those that make the letter's total."""
        return [offer.quote for offer in self.offers] or self.ordered

    @property
    def apart(self) -> Sequence[StoredQuote]:
        """The further quotes that take no other one's place."""
        instead = [offer.quote for offer in self.offers]
        return [quote for quote in self.further if quote not in instead]


def _amount(item: DraftedItem) -> Decimal:
    return item.amount or Decimal(0)


def _sold_as(machine: Mapping[str, Any]) -> sales.Name:
    return str(machine["manufacturer"]), str(machine["model"])


def _must(asked: RequirementArgs, attributes: Attributes) -> Must:
    if asked.attribute is None or asked.is_ is None:
        return Must(asked)
    return Must(asked, *needs_of([NeedRow(attribute=asked.attribute, is_=asked.is_)], attributes=attributes))


class Gathered(GoodsReader):
    """Reads the grounds of one draft; ``problems`` collects whatever is wrong, so that it is told in one answer."""

    def grounds(self) -> Grounds:
        """Reads the grounds. Raises a ToolError with all that is wrong."""
        account, content = self._account, self._content
        stored = [each for place, number in enumerate(content.quote_ids) if (each := self._quote(number, place))]
        attributes = attributes_of(self._tenant, kept_s=AGAIN_S)
        machines = self._machines()
        lines = self._past_lines(machines)
        currency = self._currency(stored)
        reader = Reader(attributes.units, frozenset(prices.currencies(self._connection)))
        items = self._items(stored, lines, reader, currency=currency)
        if self.problems or currency is None:
            raise refusal(self.problems)
        market = Market(account["segment"], account["country"]) if account else None
        named = {_sold_as(row) for row in (*machines.values(), *(one.machine for one in items)) if row}
        families = {str(one.machine["family"]) for one in items if one.machine and one.role == "item"}
        sold = sales.facts(self._tenant, named, currency=currency, market=market)
        asked, house = (beside(each, tenant=self._tenant) for each in (content.units, None))
        wrote = [] if content.signed_by else self._rows(queries.SALESPERSON, customer=self._customer)
        signed_by = content.signed_by or next((row["salesperson"] for row in wrote), "")
        units = customers_units(reader, attributes, self._wording, content, asked=asked, house=house)
        return Grounds(
            content=content,
            today=datetime.now(UTC).date(),
            wording=self._wording,
            own_language=self._own_language,
            units=units,
            attributes=attributes,
            currency=currency,
            customer=self._customer,
            signed_by=signed_by,
            writers=[] if signed_by else [row["salesperson"] for row in self._rows(queries.WRITERS)],
            account=account,
            abroad=self._abroad,
            unnamed=self._unnamed,
            quotes=stored,
            items=[replace(one, name=units.name(one.name, one.short if one.machine else ""),
                           sale=sold.get(_sold_as(one.machine)) if one.machine else None) for one in items],
            musts=[_must(each, attributes) for each in content.requirements],
            machines=machines,
            services=self._one_of_each(self._services, {}, currency=currency),
            compared=self._compared(stored, currency=currency),
            lines=lines,
            house=self._facts_of_house(),
            relations=catalogue.relations(self._connection, product_ids=[item.product_id for item in items]),
            went_with=sold_with.usual(self._tenant, families, currency=currency),
            sold=sold,
            policy=prices.policy(self._connection, segment=account["segment"]) if account else None,
            rates=prices.rates(self._connection, on=quotes.today(self._connection)),
        )  # fmt: skip

    def _facts_of_house(self) -> dict[str, str]:
        """Returns the house's facts with its terms for this customer. The term of delivery is the draft's, else the
        account's, else the house's for the account's country or for all.
        """
        said = dict[str, str](self._own.get("facts") or {})
        if terms := self._defaults.payment_terms:
            said["payment_terms"] = payment(terms, labels=self._wording.labels)
        at = str(self._account["country"]).lower() if self._account else ""
        of_account = self._account.get("delivery_terms") if self._account else None
        if term := self._content.delivery or of_account or said.get(f"{DELIVERY}_{at}"):
            said[DELIVERY] = term
        return said

    def _quote(self, number: str, place: int) -> StoredQuote | None:
        version = quotes.version(self._connection, quote_id=number)
        path = f"quote_ids[{place}]"
        if version is None:
            near = alike(number, quotes.newest_ids(self._connection))
            self._wrong(path, f"No quote '{number}'. " + (f"Nearest: {', '.join(near)}." if near else ""))
        elif self._account is None or version.account_id != self._account["id"]:
            message = f"{number} is another account's: give its account_id, or leave the quote out."
            self._wrong(path, message, code="NOT_ALLOWED")
        elif version.status == "discarded":
            self._wrong(path, f"{number} was discarded.", code="NOT_ALLOWED")
        else:
            asked = approvals.undecided(self._connection, quote_id=version.quote_id, version=version.version)
            given = approvals.given(self._connection, version, content_hash=version.content_hash)
            quote = prices.quoted(self._connection, quote_id=version.quote_id, version=version.version)
            old = outdated(self._connection, version, quote=quote)
            return replace(
                documents.with_lines(self._connection, version), asked=asked, approvals=given, outdated=old
            )
        return None

    def _currency(self, stored: Sequence[StoredQuote]) -> str | None:
        currencies = dict.fromkeys(each.version.currency for each in stored)
        if len(currencies) > 1:
            message = f"A letter is in one currency, and these are in {', '.join(currencies)}: write one for each."
            self._wrong("quote_ids", message, code="NOT_ALLOWED")
        currency = next(iter(currencies), self._defaults.currency)
        if currency is None:
            self._wrong("account_id", "Neither account nor house names a currency.", code="MISSING")
        return currency
