"""What the equipment and quotes tools answer, as far as the demo reads it."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Literal

from pydantic import BaseModel, ConfigDict

Confidence = Literal["likely_good", "analog", "probable_miss"]


def shown(value: object) -> str:
    return f"{value:.4f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


class Answer(BaseModel):
    # Tools may grow fields; a client reads the ones it knows.
    model_config = ConfigDict(frozen=True, extra="ignore")


class Product(Answer):
    model: str
    manufacturer: str
    family: str
    series: str | None = None
    category: str | None = None
    description: str | None = None
    hp: float | None = None
    cfm: float | None = None
    psi: float | None = None
    lubrication: str | None = None
    cooling: str | None = None
    voltage: str | None = None
    drive: str | None = None
    motor: str | None = None
    vacuum_inhg: float | None = None
    dewpoint_f: float | None = None
    length_in: float | None = None
    width_in: float | None = None
    height_in: float | None = None
    weight_lb: float | None = None
    noise_dba: float | None = None
    air_quality: str | None = None

    @property
    def name(self) -> str:
        return f"{self.manufacturer} {self.model}"


class LineItem(Answer):
    quote_number: str
    position: int
    description: str
    category: str | None = None
    family: str | None = None
    manufacturer: str | None = None
    model: str | None = None
    catalogue_model: str | None = None
    quantity: Decimal | None = None
    unit_price: Decimal | None = None
    currency: str | None = None
    hp: float | None = None
    lubrication: str | None = None
    price_note: str | None = None


class Quote(Answer):
    quote_number: str
    customer: str
    contact: str | None = None
    quote_date: date | None = None
    project: str | None = None
    industry: str | None = None
    status: str | None = None
    total_price: Decimal | None = None
    currency: str | None = None
    price_rationale: str | None = None


class Hit(Answer):
    score: float | None = None
    confidence: Confidence | None = None
    legs: list[str] = []


class ProductHit(Hit):
    product: Product

    @property
    def source(self) -> str:
        return self.product.name


class LineItemHit(Hit):
    line_item: LineItem
    source_quote: Quote

    @property
    def source(self) -> str:
        return f"{self.source_quote.customer}, {self.line_item.quote_number} line {self.line_item.position}"


class QuoteHit(Hit):
    quote: Quote

    @property
    def source(self) -> str:
        return f"{self.quote.customer}, {self.quote.quote_number}"


class Search[H: (ProductHit, LineItemHit, QuoteHit)](Answer):
    results: list[H] = []
    degraded: bool = False
    notice: str | None = None


class Unknown(Answer):
    model: str
    nearest: Sequence[str] = ()


class Specs(Answer):
    products: list[Product] = []
    not_found: list[Unknown] = []


class QuoteContext(Answer):
    quote: Quote
    line_items: list[LineItem] = []
