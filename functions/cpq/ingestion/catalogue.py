"""The catalogue: products for sale, what they require and exclude, price books with versioned prices, tax rules."""

from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Literal, Self

from psycopg.sql import SQL, Composed
from pydantic import Field, PlainSerializer, ValidatorFunctionWrapHandler, WrapValidator, model_validator

from cpq.catalogue.configuration import AttributeSpec
from cpq.ingestion.cells import (
    Country,
    Name,
    PriceBookId,
    ProductId,
    ProductReference,
    Structure,
    TaxRuleId,
    absent,
    taken,
    unknown_currency,
)
from cpq.ingestion.customers import UNTAXED_REGIONS
from cpq.model import Amount, Key, Language, Pct, Tier
from quarry.attributes.model import model_look
from quarry.ingestion import Kind, Row
from quarry.money import ON_REQUEST, Currency
from quarry.text import part_key

AttributeName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,59}$")]


def _asked_for(value: object, handler: ValidatorFunctionWrapHandler) -> Decimal | str:
    return ON_REQUEST if value == ON_REQUEST else handler(value)


ListPrice = Annotated[Amount, WrapValidator(_asked_for), PlainSerializer(str, return_type=str)]


class ProductForSaleRow(Row):
    id: ProductId
    sku: str = Field(min_length=1, max_length=100)
    name: Name
    names: Annotated[dict[Language, Name] | None, Structure] = None
    description: str | None = Field(default=None, max_length=20_000, description="Of a new product else its name.")
    product_type: Literal["simple", "configurable", "service"]
    category: Key
    attributes: Annotated[dict[AttributeName, AttributeSpec], Structure] = Field(default_factory=dict)
    active: bool = True
    successor: str | None = Field(default=None, min_length=1, max_length=200, description="Its id, SKU or model.")
    tax_category: Key | None = None
    discount_group: Key | None = Field(default=None, description="By which discounts name it; else its category.")
    min_quantity: int = Field(default=1, ge=1, le=1_000_000)
    max_quantity: int | None = Field(default=None, ge=1, le=10_000_000)
    cost: Amount | None = None
    cost_currency: Currency | None = Field(default=None, description="Of a cost without one the house's.")
    manufacturer: Name | None = None
    model: Name | None = None
    created_at: datetime | None = None

    @model_validator(mode="after")
    def halves_come_together(self) -> Self:
        if (self.manufacturer is None) != (self.model is None):
            raise ValueError("manufacturer and model come together, or neither where products have the SKU")
        if self.max_quantity is not None and self.max_quantity < self.min_quantity:
            raise ValueError("max_quantity is below min_quantity")
        return self


class ProductRelationshipRow(Row):
    product_id: ProductReference
    kind: Literal["requires", "excludes", "recommends"]
    related_id: ProductReference
    active: bool = True

    @model_validator(mode="after")
    def names_two_products(self) -> Self:
        if self.product_id == self.related_id:
            raise ValueError("a product has no relationship to itself")
        return self


UPSERT_RELATIONSHIPS = SQL("""
    INSERT INTO cpq.product_relationships AS t (tenant, product_id, kind, related_id, active)
    SELECT DISTINCT ON (p.id, r.kind, o.id) %(tenant)s, p.id, r.kind, o.id, r.active
    FROM jsonb_to_recordset(%(rows)s) AS r (product_id text, kind text, related_id text, active boolean)
    JOIN cpq.products p ON p.tenant = %(tenant)s AND (p.id = r.product_id OR p.sku = r.product_id)
    JOIN cpq.products o ON o.tenant = %(tenant)s AND (o.id = r.related_id OR o.sku = r.related_id)
    WHERE p.id <> o.id
    ORDER BY p.id, r.kind, o.id, r.active DESC
    ON CONFLICT (tenant, product_id, kind, related_id) DO UPDATE SET active = excluded.active, updated_at = now()
    WHERE t.active <> excluded.active
    RETURNING (t.xmax = 0) AS inserted
""")

