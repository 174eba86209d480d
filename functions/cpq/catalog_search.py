"""catalog_search: products for sale by name, SKU, model, description or category."""

from datetime import UTC, datetime
from typing import Annotated

from psycopg.rows import DictRow
from pydantic import Field

from cpq import house
from cpq.catalogue import queries
from cpq.model import Pagination
from quarry import observation
from quarry.data import database
from quarry.data.database import Connection
from quarry.money import Currency, Money
from quarry.text import alike
from quarry.tool.contract import Args, LeanResult, Part, retrieval_tool
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve

WITH_CHOICES = 5
"""How many products are shown with all their attributes; of later ones only the required attributes are."""

DESCRIPTION_SHOWN, OF_FIRST = 120, 600
"""How many characters of a description are shown, and how many of the descriptions of the first products."""

FEW = 3
"""How many products are shown that have less than half of a query's words."""

NO_CURRENCY = "No prices are shown: price books are in several currencies, so name one in currency."

TOOL = retrieval_tool(
    "catalog_search",
    title="Search products for sale",
    toolset="cpq",
    description="""
        Products that can be put on a quote, by name, SKU, manufacturer's model, description or category. Their id
        goes to quote_create. For technical needs use search_equipment first, then its model here.
    """,
)


class CatalogSearchArgs(Args):
    query: str = Field(max_length=400, description="Words, a SKU or a model, e.g. 'Pro Plan'. Empty: list all.")
    category: str | None = Field(
        default=None, min_length=1, max_length=60, description="Only this category, e.g. saas."
    )
    active_only: bool = Field(default=True, description="False: also products that are no longer sold.")
    currency: Annotated[Currency, Field(description="Currency of base_price. Unset: the house's.")] | None = None
    limit: int = Field(default=20, ge=1, le=100, description="Most products of a page.")
    page: int = Field(default=1, ge=1, le=10_000, description="Page, from 1.")


class ProductCard(Part):
    id: str = Field(description="Product id for quote_create.")
    sku: str = Field(description="Stock-keeping unit.")
    name: str = Field(description="Name.")
    description: str = Field(
        description=f"{OF_FIRST} characters of the first {WITH_CHOICES}, {DESCRIPTION_SHOWN} then."
    )
    product_type: str = Field(description="simple, configurable (has attributes) or service.")
    category: str = Field(description="Category.")
    attributes: dict[str, object] | None = Field(
        description="What a line can set: type, and min and max, or values; required ones must be set, and from "
        "the sixth product on only they are told."
    )
    active: bool = Field(description="False: no longer sold.")
    successor: str | None = Field(default=None, description="What is sold in its place.")
    manufacturer: str | None = Field(description="Maker of a machine.")
    model: str | None = Field(description="Model for get_specs.")
    base_price: Money | None = Field(description="List price of one unit, before tiers; null: none in this currency.")
    on_request: bool = Field(default=False, description="True: a person has to name its price.")
    price_for: str | None = Field(default=None, description="Segment or country alone that has it; unset: all.")
    currency: str | None = Field(description="Currency of base_price.")
    unit: str | None = Field(description="What base_price buys, e.g. per_seat_per_month.")


class CatalogSearchResult(LeanResult):
    items: list[ProductCard] = Field(description="Best first; empty when nothing matches.")
    pagination: Pagination = Field(description="Where this page stands.")
    notice: str | None = Field(description="Words that no product has, or what to try instead; else null.")


def run(args: CatalogSearchArgs, caller: Caller) -> CatalogSearchResult:
    filters = {
        "query": args.query,
        "active_only": args.active_only,
        "category": args.category,
        "today": datetime.now(UTC).date(),
    }
    with database.transaction(caller.tenant) as connection:
        filters["currency"] = args.currency or house.defaults(connection).currency
        notices = [] if filters["currency"] else [NO_CURRENCY]
        offset = (args.page - 1) * args.limit
        counts, products = queries.search(connection, limit=args.limit, offset=offset, filters=filters)
        if args.currency and products and not any(each["currency"] or each["on_request"] for each in products):
            booked = ", ".join(sorted(queries.booked_currencies(connection))) or "none"
            notices.append(f"None of these has a price in {args.currency}; there are price books in {booked}.")
        words, covered, total = counts["words"], counts["covered"], counts["total"]
        if 0 < covered < words:
            notices.append(f"No product has all {words} words of the query; these have {covered}.")
        if 0 < 2 * covered < words and total > FEW and args.page == 1 and args.limit > FEW:
            # A word that many products have says little of what was asked with all the others.
            notices.append(f"{FEW} of {total} are shown: ask by fewer words to see the others.")
            products, total = products[:FEW], FEW
        if not total:
            notices += _nothing_found(connection, args, filters)
    observation.note_search([None] * len(products), degraded=False)
    whole = len(products) <= FEW
    items = [_card(product, choices=place < WITH_CHOICES, whole=whole) for place, product in enumerate(products)]
    if any(item.description != product["description"] for item, product in zip(items, products, strict=True)):
        notices.append(f"Where a description ends in …, {FEW} products or fewer have all of theirs: lower the limit.")
    return CatalogSearchResult(
        items=items,
        pagination=Pagination.of(total=total, page=args.page, per_page=args.limit),
        notice=" ".join(notices) or None,
    )


def _nothing_found(connection: Connection, args: CatalogSearchArgs, filters: dict[str, object]) -> list[str]:
    """Says of an unknown category which there are, and what is no longer sold, or else what is spelt alike."""
    told, known = [], queries.categories(connection)
    if args.category is not None and args.category not in known:
        near = alike(args.category, known)
        hint = f"Did you mean {near[0]}?" if near else f"There are {', '.join(known)}."
        told.append(f"No category '{args.category}'. {hint}")
    retired = 0
    if args.active_only:
        everything = {**filters, "active_only": False}
        retired = queries.search(connection, limit=1, offset=0, filters=everything)[0]["total"]
    if retired:
        told.append(f"Products that match but are no longer sold: {retired}; active_only false shows them.")
    elif args.query and (near := queries.nearest(connection, args.query)):
        told.append(f"Nothing has these words; nearest: {', '.join(near)}.")
    return told


def _card(product: DictRow, *, choices: bool, whole: bool) -> ProductCard:
    text, most = product["description"], OF_FIRST if choices else DESCRIPTION_SHOWN
    specs = {name: {part: value for part, value in spec.items() if part != "description"}
             for name, spec in product["attributes"].items() if choices or spec.get("required")}  # fmt: skip
    cut = text if whole or len(text) <= most else text[: most - 1] + "…"
    return ProductCard.model_validate({**product, "description": cut, "attributes": specs or None}, extra="ignore")


handler = serve(TOOL, CatalogSearchArgs, run)
