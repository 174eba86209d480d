"""The customer of a request: the account and the past quotes of that very company, similar names apart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from quarry.data import database
from quarry.money import with_code, written
from quarry.precedents import accounts
from quarry.spelling import alike
from quarry.tool.contract import Part
from quarry.tool.identity import Caller
from quarry.understanding.names import company_key, without_form
from quarry.understanding.quote_traits import quote_traits
from quarry.understanding.text import fold, key_of
from quotes.drafting import queries

MOST_SIMILAR = 4
OUTCOMES = ("won", "open", "lost")
LINES_TOLD = 8
SIZE = (("hp", "HP"), ("cfm", "cfm"), ("dewpoint_f", "°F"), ("gallons", "gal"))


class KnownCustomer(Part):
    name: str = Field(description="As on record, or as given.")
    account_id: str | None = Field(default=None, description="For quote_create; unset: no account of that very name.")
    addressee: str | None = Field(default=None, description="Whom a quote is addressed to.")
    currency: str | None = Field(default=None, description="The account's.")
    country: str | None = Field(default=None, description="The account's.")
    open_quotes: list[str] | None = Field(default=None, description="Revise one rather than make a second.")
    history: list[str] | None = Field(default=None, description="This very company's past quotes, newest first.")
    similar: list[str] | None = Field(default=None, description="Other companies: nothing of theirs in the letter.")


@dataclass(frozen=True, slots=True)
class Market:
    """What the price books of an account depend on."""

    segment: str
    country: str | None


@dataclass(frozen=True, slots=True)
class OnRecord:
    """``names`` are those of its past quotes; ``bought`` are the products on these, won before open before lost, the
    newest first; ``currency`` is what it pays in, by its account, its past or its request; ``terms`` are sentences.
    """

    customer: KnownCustomer
    names: Sequence[str]
    bought: Sequence[Mapping[str, Any]]
    currency: str | None
    terms: Sequence[str]
    market: Market | None = None
    industries: frozenset[str] = frozenset()
    """Of its past quotes."""


def name_by_id(caller: Caller, text: str) -> str | None:
    """The name of the account that has this very id."""
    if not caller.may("cpq:read") or " " in text:
        return None
    with database.transaction(caller.tenant) as connection:
        _, rows = accounts.search(connection, text, limit=1, offset=0)
    return rows[0]["name"] if rows and rows[0]["account_id"] == text.lower() else None


def known(caller: Caller, name: str, *, told: str | None) -> OnRecord:
    """What is on record of the company; its account only for a caller who may read accounts. ``told`` is the currency
    that the request tells, where nothing on record does.
    """
    key = company_key(name)
    parts = dict.fromkeys((key, key_of(without_form(fold(name).strip()))))  # the latter has the s of St. Brendan's
    past = [row for part in parts if part for row in queries.customers_named(caller.tenant, part=part)]
    same = list(dict.fromkeys(row["customer"] for row in past if company_key(row["customer"]) == key))
    account, others = _account(caller, name, key=key) if caller.may("cpq:read") else (None, [])
    similar = list(dict.fromkeys([*(row["customer"] for row in past if row["customer"] not in same), *others]))
    if not same and account is None and not similar:
        near = alike(name, queries.customer_names(caller.tenant))
        same = [each for each in near if company_key(each) == key]
        similar = [each for each in near if each not in same]
        if same and caller.may("cpq:read"):
            account, _ = _account(caller, same[0], key=key)
    rows, lines = queries.history(caller.tenant, customers=same) if same else ([], [])
    goods = [line for line in lines if line["family"] != "service"]
    bought = sorted(goods, key=lambda row: (OUTCOMES.index(row["status"]), -row["quote_date"].toordinal()))
    customer = KnownCustomer(
        name=account["name"] if account else same[0] if same else name,
        account_id=account["account_id"] if account else None,
        addressee=account["addressee"] if account else None,
        currency=account["currency"] if account else None,
        country=account["country"] if account else None,
        open_quotes=[_open(quote) for quote in account["open_quotes"]] or None if account else None,
        history=[_past(row, lines) for row in rows] or None,
        similar=similar[:MOST_SIMILAR] or None,
    )
    paid = customer.currency or next((row["currency"] for row in rows), None) or told
    abroad = paid if paid != queries.house_currency(caller.tenant) else None
    granted = queries.terms(caller.tenant, customers=same, currency=abroad)
    terms = {row["terms"]: _granted(row, abroad) for row in reversed(granted)}
    market = Market(account["segment"], account["country"]) if account else None
    told_terms = [*reversed(terms.values()), *_by_contract(rows)]
    industries = frozenset(row["industry"] for row in rows if row["industry"])
    return OnRecord(customer, same, bought, paid, told_terms, market, industries)


def _by_contract(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """How the company's newest quote was priced that had the prices of a purchasing group or a contract."""
    priced = (row for row in rows if row["status"] != "lost" and "gpo" in quote_traits(row).get("price", ()))
    return [f"Priced by group or contract: {row['price_rationale']} ({row['quote_number']})" for row in priced][:1]


