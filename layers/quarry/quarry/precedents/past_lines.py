"""Past quotes' lines as a corpus: what the quotes toolset searches and what price guidance is drawn from."""

import re
from collections.abc import Mapping
from typing import Any

from psycopg.sql import SQL

from quarry.retrieval.corpus import Copies, Corpus
from quarry.understanding.text import fold
from quarry.understanding.units import ATMOSPHERE_INHG, INHG_PER_MBAR

LINE = SQL("""
    q.quote_number, d.position, d.category, d.family, d.manufacturer, d.model, p.model AS catalogue_model,
    d.description, false AS truncated, d.quantity, d.unit_price, d.extended_price, d.currency, d.optional, d.hp,
    d.cfm, d.psi, d.vacuum_inhg, d.lubrication, d.price_note, NULL AS from_catalogue, NULL AS disagrees,
    NULL AS metric
""")

SOURCE = SQL(", q.customer, q.quote_date, q.project, q.status, q.contact")

# Left out of a plan whose filters read none of it.
LINE_NARROW = SQL("""
    LEFT JOIN quotes.past_quotes q ON q.id = d.quote_id AND q.tenant = d.tenant
    LEFT JOIN equipment.products p ON p.id = d.product_id
""")

LINE_CONDITION = SQL("""(
    (%(category)s::text IS NULL OR d.category_key = lower(%(category)s::text)
        OR d.family = replace(replace(lower(%(category)s::text), '-', '_'), ' ', '_'))
    AND (%(hp_min)s::float8 IS NULL OR coalesce(d.hp, p.hp) >= %(hp_min)s::float8)
    AND (%(hp_max)s::float8 IS NULL OR coalesce(d.hp, p.hp) <= %(hp_max)s::float8)
    AND (%(cfm_min)s::float8 IS NULL OR coalesce(d.cfm, p.cfm) >= %(cfm_min)s::float8)
    AND (%(cfm_max)s::float8 IS NULL OR coalesce(d.cfm, p.cfm) <= %(cfm_max)s::float8)
    AND (%(psi_min)s::float8 IS NULL OR coalesce(d.psi, p.psi) >= %(psi_min)s::float8)
    AND (%(psi_max)s::float8 IS NULL OR coalesce(d.psi, p.psi) <= %(psi_max)s::float8)
    AND (%(vacuum_min)s::float8 IS NULL OR coalesce(d.vacuum_inhg, p.vacuum_inhg) >= %(vacuum_min)s::float8)
    AND (%(lubrication)s::text IS NULL OR coalesce(d.lubrication, p.lubrication) = %(lubrication)s::text)
    AND (%(manufacturer)s::text IS NULL
        OR strpos(search.name_key(d.manufacturer), search.name_key(%(manufacturer)s::text)) > 0)
    AND (%(model)s::text IS NULL OR strpos(d.model_key, nullif(equipment.model_key(%(model)s::text), '')) > 0)
    AND (%(attributes)s::jsonb IS NULL OR equipment.has_attributes(p.attributes, %(attributes)s::jsonb))
    AND (%(optional)s::boolean IS NULL OR d.optional = %(optional)s::boolean)
    AND (%(customer)s::text IS NULL OR strpos(search.name_key(q.customer), search.name_key(%(customer)s::text)) > 0)
    AND (%(status)s::text IS NULL OR q.status = %(status)s::text)
    AND (%(date_from)s::date IS NULL OR q.quote_date >= %(date_from)s::date)
    AND (%(date_to)s::date IS NULL OR q.quote_date <= %(date_to)s::date)
)""")

NAMES = SQL("""
    (SELECT 'model' AS kind, d.model AS name, d.manufacturer AS maker, d.model_key AS key, d.family,
            d.hp, d.cfm, d.gallons, d.lubrication
     FROM equipment.products d WHERE d.tenant = %(tenant)s ORDER BY d.updated_at DESC LIMIT 20000)
    UNION
    (SELECT DISTINCT 'model', d.model, d.manufacturer, d.model_key, d.family,
            NULL::float8, NULL::float8, NULL::float8, NULL
     FROM quotes.line_items d WHERE d.tenant = %(tenant)s AND d.model_key <> '' LIMIT 20000)
    UNION
    (SELECT DISTINCT 'customer', d.customer, NULL, NULL, NULL, NULL::float8, NULL::float8, NULL::float8, NULL
     FROM quotes.past_quotes d WHERE d.tenant = %(tenant)s LIMIT 20000)
    UNION
    (SELECT DISTINCT 'salesperson', d.salesperson, NULL, NULL, NULL, NULL::float8, NULL::float8, NULL::float8, NULL
     FROM quotes.past_quotes d WHERE d.tenant = %(tenant)s AND d.salesperson <> '' LIMIT 2000)
    UNION
    (SELECT DISTINCT 'contact', d.contact, NULL, NULL, NULL, NULL::float8, NULL::float8, NULL::float8, NULL
     FROM quotes.past_quotes d WHERE d.tenant = %(tenant)s AND d.contact <> '' LIMIT 20000)
    UNION
    (SELECT DISTINCT 'industry', lower(d.industry), NULL, NULL, NULL, NULL::float8, NULL::float8, NULL::float8, NULL
     FROM quotes.past_quotes d WHERE d.tenant = %(tenant)s AND d.industry <> '' LIMIT 2000)
    UNION
    (SELECT DISTINCT 'heading', lower(d.category), NULL, NULL, NULL, NULL::float8, NULL::float8, NULL::float8, NULL
     FROM quotes.line_items d WHERE d.tenant = %(tenant)s LIMIT 2000)
    UNION
    (SELECT 'currency', d.currency, NULL, NULL, NULL, NULL::float8, NULL::float8, NULL::float8, NULL
     FROM quotes.past_quotes d WHERE d.tenant = %(tenant)s GROUP BY d.currency ORDER BY count(*) DESC LIMIT 1)
""")

