"""The kinds of data by which a tenant describes its goods: families, units, attributes, vocabulary, equivalents."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Annotated, Any, Self

from psycopg.sql import SQL, Literal
from psycopg.types.json import Jsonb
from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, field_validator, model_validator

from equipment.ingestion import PRODUCTS
from quarry.attributes.model import Adds, Attribute, Attributes, Printed, Sense, unmarked
from quarry.attributes.model import Kind as AttributeKind
from quarry.attributes.points import point_of
from quarry.attributes.stored import Stored
from quarry.attributes.units import Reference, shipped
from quarry.data import database
from quarry.ingestion import Family, Kind, Listed, Row, parted
from quarry.retrieval import here
from quarry.text import key_of, words_of
from quotes.ingestion import LINE_ITEMS

LONGEST_PHRASE = 8
OF_ROWS = frozenset(
    ("category", "manufacturer", "model", "series", "customer", "industry", "salesperson", "status", "terms")
)
"""Fields of rows, besides attributes and family, for whose values the vocabulary may have terms."""


def _phrase(text: str) -> str:
    if not 0 < len(words_of(unmarked(text)[1])) <= LONGEST_PHRASE:
        raise ValueError(f"is not 1 to {LONGEST_PHRASE} words of letters or figures")
    return text


def _term(text: str) -> str:
    """A sign alone, as a ○ in a column, is read in cells, needs and filters only."""
    return text if len(text) == 1 and key_of(text) else _phrase(text)


def _by_language(value: Any) -> Any:
    """Splits a CSV cell, which holds labels as en:Capacity|de:Volumenstrom."""
    if not isinstance(value, str):
        return value
    pairs = [unmarked(part) for part in parted(value)]
    if any(language is None for language, _ in pairs):
        raise ValueError("needs the language before each label: en:Capacity|de:Volumenstrom")
    return dict(pairs)


def _declared(info: ValidationInfo) -> Attributes | None:
    """Returns what the tenant has declared, if the file's reader passed it as the context of validation."""
    return info.context if isinstance(info.context, Attributes) else None


Phrase = Annotated[str, AfterValidator(_phrase)]
Words = Annotated[list[Phrase], Listed]
Language = Annotated[str, Field(pattern=r"^[a-z]{2}$")]
Factor = Annotated[float, Field(allow_inf_nan=False)]


class FamilyRow(Row):
    family: Family
    name: str | None = Field(default=None, max_length=100)
    words: Words = Field(default_factory=list, max_length=200)


class UnitRow(Row):
    symbol: str = Field(min_length=1, max_length=40)
    spellings: Annotated[list[str], Listed] = Field(default_factory=list, max_length=50)
    dimension: str = Field(min_length=1, max_length=100)
    factor: Factor
    offset: Factor = 0
    reference: Reference = ""

    @model_validator(mode="before")
    @classmethod
    def a_known_unit_has_only_spellings_added(cls, value: object) -> object:
        said = ("dimension", "factor", "offset", "reference")
        if not isinstance(value, dict) or any(value.get(name) not in (None, "") for name in said):
            return value
        known = shipped().by_spelling.get(str(value.get("symbol")))
        return {**value, **known._asdict()} if known and known.symbol == value["symbol"] else value

    @field_validator("factor")
    @classmethod
    def makes_figures_of_the_base_unit(cls, value: float) -> float:
        if value == 0:
            raise ValueError("is 0: a figure times it has to be one in the base unit")
        return value


class AttributeRow(Row):
    """``met`` and ``close`` are tolerances: shares of a figure or, where ``absolute``, amounts in its unit."""

    name: str = Field(pattern=r"^[a-z][0-9a-z_]{0,39}$")
    families: Annotated[list[Family], Listed] = Field(default_factory=list, max_length=50)
    kind: AttributeKind = "text"
    unit: str | None = Field(default=None, min_length=1, max_length=40)
    sense: Sense = "exactly"
    met: float = Field(default=0, ge=0, le=1e15)
    close: float = Field(default=0, ge=0, le=1e15)
    absolute: bool = False
    ordered: Annotated[list[str], Listed] = Field(default_factory=list, max_length=200)
    adds: Adds = "same"
    also: str | None = Field(default=None, min_length=1, max_length=40)
    low: Factor | None = None
    high: Factor | None = None
    words: Words = Field(default_factory=list, max_length=100)
    labels: Annotated[dict[Language, str], BeforeValidator(_by_language)] = Field(default_factory=dict)
    position: int | None = Field(default=None, ge=0, le=100_000)
    note: str | None = Field(default=None, min_length=1, max_length=300)
    printed: Printed | None = None
    point: str | None = Field(default=None, min_length=1, max_length=200)

    @model_validator(mode="before")
    @classmethod
    def a_unit_makes_a_number(cls, value: object) -> object:
        if isinstance(value, dict) and any(map(value.get, ("unit", "also", "point"))) and not value.get("kind"):
            return {**value, "kind": "number"}
        return value

    @field_validator("unit", "also")
    @classmethod
    def is_a_unit(cls, value: str | None, info: ValidationInfo) -> str | None:
        declared = _declared(info)
        if declared is not None and value is not None and declared.units.named(value) is None:
            raise ValueError("is no unit that is known: spell it another way, or ingest it first as units")
        return value

    @field_validator("point")
    @classmethod
    def is_a_point(cls, value: str | None, info: ValidationInfo) -> str | None:
        declared, said = _declared(info), info.data
        if declared is not None and value is not None and {"name", "kind", "unit"} <= said.keys():
            own = Attribute(said["name"], kind=said["kind"], unit=said["unit"], point=value)
            if isinstance(why := point_of(own, declared), str):
                raise ValueError(why)
        return value

    @model_validator(mode="after")
    def means_one_thing(self) -> Self:
        if self.name in FIELDS:
            raise ValueError(f"'{self.name}' is a field of every row: choose another name")
        if self.kind != "number" and (self.unit or self.also):
            raise ValueError("what has a unit is a number: leave out the unit or the kind")
        if self.kind != "text" and self.ordered:
            raise ValueError("an order is of texts: figures have their own")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError("low is above high: swap them")
        return self


