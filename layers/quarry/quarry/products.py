"""The equipment catalogue as a corpus: what the equipment toolset searches and what requests are answered from."""

from typing import Literal, Self

from psycopg.sql import SQL
from pydantic import Field, model_validator

from quarry.retrieval.corpus import Corpus
from quarry.retrieval.vocabulary import (
    LUBRICATION_FILTER,
    Attributes,
    Bound,
    Degrees,
    Family,
    Lubrication,
    NamePart,
    refuse_empty_ranges,
)
from quarry.tool.contract import Args

Arrangement = Literal["simplex", "duplex", "triplex", "quadruplex", "multiplex"]

COLUMNS = SQL("""
    d.model, d.manufacturer, d.series, d.category, d.family, d.description, d.hp, d.cfm, d.psi, d.lubrication,
    d.cooling, d.voltage, d.drive, d.motor, d.vacuum_inhg, d.dewpoint_f, d.length_in, d.width_in, d.height_in,
    d.weight_lb, d.noise_dba, d.air_quality, d.gallons, d.arrangement, d.attributes AS _attributes,
    equipment.attributes_shown(d.attributes) AS attributes, d.source, false AS truncated, NULL AS metric
""")

CONDITION = SQL("""(
    (%(cfm_min)s::float8 IS NULL OR d.cfm >= %(cfm_min)s::float8)
    AND (%(cfm_max)s::float8 IS NULL OR d.cfm <= %(cfm_max)s::float8)
    AND (%(psi_min)s::float8 IS NULL OR d.psi >= %(psi_min)s::float8)
    AND (%(psi_max)s::float8 IS NULL OR d.psi <= %(psi_max)s::float8)
    AND (%(hp_min)s::float8 IS NULL OR d.hp >= %(hp_min)s::float8)
    AND (%(hp_max)s::float8 IS NULL OR d.hp <= %(hp_max)s::float8)
    AND (%(lubrication)s::text IS NULL OR d.lubrication = %(lubrication)s::text)
    AND (%(family)s::text IS NULL OR d.family = %(family)s::text)
    AND (%(manufacturer)s::text IS NULL
        OR d.manufacturer_key = ANY ((SELECT equipment.manufacturers_named(%(manufacturer)s::text))::text[]))
    AND (%(model)s::text IS NULL OR strpos(d.model_key, nullif(equipment.model_key(%(model)s::text), '')) > 0)
    AND (%(vacuum_min)s::float8 IS NULL OR d.vacuum_inhg >= %(vacuum_min)s::float8)
    AND (%(dewpoint_max)s::float8 IS NULL OR d.dewpoint_f <= %(dewpoint_max)s::float8)
    AND (%(noise_max)s::float8 IS NULL OR d.noise_dba <= %(noise_max)s::float8)
    AND (%(gallons_min)s::float8 IS NULL OR d.gallons >= %(gallons_min)s::float8)
    AND (%(gallons_max)s::float8 IS NULL OR d.gallons <= %(gallons_max)s::float8)
    AND (%(arrangement)s::text IS NULL OR d.arrangement = %(arrangement)s::text)
    AND (%(cooling)s::text IS NULL OR strpos(
        search.name_key(d.cooling), search.name_key(regexp_replace(%(cooling)s::text, 'cool(ed|ing)', '', 'i'))) > 0)
    AND (%(drive)s::text IS NULL OR strpos(
        search.name_key(d.drive), search.name_key(regexp_replace(%(drive)s::text, 'driven?', '', 'i'))) > 0)
    AND (%(voltage)s::text IS NULL OR equipment.supply(d.voltage) @> equipment.supply(%(voltage)s::text))
    AND (%(air_quality)s::text IS NULL
        OR strpos(search.name_key(d.air_quality), search.name_key(%(air_quality)s::text)) > 0)
    AND (%(attributes)s::jsonb IS NULL OR equipment.has_attributes(d.attributes, %(attributes)s::jsonb))
)""")

NAMES = SQL("""
    SELECT 'model' AS kind, d.model AS name, d.manufacturer AS maker, d.model_key AS key, d.family,
           d.hp, d.cfm, d.gallons, d.lubrication
    FROM equipment.products d WHERE d.tenant = %(tenant)s ORDER BY d.updated_at DESC LIMIT 20000
""")

NAMED = SQL("""
    SELECT d.model AS name, d.manufacturer AS maker, d.model_key AS key, d.family,
           d.hp, d.cfm, d.gallons, d.lubrication
    FROM equipment.products d WHERE d.tenant = %(tenant)s AND d.model_key = ANY (%(part_numbers)s::text[]) LIMIT 100
""")

