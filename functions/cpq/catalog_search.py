"""catalog_search: products for sale by name, SKU, model, description or category."""

import re
from datetime import UTC, datetime
from typing import Annotated

from pydantic import Field

from cpq import catalog_queries, typos
from cpq.catalog_queries import Page, Word
from cpq.model import CURRENCY, Currency, Money, Pagination
from quarry.observation import metrics
from quarry.spelling import alike
from quarry.tool.contract import Args, Part, Result, retrieval_tool
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve

DESCRIPTION_SHOWN = 300

TOOL = retrieval_tool(
    "catalog_search",
    title="Search products for sale",
    toolset="cpq",
    description="""
        Products that can be put on a quote, by name, SKU, manufacturer's model, description or category; slips of
        spelling are forgiven. Take the id to quote_create. For technical constraints search with
        search_equipment first, then here by its model.
    """,
)


class CatalogSearchArgs(Args):
    query: str = Field(max_length=400, description="Words, a SKU or a model, e.g. 'Pro Plan'. Empty: list all.")
    category: str | None = Field(
        default=None, min_length=1, max_length=60, description="Only this category, e.g. saas, compressor."
    )
    active_only: bool = Field(default=True, description="False: also products that are no longer sold.")
    currency: Annotated[Currency, Field(description="Currency of base_price. " + CURRENCY)] = "USD"
    limit: int = Field(default=20, ge=1, le=100, description="Most products of a page.")
    page: int = Field(default=1, ge=1, le=10_000, description="Page, from 1.")


class ProductCard(Part):
    id: str = Field(description="Product id for quote_create and catalog_get.")
    sku: str = Field(description="Stock-keeping unit.")
    name: str = Field(description="Name.")
    description: str = Field(description=f"First {DESCRIPTION_SHOWN} characters; catalog_get has all of it.")
    product_type: str = Field(description="simple, configurable (has attributes) or service.")
    category: str = Field(description="Category.")
    attributes: dict[str, object] = Field(
        description="What a line can set: type, and min and max, or values; required ones must be set."
    )
    active: bool = Field(description="False: no longer sold.")
    manufacturer: str | None = Field(description="Maker of a machine.")
    model: str | None = Field(description="Model for get_product.")
    base_price: Money | None = Field(description="List price of one unit, before tiers; null: none in this currency.")
    currency: str | None = Field(description="Currency of base_price.")
    unit: str | None = Field(description="What base_price buys, e.g. per_seat_per_month.")


class CatalogSearchResult(Result):
    items: list[ProductCard] = Field(description="Best first; empty when nothing matches.")
    pagination: Pagination = Field(description="Where this page stands.")
    notice: str | None = Field(description="Words that were read as others, or what to try instead; else null.")


def run(args: CatalogSearchArgs, caller: Caller) -> CatalogSearchResult:
    key = re.sub(r"[^a-z0-9]", "", args.query.lower().replace("$", "s"))
    words, notices = _understand(args.query, key=key, tenant=caller.tenant)
    filters = {
        "query": args.query,
        "key": key,
        "active_only": args.active_only,
        "category": args.category,
        "currency": args.currency,
        "today": datetime.now(UTC).date(),
    }
    page = Page(offset=(args.page - 1) * args.limit, limit=args.limit)
    total, rows = catalog_queries.search(caller.tenant, words=words, page=page, filters=filters)
    metrics.note_search([None] * len(rows), degraded=False)
    if not total:
        notices += _category_notice(args.category, tenant=caller.tenant)
        notices += _retired_notice(words, filters, tenant=caller.tenant)
    return CatalogSearchResult(
        items=[_card(row) for row in rows],
        pagination=Pagination.of(total=total, page=args.page, per_page=args.limit),
        notice=" ".join(notices) or None,
    )


def _understand(query: str, *, key: str, tenant: str) -> tuple[list[Word], list[str]]:
    """(words to look up, what to say of those that no product has); no words where it names a product."""
    if catalog_queries.is_borne(tenant, query=query, key=key):
        return [], []
    words: list[Word] = []
    notices = []
    for slot, (term, known) in enumerate(catalog_queries.terms(tenant, query=query)):
        if known:
            words.append(Word(word=term, slot=slot, factor=1.0))
            continue
        near = catalog_queries.neighbours(tenant, term=term, ends=typos.ends(term))
        read_as = typos.candidates(term, near)
        words.extend(Word(word=word, slot=slot, factor=factor) for word, factor in read_as)
        if read_as:
            stems = ", ".join(f"{word}…" for word, _ in read_as)
            notices.append(f"No product has a word that begins with {term}…; read as {stems}.")
    return words, notices


def _retired_notice(words: list[Word], filters: dict[str, object], *, tenant: str) -> list[str]:
    """What an active_only search left out, where it found nothing else."""
    if not filters["active_only"]:
        return []
    page, everything = Page(offset=0, limit=1), {**filters, "active_only": False}
    total, _ = catalog_queries.search(tenant, words=words, page=page, filters=everything)
    return [f"Products that match but are no longer sold: {total}; active_only false shows them."] if total else []


def _category_notice(category: str | None, *, tenant: str) -> list[str]:
    if category is None:
        return []
    known = catalog_queries.categories(tenant)
    if category in known:
        return []
    near = alike(category, known)
    return [
        f"No category '{category}'. " + (f"Did you mean {near[0]}?" if near else f"There are {', '.join(known)}.")
    ]


def _card(row: dict[str, object]) -> ProductCard:
    description = str(row["description"])
    cut = description if len(description) <= DESCRIPTION_SHOWN else description[: DESCRIPTION_SHOWN - 1] + "…"
    fields = {name: row[name] for name in ProductCard.model_fields}
    return ProductCard.model_validate({**fields, "description": cut})


handler = serve(TOOL, CatalogSearchArgs, run)
