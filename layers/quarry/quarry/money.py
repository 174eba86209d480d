"""Formats of amounts, with at least the digits that their currency has, of quantities and of table cells."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer, WithJsonSchema

WITHOUT_CENTS = (
    "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "VND", "VUV", "XAF", "XOF", "XPF",
)  # fmt: skip
WITH_THOUSANDTHS = ("BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND")

ON_REQUEST = "on request"
"""Stands in place of a price that a person has to name, in files, tables and filters."""

MONEY = frozenset(("price", "list_price", "total", "unit_price", "extended_price", "total_price"))
"""Columns of rows that hold amounts, in the row's currency."""

Money = Annotated[Decimal, PlainSerializer(lambda value: format(value, "f"), return_type=str)]
"""A JSON string with all its digits: "12960.00" in USD, "12960" in JPY."""


def plainly(value: Decimal | float) -> str:
    """Formats a number without exponent and trailing zeros: 2, 2.5, 2160, 0."""
    text = f"{value:f}" if value else "0"
    return text.rstrip("0").rstrip(".") if "." in text else text


Quantity = Annotated[Decimal, PlainSerializer(plainly, return_type=str)]
"""A JSON string such as "2" or "2.5"."""


def number(value: Decimal | float) -> int | float:
    """Returns a JSON number such as 2 or 2.5."""
    return int(value) if value == int(value) else float(value)


Count = Annotated[
    Decimal,
    Field(max_digits=12, decimal_places=3, allow_inf_nan=False),
    AfterValidator(lambda value: Decimal(plainly(value))),
    PlainSerializer(number),
    WithJsonSchema({"type": "number"}),
]
"""A JSON number, whole for pieces, with up to three decimals for what is measured."""


Currency = Annotated[
    str,
    Field(pattern=r"^[A-Z]{3}$"),
    BeforeValidator(lambda value: value.strip().upper() if isinstance(value, str) else value),
]


def minor_units(currency: str) -> int:
    """Digits after the point by ISO 4217, as in the table cpq.currencies: 2 for USD, 0 for JPY, 3 for KWD."""
    return 0 if currency in WITHOUT_CENTS else 3 if currency in WITH_THOUSANDTHS else 2


def digits(amount: Decimal, currency: str) -> int:
    """Digits after the point that an amount is written with: those of its currency, or its own if more."""
    exponent = amount.normalize().as_tuple().exponent
    return max(-exponent if isinstance(exponent, int) else 0, minor_units(currency))


def in_currency(amount: Decimal, currency: str) -> Decimal:
    """Pads an amount to the digits of its currency; a price may have more of them."""
    return amount.quantize(Decimal(1).scaleb(-digits(amount, currency)))


def written(amount: Decimal, currency: str) -> str:
    """Formats an amount for people to read: 125,400.00 in USD, 125,400 in JPY."""
    return f"{in_currency(amount, currency):,f}"


def with_code(amount: Decimal, currency: str) -> str:
    return f"{written(amount, currency)} {currency}"


def plain(value: object, name: str, row: Mapping[str, Any]) -> str:
    """Formats the value of column ``name`` as a table's cell; an amount gets the row's currency."""
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case Decimal() if name in MONEY and row.get("currency"):
            return with_code(value, str(row["currency"]))
        case Decimal() | float():
            return plainly(value)
        case date():
            return value.isoformat()
    return str(value)
