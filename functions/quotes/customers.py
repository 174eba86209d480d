"""The customer of a request: its account and its own past quotes, kept apart from those of similar names."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from quarry.data import database
from quarry.money import plainly, with_code
from quarry.precedents import accounts
from quarry.precedents.list_prices import Market, priced
from quarry.text import goods_named, part_key
from quarry.tool.contract import OpaquePart
from quarry.tool.identity import Caller
from quotes import queries

MOST_SIMILAR = 4
_PLACE = re.compile(r"[,(;]")
LINES_TOLD = 8


class KnownCustomer(OpaquePart):
    name: str = Field(description="As on record, or as given.")
    account_id: str | None = Field(default=None, description="For quote_create; unset: no account of that very name.")
    addressee: str | None = Field(default=None, description="Whom a quote is addressed to.")
    currency: str | None = Field(default=None, description="The account's, else that of its newest quote.")
    country: str | None = Field(default=None, description="The account's.")
    segment: str | None = Field(default=None, description="The account's: prices and policies depend on it.")
    discount: str | None = Field(default=None, description="Its own, by group of goods and on the rest.")
    free_discount_pct: float | None = Field(default=None, description="What a quote has off without approval.")
    free_payment_days: int | None = Field(default=None, description="Days to pay that need none.")
    free_validity_days: int | None = Field(default=None, description="Days that an offer may stand without.")
    payment_terms: str | None = Field(default=None, description="Agreed with the account; unset: the house's.")
    terms: str | None = Field(default=None, description="Terms of its newest quote, with its number.")
    open_quotes: list[str] | None = Field(default=None, description="Revise one rather than make a second.")
    history: list[str] | None = Field(default=None, description="This very company's past quotes, newest first.")
    similar: list[str] | None = Field(default=None, description="Other companies: nothing of theirs in the letter.")


@dataclass(frozen=True, slots=True)
class OnRecord:
    """A customer, if one is named, with the industries of its past quotes, the keys of models that it ``had`` in the
    newest of these, and the ``market`` that its price books depend on.
    """

    customer: KnownCustomer | None = None
    market: Market | None = None
    industries: frozenset[str] = frozenset()
    company_key: str | None = None
    had: frozenset[str] = frozenset()

    @property
    def is_new(self) -> bool:
        return self.customer is None or (self.customer.account_id is None and self.customer.history is None)


NOBODY = OnRecord()


def known(caller: Caller, name: str) -> OnRecord:
    """Looks a company up by its name or its account's id; accounts are read only for callers who may read them.

    Where nobody has the whole name, what follows a comma, a semicolon or a bracket is taken for a place and dropped.
    """
    found, short = _look_up(caller, name), _PLACE.split(name, maxsplit=1)[0].strip()
    if found.is_new and short and short != name and not (again := _look_up(caller, short)).is_new:
        return again
    return found


def _look_up(caller: Caller, name: str) -> OnRecord:
    account, others, new = _account(caller, name) if caller.may("cpq:read") else (None, [], {})
    name = account["name"] if account else name
    key = (account["company_key"] if account else accounts.company_key(caller.tenant, name)) or ""
    keys = queries.customers(caller.tenant)
    same = [each for each in keys if key and keys[each] == key]
    part = [each for each in keys if each not in same and len(key) > 2 and key in part_key(each)]
    similar = list(dict.fromkeys([*part, *others]))
    if not same and account is None and not similar:
        similar = accounts.names_near(name, keys, key=lambda each: keys.get(each, key) or each)
    rows, lines = queries.history(caller.tenant, customers=same) if same else ([], [])
    terms = next((f"{row['terms']} ({row['quote_number']})" for row in rows if row["terms"]), None)
    paid = next((row["currency"] for row in rows), None)
    own = account or {"name": same[0] if same else name, "currency": paid, **new}
    customer = KnownCustomer.model_validate(
        {
            **own,
            "discount": _discount(account) if account else None,
            "terms": terms,
            "open_quotes": [_open(quote) for quote in own.get("open_quotes", ())] or None,
            "history": [_past(row, lines) for row in rows] or None,
            "similar": similar[:MOST_SIMILAR] or None,
        },
        extra="ignore",
    )
    market = Market(account["segment"], account["country"]) if account else None
    industries = frozenset(row["industry"] for row in rows if row["industry"])
    had = frozenset(part_key(line["model"]) for line in lines if line["model"])
    return OnRecord(customer, market, industries, key or None, had)


def _account(caller: Caller, name: str) -> tuple[Mapping[str, Any] | None, Sequence[str], Mapping[str, Any]]:
    """Returns (the account of exactly that company or id, the names of accounts that only resemble it, what a company
    without an account has without approval).
    """
    with database.transaction(caller.tenant) as connection:
        _, rows, _ = accounts.search(connection, name, limit=5, offset=0)
        same = [row for row in rows if row["matched"] == "exactly"]
        new = {} if same else accounts.free_of_prospects(connection)
    others = [row["name"] for row in rows if row["matched"] == "name" and row not in same]
    return (same[0] if same else None), others, new


def _discount(account: Mapping[str, Any]) -> str | None:
    own = [f"{plainly(account['discount_pct'])} %"] if account["discount_pct"] else []
    return ", ".join([*account["discounts"], *own]) or None


def _open(quote: Mapping[str, Any]) -> str:
    total = f", {quote['total']} {quote['currency']}" if quote["total"] else ""
    goods = f": {quote['contents']}" if quote["contents"] else ""
    return f"{quote['quote_id']} ({quote['status']}{total}, until {quote['valid_until']}){goods}"


def _past(row: Mapping[str, Any], lines: Sequence[Mapping[str, Any]]) -> str:
    total = f", {with_code(row['total'], row['currency'])}" if row["total"] is not None else ""
    own = [line for line in lines if line["quote_number"] == row["quote_number"]]
    goods = "; ".join(_bought(line) for line in own[:LINES_TOLD])
    about = f": {row['project']}" if row["project"] else ""
    told = f"{row['quote_number']}, {row['quote_date']}, {row['status']}{about}{total}"
    why = f" ({row['price_rationale']})" if row["status"] == "lost" and row["price_rationale"] else ""
    return f"{told}{why} [{goods}]" if goods else f"{told}{why}"


def _bought(line: Mapping[str, Any]) -> str:
    """Writes a past line as its number, quantity, goods and unit price."""
    what = goods_named(line["manufacturer"], line["model"]) or str(line["category"]).lower()
    amount = line["unit_price"]
    price = f" {priced(amount, line['currency'], line['unit'])}" if amount is not None else ""
    several = f"{plainly(line['quantity'])} × " if line["quantity"] and line["quantity"] != 1 else ""
    return f"/{line['position']} {several}{what}{price}"
