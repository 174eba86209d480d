"""How a quote's codes read on paper: terms, units, addresses, attributes, file names."""

import re
import unicodedata
from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from cpq.documents.content import Attribute
from cpq.pricing.arithmetic import shown
from cpq.pricing.books import periods
from quarry.precedents.price_history import recurring

BILLING = {"one_time": "Once", "monthly": "Monthly", "quarterly": "Quarterly", "annual": "Annually"}


CODE_BEFORE_CITY = {
    "AT", "BE", "BG", "CH", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GR", "HR", "HU", "IS", "IT", "LI", "LT",
    "LU", "MC", "ME", "MK", "MX", "NL", "NO", "PL", "PT", "RO", "RS", "SE", "SI", "SK", "SM", "TR", "VA",
}  # fmt: skip
"""Countries whose postal code stands before the town (Universal Postal Union, addressing systems)."""


def months(count: int | None) -> str | None:
    if count is None:
        return None
    return f"{count} month" if count == 1 else f"{count} months"


def billing(code: str) -> str:
    return BILLING.get(code) or _words(code)


def unit(code: str | None, *, term_months: int | None) -> str | None:
    """What the unit price buys and how often it is charged, "per seat per month × 12"; None for one piece, once."""
    if code is None or code == "per_unit":
        return None
    words = code.replace("_", " ")
    if not recurring(code) or term_months is None:
        return words
    times = periods(code, term_months=term_months)
    if times.denominator == 1:
        return words if times == 1 else f"{words} × {times}"
    return f"{words} × {times.numerator}/{times.denominator}"


def address(account: Mapping[str, Any]) -> list[str]:
    """The billing address, else the one goods go to, without its country, which a layout writes out."""
    place = account.get("billing_address") or account.get("shipping_address") or {}
    city, region, code = (place.get(name) for name in ("city", "region", "postal_code"))
    if (place.get("country") or account.get("country")) in CODE_BEFORE_CITY:
        town = ", ".join(filter(None, (" ".join(filter(None, (code, city))), region)))
    else:
        town = " ".join(filter(None, (", ".join(filter(None, (city, region))), code)))
    return [*place.get("lines", []), *filter(None, [town])]


def country(account: Mapping[str, Any]) -> str:
    place = account.get("billing_address") or account.get("shipping_address") or {}
    return str(place.get("country") or account["country"])


def attributes(values: Mapping[str, Any]) -> list[Attribute]:
    return [Attribute(name=_words(name), value=_value(value)) for name, value in values.items() if value is not None]


def percent(value: Decimal | None, *, decimals: int = 4) -> Decimal | None:
    """The percentage with at most so many decimals and no trailing zeros; None where there is none or it is zero."""
    return Decimal(shown(value.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP))) if value else None


def role(code: str) -> str:
    return _words(code)


def file_name(customer: str, *, quote_id: str, version: int) -> str:
    """Acme_Corp_Q-2026-0042_v1.pdf; of a name in another script only the number is left."""
    plain = unicodedata.normalize("NFKD", customer).encode("ascii", "ignore").decode()
    name = re.sub(r"[^A-Za-z0-9]+", "_", plain).strip("_")[:60]
    return "_".join(filter(None, (name, quote_id, f"v{version}"))) + ".pdf"


def _words(code: str) -> str:
    words = code.replace("_", " ").strip()
    return words[:1].upper() + words[1:]


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(_value, value))
    return str(value)