FIELDS = (
    PRODUCTS.row.model_fields.keys() | LINE_ITEMS.row.model_fields.keys() | {"price", "status", "date"}
) | OF_ROWS


class VocabularyRow(Row):
    term: Annotated[str, Field(min_length=1, max_length=100), AfterValidator(_term)]
    attribute: str = Field(min_length=1, max_length=50)
    value: str = Field(min_length=1, max_length=500)
    language: Language | None = None
    family: Family | None = None
    note: str | None = Field(default=None, max_length=1000)

    @field_validator("attribute")
    @classmethod
    def is_declared(cls, value: str, info: ValidationInfo) -> str:
        declared = _declared(info)
        if declared is not None and value not in {"family", *OF_ROWS, *declared.by_name}:
            known = ", ".join(sorted(declared.by_name)) or "there is none yet"
            raise ValueError(f"is no attribute: family, {', '.join(sorted(OF_ROWS))}, or of yours: {known}")
        return value


class EquivalentRow(Row):
    maker: str = Field(min_length=1, max_length=200)
    model: str = Field(default="", max_length=200)
    family: Family | None = None
    attributes: Stored = None
    note: str | None = Field(default=None, max_length=1000)

    @model_validator(mode="after")
    def is_worth_something(self) -> Self:
        if not words_of(self.maker) or (self.model and not words_of(self.model)):
            raise ValueError("maker and model have to be words of letters or figures")
        if self.attributes is None and self.family is None:
            raise ValueError("say what it is worth: its family, or at least one of your attributes")
        return self


FAMILIES = Kind(
    name="families",
    row=FamilyRow,
    key=("family",),
    table="search.families",
    primary_key=("family",),
    replaceable=False,
)

# They become a literal within a statement that has parameters, where a percent sign is written twice.
SCALES = {
    spelling.replace("%", "%%"): (unit.dimension, unit.factor, unit.offset)
    for spelling, unit in shipped().by_spelling.items()
}
"""(dimension, factor, offset) by spelling: where these are equal, figures are too, as in m3/h, m³/h and Nm³/h."""

DISPLACED = SQL("""
    SELECT format('%%s takes the place of known units: %%s measured %%s so far', u.symbol,
                  string_agg(own.spelling, ', ' ORDER BY own.spelling),
                  string_agg(DISTINCT known.scale ->> 0, ', ')) AS told
    FROM search.units u CROSS JOIN LATERAL unnest(u.symbol || u.spellings) AS own (spelling)
    JOIN jsonb_each({scales}) AS known (spelling, scale) USING (spelling)
    WHERE u.tenant = %(tenant)s AND (known.scale -> 0, known.scale -> 1, known.scale -> 2)
        IS DISTINCT FROM (to_jsonb(u.dimension), to_jsonb(u.factor), to_jsonb(u."offset"))
    GROUP BY u.symbol ORDER BY u.symbol
""").format(scales=Literal(Jsonb(SCALES)))
UNITS = Kind(
    name="units",
    row=UnitRow,
    key=("symbol",),
    table="search.units",
    doubts=DISPLACED,
    primary_key=("symbol",),
    replaceable=False,
)

