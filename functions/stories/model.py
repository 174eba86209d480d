"""Stories and their filters as the tools of this toolset show them."""

from typing import Annotated, Literal

from pydantic import Field

from quarry.tool.contract import Args, Part

Scope = Literal["areas", "stories"]
Grouping = Literal["status", "section_key", "actor", "entity_slug", "code_path"]
Name = Annotated[str, Field(min_length=1, max_length=300)]


AS_ABOVE = "As above."


class StoryFilters(Args):
    """The filters of query_stories as older callers nest them; a story has to satisfy all of them."""

    status: Name | None = Field(default=None, description=AS_ABOVE)
    section_key: Name | None = Field(default=None, description=AS_ABOVE)
    actor: Name | None = Field(default=None, description=AS_ABOVE)
    entity_slug: Name | None = Field(default=None, description=AS_ABOVE)
    code_path: Name | None = Field(default=None, description=AS_ABOVE)


class Story(Part):
    story_key: str = Field(description="Key: find_crossover takes it.")
    title: str = Field(description="Title.")
    section_key: str = Field(description="Key of its section.")
    section: str = Field(description="Title of its section.")
    narrative: str = Field(description="The story as it was written.")
    actor: str = Field(description="Who wants it.")
    status: str = Field(description="How far it is.")
    entity_slugs: list[str] = Field(description="What it is about.")
    code_paths: list[str] = Field(description="Files that implement it.")


class SharedTag(Part):
    name: str = Field(description="The slug or path.")
    doc_frequency: int = Field(description="Stories that have it: few is distinctive, many is a hub.")


class Signal(Part):
    raw: float | None = Field(description="Cosine or text coverage, or the sum of 1/df of what is shared.")
    contribution: float = Field(description="Weighted and normalised: the three add up to the score.")


class ScoreParts(Part):
    """The three parts that a score is made of."""

    vector: Signal = Field(description="Meaning; words, where degraded or where the story has no vector yet.")
    entity: Signal = Field(description="Entities that context and story share.")
    path: Signal = Field(description="Code paths that context and story share.")


class RelatedStory(Part):
    story: Story = Field(description="The story.")
    score: float = Field(description="0 to 1 among these results, to rank by; not comparable across calls.")
    evidence: float = Field(description="0 to 1, comparable across calls; below the floor nothing is returned.")
    parts: ScoreParts = Field(description="The parts of the score.")
    matched_slugs: list[SharedTag] = Field(description="Entities named in the context, most distinctive first.")
    matched_paths: list[SharedTag] = Field(description="Files named in the context, most distinctive first.")
