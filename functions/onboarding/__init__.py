"""The onboarding toolset: a company's files become its rows, looked at and checked before anything is stored."""

from quarry.tool.contract import Toolset

TOOLSET = Toolset(
    title="Bring a company in",
    description="What is in a company's files, what a mapping of them would store, loading them and taking it back.",
)
