"""A tenant's own families, attributes and words and its competitors' machines from CSV or JSON Lines."""

from functools import cache
from typing import Annotated, Literal, Self

from psycopg.sql import SQL
from pydantic import AfterValidator, Field, model_validator

from cpq.ingestion.cells import Listed
from equipment.ingestion import PRODUCTS
from quarry.data import database
from quarry.ingestion import Kind, Row
from quarry.retrieval.own_words import attribute_of
from quarry.retrieval.vocabulary import Family, Lubrication
from quarry.understanding.inflection import LONGEST_PHRASE, plain
from quarry.understanding.own_attributes import OwnAttribute
from quarry.understanding.words import WORTH, Vocabulary

OPEN = frozenset(("industry", "use", "feature", "certificate", "manufacturer"))
"""Attributes that take any value: the tenant's rows say what there is."""

OF_GRAMMAR = frozenset(("role", "dimension", "time"))

COLUMN = {"inhg": "vacuum_inhg"}
"""Columns that are named otherwise than the need they state."""


def _phrase(text: str) -> str:
    if not 0 < len(plain(text).split()) <= LONGEST_PHRASE:
        raise ValueError(f"is not 1 to {LONGEST_PHRASE} words of letters or figures")
    return text


Words = Annotated[list[Annotated[str, AfterValidator(_phrase)]], Listed]


class VocabularyRow(Row):
    term: Annotated[str, Field(min_length=1, max_length=100), AfterValidator(_phrase)]
    attribute: str = Field(min_length=1, max_length=50)
    value: str = Field(min_length=1, max_length=100)
    language: Literal["en", "de", "es", "fr"] | None = None
    family: Family | None = None
    note: str | None = Field(default=None, max_length=1000)

    @model_validator(mode="after")
    def says_something_that_is_known(self) -> Self:
        words = plain(self.term).split()
        if len(words) == 1 and (words[0] in Vocabulary.shipped().stop or words[0].isdigit()):
            raise ValueError(f"'{self.term}' stands in every other request: name a term that means only this")
        values = values_of_attributes()
        if self.attribute not in values:
            raise ValueError(f"'{self.attribute}' is no attribute: one of {', '.join(sorted(values))}")
        if self.attribute not in (*OPEN, "family") and self.value not in values[self.attribute]:
            known = ", ".join(sorted(values[self.attribute]))
            raise ValueError(f"'{self.value}' is no {self.attribute}: one of {known}")
        return self


@cache
def values_of_attributes() -> dict[str, set[str]]:
    """The values of each attribute that a word may state."""
    values: dict[str, set[str]] = {attribute: set() for attribute in OPEN}
    for meanings in Vocabulary.shipped().phrases.values():
        for meaning in meanings:
            if meaning.attribute not in OF_GRAMMAR:
                values.setdefault(meaning.attribute, set()).add(meaning.value)
    return values


class FamilyRow(Row):
    family: Family
    name: str | None = Field(default=None, max_length=100)
    words: Words = Field(default_factory=list, max_length=200)


class EquivalentRow(Row):
    maker: str = Field(min_length=1, max_length=200)
    model: str = Field(default="", max_length=200)
    family: Family | None = None
    lubrication: Lubrication | None = None
    compression: str | None = Field(default=None, max_length=50)
    dryer_kind: str | None = Field(default=None, max_length=50)
    cooling: str | None = Field(default=None, max_length=50)
    drive: str | None = Field(default=None, max_length=50)
    hp: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    cfm: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    psi: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    vacuum_inhg: float | None = Field(default=None, gt=0, le=30, allow_inf_nan=False)
    dewpoint_f: float | None = Field(default=None, ge=-150, le=150, allow_inf_nan=False)
    gallons: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    note: str | None = Field(default=None, max_length=1000)

    @model_validator(mode="after")
    def is_worth_something(self) -> Self:
        if not plain(self.maker) or (self.model and not plain(self.model)):
            raise ValueError("maker and model have to be words of letters or figures")
        if all(getattr(self, COLUMN.get(name, name)) is None for name in WORTH):
            raise ValueError(f"say what it is worth: at least one of {', '.join(COLUMN.get(n, n) for n in WORTH)}")
        for name in ("compression", "dryer_kind", "cooling", "drive"):
            value = getattr(self, name)
            if value is not None and value not in values_of_attributes()[name]:
                raise ValueError(f"'{value}' is no {name}: one of {', '.join(sorted(values_of_attributes()[name]))}")
        return self


UNKNOWN_FAMILIES = SQL("""
    SELECT (e.index - 1)::integer AS index,
        format('value: %%L is no family: one of %%s, or one that you ingest first as families',
               e.value ->> 'value', array_to_string(search.shipped_families(), ', ')) AS reason
    FROM jsonb_array_elements(%(rows)s) WITH ORDINALITY AS e (value, index)
    WHERE e.value ->> 'attribute' = 'family' AND NOT search.is_family(e.value ->> 'value')
""")

VOCABULARY = Kind(
    name="vocabulary",
    row=VocabularyRow,
    key=("term", "attribute"),
    missing=UNKNOWN_FAMILIES,
    table="search.vocabulary",
    primary_key=("term", "attribute"),
)
FAMILIES = Kind(
    name="families",
    row=FamilyRow,
    key=("family",),
    table="search.families",
    primary_key=("family",),
    replaceable=False,
)
EQUIVALENTS = Kind(
    name="equivalents",
    row=EquivalentRow,
    key=("maker", "model"),
    table="search.equivalents",
    primary_key=("maker", "model"),
)


class AttributeRow(Row):
    """An attribute with a unit is a number."""

    name: str = Field(pattern=r"^[a-z][0-9a-z_]{0,39}$")
    families: Annotated[list[Family], Listed] = Field(default_factory=list, max_length=50)
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
        return self


# A figure that is stored is in the unit that was declared: another one would turn 40 m into 40 ft.
FAULTY_ATTRIBUTES = SQL("""
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
    missing=FAULTY_ATTRIBUTES,
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
