"""A tenant's attributes, units, terms and names, read from the database and kept for its searches."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from psycopg.rows import DictRow
from psycopg.sql import SQL, Composed

from quarry.attributes.model import Attribute, Attributes, NamedModel, Names, unmarked
from quarry.attributes.units import Beside, System, preferred, shipped
from quarry.data import database
from quarry.data.settings import kept
from quarry.needs.grammar import attribute_of
from quarry.retrieval.corpus import BY_INDEX
from quarry.text import fold, key_of, part_key

KEPT_S = 60.0
"""How long a process uses what it has read."""

AGAIN_S = 1.0
"""How long it does before it prints labels or says that there is no such attribute: it may just have been loaded."""

DECLARED = SQL("""
    SELECT name, kind, families, unit, sense, met, close, absolute, ordered, adds, also, low, high, words, labels,
        position, note, printed, point
    FROM search.attributes WHERE tenant = %(tenant)s ORDER BY position NULLS LAST, name
""")
FAMILIES = SQL("SELECT family, name, words FROM search.families WHERE tenant = %(tenant)s ORDER BY family")
UNITS = SQL("""
    SELECT symbol, spellings, dimension, factor, "offset", reference FROM search.units WHERE tenant = %(tenant)s
""")
HOUSE = SQL("SELECT language, currency FROM quarry.house WHERE tenant = %(tenant)s")
TERMS = SQL("""
    SELECT term, attribute, value FROM search.vocabulary WHERE tenant = %(tenant)s ORDER BY term, value, attribute
""")

# It walks from one value to the next by the index, however many rows have each.
LISTED = SQL("""
    WITH RECURSIVE listed AS (
        SELECT a.name AS attribute, c.corpus, ''::text AS code, NULL::text AS raw, 0 AS place
        FROM search.attributes a CROSS JOIN (VALUES ('equipment.products'), ('quotes.line_items')) c (corpus)
        WHERE a.tenant = %(tenant)s AND a.kind = 'text'
        UNION ALL
        SELECT l.attribute, l.corpus, n.code, n.raw, l.place + 1
        FROM listed l CROSS JOIN LATERAL (
            SELECT v.code, v.raw FROM search.attribute_values v
            WHERE v.tenant = %(tenant)s AND v.corpus = l.corpus AND v.attribute = l.attribute AND v.code > l.code
            ORDER BY v.code LIMIT 1) n
        WHERE l.place < 1000)
    SELECT DISTINCT attribute, code, raw FROM listed WHERE raw IS NOT NULL
""")

# The index gives the first and the last upper ends, however many rows have a figure; some, for ranges begin lower.
STORED = SQL("""
    SELECT a.name AS attribute, min(e.low) AS low, max(e.high) AS high
    FROM search.attributes a CROSS JOIN (VALUES ('equipment.products'), ('quotes.line_items')) c (corpus)
    CROSS JOIN LATERAL (
        (SELECT v.low, v.high FROM search.attribute_values v
         WHERE v.tenant = %(tenant)s AND v.corpus = c.corpus AND v.attribute = a.name AND v.code = ''
            AND v.high IS NOT NULL ORDER BY v.high LIMIT 50)
        UNION ALL
        (SELECT v.low, v.high FROM search.attribute_values v
         WHERE v.tenant = %(tenant)s AND v.corpus = c.corpus AND v.attribute = a.name AND v.code = ''
            AND v.high IS NOT NULL ORDER BY v.high DESC LIMIT 50)) e
    WHERE a.tenant = %(tenant)s AND a.kind = 'number' GROUP BY a.name ORDER BY a.name
""")

# There are few headings, industries and years; of names as many are read as a process may hold.
HEADINGS = SQL("""
    SELECT 'category' AS attribute, t.text AS raw FROM ({}) t
    UNION SELECT 'series', t.text FROM ({}) t WHERE t.text <> ''
    UNION SELECT 'category', t.text FROM ({}) t
    UNION SELECT DISTINCT 'industry', d.industry FROM quotes.past_quotes d
    WHERE d.tenant = %(tenant)s AND d.industry <> ''
    UNION SELECT DISTINCT 'year', extract(year FROM d.quote_date)::int::text
    FROM quotes.past_quotes d WHERE d.tenant = %(tenant)s
    LIMIT 5000
