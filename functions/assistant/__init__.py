"""The assistant toolset: an agent that answers questions and may use nothing but the knowledge toolset."""

from quarry.tool.contract import Toolset

TOOLSET = Toolset(
    title="Assistant",
    description="Answers a question from the tenant's documents, searching in several steps where one is not enough.",
)
