"""How a house quotes where nobody says otherwise, from CSV or JSON Lines: one row."""

from typing import Literal, Self

from psycopg.sql import SQL
from pydantic import model_validator

from cpq.house import NumberPattern
from cpq.ingestion.cells import Country, Currency
from cpq.model import BillingFrequency, Language
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

UPSERT = SQL("""
    INSERT INTO quarry.house AS t (tenant, id, currency, billing_frequency, payment_terms, units, country, language,
        quote_numbers)
    SELECT %(tenant)s, r.id, r.currency, r.billing_frequency, r.payment_terms, r.units, r.country, r.language,
        r.quote_numbers
    FROM jsonb_to_recordset(%(rows)s) AS r (
        id text, currency text, billing_frequency text, payment_terms text, units text, country text, language text,
        quote_numbers text)
    ON CONFLICT (tenant, id) DO UPDATE SET
        currency = excluded.currency, billing_frequency = excluded.billing_frequency,
        payment_terms = excluded.payment_terms, units = excluded.units, country = excluded.country,
        language = excluded.language, quote_numbers = excluded.quote_numbers, updated_at = now()
    WHERE (t.currency, t.billing_frequency, t.payment_terms, t.units, t.country, t.language, t.quote_numbers)
        IS DISTINCT FROM
          (excluded.currency, excluded.billing_frequency, excluded.payment_terms, excluded.units, excluded.country,
           excluded.language, excluded.quote_numbers)
    RETURNING (t.xmax = 0) AS inserted
""")

HOUSE = Kind(
    name="house",
    row=HouseRow,
    key=("id",),
    upsert=UPSERT,
    table="quarry.house",
    missing=UNKNOWN_CURRENCIES,
    replaceable=False,
)
