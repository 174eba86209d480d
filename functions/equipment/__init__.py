"""The equipment toolset: which catalogue products satisfy the hard constraints."""

from quarry.tool.contract import Toolset

TOOLSET = Toolset(
    title="Equipment",
    description="The product catalogue: search under hard filters, one product, several side by side.",
)