# Stored figures are in the declared unit: to declare one of another scale would turn 40 m into 40 ft.
FAULTY_ATTRIBUTES = SQL("""
    SELECT (e.index - 1)::integer AS index, f.reason
    FROM jsonb_array_elements(%(rows)s) WITH ORDINALITY AS e (value, index)
    CROSS JOIN LATERAL (
        SELECT format('families: %%L is no family of yours: %%s, or one that you ingest first as families', family,
                      coalesce((SELECT string_agg(o.family, ', ' ORDER BY o.family) FROM search.families o
                                WHERE o.tenant = %(tenant)s), 'there is none yet')) AS reason
        FROM jsonb_array_elements_text(e.value -> 'families') AS family WHERE NOT search.is_family(family)
        UNION ALL
        SELECT format('%%s: rows have %%s as a %%s: undo them first, or declare another name',
                      CASE WHEN a.kind = e.value ->> 'kind' THEN 'unit' ELSE 'kind' END,
                      a.name, concat_ws(' in ', a.kind, a.unit))
        FROM search.attributes a
        CROSS JOIN LATERAL (
            SELECT array_agg(coalesce(
                (SELECT jsonb_build_array(u.dimension, u.factor, u."offset") FROM search.units u
                 WHERE u.tenant = %(tenant)s AND said.unit = ANY (u.symbol || u.spellings) LIMIT 1),
                {scales} -> said.unit, to_jsonb(said.unit)) ORDER BY said.place) AS of_unit
            FROM (VALUES (1, a.unit), (2, e.value ->> 'unit')) AS said (place, unit)) AS scale
        WHERE a.tenant = %(tenant)s AND a.name = e.value ->> 'name'
            AND (a.kind, scale.of_unit[1]) IS DISTINCT FROM (e.value ->> 'kind', scale.of_unit[2])
            AND EXISTS (SELECT FROM search.attribute_values v
                        WHERE v.tenant = %(tenant)s AND v.corpus IN ('equipment.products', 'quotes.line_items')
                            AND v.attribute = a.name
                        UNION ALL
                        SELECT FROM search.equivalents q
                        WHERE q.tenant = %(tenant)s AND q.attributes -> a.name IS NOT NULL)) f
""").format(scales=Literal(Jsonb(SCALES)))
UNKNOWN_VALUES = SQL("""
    SELECT (e.index - 1)::integer AS index,
        format('%%s: %%L is no family of yours; ingest it first as families', said.field, said.family) AS reason
    FROM jsonb_array_elements(%(rows)s) WITH ORDINALITY AS e (value, index)
    CROSS JOIN LATERAL (VALUES
        ('value', CASE e.value ->> 'attribute' WHEN 'family' THEN e.value ->> 'value' END),
        ('family', e.value ->> 'family')) AS said (field, family)
    WHERE said.family IS NOT NULL AND NOT search.is_family(said.family)
""")
# Points come after the attributes that they are points of, because a file has to declare these first.
ATTRIBUTES_HELD = SQL("""
    SELECT to_jsonb(t) AS content FROM search.attributes t WHERE t.tenant = %(tenant)s
    ORDER BY t.point IS NOT NULL, t.name
""")


def _with(row: AttributeRow, known: Attributes) -> Attributes:
    """Adds the row's declaration to ``known``; what it leaves unsaid of a known attribute stays as it is."""
    own, before = here.as_declared(dict(row)), known.by_name.get(row.name)
    if before is not None:
        own = before._replace(**{name: getattr(own, name) for name in row.model_fields_set})
    return replace(known, by_name={**known.by_name, row.name: own})


ATTRIBUTES = Kind(
    name="attributes",
    row=AttributeRow,
    key=("name",),
    missing=FAULTY_ATTRIBUTES,
    declares=_with,
    stored=ATTRIBUTES_HELD,
    table="search.attributes",
    primary_key=("name",),
    replaceable=False,
)
VOCABULARY = Kind(
    name="vocabulary",
    row=VocabularyRow,
    key=("term", "attribute", "value"),
    missing=UNKNOWN_VALUES,
    table="search.vocabulary",
    primary_key=("term", "attribute", "value"),
)
EQUIVALENTS = Kind(
    name="equivalents",
    row=EquivalentRow,
    key=("maker", "model"),
    table="search.equivalents",
    attributed=True,
    primary_key=("maker", "model"),
)


def attributes_of(tenant: str) -> Attributes:
    """Reads from the database what the tenant has declared, by which a file's columns are read."""
    queries = (here.DECLARED, here.FAMILIES, here.UNITS, here.HOUSE, here.TERMS)
    rows = database.fetch_each(tenant, [(query, {"tenant": tenant}) for query in queries])
    attributes, families, units, house, terms = rows
    own = declared(attributes, families)
    return replace(own, terms=here.terms_of(terms, families), **here.of_house(house, units))


def declared(attributes: Iterable[Mapping[str, Any]], families: Iterable[Mapping[str, Any]]) -> Attributes:
    """Takes rows by their columns; a family is named by its id, too."""
    names = {}
    for row in families:
        named = [row["family"].replace("_", " "), row["name"], *(unmarked(word)[1] for word in row["words"])]
        names[row["family"]] = list(filter(None, named))
    return Attributes({row["name"]: here.as_declared(row) for row in attributes}, families=names)
