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

UPSERT = SQL("""
    INSERT INTO equipment.products AS t (
        tenant, model, manufacturer, series, category, family, description, hp, cfm, psi, lubrication, cooling,
        voltage, drive, motor, vacuum_inhg, dewpoint_f, length_in, width_in, height_in, weight_lb, noise_dba,
        air_quality, attributes, source)
    SELECT %(tenant)s, r.model, r.manufacturer, r.series, r.category, r.family, r.description, r.hp, r.cfm, r.psi,
        r.lubrication, r.cooling, r.voltage, r.drive, r.motor, r.vacuum_inhg, r.dewpoint_f, r.length_in, r.width_in,
        r.height_in, r.weight_lb, r.noise_dba, r.air_quality, r.attributes,
        r.source
    FROM jsonb_to_recordset(%(rows)s) AS r (
        model text, manufacturer text, series text, category text, family text, description text, hp float8,
        cfm float8, psi float8, lubrication text, cooling text, voltage text, drive text, motor text,
        vacuum_inhg float8, dewpoint_f float8, length_in float8, width_in float8, height_in float8,
        weight_lb float8, noise_dba float8, air_quality text, attributes jsonb, source text)
    ON CONFLICT (tenant, manufacturer, model) DO UPDATE SET
        series = excluded.series, category = excluded.category, family = excluded.family,
        description = excluded.description, hp = excluded.hp, cfm = excluded.cfm, psi = excluded.psi,
        lubrication = excluded.lubrication, cooling = excluded.cooling, voltage = excluded.voltage,
        drive = excluded.drive, motor = excluded.motor, vacuum_inhg = excluded.vacuum_inhg,
        dewpoint_f = excluded.dewpoint_f, length_in = excluded.length_in, width_in = excluded.width_in,
        height_in = excluded.height_in, weight_lb = excluded.weight_lb, noise_dba = excluded.noise_dba,
        air_quality = excluded.air_quality,
        attributes = excluded.attributes, source = excluded.source, updated_at = now()
    WHERE (t.series, t.category, t.family, t.description, t.hp, t.cfm, t.psi, t.lubrication, t.cooling, t.voltage,
           t.drive, t.motor, t.vacuum_inhg, t.dewpoint_f, t.length_in, t.width_in, t.height_in, t.weight_lb,
           t.noise_dba, t.air_quality, t.attributes, t.source)
        IS DISTINCT FROM
          (excluded.series, excluded.category, excluded.family, excluded.description, excluded.hp, excluded.cfm,
           excluded.psi, excluded.lubrication, excluded.cooling, excluded.voltage, excluded.drive, excluded.motor,
           excluded.vacuum_inhg, excluded.dewpoint_f, excluded.length_in, excluded.width_in, excluded.height_in,
           excluded.weight_lb, excluded.noise_dba, excluded.air_quality,
           excluded.attributes, excluded.source)
    RETURNING (t.xmax = 0) AS inserted
""")

PRODUCTS = Kind(
    name="products",
    row=ProductRow,
    key=("manufacturer", "model"),
    upsert=UPSERT,
    missing=UNKNOWN_FAMILIES + SQL(" UNION ALL ") + UNKNOWN_ATTRIBUTES,
    table="equipment.products",
)
