"""What `ask` returns besides its answer: sources, the task graph, the searches and what was spent."""

from typing import Literal

from pydantic import Field

from quarry.tool.contract import Part


class Source(Part):
    doc_id: int = Field(description="The document's number.")
    title: str | None = Field(description="Title, where it has one.")
    content: str = Field(description="Its text, at most 2,000 characters.")
    score: float | None = Field(description="Best cosine similarity that a search found it with.")
    confidence: str | None = Field(description="The search's verdict: likely_good, analog or probable_miss.")
    cited: bool = Field(description="Whether the answer names it.")


class AgentTask(Part):
    id: int = Field(description="Number of the task.")
    description: str = Field(description="What was to be found out.")
    status: Literal["pending", "running", "complete", "blocked"] = Field(
        description="running: searched, not completed; blocked: its search, or that of a task it needs, failed."
    )
    depends_on: list[int] = Field(description="Tasks whose results it waits for.")
    result: str | None = Field(description="What was found; null until complete.")


class AgentSearch(Part):
    query: str = Field(description="What was searched for.")
    task_id: int | None = Field(description="The task it was dispatched for; null for a search of the model's own.")
    doc_ids: list[int] = Field(description="Documents found, best first.")
    error: str | None = Field(description="Why the search failed, or null.")


class Tokens(Part):
    prompt: int = Field(description="Tokens sent to the chat model, over all turns.")
    completion: int = Field(description="Tokens it wrote.")
    total: int = Field(description="Both together.")
    estimated: bool = Field(description="True when the provider did not count and this is an estimate.")
