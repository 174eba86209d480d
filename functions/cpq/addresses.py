"""Postal addresses as lines of text, in the order of their country."""

from collections.abc import Mapping
from typing import Any

from quarry.text import fold

CODE_BEFORE_CITY = {
    "AD", "AL", "AR", "AT", "AX", "AZ", "BA", "BE", "BG", "BL", "BY", "CH", "CL", "CV", "CY", "CZ", "DE", "DK",
    "DO", "DZ", "EE", "EH", "ES", "ET", "FI", "FO", "FR", "GE", "GF", "GL", "GN", "GP", "GR", "GT", "GW", "HR",
    "HT", "HU", "IS", "IT", "KG", "KW", "LA", "LI", "LR", "LT", "LU", "MA", "MC", "MD", "ME", "MF", "MG", "MK",
    "MQ", "MX", "MY", "MZ", "NC", "NE", "NL", "NO", "PF", "PL", "PM", "PT", "PY", "RE", "RO", "RS", "SE", "SI",
    "SJ", "SK", "SM", "SN", "SV", "TJ", "TM", "TN", "TR", "TZ", "UY", "UZ", "VA", "WF", "XK", "YT", "ZM",
}  # fmt: skip
"""Countries whose postal code stands before the town (Universal Postal Union, addressing systems)."""


def lines_of(place: Mapping[str, Any], *, country: str | None) -> list[str]:
    """Returns the address without its country; ``country`` is the account's, for a place that names none."""
    city, region, code = (place.get(name) for name in ("city", "region", "postal_code"))
    if (place.get("country") or country) in CODE_BEFORE_CITY:
        town = ", ".join(filter(None, (" ".join(filter(None, (code, city))), region)))
    else:
        town = " ".join(filter(None, (", ".join(filter(None, (city, region))), code)))
    # A list of customers may have the town among its lines and again in a column of its own.
    said = {fold(part) for part in (code, city, town, f"{code} {city}") if part}
    return [*(line for line in place.get("lines", []) if fold(line) not in said), *filter(None, [town])]


def one_line(place: Mapping[str, Any] | None, *, country: str) -> str | None:
    """Returns the address with its country where that is not the account's; None where nothing is on record."""
    if not place:
        return None
    abroad = place.get("country") if place.get("country") != country else None
    return ", ".join([*lines_of(place, country=country), *filter(None, [abroad])]) or None
