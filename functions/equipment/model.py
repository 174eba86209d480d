"""The product as the equipment tools return it."""

from typing import Literal, Self

from pydantic import Field

from quarry.retrieval.vocabulary import Family, Lubrication
from quarry.tool.contract import Part
from quarry.units import Metric, metric

Arrangement = Literal["simplex", "duplex", "triplex", "quadruplex", "multiplex"]


class Product(Part):
    """A catalogue product; null means that the catalogue does not say."""

    model: str = Field(description="Model as the manufacturer writes it.")
    manufacturer: str = Field(description="Manufacturer.")
    series: str | None = Field(description="Product series.")
    category: str = Field(description="Heading under which quotes print it, e.g. ROTARY SCREW AIR COMPRESSOR.")
    family: Family = Field(description="Selects the characteristics template.")
    description: str = Field(description="Catalogue text.")
    hp: float | None = Field(description="Motor power in HP.")
    cfm: float | None = Field(description="Capacity in acfm at rated pressure or vacuum.")
    psi: float | None = Field(description="Rated pressure in PSIG.")
    lubrication: Lubrication | None = Field(description="null is unknown: never assume oilless.")
    cooling: str | None = Field(description="Air or water cooling.")
    voltage: str | None = Field(description="Volts/phase/hertz.")
    drive: str | None = Field(description="Drive system.")
    motor: str | None = Field(description="Motor: HP, RPM, enclosure, service factor.")
    vacuum_inhg: float | None = Field(description="Deepest vacuum in inches of mercury, gauge.")
    dewpoint_f: float | None = Field(description="Pressure dew point in degrees Fahrenheit.")
    length_in: float | None = Field(description="Length in inches.")
    width_in: float | None = Field(description="Width in inches.")
    height_in: float | None = Field(description="Height in inches.")
    weight_lb: float | None = Field(description="Weight in pounds.")
    noise_dba: float | None = Field(description="Sound level in dB(A).")
    air_quality: str | None = Field(description="Air quality class, e.g. ISO 8573-1 Class 0.")
    gallons: float | None = Field(description="Of the tank, its own or beneath it, as the text says.")
    arrangement: Arrangement | None = Field(description="Machines in one, as the text says.")
    source: str | None = Field(description="Document the values were taken from: cite it.")
    truncated: bool = Field(description="True when max_tokens cut the description; ask get_product for all of it.")
    metric: Metric

    def with_metric(self) -> Self:
        return self.model_copy(update={"metric": metric(self.model_dump())})
