"""Products for sale, and what they require, exclude and recommend."""

from datetime import datetime
from typing import Annotated, Literal, Self

from psycopg.sql import SQL
from pydantic import Field, model_validator

from cpq.attributes import AttributeSpec
from cpq.ingestion.cells import Amount, Currency, Key, Name, ProductId, Structure
from quarry.ingestion import Kind, Row

AttributeName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,59}$")]


class ProductForSaleRow(Row):
    id: ProductId
    sku: str = Field(min_length=1, max_length=100)
    name: Name
    description: str = Field(max_length=20_000)
    product_type: Literal["simple", "configurable", "service"]
    category: Key
    attributes: Annotated[dict[AttributeName, AttributeSpec], Structure] = Field(default_factory=dict)
    active: bool = True
    tax_category: Key | None = None
    min_quantity: int = Field(default=1, ge=1, le=1_000_000)
    max_quantity: int | None = Field(default=None, ge=1, le=10_000_000)
    cost: Amount | None = None
    cost_currency: Currency | None = None
    manufacturer: Name | None = None
    model: Name | None = None
    created_at: datetime | None = None

    @model_validator(mode="after")
    def halves_come_together(self) -> Self:
        if (self.cost is None) != (self.cost_currency is None):
            raise ValueError("cost and cost_currency come together")
        if (self.manufacturer is None) != (self.model is None):
            raise ValueError("manufacturer and model come together")
        if self.max_quantity is not None and self.max_quantity < self.min_quantity:
            raise ValueError("max_quantity is below min_quantity")
        return self


class ProductRelationshipRow(Row):
    product_id: ProductId
    kind: Literal["requires", "excludes", "recommends"]
    related_id: ProductId
    active: bool = True

    @model_validator(mode="after")
    def names_two_products(self) -> Self:
        if self.product_id == self.related_id:
            raise ValueError("a product has no relationship to itself")
        return self


# A SKU belongs to one product: a second id with it would break the constraint and with it the whole chunk.
FAULTY_PRODUCTS = SQL("""
    WITH given AS (
        SELECT (e.index - 1)::integer AS index, e.value ->> 'id' AS id, e.value ->> 'sku' AS sku,
               e.value ->> 'cost_currency' AS currency
        FROM jsonb_array_elements(%(rows)s) WITH ORDINALITY AS e (value, index))
    SELECT g.index, format('sku: %%L belongs to another product already', g.sku) AS reason
    FROM given g
    WHERE EXISTS (
            SELECT FROM cpq.products p WHERE p.tenant = %(tenant)s AND p.sku = g.sku AND p.id <> g.id)
       OR EXISTS (SELECT FROM given o WHERE o.sku = g.sku AND o.id <> g.id AND o.index < g.index)
    UNION ALL
    SELECT g.index, format('cost_currency: ISO 4217 has no %%L', g.currency)
    FROM given g
    WHERE g.currency IS NOT NULL AND NOT EXISTS (SELECT FROM cpq.currencies c WHERE c.currency = g.currency)
""")

UPSERT_PRODUCTS = SQL("""
    INSERT INTO cpq.products AS t (
        tenant, id, sku, name, description, product_type, category, attributes, active, tax_category, min_quantity,
        max_quantity, cost, cost_currency, manufacturer, model, created_at)
    SELECT %(tenant)s, r.id, r.sku, r.name, r.description, r.product_type, r.category,
        jsonb_strip_nulls(r.attributes), r.active, r.tax_category, r.min_quantity, r.max_quantity, r.cost,
        r.cost_currency, r.manufacturer, r.model, coalesce(r.created_at, now())
    FROM jsonb_to_recordset(%(rows)s) AS r (
        id text, sku text, name text, description text, product_type text, category text, attributes jsonb,
        active boolean, tax_category text, min_quantity integer, max_quantity integer, cost numeric,
        cost_currency text, manufacturer text, model text, created_at timestamptz)
    ON CONFLICT (tenant, id) DO UPDATE SET
        sku = excluded.sku, name = excluded.name, description = excluded.description,
        product_type = excluded.product_type, category = excluded.category, attributes = excluded.attributes,
        active = excluded.active, tax_category = excluded.tax_category, min_quantity = excluded.min_quantity,
        max_quantity = excluded.max_quantity, cost = excluded.cost, cost_currency = excluded.cost_currency,
        manufacturer = excluded.manufacturer, model = excluded.model, updated_at = now()
    WHERE (t.sku, t.name, t.description, t.product_type, t.category, t.attributes, t.active, t.tax_category,
           t.min_quantity, t.max_quantity, t.cost, t.cost_currency, t.manufacturer, t.model)
        IS DISTINCT FROM
          (excluded.sku, excluded.name, excluded.description, excluded.product_type, excluded.category,
           excluded.attributes, excluded.active, excluded.tax_category, excluded.min_quantity,
           excluded.max_quantity, excluded.cost, excluded.cost_currency, excluded.manufacturer, excluded.model)
    RETURNING (t.xmax = 0) AS inserted
""")

UNKNOWN_RELATED = SQL("""
    SELECT (e.index - 1)::integer AS index,
           format('%%s: no product %%L; ingest products_for_sale first', side.column_name, side.id) AS reason
    FROM jsonb_array_elements(%(rows)s) WITH ORDINALITY AS e (value, index)
    CROSS JOIN LATERAL (VALUES
        ('product_id', e.value ->> 'product_id'), ('related_id', e.value ->> 'related_id')) AS side (column_name, id)
    WHERE NOT EXISTS (SELECT FROM cpq.products p WHERE p.tenant = %(tenant)s AND p.id = side.id)
""")

UPSERT_RELATIONSHIPS = SQL("""
    INSERT INTO cpq.product_relationships AS t (tenant, product_id, kind, related_id, active)
    SELECT %(tenant)s, r.product_id, r.kind, r.related_id, r.active
    FROM jsonb_to_recordset(%(rows)s) AS r (product_id text, kind text, related_id text, active boolean)
    ON CONFLICT (tenant, product_id, kind, related_id) DO UPDATE SET active = excluded.active, updated_at = now()
    WHERE t.active <> excluded.active
    RETURNING (t.xmax = 0) AS inserted
""")

PRODUCTS_FOR_SALE = Kind(
    name="products_for_sale", row=ProductForSaleRow, key=("id",), upsert=UPSERT_PRODUCTS, missing=FAULTY_PRODUCTS
)
PRODUCT_RELATIONSHIPS = Kind(
    name="product_relationships",
    row=ProductRelationshipRow,
    key=("product_id", "kind", "related_id"),
    upsert=UPSERT_RELATIONSHIPS,
    missing=UNKNOWN_RELATED,
)
