"""Products from CSV or JSON Lines."""

from psycopg.sql import SQL
from pydantic import Field

from quarry.attributes.stored import Stored
from quarry.ingestion import FIRST_FIVE, Family, Kind, Row


class ProductRow(Row):
    model: str = Field(min_length=1, max_length=200)
    manufacturer: str = Field(min_length=1, max_length=200)
    sku: str | None = Field(default=None, min_length=1, max_length=100)
    series: str | None = Field(default=None, max_length=200)
    category: str = Field(min_length=1, max_length=200)
    family: Family
    description: str = Field(min_length=1, max_length=200_000)
    attributes: Stored = None
    withdrawn: bool = Field(default=False, description="True: no longer sold.")
    successor: str | None = Field(default=None, min_length=1, max_length=200, description="Its SKU or model.")
    source: str | None = Field(default=None, max_length=500)


# By a SKU of two products neither a line nor a price finds its own, and a maker in two spellings is two in a table.
ALIKE = SQL("""
    SELECT format(found.told, count(*), {first_five}) AS told
    FROM (SELECT '%%s SKUs are those of several stored products, which only maker and model tell apart: %%s' AS told,
              row_number() OVER (ORDER BY p.sku_key) AS place,
              min(p.sku) || ' of '
                  || string_agg(concat_ws(' ', p.manufacturer, p.model), ' and ' ORDER BY p.model, p.id) AS shown
          FROM equipment.products p WHERE p.tenant = %(tenant)s AND p.sku_key IS NOT NULL
          GROUP BY p.sku_key HAVING count(*) > 1
          UNION ALL
          SELECT '%%s makers of stored products are spelt in several ways: %%s',
              row_number() OVER (ORDER BY p.manufacturer_key),
              string_agg(DISTINCT p.manufacturer, ' and ')
          FROM equipment.products p WHERE p.tenant = %(tenant)s
          GROUP BY p.manufacturer_key HAVING count(DISTINCT p.manufacturer) > 1) found
    GROUP BY found.told
""").format(first_five=FIRST_FIVE)

PRODUCTS = Kind(
    name="products",
    row=ProductRow,
    key=("manufacturer", "model"),
    table="equipment.products",
    partly=True,
    known_by="sku",
    attributed=True,
    doubts=ALIKE,
)