HELD_RELATIONSHIPS = SQL("""
    SELECT (e.index - 1)::integer AS index, to_jsonb(t)::text AS content
    FROM jsonb_array_elements(%(keys)s) WITH ORDINALITY AS e (value, index)
    JOIN cpq.products p ON p.tenant = %(tenant)s AND e.value ->> 'product_id' IN (p.id, p.sku)
    JOIN cpq.products o ON o.tenant = %(tenant)s AND e.value ->> 'related_id' IN (o.id, o.sku)
    JOIN cpq.product_relationships t ON t.tenant = %(tenant)s AND t.product_id = p.id AND t.related_id = o.id
        AND t.kind = e.value ->> 'kind'
""")


def no_such_product(column: str) -> Composed:
    reason = f"{column}: no product %%L; ingest products_for_sale first"
    return absent(column, among="products", by=("id", "sku"), reason=reason)


# A price list names goods by SKU, and the technical catalogue may be loaded before or after it.
LINK_PRODUCTS = SQL("""
    UPDATE cpq.products s SET manufacturer = p.manufacturer, model = p.model
    FROM equipment.products p
    WHERE s.tenant = %(tenant)s AND p.tenant = %(tenant)s AND s.model IS NULL AND p.sku_key = s.sku_key
      AND NOT EXISTS (SELECT FROM equipment.products o
                      WHERE o.tenant = %(tenant)s AND o.sku_key = p.sku_key AND o.id <> p.id)
""")

_LOOKS = {letter: look for letter in map(chr, range(ord("0"), 0x590))
          if part_key(letter) == letter != (look := model_look(letter)) and len(look) == 1}  # fmt: skip
"""What ``model_look`` changes in part keys, for SQL."""

# Tables of search_equipment show a price only where SKU or model tie the product to the technical catalogue.
OUT_OF_CATALOGUE = SQL("""
    SELECT format(
        '%%s products for sale are none of the catalogue, by SKU or by manufacturer and model, so no table of '
        'search_equipment shows their prices: %%s', count(*),
        string_agg(sku || coalesce(' (its ' || (
            SELECT min(p.model) FROM equipment.products p WHERE p.tenant = %(tenant)s AND place <= 5
                AND translate(p.model_key, {letters}, {looks}) = translate(key, {letters}, {looks})
            ) || ' looks the same in other letters)', ''), ', ') FILTER (WHERE place <= 5)
            || CASE WHEN count(*) > 5 THEN ' …' ELSE '' END) AS told
    FROM (SELECT s.sku, coalesce(s.model_key, s.sku_key) AS key, row_number() OVER (ORDER BY s.sku) AS place
          FROM cpq.products s
          WHERE s.tenant = %(tenant)s AND s.active AND s.product_type <> 'service'
            AND NOT EXISTS (
                SELECT FROM equipment.products p WHERE p.tenant = %(tenant)s AND p.model_key = s.model_key)
            AND EXISTS (SELECT FROM equipment.products p WHERE p.tenant = %(tenant)s)) s
    HAVING count(*) > 0
""").format(letters="".join(_LOOKS), looks="".join(_LOOKS.values()))

COST_CURRENCY = SQL("""
    CASE WHEN r.cost IS NOT NULL THEN coalesce(
        r.cost_currency, (SELECT h.currency FROM quarry.house h WHERE h.tenant = %(tenant)s)) END
""")
COST_WITHOUT_CURRENCY = SQL("""
    SELECT (e.index - 1)::integer AS index,
        'cost_currency: neither the row nor the house says one; add a column, say SET="cost_currency=EUR", or give '
        'the house its currency with make setup' AS reason
    FROM jsonb_array_elements(%(rows)s) WITH ORDINALITY AS e (value, index)
    WHERE e.value ->> 'cost' IS NOT NULL AND e.value ->> 'cost_currency' IS NULL
        AND NOT EXISTS (SELECT FROM quarry.house h WHERE h.tenant = %(tenant)s AND h.currency IS NOT NULL)
""")

