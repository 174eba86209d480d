"""Products from CSV or JSON Lines."""

from typing import Annotated

from psycopg.sql import SQL
from pydantic import Field, field_validator

from quarry.ingestion import Kind, Row
from quarry.retrieval.families import UNKNOWN_FAMILIES
from quarry.retrieval.vocabulary import Family, Lubrication

Name = Annotated[str, Field(pattern=r"^[a-z][0-9a-z_]{0,39}$")]
Figure = Annotated[float, Field(allow_inf_nan=False, strict=True)]


class ProductRow(Row):
    model: str = Field(min_length=1, max_length=200)
    manufacturer: str = Field(min_length=1, max_length=200)
    series: str | None = Field(default=None, max_length=200)
    category: str = Field(min_length=1, max_length=200)
    family: Family
    description: str = Field(min_length=1, max_length=200_000)
    hp: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    cfm: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    psi: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    lubrication: Lubrication | None = None
    cooling: str | None = Field(default=None, max_length=200)
    voltage: str | None = Field(default=None, max_length=200)
    drive: str | None = Field(default=None, max_length=200)
    motor: str | None = Field(default=None, max_length=400)
    vacuum_inhg: float | None = Field(default=None, allow_inf_nan=False)
    dewpoint_f: float | None = Field(default=None, allow_inf_nan=False)
    length_in: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    width_in: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    height_in: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    weight_lb: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    noise_dba: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    air_quality: str | None = Field(default=None, max_length=200)
    attributes: (
        Annotated[dict[Name, Figure | Annotated[str, Field(max_length=500)]], Field(max_length=100)] | None
    ) = None
    source: str | None = Field(default=None, max_length=500)

    @field_validator("attributes")
    @classmethod
    def none_at_all_is_null(cls, value: dict[str, float | str] | None) -> dict[str, float | str] | None:
        return value or None


UNKNOWN_ATTRIBUTES = SQL("""
    SELECT (e.index - 1)::integer AS index,
        CASE WHEN a.name IS NULL THEN format(
            'attributes: %%L is none of yours: %%s, or one that you ingest first as attributes', v.name,
            coalesce((SELECT string_agg(k.name, ', ' ORDER BY k.name) FROM search.attributes k
                      WHERE k.tenant = %(tenant)s), 'there is none yet'))
        ELSE format('attributes: %%s has to be a %%s', v.name, concat_ws(' in ', a.type, a.unit)) END AS reason
    FROM jsonb_array_elements(%(rows)s) WITH ORDINALITY AS e (value, index)
    CROSS JOIN LATERAL jsonb_each(
        CASE jsonb_typeof(e.value -> 'attributes') WHEN 'object' THEN e.value -> 'attributes' ELSE '{}' END
    ) AS v (name, value)
    LEFT JOIN search.attributes a ON a.tenant = %(tenant)s AND a.name = v.name
    WHERE a.name IS NULL OR jsonb_typeof(v.value) <> CASE a.type WHEN 'text' THEN 'string' ELSE a.type END
""")

PRODUCTS = Kind(
    name="products",
    row=ProductRow,
    key=("manufacturer", "model"),
    missing=UNKNOWN_FAMILIES + SQL(" UNION ALL ") + UNKNOWN_ATTRIBUTES,
    table="equipment.products",
)
