"""find_related: the areas or stories that a diff, an idea or a problem touches."""

from collections.abc import Iterable
from typing import Annotated

from pydantic import Field

from quarry.paging.pages import Key, Paged, PagedArgs, Pages
from quarry.tool.contract import Part, retrieval_tool
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve
from stories import relation
from stories.model import RelatedStory, Scope, SharedTag
from stories.ranking import MIN_SCORE, Area, Mode, areas
from stories.relation import LONGEST_CONTEXT

STORIES_SHOWN = 3

TOOL = retrieval_tool(
    "find_related",
    title="Find related stories",
    toolset="stories",
    description="""
        Give a diff, code, an idea or a problem as context and get the product areas or user stories it touches, each
        with the parts of its score and the files and entities it shares. Empty means that nothing fits: do not force
        a match. For a key you already have, use find_crossover.
    """,
)

PAGES = {"areas": Pages(tool=TOOL, into="areas"), "stories": Pages(tool=TOOL, into="stories")}


class FindRelatedArgs(PagedArgs):
    context: Annotated[str, Field(min_length=1, max_length=LONGEST_CONTEXT)] = Field(
        description="The task in words, or code: a diff, a snippet, a list of files."
    )
    mode: Mode = Field(
        default="blended",
        description="blended: meaning, entities and paths, for code paths first; semantic: meaning only; "
        "structural: shared paths first.",
    )
    scope: Scope = Field(default="areas", description="areas: sections with their best stories; stories: stories.")
    limit: int = Field(default=5, ge=1, le=50, description="Most areas or stories to return.")


class RelatedArea(Part):
    section_key: str = Field(description="Key: find_crossover and query_stories take it.")
    title: str = Field(description="Title of the section.")
    score: float = Field(description="0 to 1 among these results: its best story, and a little for the next two.")
    matching_stories: int = Field(description="Stories of the section that have enough evidence.")
    stories: list[RelatedStory] = Field(description=f"The best of them, at most {STORIES_SHOWN}.")
    matched_slugs: list[SharedTag] = Field(description="Entities named in the context, most distinctive first.")
    matched_paths: list[SharedTag] = Field(description="Files named in the context, most distinctive first.")
    code_paths: list[str] = Field(description="Files of the stories shown.")


class FindRelatedResult(Paged):
    """Areas or stories, whichever were asked for."""

    areas: list[RelatedArea] = Field(description="Best first; empty with scope stories, or when nothing fits.")
    stories: list[RelatedStory] = Field(description="Best first; empty with scope areas, or when nothing fits.")
    looks_like_code: bool = Field(description="Whether the context was read as code.")
    ranked_as: Mode = Field(description="The mode whose weights were used.")
    min_score: float = Field(description="The floor under evidence.")
    degraded: bool = Field(description="True when embeddings were unavailable and words stood in for meaning.")
    notice: str | None = Field(description="What to know about this answer, or null.")
    omitted: int = Field(default=0, description="Areas or stories left to the next pages.")


def run(args: FindRelatedArgs, caller: Caller) -> FindRelatedResult:
    found = relation.find(args.context, mode=args.mode, tenant=caller.tenant)
    page = FindRelatedResult(
        areas=[],
        stories=[],
        looks_like_code=found.looks_like_code,
        ranked_as=found.mode,
        min_score=MIN_SCORE,
        degraded=found.degraded,
        notice=found.notice,
    )
    pages = PAGES[args.scope]
    if args.scope == "areas":
        by_area = [_area(area, found) for area in areas(found.scored)[: args.limit]]
        keys: list[Key] = [(area.section_key,) for area in by_area]
        return pages.of_ranking(page, by_area, keys=keys, args=args, caller=caller)
    stories = [found.story(scored) for scored in found.scored[: args.limit]]
    keys = [(related.story.story_key,) for related in stories]
    return pages.of_ranking(page, stories, keys=keys, args=args, caller=caller)


def _area(area: Area, found: relation.FoundStories) -> RelatedArea:
    members = [found.story(scored) for scored in area.members]
    shown = members[:STORIES_SHOWN]
    return RelatedArea(
        section_key=area.section_key,
        title=members[0].story.section,
        score=round(area.score, 4),
        matching_stories=len(members),
        stories=shown,
        matched_slugs=_distinct(tag for member in members for tag in member.matched_slugs),
        matched_paths=_distinct(tag for member in members for tag in member.matched_paths),
        code_paths=sorted({path for member in shown for path in member.story.code_paths}),
    )


def _distinct(tags: Iterable[SharedTag]) -> list[SharedTag]:
    return sorted({tag.name: tag for tag in tags}.values(), key=lambda tag: (tag.doc_frequency, tag.name))


handler = serve(TOOL, FindRelatedArgs, run)