PRODUCTS_FOR_SALE = Kind(
    name="products_for_sale",
    row=ProductForSaleRow,
    key=("id",),
    table="cpq.products",
    partly=True,
    known_by="sku",
    values={
        "attributes": SQL("jsonb_strip_nulls(r.attributes)"),
        "created_at": SQL("coalesce(r.created_at, now())"),
        "description": SQL("coalesce(r.description, r.name)"),
        "cost_currency": COST_CURRENCY,
    },
    missing=taken("products", "sku", reason="sku: %%L belongs to another product already")
    + SQL(" UNION ALL ")
    + unknown_currency("cost_currency")
    + SQL(" UNION ALL ")
    + COST_WITHOUT_CURRENCY,
    links=(LINK_PRODUCTS,),
    doubts=OUT_OF_CATALOGUE,
)
PRODUCT_RELATIONSHIPS = Kind(
    name="product_relationships",
    row=ProductRelationshipRow,
    key=("product_id", "kind", "related_id"),
    upsert=UPSERT_RELATIONSHIPS,
    held=HELD_RELATIONSHIPS,
    table="cpq.product_relationships",
    primary_key=("product_id", "kind", "related_id"),
    missing=no_such_product("product_id") + SQL(" UNION ALL ") + no_such_product("related_id"),
)


def _lasts[R: PriceBookRow | TaxRuleRow](row: R) -> R:
    if row.valid_from and row.valid_to and row.valid_to < row.valid_from:
        raise ValueError("valid_to is before valid_from")
    return row


class PriceBookRow(Row):
    id: PriceBookId
    name: Name
    currency: Currency
    segment: Key | None = None
    country: Country | None = None
    valid_from: date | None = None
    valid_to: date | None = None
    priority: int = Field(default=0, ge=-1000, le=1000)
    active: bool = True

    is_valid_for_a_day = model_validator(mode="after")(_lasts)


class PriceRow(Row):
    """A product in a price book: a tier replaces the list ``price`` for every unit of a line that is in the tier.
    With ``allowance_from`` and ``allowance_to`` the price is an allowance until somebody has seen the job; a ``net``
    one takes no part of a discount but of one that is typed on the line. ``currency`` is stored with the book alone
    and has to be its own.
    """

    price_book_id: PriceBookId
    product_id: ProductReference
    price: ListPrice
    currency: Currency | None = None
    unit: str = Field(default="per_unit", pattern=r"^per_[^\W\d_A-Z]{1,30}(_per_(month|year))?$")
    tiers: Annotated[list[Tier], Structure] = Field(default_factory=list, max_length=50)
    net: bool = False
    allowance_from: Amount | None = None
    allowance_to: Amount | None = None

    @model_validator(mode="after")
    def is_within_its_allowance(self) -> Self:
        low, high = self.allowance_from, self.allowance_to
        if (low is None) != (high is None):
            raise ValueError("allowance_from and allowance_to come together")
        if (
            low is not None
            and high is not None
            and (self.price == ON_REQUEST or not low <= Decimal(self.price) <= high)
        ):
            raise ValueError("the price is between allowance_from and allowance_to")
        return self

    @model_validator(mode="after")
    def tiers_leave_no_gap(self) -> Self:
        ends = [tier.max for tier in self.tiers]
        starts = [tier.min for tier in self.tiers]
        if self.tiers and self.price == ON_REQUEST:
            raise ValueError("a price on request has no tiers")
        if self.tiers and (starts[0] != 1 or ends[-1] is not None or None in ends[:-1]):
            raise ValueError("tiers start at 1, and only the last has no max")
        if any(end is None or end < start for start, end in zip(starts[:-1], ends[:-1], strict=True)):
            raise ValueError("a tier's max is below its min")
        if any(end is None or start != end + 1 for start, end in zip(starts[1:], ends[:-1], strict=True)):
            raise ValueError("each tier starts right after the one before")
        return self


class TaxRuleRow(Row):
    id: TaxRuleId
    name: Name
    country: Country
    region: Annotated[str, Field(min_length=1, max_length=60)] | None = None
    tax_category: Key | None = None
    rate_pct: Pct
    valid_from: date | None = None
    valid_to: date | None = None

    is_valid_for_a_day = model_validator(mode="after")(_lasts)


