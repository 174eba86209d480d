"""The quotes toolset: how the company described and charged things before."""

from quarry.tool.contract import Toolset

TOOLSET = Toolset(
    title="Past quotes",
    description="Past quotes and their line items, verbatim with attribution, and the house templates.",
)