""").format(
    SQL(BY_INDEX.format(name="category", table="equipment.products")),
    SQL(BY_INDEX.format(name="series", table="equipment.products")),
    SQL(BY_INDEX.format(name="category", table="quotes.line_items")),
)

NAMES = SQL("""
    WITH newest AS MATERIALIZED (
        SELECT d.model, d.manufacturer, d.sku, d.model_key, d.sku_key
        FROM equipment.products d WHERE d.tenant = %(tenant)s ORDER BY d.updated_at DESC LIMIT 20000)
    SELECT 'model' AS kind, n.model AS name, n.manufacturer AS maker FROM newest n
    UNION ALL
    SELECT 'sku', n.sku, n.model FROM newest n WHERE n.sku_key <> n.model_key
    UNION ALL
    (SELECT DISTINCT 'model', d.model, d.manufacturer
     FROM quotes.line_items d WHERE d.tenant = %(tenant)s AND d.model_key <> '' LIMIT 20000)
    UNION ALL
    (SELECT DISTINCT 'maker', d.manufacturer, NULL
     FROM quotes.line_items d WHERE d.tenant = %(tenant)s AND d.manufacturer <> '' LIMIT 2000)
    UNION ALL
    (SELECT 'maker', d.value, d.term
     FROM search.vocabulary d WHERE d.tenant = %(tenant)s AND d.attribute = 'manufacturer' LIMIT 2000)
    UNION ALL
    (SELECT DISTINCT 'customer', d.customer, NULL
     FROM quotes.past_quotes d WHERE d.tenant = %(tenant)s LIMIT 20000)
    UNION ALL
    (SELECT DISTINCT 'salesperson', d.salesperson, NULL
     FROM quotes.past_quotes d WHERE d.tenant = %(tenant)s AND d.salesperson <> '' LIMIT 2000)
    UNION ALL
    (SELECT DISTINCT 'unit', d.unit, NULL
     FROM quotes.line_items d WHERE d.tenant = %(tenant)s AND d.unit <> '' LIMIT 200)
    UNION ALL
    (SELECT DISTINCT 'unit', substr(d.unit, 5), NULL
     FROM cpq.price_book_entries d WHERE d.tenant = %(tenant)s AND d.superseded_at IS NULL LIMIT 200)
    UNION ALL
    (SELECT 'word', t.term, NULL FROM equipment.products_terms t WHERE t.tenant = %(tenant)s AND t.df > 0 LIMIT 20000)
""")

# tenant_settings had the units before the house did; whoever set them there keeps them.
UNITS_BESIDE = SQL("""
    SELECT coalesce(
        (SELECT units FROM quarry.house WHERE tenant = %(tenant)s),
        (SELECT units FROM quarry.tenant_settings WHERE tenant = %(tenant)s)) AS units
""")


@kept
def _cached() -> dict[tuple[str, str], tuple[float, object, Any]]:
    """Maps (tenant, subject) to when it was read, the rows, and what was made of them."""
    return {}


def _read_once[T](
    tenant: str, subject: str, statements: Sequence[SQL | Composed], make: Callable[..., T], *, kept_s: float = KEPT_S
) -> T:
    """Returns what ``make`` makes of the rows: one object while they stay the same, for caches are keyed by it."""
    held = _cached().get((tenant, subject))
    if held is not None and time.monotonic() - held[0] < kept_s:
        return held[2]  # type: ignore[no-any-return]  # one subject, one type
    rows = database.fetch_each(tenant, [(each, database.NONE) for each in statements])
    made = held[2] if held is not None and held[1] == rows else make(*rows)
    _cached()[tenant, subject] = (time.monotonic(), rows, made)
    return made


def attributes_of(tenant: str, *, named: Iterable[str] = (), kept_s: float = KEPT_S) -> Attributes:
    """Returns what a tenant declares and its rows have, as this process read it last, or just now where an attribute
    that is ``named`` was not among it.
    """
    statements = (DECLARED, FAMILIES, UNITS, HOUSE, TERMS, LISTED, STORED, HEADINGS)
    found = _read_once(tenant, "attributes", statements, _attributes, kept_s=kept_s)
    if kept_s > AGAIN_S and any(attribute_of(name, found) is None for name in named):
        return attributes_of(tenant, kept_s=AGAIN_S)
    return found


def beside(asked: System | None, *, tenant: str) -> Beside:
    """Returns the units of the system asked for, else of the house's system, else none."""
    system = asked or _read_once(tenant, "system", (UNITS_BESIDE,), lambda rows: rows[0]["units"])
    return preferred()[system] if system else {}


