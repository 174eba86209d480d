"""How a house quotes where nobody says otherwise, from CSV or JSON Lines: one row."""

from typing import Literal, Self

from psycopg.sql import SQL
from pydantic import model_validator

from cpq.house import NumberPattern
from cpq.ingestion.cells import Country
from cpq.model import BillingFrequency, Currency, Language
from cpq.payment import PaymentTerms
from quarry.ingestion import Kind, Row
from quarry.units import Units


class HouseRow(Row):
    id: Literal["house"] = "house"
    currency: Currency | None = None
    billing_frequency: BillingFrequency | None = None
    payment_terms: PaymentTerms | None = None
    units: Units | None = None
    country: Country | None = None
    language: Language | None = None
    quote_numbers: NumberPattern | None = None

    @model_validator(mode="after")
    def says_something(self) -> Self:
        if not self.model_dump(exclude={"id"}, exclude_none=True):
            raise ValueError(f"say at least one of {', '.join(list(HouseRow.model_fields)[1:])}")
        return self


UNKNOWN_CURRENCIES = SQL("""
    SELECT (e.index - 1)::integer AS index, format('currency: ISO 4217 has no %%L', e.value ->> 'currency') AS reason
    FROM jsonb_array_elements(%(rows)s) WITH ORDINALITY AS e (value, index)
    WHERE e.value ->> 'currency' NOT IN (SELECT currency FROM cpq.currencies) AND %(tenant)s::text IS NOT NULL
""")

HOUSE = Kind(
    name="house",
    row=HouseRow,
    key=("id",),
    table="quarry.house",
    missing=UNKNOWN_CURRENCIES,
    replaceable=False,
)
