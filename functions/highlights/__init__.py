"""The highlights toolset: what a reader marked in books and articles."""

from quarry.tool.contract import Toolset

TOOLSET = Toolset(
    title="Reading highlights",
    description="Passages from books and articles with author, source and tags: search by meaning or by metadata, "
    "find related passages, see what there is.",
)
