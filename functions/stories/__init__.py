"""The stories toolset: which user stories a task touches, and what is entangled with it."""

from quarry.tool.contract import Toolset

TOOLSET = Toolset(
    title="User stories",
    description="A product's user stories by area: what resembles a task, what is entangled with it, exact filters.",
)
