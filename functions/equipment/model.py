"""The product as the equipment tools return it."""

from collections.abc import Mapping

from pydantic import Field

from quarry.attributes.model import Attributes, values_of
from quarry.attributes.units import Beside
from quarry.characteristics import shown
from quarry.tool.contract import Part

ATTRIBUTES = "What the catalogue says, by attribute; what is left out it does not say."


class ProductName(Part):
    model: str = Field(description="Model.")
    manufacturer: str = Field(description="Manufacturer.")


class Product(ProductName):
    """A row of the catalogue."""

    sku: str | None = Field(description="The house's number of it.")
    series: str | None = Field(description="Series.")
    category: str = Field(description="Heading that quotes print.")
    family: str = Field(description="Family of goods.")
    attributes: dict[str, str] = Field(default={}, description=ATTRIBUTES)
    withdrawn: bool = Field(default=False, description="True: no longer sold; offer the successor.")
    successor: str | None = Field(default=None, description="SKU or model of what takes its place.")
    description: str = Field(description="Catalogue text.")
    source: str | None = Field(description="Document to cite.")


def shown_attributes(
    stored: Mapping[str, object] | None, attributes: Attributes, *, beside: Beside
) -> dict[str, str]:
    """Returns values as text, in the order in which a block prints them; converted if ``beside`` has their unit."""
    values = values_of(stored)
    known = [one for name in values if (one := attributes.by_name.get(name)) is not None]
    known.sort(key=lambda one: (one.position is None, one.position or 0, one.name))
    return {one.name: shown(values[one.name], one, attributes, beside=beside) for one in known}