MEETING = SQL("""(
    (n.families IS NULL OR d.family = ANY (n.families))
    AND (n.lubrication IS NULL OR d.lubrication = ANY (n.lubrication))
    AND (n.hp_low IS NULL OR d.hp >= n.hp_low) AND (n.hp_high IS NULL OR d.hp <= n.hp_high)
    AND (n.cfm_low IS NULL OR d.cfm >= n.cfm_low) AND (n.cfm_high IS NULL OR d.cfm <= n.cfm_high)
    AND (n.psi_low IS NULL OR d.psi >= n.psi_low)
    AND (n.inhg_low IS NULL OR d.vacuum_inhg >= n.inhg_low)
    AND (n.dewpoint_high IS NULL OR d.dewpoint_f <= n.dewpoint_high)
    AND (n.gallons_low IS NULL OR d.gallons >= n.gallons_low OR (d.gallons IS NULL AND d.family <> 'receiver'))
    AND (n.gallons_high IS NULL OR d.gallons <= n.gallons_high OR (d.gallons IS NULL AND d.family <> 'receiver'))
    AND (n.dba_high IS NULL OR d.noise_dba <= n.dba_high)
    AND (n.attributes IS NULL OR equipment.nearly_has_attributes(d.attributes, n.attributes))
    AND (n.models IS NULL OR d.model_key = ANY (n.models))
)""")

# A superlative goes before nearness: the quietest first.
NEARNESS = SQL("""
    n.sign * CASE n.extreme WHEN 'hp' THEN d.hp WHEN 'cfm' THEN d.cfm WHEN 'gallons' THEN d.gallons
        WHEN 'psi' THEN d.psi WHEN 'inhg' THEN d.vacuum_inhg WHEN 'dewpoint_f' THEN d.dewpoint_f
        WHEN 'dba' THEN d.noise_dba WHEN 'lb' THEN d.weight_lb WHEN 'width_in' THEN d.width_in
        WHEN 'height_in' THEN d.height_in WHEN 'length_in' THEN d.length_in
        WHEN 'footprint' THEN d.length_in * d.width_in END,
    coalesce(abs(ln(d.hp / nullif(n.hp_asked, 0))), 0) + coalesce(abs(ln(d.cfm / nullif(n.cfm_asked, 0))), 0)
        + coalesce(abs(ln(d.gallons / nullif(n.gallons_asked, 0))), 0)
""")

OFF_SIZE = SQL("""(
    coalesce(abs(ln(nullif(d.hp, 0) / nullif(coalesce(%(hp_min)s::float8, %(hp_max)s::float8), 0))), 0)
    + coalesce(abs(ln(nullif(d.cfm, 0) / nullif(coalesce(%(cfm_min)s::float8, %(cfm_max)s::float8), 0))), 0)
)""")

PRODUCTS = Corpus(
    kind="equipment",
    names=NAMES,
    named=NAMED,
    meeting=MEETING,
    nearness=NEARNESS,
    filters={
        "cfm": SQL("d.cfm"),
        "psi": SQL("d.psi"),
        "hp": SQL("d.hp"),
        "lubrication": SQL("d.lubrication"),
        "family": SQL("d.family"),
        "manufacturer": SQL("d.manufacturer"),
        "model": SQL("d.model"),
        "vacuum": SQL("d.vacuum_inhg"),
        "dewpoint": SQL("d.dewpoint_f"),
        "noise": SQL("d.noise_dba"),
        "gallons": SQL("d.gallons"),
        "arrangement": SQL("d.arrangement"),
        "cooling": SQL("d.cooling"),
        "drive": SQL("d.drive"),
        "voltage": SQL("d.voltage"),
        "air_quality": SQL("d.air_quality"),
        "attributes": SQL("equipment.attributes_shown(d.attributes)"),
    },
    label=SQL("d.model"),
    off_size=OFF_SIZE,
    schema="equipment",
    table="products",
    columns=COLUMNS,
    condition=CONDITION,
    model_key="model_key",
    document=SQL("equipment.product_document(d)"),
)


class ProductFilters(Args):
    """What CONDITION reads, each in the column's unit unless the call says otherwise."""

    cfm_min: Bound | None = Field(default=None, description="acfm.")
    cfm_max: Bound | None = Field(default=None, description="acfm.")
    psi_min: Bound | None = Field(default=None, description="PSIG.")
    psi_max: Bound | None = Field(default=None, description="PSIG.")
    hp_min: Bound | None = Field(default=None, description="In HP.")
    hp_max: Bound | None = Field(default=None, description="In HP.")
    vacuum_min: Bound | None = Field(default=None, description="inHg.")
    dewpoint_max: Degrees | None = Field(default=None, description="In °F.")
    noise_max: Bound | None = Field(default=None, description="dB(A).")
    gallons_min: Bound | None = Field(default=None, description="Tank.")
    gallons_max: Bound | None = Field(default=None, description="Tank.")
    lubrication: Lubrication | None = Field(default=None, description=LUBRICATION_FILTER)
    family: Family | None = Field(default=None, description="compressor, vacuum_pump, …")
    manufacturer: NamePart | None = Field(default=None, description="A part.")
    model: NamePart | None = Field(default=None, description="A part.")
    cooling: NamePart | None = Field(default=None, description="air or water.")
    drive: NamePart | None = Field(default=None, description="belt, vfd, …")
    voltage: NamePart | None = Field(default=None, description="460/3/60")
    air_quality: NamePart | None = Field(default=None, description="Class 0, …")
    arrangement: Arrangement | None = Field(default=None, description="Machines in one.")
    attributes: Attributes | None = Field(default=None, description="House's own: head>=40")

    @model_validator(mode="after")
    def ranges_hold_something(self) -> Self:
        refuse_empty_ranges(self, "cfm", "psi", "hp", "gallons")
        return self
