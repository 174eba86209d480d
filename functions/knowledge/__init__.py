"""The knowledge toolset: plain documents of a tenant, found by meaning and by words."""

from quarry.tool.contract import Toolset

TOOLSET = Toolset(
    title="Knowledge",
    description="A tenant's own documents: search them, or list them all.",
)