# A price book that has prices keeps its currency, because the prices are in it.
FAULTY_BOOKS = SQL("""
    WITH given AS (
        SELECT (e.index - 1)::integer AS index, e.value ->> 'id' AS id, e.value ->> 'currency' AS currency
        FROM jsonb_array_elements(%(rows)s) WITH ORDINALITY AS e (value, index))
    SELECT g.index, format('currency: the book''s prices are in %%s; make a new book', b.currency) AS reason
    FROM given g JOIN cpq.price_books b ON b.tenant = %(tenant)s AND b.id = g.id AND b.currency <> g.currency
    WHERE EXISTS (SELECT FROM cpq.price_book_entries p WHERE p.tenant = %(tenant)s AND p.price_book_id = b.id)
""")

OF_ANOTHER_CURRENCY = SQL("""
    SELECT (e.index - 1)::integer AS index,
        format('currency: the price is in %%s, and price book %%L in %%s', e.value ->> 'currency', b.id, b.currency)
            AS reason
    FROM jsonb_array_elements(%(rows)s) WITH ORDINALITY AS e (value, index)
    JOIN cpq.price_books b ON b.tenant = %(tenant)s AND b.id = e.value ->> 'price_book_id'
    WHERE e.value ->> 'currency' <> b.currency
""")

# Never an update: the table's trigger ends the version before, so that old quotes keep what they cite.
INSERT_PRICES = SQL("""
    INSERT INTO cpq.price_book_entries (
        tenant, price_book_id, product_id, price, unit, tiers, net, allowance_from, allowance_to)
    SELECT DISTINCT ON (r.price_book_id, p.id) %(tenant)s, r.price_book_id, p.id, asked.price, r.unit, r.tiers,
        r.net, r.allowance_from, r.allowance_to
    FROM jsonb_to_recordset(%(rows)s) AS r (
        price_book_id text, product_id text, price text, unit text, tiers jsonb, net boolean,
        allowance_from numeric, allowance_to numeric)
    CROSS JOIN LATERAL (SELECT nullif(r.price, 'on request')::numeric AS price) asked
    JOIN cpq.products p ON p.tenant = %(tenant)s AND (p.id = r.product_id OR p.sku = r.product_id)
    LEFT JOIN cpq.price_book_entries c
        ON c.tenant = %(tenant)s AND c.price_book_id = r.price_book_id AND c.product_id = p.id
        AND c.superseded_at IS NULL
    WHERE c.version IS NULL OR (c.price, c.unit, c.tiers, c.net, c.allowance_from, c.allowance_to)
        IS DISTINCT FROM (asked.price, r.unit, r.tiers, r.net, r.allowance_from, r.allowance_to)
    ORDER BY r.price_book_id, p.id, p.id = r.product_id DESC
    RETURNING version = 1 AS inserted
""")

PRICE_BOOKS = Kind(
    name="price_books",
    row=PriceBookRow,
    key=("id",),
    table="cpq.price_books",
    partly=True,
    missing=FAULTY_BOOKS + SQL(" UNION ALL ") + unknown_currency("currency"),
)
STORED_PRICES = SQL("""
    SELECT to_jsonb(t) || jsonb_build_object('price', coalesce(t.price::text, 'on request')) AS content
    FROM cpq.price_book_entries t
    WHERE t.tenant = %(tenant)s AND t.superseded_at IS NULL ORDER BY t.price_book_id, t.product_id
""")

HELD_PRICES = SQL("""
    SELECT (e.index - 1)::integer AS index, to_jsonb(t)::text AS content
    FROM jsonb_array_elements(%(keys)s) WITH ORDINALITY AS e (value, index)
    JOIN cpq.products p ON p.tenant = %(tenant)s AND e.value ->> 'product_id' IN (p.id, p.sku)
    JOIN cpq.price_book_entries t ON t.tenant = %(tenant)s AND t.price_book_id = e.value ->> 'price_book_id'
        AND t.product_id = p.id AND t.superseded_at IS NULL
""")

