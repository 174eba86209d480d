"""The product as the equipment tools return it."""

from typing import Self

from pydantic import Field

from quarry.products import Arrangement
from quarry.retrieval.vocabulary import Family, Lubrication
from quarry.tool.contract import Part
from quarry.units import Metric, metric


class ProductName(Part):
    model: str = Field(description="Model.")
    manufacturer: str = Field(description="Manufacturer.")


class Specifications(Part):
    """What the catalogue may say of a product; null, or left out, means that it does not."""

    series: str | None = Field(description="Series.")
    hp: float | None = Field(description="Motor HP.")
    cfm: float | None = Field(description="acfm at rated pressure or vacuum.")
    psi: float | None = Field(description="Rated PSIG.")
    lubrication: Lubrication | None = Field(description="Unknown: never assume oilless.")
    cooling: str | None = Field(description="Air or water.")
    voltage: str | None = Field(description="Volts/phase/hertz.")
    drive: str | None = Field(description="Drive.")
    motor: str | None = Field(description="HP, RPM, enclosure, service factor.")
    vacuum_inhg: float | None = Field(description="Deepest vacuum, inHg gauge.")
    dewpoint_f: float | None = Field(description="Pressure dew point, °F.")
    length_in: float | None = Field(description="Inches.")
    width_in: float | None = Field(description="Inches.")
    height_in: float | None = Field(description="Inches.")
    weight_lb: float | None = Field(description="Pounds.")
    noise_dba: float | None = Field(description="dB(A).")
    air_quality: str | None = Field(description="E.g. ISO 8573-1 Class 0.")
    gallons: float | None = Field(description="Its tank, as the text says.")
    arrangement: Arrangement | None = Field(description="As the text says.")
    attributes: dict[str, str] | None = Field(description="The house's own, with unit.")
    source: str | None = Field(description="Document to cite.")
    metric: Metric

    def with_metric(self) -> Self:
        return self.model_copy(update={"metric": metric(self.model_dump())})


class CatalogueEntry(ProductName):
    category: str = Field(description="Heading that quotes print.")
    family: Family = Field(description="Selects the characteristics template.")
    description: str = Field(description="Catalogue text.")
    truncated: bool = Field(default=False, description="max_tokens cut the description.")


class Product(Specifications, CatalogueEntry):
    """A whole row of the catalogue."""