NAMED = SQL("""
    SELECT DISTINCT d.model AS name, d.manufacturer AS maker, d.model_key AS key, d.family
    FROM quotes.line_items d WHERE d.tenant = %(tenant)s AND d.model_key = ANY (%(part_numbers)s::text[]) LIMIT 100
""")

# What a line does not say its catalogue row may.
LINE_MEETING = SQL("""(
    (n.families IS NULL OR d.family = ANY (n.families))
    AND (n.lubrication IS NULL OR coalesce(d.lubrication, p.lubrication) = ANY (n.lubrication))
    AND (n.hp_low IS NULL OR coalesce(d.hp, p.hp) >= n.hp_low)
    AND (n.hp_high IS NULL OR coalesce(d.hp, p.hp) <= n.hp_high)
    AND (n.cfm_low IS NULL OR coalesce(d.cfm, p.cfm) >= n.cfm_low)
    AND (n.cfm_high IS NULL OR coalesce(d.cfm, p.cfm) <= n.cfm_high)
    AND (n.psi_low IS NULL OR coalesce(d.psi, p.psi) >= n.psi_low)
    AND (n.inhg_low IS NULL OR coalesce(d.vacuum_inhg, p.vacuum_inhg) >= n.inhg_low)
    AND (n.dewpoint_high IS NULL OR p.dewpoint_f <= n.dewpoint_high)
    AND (n.dba_high IS NULL OR p.noise_dba <= n.dba_high)
    AND (n.attributes IS NULL OR equipment.nearly_has_attributes(p.attributes, n.attributes))
    AND (n.models IS NULL OR d.model_key = ANY (n.models))
    AND (n.category IS NULL OR EXISTS (
        SELECT FROM unnest(n.category) AS named WHERE strpos(replace(d.category_key, '-', ' '), named) > 0))
    AND (n.currency IS NULL OR d.currency = ANY (n.currency))
    AND (n.price_low IS NULL OR d.unit_price >= n.price_low)
    AND (n.price_high IS NULL OR d.unit_price <= n.price_high)
    AND (n.outcome IS NULL OR q.status = ANY (n.outcome))
    AND (n.customer IS NULL OR q.customer = ANY (n.customer))
    AND (n.salesperson IS NULL OR q.salesperson = ANY (n.salesperson))
    AND (n.industry IS NULL OR lower(q.industry) = ANY (n.industry))
    AND (n.quote_number IS NULL OR search.name_key(q.quote_number) = ANY (n.quote_number))
    AND (n.date_from IS NULL OR q.quote_date >= n.date_from) AND (n.date_to IS NULL OR q.quote_date <= n.date_to)
)""")

LINE_NEARNESS = SQL("""
    n.sign * CASE n.extreme WHEN 'price' THEN d.unit_price WHEN 'date' THEN q.quote_date - date '2000-01-01'
        WHEN 'hp' THEN coalesce(d.hp, p.hp) WHEN 'cfm' THEN coalesce(d.cfm, p.cfm)
        WHEN 'psi' THEN coalesce(d.psi, p.psi) WHEN 'inhg' THEN coalesce(d.vacuum_inhg, p.vacuum_inhg)
        WHEN 'dba' THEN p.noise_dba END,
    coalesce(abs(ln(coalesce(d.hp, p.hp) / nullif(n.hp_asked, 0))), 0)
        + coalesce(abs(ln(coalesce(d.cfm, p.cfm) / nullif(n.cfm_asked, 0))), 0)
""")

