"""search_equipment: catalogue products by needs, meaning and words, under hard filters."""

from functools import partial
from typing import Annotated, Self

from pydantic import Field, model_validator

from equipment.model import ATTRIBUTES, ProductName, shown_attributes
from quarry.attributes.model import Attributes
from quarry.attributes.units import BESIDE, Beside, System
from quarry.corpora import PRODUCTS
from quarry.paging.pages import Pages
from quarry.retrieval.here import attributes_of, beside
from quarry.retrieval.hits import Hit
from quarry.retrieval.search_results import PASSAGE, SearchHit, TableArgs, TableResult, answer, passage_of
from quarry.tool.contract import OpaquePart, retrieval_tool
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve

TOOL = retrieval_tool(
    "search_equipment",
    title="Search the equipment catalogue",
    toolset="equipment",
    description="""
        Catalogue products for a need, as a table with a verdict per need, list price and last sales. Read
        list_attributes first; put what is asked for into needs, what must hide rows into filters (unknown values
        never match). Read get_specs before you write specifications.
    """,
)

PAGES = Pages(tool=TOOL, into="rows")

BOUNDED = ("cfm", "psi", "hp")
Bound = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class SearchEquipmentArgs(TableArgs):
    cfm_min: Bound | None = Field(default=None, description="Filter on attribute cfm.")
    cfm_max: Bound | None = Field(default=None, description="Alike.")
    psi_min: Bound | None = Field(default=None, description="Alike.")
    psi_max: Bound | None = Field(default=None, description="Alike.")
    hp_min: Bound | None = Field(default=None, description="Alike.")
    hp_max: Bound | None = Field(default=None, description="Alike.")
    family: str | None = Field(default=None, description="Filter.")
    units: System | None = Field(default=None, description=BESIDE)

    @model_validator(mode="after")
    def bounds_leave_room(self) -> Self:
        for name in BOUNDED:
            low, high = getattr(self, f"{name}_min"), getattr(self, f"{name}_max")
            if low is not None and high is not None and low > high:
                raise ValueError(f"{name}_min {low:g} is above {name}_max {high:g}; swap them")
        return self


class FoundProduct(OpaquePart, ProductName):
    category: str = Field(description="Heading that quotes print.")
    family: str = Field(description="Family of goods.")
    withdrawn: bool = Field(default=False, description="True: no longer sold.")
    successor: str | None = Field(default=None, description="What takes its place.")
    attributes: dict[str, str] = Field(default={}, description=ATTRIBUTES)
    description: str = Field(description=PASSAGE)


class EquipmentHit(SearchHit):
    """A product that was found, with its score."""

    product: FoundProduct = Field(description="From the catalogue.")


class SearchEquipmentResult(TableResult[EquipmentHit]):
    """Products as a table."""


def run(args: SearchEquipmentArgs, caller: Caller) -> SearchEquipmentResult:
    given = {(name, end): getattr(args, f"{name}_{end}") for name in BOUNDED for end in ("min", "max")}
    bounds = [
        (f"{name}_{end}", name, f"{'>=' if end == 'min' else '<='} {bound:.10g}")
        for (name, end), bound in given.items()
        if bound is not None
    ]
    sold = caller.may("quotes:read")
    found = answer(PRODUCTS, args, tenant=caller.tenant, bounds=bounds, short=[("family", args.family)], sold=sold)
    units = beside(args.units, tenant=caller.tenant)
    told = partial(_shape, args=args, attributes=attributes_of(caller.tenant), units=units)
    return found.page(SearchEquipmentResult, told, pages=PAGES, args=args, caller=caller)


def _shape(hit: Hit, among: int, *, args: SearchEquipmentArgs, attributes: Attributes, units: Beside) -> EquipmentHit:
    text, more = passage_of(str(hit.row["description"]), args, among=among, whole_in="get_specs")
    told = shown_attributes(hit.row["attributes"], attributes, beside=units)
    product = {**hit.row, "attributes": told, "description": text}
    return EquipmentHit.of(
        hit, full=args.full, product=FoundProduct.model_validate(product, extra="ignore"), more=more
    )


handler = serve(TOOL, SearchEquipmentArgs, run)
