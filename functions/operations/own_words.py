"""A tenant's own families and words and its competitors' machines from CSV or JSON Lines."""

from functools import cache
from typing import Annotated, Literal, Self

from psycopg.sql import SQL
from pydantic import BeforeValidator, Field, model_validator

from quarry.ingestion import Kind, Row
from quarry.retrieval.vocabulary import Family, Lubrication
from quarry.understanding.words import LONGEST_PHRASE, WORTH, Vocabulary, plain

OPEN = frozenset(("industry", "use", "feature", "certificate", "manufacturer"))
"""Attributes that take any value: the tenant's rows say what there is."""

OF_GRAMMAR = frozenset(("role", "dimension", "time"))

COLUMN = {"inhg": "vacuum_inhg"}
"""Columns that are named otherwise than the need they state."""


def listed(value: object) -> object:
    """A CSV cell holds words as a;b;c."""
    return [word.strip() for word in value.split(";") if word.strip()] if isinstance(value, str) else value


class VocabularyRow(Row):
    term: str = Field(min_length=1, max_length=100)
    attribute: str = Field(min_length=1, max_length=50)
    value: str = Field(min_length=1, max_length=100)
    language: Literal["en", "de", "es", "fr"] | None = None
    family: Family | None = None
    note: str | None = Field(default=None, max_length=1000)

    @model_validator(mode="after")
    def says_something_that_is_known(self) -> Self:
        words = plain(self.term).split()
        if not words or len(words) > LONGEST_PHRASE:
            raise ValueError(f"term has to be 1 to {LONGEST_PHRASE} words of letters or figures")
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
    words: Annotated[list[str], BeforeValidator(listed)] = Field(default_factory=list, max_length=200)

    @model_validator(mode="after")
    def its_words_can_be_found(self) -> Self:
        for word in self.words:
            if not 0 < len(plain(word).split()) <= LONGEST_PHRASE:
                raise ValueError(f"'{word}' is not 1 to {LONGEST_PHRASE} words of letters or figures")
        return self


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