CATALOGUE = SQL("""
    , q.salesperson AS _salesperson, q.industry AS _industry,
    CASE WHEN p.id IS NOT NULL THEN json_build_object(
        'hp', p.hp, 'cfm', p.cfm, 'psi', p.psi, 'vacuum_inhg', p.vacuum_inhg, 'lubrication', p.lubrication,
        'dewpoint_f', p.dewpoint_f, 'noise_dba', p.noise_dba, 'weight_lb', p.weight_lb, 'cooling', p.cooling,
        'drive', p.drive, 'voltage', p.voltage, 'motor', p.motor, 'air_quality', p.air_quality,
        '_attributes', p.attributes) END AS _catalogue
""")

LINE_ITEMS = Corpus(
    kind="line_items",
    names=NAMES,
    named=NAMED,
    meeting=LINE_MEETING,
    nearness=LINE_NEARNESS,
    filters={
        "category": SQL("d.category"),
        "hp": SQL("coalesce(d.hp, p.hp)"),
        "cfm": SQL("coalesce(d.cfm, p.cfm)"),
        "psi": SQL("coalesce(d.psi, p.psi)"),
        "vacuum": SQL("coalesce(d.vacuum_inhg, p.vacuum_inhg)"),
        "lubrication": SQL("coalesce(d.lubrication, p.lubrication)"),
        "manufacturer": SQL("d.manufacturer"),
        "model": SQL("d.model"),
        "attributes": SQL("equipment.attributes_shown(p.attributes)"),
        "optional": SQL("d.optional"),
        "customer": SQL("q.customer"),
        "status": SQL("q.status"),
        "date": SQL("q.quote_date"),
    },
    label=SQL("coalesce(d.model, d.category)"),
    schema="quotes",
    table="line_items",
    narrow=LINE_NARROW,
    columns=SQL("").join([LINE, SOURCE, CATALOGUE]),
    condition=LINE_CONDITION,
    joins=LINE_NARROW,
    model_key="model_key",
    document=SQL("quotes.line_item_document(d)"),
    copies=Copies(
        row=SQL("""
            'quote_number', q.quote_number, 'position', d.position, 'quote_date', q.quote_date,
            'customer', q.customer, 'status', q.status, 'unit_price', d.unit_price::text, 'currency', d.currency"""),
        on=SQL("q.quote_date"),
    ),
)

FILTERS = (
    "category", "hp_min", "hp_max", "cfm_min", "cfm_max", "psi_min", "psi_max", "vacuum_min", "lubrication",
    "manufacturer", "model", "attributes", "customer", "status", "date_from", "date_to", "optional",
)  # fmt: skip
"""What LINE_CONDITION reads; each is given, None where it is not set."""


def filters(**given: Any) -> dict[str, Any]:
    """All filters of the corpus, with those that are ``given`` set."""
    return {**dict.fromkeys(FILTERS), **given}


APART = 0.05
"""Share by which a line's quantity may differ from its catalogue row's; figures are rounded in texts."""

ABSOLUTE = re.compile(r"(?<![\d.,-])(\d{1,3}(?:[.,]\d+)?)\s?(mbar|hpa|torr)(?:\s?\(?abs\w*)?")
TORR_MBAR = 1.33322
OFF_MBAR = 0.05
"""Share by which makers round an end pressure."""


def own_disagreement(row: Mapping[str, object]) -> str | None:
    """Where a pump's description tells another end pressure than its column. Other figures of a description are often
    of something else, such as a specific power per 100 cfm.
    """
    column = row.get("vacuum_inhg")
    told = ABSOLUTE.search(fold(str(row.get("description") or "")))
    if row.get("family") != "vacuum_pump" or told is None or not isinstance(column, int | float):
        return None
    said = float(told[1].replace(",", ".")) * (TORR_MBAR if told[2] == "torr" else 1)
    held = (ATMOSPHERE_INHG - column) / INHG_PER_MBAR
    rounded = 0.5 * 10.0 ** -len(f"{column:g}".partition(".")[2]) / INHG_PER_MBAR
    if abs(said - held) <= max(OFF_MBAR * held, rounded):
        return None
    return f"end pressure {said:.0f} mbar abs in its description, {held:.0f} ({column:g} inHg) in its column"


COMPARED = ("hp", "cfm", "psi", "vacuum_inhg", "lubrication")


def disagreement(line: Mapping[str, object], catalogue: Mapping[str, object] | None) -> str | None:
    """What a line says and its catalogue row denies, such as "hp 100 here, 75 in the catalogue"."""
    apart = []
    for name in COMPARED:
        ours, theirs = line.get(name), (catalogue or {}).get(name)
        if isinstance(ours, int | float) and isinstance(theirs, int | float):
            if abs(ours - theirs) > APART * abs(theirs):
                apart.append(f"{name} {ours:g} here, {theirs:g} in the catalogue")
        elif ours is not None and theirs is not None and ours != theirs:
            apart.append(f"{name} {ours} here, {theirs} in the catalogue")
    return "; ".join(apart) or None
