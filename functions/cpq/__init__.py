"""The cpq toolset: catalogue, quotes with versions, pricing, approvals, documents."""

from quarry.tool.contract import Toolset

TOOLSET = Toolset(
    title="Configure, price, quote",
    description="From the catalogue to an approved PDF: draft, price and revise quotes; only a person can approve.",
)
