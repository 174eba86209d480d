"""What was found for a request: per line item the product, the words, the precedents and their quotes."""

from dataclasses import dataclass, field

from local.demo.request import LineRequest, Request
from local.demo.results import LineItemHit, Product, ProductHit, QuoteContext, QuoteHit
from local.demo.trace import Trace


@dataclass
class LineEvidence:
    line: LineRequest
    number: int
    loosened: str | None = None
    sized: str | None = None
    hit: ProductHit | None = None
    products: list[Product] = field(default_factory=list)
    language: LineItemHit | None = None
    closest: LineItemHit | None = None
    precedents: list[LineItemHit] = field(default_factory=list)

    @property
    def product(self) -> Product | None:
        return self.products[0] if self.products else None

    @property
    def name(self) -> str:
        return f"Item {self.number}"


@dataclass
class Evidence:
    request: Request
    trace: Trace
    lines: list[LineEvidence] = field(default_factory=list)
    installation: LineItemHit | None = None
    projects: list[QuoteHit] = field(default_factory=list)
    customers: set[str] = field(default_factory=set)
    contexts: dict[str, QuoteContext] = field(default_factory=dict)
