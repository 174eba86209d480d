"""get_product: one catalogue product by its model."""

from pydantic import Field

from equipment import queries
from equipment.model import Product, shown_attributes
from quarry.attributes.units import BESIDE, System
from quarry.retrieval.here import attributes_of, beside
from quarry.text import goods_named
from quarry.tool.contract import Args, Result, retrieval_tool
from quarry.tool.errors import NotFound, ValidationFailed
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve

TOOL = retrieval_tool(
    "get_product",
    title="Get one product",
    toolset="equipment",
    description="""
        Specifications of one model or SKU, such as QMB30, as the catalogue has them; what it costs is catalog_get's.
        Unknown models are NOT_FOUND with the nearest; what is left out is not in the catalogue: never fill it in.
    """,
)


class GetProductArgs(Args):
    model: str = Field(min_length=1, max_length=200, description="Model or SKU, e.g. QMB30 or Q$ync 100.")
    manufacturer: str | None = Field(
        default=None,
        min_length=1,
        max_length=200,
        description="Needed only where two manufacturers use one model.",
    )

    units: System | None = Field(default=None, description=BESIDE)


class GetProductResult(Result):
    product: Product = Field(description="The catalogue row.")


def run(args: GetProductArgs, caller: Caller) -> GetProductResult:
    match queries.find(caller.tenant, model=args.model, manufacturer=args.manufacturer):
        case [row]:
            attributes, units = attributes_of(caller.tenant), beside(args.units, tenant=caller.tenant)
            told = shown_attributes(row["attributes"], attributes, beside=units)
            product = Product.model_validate({**row, "attributes": told}, extra="ignore")
            return GetProductResult(product=product)
        case []:
            near = queries.nearest(caller.tenant, model=args.model)
            of_maker = f" of {args.manufacturer}" if args.manufacturer else ""
            hint = f"Nearest models: {', '.join(near)}." if near else "No model is spelt alike; try search_equipment."
            raise NotFound(f"No product '{args.model}'{of_maker}. {hint}", details={"nearest": near})
        case several:
            makers = [goods_named(row["manufacturer"], row["model"]) for row in several]
            raise ValidationFailed(
                f"Model '{args.model}' fits more than one product: {', '.join(makers)}. "
                "Give the exact model, or the manufacturer too.",
                details={"candidates": makers},
            )


handler = serve(TOOL, GetProductArgs, run)