def names_of(tenant: str) -> Names:
    """Returns models, makers, customers and salespeople, as this process read them last."""
    return _read_once(tenant, "names", (NAMES,), _names)


def _attributes(
    declared: Sequence[DictRow],
    families: Sequence[DictRow],
    units: Sequence[DictRow],
    house: Sequence[DictRow],
    terms: Sequence[DictRow],
    listed: Sequence[DictRow],
    stored: Sequence[DictRow],
    headings: Sequence[DictRow],
) -> Attributes:
    values: dict[str, set[str]] = {}
    meanings = {(row["attribute"], key_of(row["value"])): str(row["value"]) for row in terms}
    for row in listed:
        # Where a file writes a term or several values at once, the value itself is the one that rows are judged by.
        is_value = key_of(row["raw"]) == row["code"]
        text = str(row["raw"]) if is_value else meanings.get((row["attribute"], row["code"]), str(row["code"]))
        values.setdefault(row["attribute"], set()).add(text)
    for row in headings:
        values.setdefault(row["attribute"], set()).add(row["raw"])
    return Attributes(
        by_name={row["name"]: as_declared(row) for row in declared},
        families={row["family"]: [*filter(None, [row["name"]]), *row["words"]] for row in families},
        # In one order in all processes, which answer alike.
        listed={name: frozenset(texts) for name, texts in sorted(values.items())},
        stored={row["attribute"]: (row["low"], row["high"]) for row in stored},
        terms=terms_of(terms, families),
        **of_house(house, units),
    )


def as_declared(row: Mapping[str, Any]) -> Attribute:
    """Converts a row of search.attributes to an attribute."""
    lists = {"families": frozenset(row["families"]), "ordered": tuple(row["ordered"]), "words": tuple(row["words"])}
    return Attribute(**{**row, **lists})


def of_house(house: Sequence[DictRow], units: Sequence[DictRow]) -> dict[str, Any]:
    """Returns what attributes have of the house: its language and currency, and the units called by these."""
    spoken = dict(house[0]) if house else {}
    return {**spoken, "units": shipped().with_own(units, **spoken)}


def terms_of(rows: Sequence[DictRow], families: Sequence[DictRow]) -> dict[tuple[str, str], tuple[str, ...]]:
    """Maps (attribute, folded term) to what the term stands for; names of families are terms, too."""
    found: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        found.setdefault((row["attribute"], key_of(row["term"])), []).append(row["value"])
    for row in families:
        for word in filter(None, [row["name"], *row["words"]]):
            found.setdefault(("family", key_of(unmarked(word)[1])), []).append(row["family"])
    return {key: tuple(dict.fromkeys(values)) for key, values in found.items()}


def _names(rows: Sequence[DictRow]) -> Names:
    models: dict[str, NamedModel] = {}
    skus: dict[str, tuple[str, ...]] = {}
    named: dict[str, dict[str, str]] = {"maker": {}, "customer": {}, "salesperson": {}}
    words, units = set(), set()
    for row in rows:
        kind, name = row["kind"], row["name"]
        if kind == "word":
            words.add(fold(name))
        elif kind == "unit":
            units.add(name)
        elif kind == "sku":
            skus[part_key(name)] = (*skus.get(part_key(name), ()), row["maker"])
        elif kind == "model":
            models.setdefault(part_key(name), NamedModel(name, row["maker"]))
            if row["maker"]:
                named["maker"].setdefault(fold(row["maker"]), row["maker"])
        else:
            named[kind][fold(row["maker"] or name)] = name
    models.pop("", None)
    people = named["customer"], named["salesperson"]
    return Names(models, named["maker"], *people, frozenset(words), skus, frozenset(units))
