"""catalog_get: one product for sale, with its relationships and volume tiers."""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AwareDatetime, Field

from cpq import house
from cpq.catalogue import queries
from cpq.model import Tier
from quarry.data import database
from quarry.money import Currency, Money
from quarry.tool.contract import Args, Part, Result, retrieval_tool
from quarry.tool.errors import NotFound
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve

TOOL = retrieval_tool(
    "catalog_get",
    title="Get one product for sale",
    toolset="cpq",
    description="""
        A product for sale by its id: the attributes a line can set, list price with volume tiers and, if asked,
        what it requires, excludes and recommends; specifications are get_product's. An unknown id is NOT_FOUND
        with the nearest products.
    """,
)


class CatalogGetArgs(Args):
    product_id: str = Field(min_length=1, max_length=100, description="Product id as catalog_search gives it.")
    include_relationships: bool = Field(
        default=False, description="True: also what it requires, excludes and recommends."
    )
    currency: Annotated[Currency, Field(description="Currency of the prices. Unset: the house's.")] | None = None


class ProductPricing(Part):
    base_price: Money = Field(description="List price of one unit.")
    currency: str = Field(description="ISO 4217 code.")
    unit: str = Field(description="per_unit: charged once; …_per_month, …_per_year: for each of the term.")
    volume_tiers: list[Tier] = Field(description="By quantity; empty: base_price for any quantity.")
    price_book_id: str = Field(description="Price book it is from; an account may have another: quote_price decides.")
    price_book_name: str = Field(description="Its name.")
    price_version: int = Field(description="Version of the price in its book.")


class RelatedProduct(Part):
    product_id: str = Field(description="Product id.")
    name: str = Field(description="Name.")
    active: bool = Field(description="False: no longer sold.")


class Relationships(Part):
    requires: list[RelatedProduct] = Field(description="Has to be on the quote, or with the customer already.")
    excludes: list[RelatedProduct] = Field(description="Must not be on the same quote.")
    recommends: list[RelatedProduct] = Field(description="Goes well with it: offer it.")


class CatalogGetResult(Result):
    id: str = Field(description="Product id.")
    sku: str = Field(description="Stock-keeping unit.")
    name: str = Field(description="Name.")
    description: str = Field(description="Description.")
    product_type: str = Field(description="simple, configurable (has attributes) or service.")
    category: str = Field(description="Category.")
    attributes: dict[str, object] = Field(
        description="What a line can set: type, and min and max, or values; required ones must be set."
    )
    active: bool = Field(description="False: no longer sold, quote_create refuses it; pricing is its last.")
    successor: str | None = Field(description="What is sold in its place.")
    manufacturer: str | None = Field(description="Maker of a machine.")
    model: str | None = Field(description="Model: get_product has its technical data.")
    min_quantity: int = Field(description="Smallest quantity of a line.")
    max_quantity: int | None = Field(description="Largest quantity of a line; null: no bound.")
    created_at: AwareDatetime = Field(description="Since when it is in the catalogue.")
    updated_at: AwareDatetime = Field(description="When it last changed.")
    relationships: Relationships | None = Field(description="Only with include_relationships, else null.")
    pricing: ProductPricing | None = Field(description="List price; null: none in this currency.")
    on_request: bool = Field(description="True: its price in this currency is on request; a person names it.")
    currencies: list[str] = Field(description="Currencies it can be quoted in.")


def run(args: CatalogGetArgs, caller: Caller) -> CatalogGetResult:
    today = datetime.now(UTC).date()
    with database.transaction(caller.tenant) as connection:
        ids = queries.ids_of_names(connection, names=[args.product_id])
        product_id = ids.get(args.product_id, args.product_id)
        currency = args.currency or house.defaults(connection).currency or ""
        product = queries.product(connection, product_id=product_id, currency=currency, today=today)
        if product is None:
            near = queries.nearest(connection, args.product_id)
            hint = f"Nearest: {', '.join(near)}." if near else "Find it with catalog_search."
            raise NotFound(f"No product '{args.product_id}'. {hint}", details={"nearest": near})
        related = queries.related(connection, product_id=product["id"]) if args.include_relationships else []
    by_kind = {kind: [each for each in related if each["kind"] == kind] for kind in Relationships.model_fields}
    shown = {
        **product,
        "relationships": by_kind if args.include_relationships else None,
        "pricing": product if product["base_price"] is not None else None,
    }
    return CatalogGetResult.model_validate(shown, extra="ignore")


handler = serve(TOOL, CatalogGetArgs, run)