def _granted(row: Mapping[str, Any], currency: str | None) -> str:
    if row["own"]:
        return f"This customer's own terms: {row['terms']} ({row['newest']})"
    where = f"{row['quotes']} of {row['of_quotes']} quotes; newest {row['newest']}"
    return f"Terms in {currency}: {row['terms']} ({where})"


def _account(caller: Caller, name: str, *, key: str) -> tuple[Mapping[str, Any] | None, Sequence[str]]:
    """(the account of that very company, names of those that only resemble it)."""
    with database.transaction(caller.tenant) as connection:
        _, rows = accounts.search(connection, name, limit=5, offset=0)
        if not rows and key != key_of(name):
            _, rows = accounts.search(connection, key, limit=5, offset=0)
    same = [row for row in rows if row["matched"] == "exactly" or company_key(row["name"]) == key]
    named = [row["name"] for row in rows if row["matched"] == "name" and row not in same]
    return (same[0] if same else None), named


def _open(quote: Mapping[str, Any]) -> str:
    total = f", {quote['total']} {quote['currency']}" if quote["total"] else ""
    goods = f": {quote['contents']}" if quote["contents"] else ""
    return f"{quote['quote_id']} ({quote['status']}{total}, until {quote['valid_until']}){goods}"


def _past(row: Mapping[str, Any], lines: Sequence[Mapping[str, Any]]) -> str:
    total = f", {with_code(row['total_price'], row['currency'])}" if row["total_price"] is not None else ""
    own = [line for line in lines if line["quote_number"] == row["quote_number"]]
    goods = "; ".join(_bought(line) for line in own[:LINES_TOLD])
    told = f"{row['quote_number']}, {row['quote_date']}, {row['status']}: {row['project']}{total}"
    why = f" ({row['price_rationale']})" if row["status"] == "lost" and row["price_rationale"] else ""
    return f"{told}{why} [{goods}]" if goods else f"{told}{why}"


def _bought(line: Mapping[str, Any]) -> str:
    """A machine with its size and its price for one, a service with all that it cost."""
    if line["family"] == "service":
        whole = line["extended_price"] if line["extended_price"] is not None else line["unit_price"]
        return str(line["category"]).lower() + (f" {written(whole, line['currency'])}" if whole else "")
    size = ", ".join(f"{line[name]:g} {unit}" for name, unit in SIZE if line[name] is not None)
    price = f" {written(line['unit_price'], line['currency'])}" if line["unit_price"] is not None else ""
    several = f"{line['quantity'].normalize():f} × " if line["quantity"] and line["quantity"] != 1 else ""
    return f"{several}{line['manufacturer']} {line['model']}{f' ({size})' if size else ''}{price}"