# Each price that the ingest ended beside the one in its place, and how they compare where they buy the same.
PRICES_CHANGED = SQL("""
    WITH changed AS (
        SELECT to_jsonb(o) AS before, to_jsonb(n) AS now, n.price > o.price AS rises, n.price < o.price AS falls,
            greatest(greatest(o.price, n.price) / nullif(least(o.price, n.price), 0), t.times) AS times,
            CASE WHEN (o.price <> n.price OR t.times > 1) AND o.unit = n.unit THEN format(
                '%%s in %%s from %%s to %%s %%s', o.product_id, b.id, trim_scale(o.price), trim_scale(n.price),
                b.currency) || CASE WHEN t.times > greatest(o.price, n.price) / nullif(least(o.price, n.price), 0)
                THEN ', a tier by more' ELSE '' END END AS told
        FROM quarry.ingest_changes c
        JOIN cpq.price_book_entries o ON o.tenant = c.tenant AND o.price_book_id = c.key ->> 'price_book_id'
            AND o.product_id = c.key ->> 'product_id' AND o.version = (c.key ->> 'version')::integer
        JOIN cpq.price_book_entries n ON n.tenant = o.tenant AND n.price_book_id = o.price_book_id
            AND n.product_id = o.product_id AND n.version > o.version AND n.superseded_at IS NULL
        JOIN cpq.price_books b ON b.tenant = o.tenant AND b.id = o.price_book_id
        CROSS JOIN LATERAL (
            SELECT max(greatest(x.price, y.price) / nullif(least(x.price, y.price), 0)) AS times
            FROM jsonb_to_recordset(o.tiers) x (min numeric, price numeric)
            JOIN jsonb_to_recordset(n.tiers) y (min numeric, price numeric) USING (min)) t
        WHERE c.tenant = %(tenant)s AND c.ingest_id = %(ingest_id)s AND c.relation = 'cpq.price_book_entries'
            AND c.before IS NOT NULL)
""")
PRICE_CHANGES = PRICES_CHANGED + SQL("""
    SELECT format('%%s: %%s', f.field, count(*)) AS told
    FROM changed, unnest(quarry.changed_fields('cpq.price_book_entries', before, now)) AS f (field)
    WHERE f.field NOT IN ('version', 'valid_from', 'superseded_at') GROUP BY f.field
    UNION ALL
    SELECT format('%%s prices rise and %%s fall, most of all %%s', count(*) FILTER (WHERE rises),
        count(*) FILTER (WHERE falls), (array_agg(told ORDER BY times DESC NULLS FIRST, told))[1])
    FROM changed WHERE told IS NOT NULL HAVING count(*) > 0
""")
TENFOLD = PRICES_CHANGED + SQL("""
    SELECT format('%%s prices are ten times the stored one or more, or a tenth of it or less: %%s', count(*),
        array_to_string((array_agg(told ORDER BY times DESC NULLS FIRST, told))[:5], '; ')
        || CASE WHEN count(*) > 5 THEN ' …' ELSE '' END) AS told
    FROM changed WHERE told IS NOT NULL AND coalesce(times, 10) >= 10 HAVING count(*) > 0
""")

PRICES = Kind(
    name="prices",
    row=PriceRow,
    key=("price_book_id", "product_id"),
    upsert=INSERT_PRICES,
    by_field=False,
    table="cpq.price_book_entries",
    primary_key=("price_book_id", "product_id", "version"),
    stored=STORED_PRICES,
    held=HELD_PRICES,
    changes=PRICE_CHANGES,
    doubts=TENFOLD,
    whole_of="price_book_id",
    missing=absent(
        "price_book_id", among="price_books", reason="price_book_id: no price book %%L; ingest price_books first"
    )
    + SQL(" UNION ALL ")
    + no_such_product("product_id")
    + SQL(" UNION ALL ")
    + OF_ANOTHER_CURRENCY,
)
TAX_RULES = Kind(
    name="tax_rules",
    row=TaxRuleRow,
    key=("id",),
    table="cpq.tax_rules",
    partly=True,
    doubts=UNTAXED_REGIONS,
)
