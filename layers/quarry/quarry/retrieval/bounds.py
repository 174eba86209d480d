"""Limits within which the columns of a row are worth a look, whatever its words are."""

from collections.abc import Mapping

from quarry.understanding.countries import CURRENCIES
from quarry.understanding.extremes import extreme_of, ordering
from quarry.understanding.needs import Item
from quarry.understanding.text import key_of
from quarry.understanding.words_fit import QUIET_DBA

TELLING_WORDS = frozenset(("industry", "use", "compression", "cooling", "drive", "voltage", "accessory_kind"))

CLOSE = {"hp": (0.75, 1.34), "cfm": (0.95, 2.2), "gallons": (0.95, 2.2)}
"""Shares of what is asked between which a row is worth looking at, whatever its words are."""


def bounds_of(item: Item, *, currency: str) -> dict[str, object]:
    """By the names in meeting.sql; empty where the item names none that tells rows apart."""
    limits: dict[str, object] = {}
    own: list[Mapping[str, object]] = []
    telling = False
    headings: list[str] = []
    superlative = extreme_of(item)
    if superlative is not None:
        limits["extreme"] = ordering(superlative, item.families)
        limits["sign"] = -1 if superlative.attribute == "most" else 1
        telling = True
    for need in item.needs:
        # Of a product that nobody names no word is looked for: the rows of its family are.
        telling = telling or need.implied_by == "problem"
        low, high = need.low, need.high
        match need.attribute:
            case "hp" | "cfm" | "gallons" as attribute:
                least, most = CLOSE[attribute]
                limits[f"{attribute}_low"] = None if low is None else low * least
                limits[f"{attribute}_high"] = (
                    None if need.operator == "at_least" else (high or low or 0) * most if (high or low) else None
                )
                limits[f"{attribute}_asked"] = low if low is not None else high
            case "model" if superlative is not None and need.operator == "one_of" and not need.absent:
                limits["models"] = sorted(key_of(value) for value in need.values)
            case "psi" if need.operator != "at_most":
                limits["psi_low"] = (low or 0) * 0.97
            case "inhg":
                limits["inhg_low"] = ((low if low is not None else high) or 0) - 0.2
            case "dewpoint_f":
                limits["dewpoint_high"] = ((high if high is not None else low) or 0) + 2
            case "dba" if high is not None:
                limits["dba_high"] = high + 5
            case "quiet":
                limits["dba_high"] = QUIET_DBA + 5
            case "lubrication" if need.operator == "one_of":
                limits["lubrication"] = sorted(need.values)
            case "family" if need.operator == "one_of":
                limits["families"] = sorted(need.values)
                continue
            case "service" | "compression" if need.operator == "one_of":
                headings += sorted(value.replace("-", " ") for value in need.values)
                telling = telling or need.attribute in TELLING_WORDS
                continue
            case "customer" | "salesperson" | "contact" | "industry" | "outcome" | "currency" if (
                need.operator == "one_of"
            ):
                limits[need.attribute] = sorted(need.values)
            case "reference" if need.operator == "one_of":
                limits["reference"] = True
            case "country" if need.operator == "one_of":
                limits["currency"] = sorted({CURRENCIES[value] for value in need.values})
            case "quote_number" if need.operator == "one_of":
                limits["quote_number"] = sorted(key_of(value) for value in need.values)
            case "price" if need.operator != "one_of":
                slack = 0.1 if need.operator == "about" else 0.0
                limits["price_low"] = None if low is None else low * (1 - slack)
                limits["price_high"] = None if high is None else high * (1 + slack)
                limits["currency"] = sorted(need.values) or None
            case "date":
                limits["date_from"], limits["date_to"] = _day(low), _day(high)
            case "reason" | "competitor":
                limits.setdefault("outcome", ["lost"])
            case attribute if need.unit is not None:
                own.append({"name": attribute, "low": low, "high": high})
            case _:
                telling = telling or need.attribute in TELLING_WORDS
                continue
        telling = True
    if own:
        limits["attributes"] = own
    if limits.get("extreme") == "price" and currency:
        limits.setdefault("currency", [currency])
    if headings:
        limits["category"] = headings
    return limits if telling else {}


def _day(value: float | None) -> str | None:
    if value is None:
        return None
    digits = f"{int(value):08d}"
    return f"{digits[:4]}-{digits[4:6]}-{digits[6:]}"
