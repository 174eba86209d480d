"""Attributes of a tenant's own families from CSV or JSON Lines, by which its files of products are read."""

from typing import Annotated, Literal, Self

from psycopg.sql import SQL
from pydantic import BeforeValidator, Field, model_validator

from equipment.ingestion import PRODUCTS
from operations.own_words import listed, values_of_attributes
from quarry.data import database
from quarry.ingestion import Kind, Row
from quarry.retrieval.own_words import attribute_of
from quarry.retrieval.vocabulary import Family
from quarry.understanding.own_attributes import OwnAttribute
from quarry.understanding.words import LONGEST_PHRASE, WORTH, plain

Words = Annotated[list[str], BeforeValidator(listed)]


class AttributeRow(Row):
    """An attribute with a unit is a number."""

    name: str = Field(pattern=r"^[a-z][0-9a-z_]{0,39}$")
    families: Annotated[list[Family], BeforeValidator(listed)] = Field(default_factory=list, max_length=50)
    unit: str | None = Field(default=None, min_length=1, max_length=20)
    type: Literal["number", "text"] = "text"
    filterable: bool = True
    bound: Literal["exactly", "at_least", "at_most"] = "exactly"
    words: Words = Field(default_factory=list, max_length=50)

    @model_validator(mode="before")
    @classmethod
    def a_unit_makes_a_number(cls, value: object) -> object:
        if isinstance(value, dict) and value.get("unit") and not value.get("type"):
            return {**value, "type": "number"}
        return value

    @model_validator(mode="after")
    def means_one_thing(self) -> Self:
        if self.name in PRODUCTS.row.model_fields or self.name in {*values_of_attributes(), *WORTH, "family"}:
            raise ValueError(f"'{self.name}' is a field of every product or a word of the trade: choose another name")
        if self.unit and self.type == "text":
            raise ValueError("what has a unit is a number: leave out the unit or the type")
        for word in self.words:
            if not 0 < len(plain(word).split()) <= LONGEST_PHRASE:
                raise ValueError(f"'{word}' is not 1 to {LONGEST_PHRASE} words of letters or figures")
        return self


# A figure that is stored is in the unit that was declared: another one would turn 40 m into 40 ft.
FAULTY = SQL("""
    SELECT (e.index - 1)::integer AS index, f.reason
    FROM jsonb_array_elements(%(rows)s) WITH ORDINALITY AS e (value, index)
    CROSS JOIN LATERAL (
        SELECT format('families: %%L is no family: one of %%s, or one that you ingest first as families',
                      family, array_to_string(search.shipped_families(), ', ')) AS reason
        FROM jsonb_array_elements_text(e.value -> 'families') AS family WHERE NOT search.is_family(family)
        UNION ALL
        SELECT format('unit: products have %%s as a %%s: undo them first, or declare another name',
                      a.name, concat_ws(' in ', a.type, a.unit))
        FROM search.attributes a
        WHERE a.tenant = %(tenant)s AND a.name = e.value ->> 'name'
            AND (a.type, a.unit) IS DISTINCT FROM (e.value ->> 'type', e.value ->> 'unit')
            AND EXISTS (SELECT FROM equipment.products p
                        WHERE p.tenant = %(tenant)s AND p.attributes -> a.name IS NOT NULL)) f
""")

DECLARED = SQL("""
    SELECT name, unit, type = 'number' AS numeric, families, words, bound, filterable, NULL AS values
    FROM search.attributes WHERE tenant = %(tenant)s ORDER BY name
""")

ATTRIBUTES = Kind(
    name="attributes",
    row=AttributeRow,
    key=("name",),
    missing=FAULTY,
    table="search.attributes",
    primary_key=("name",),
    replaceable=False,
)


def attributes_of(tenant: str) -> dict[str, OwnAttribute]:
    """By name, what a file of products may say of the tenant's own goods."""
    with database.transaction(tenant) as connection:
        rows = connection.execute(DECLARED, {"tenant": tenant}).fetchall()
    return {row["name"]: attribute_of(row) for row in rows}


def as_declared(row: AttributeRow) -> OwnAttribute:
    """The attribute that a row declares."""
    return OwnAttribute(
        row.name, row.unit, row.type == "number", frozenset(row.families), tuple(row.words), row.bound, row.filterable
    )
