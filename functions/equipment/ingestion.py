"""Products from CSV or JSON Lines."""

from pydantic import Field

from quarry.attributes.stored import Stored
from quarry.ingestion import Family, Kind, Row


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


PRODUCTS = Kind(
    name="products",
    row=ProductRow,
    key=("manufacturer", "model"),
    table="equipment.products",
    partly=True,
    known_by="sku",
    attributed=True,
)
