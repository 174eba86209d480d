"""query_stories: exact filters over the stories, or counts of them."""

from collections.abc import Sequence

from pydantic import Field, TypeAdapter

from quarry.paging.pages import Key, Number, Paged, PagedArgs, Pages, Text
from quarry.text import alike
from quarry.tool.contract import Part, retrieval_tool
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve
from stories import queries
from stories.model import Grouping, Name, Story, StoryFilters
from stories.naming import code_path, slug

TOOL = retrieval_tool(
    "query_stories",
    title="Query stories",
    toolset="stories",
    description="""
        Every user story that satisfies all the filters given, complete and in a fixed order, or with group_by how
        many there are per value. applied_filters says what was filtered on. A value that does not exist gives an
        empty list and the values that were probably meant. For free text use find_related.
    """,
)

BY_NAME: TypeAdapter[Key] = TypeAdapter(tuple[Text, Text])
BY_COUNT: TypeAdapter[Key] = TypeAdapter(tuple[Number, Text])
STORIES = Pages(tool=TOOL, into="stories", limit="limit", key=BY_NAME)
GROUPS = Pages(tool=TOOL, into="groups", limit="limit", key=BY_COUNT)


class QueryStoriesArgs(PagedArgs):
    status: Name | None = Field(default=None, description="Only this status, e.g. production.")
    section_key: Name | None = Field(default=None, description="Only this section, e.g. client-proofing.")
    actor: Name | None = Field(default=None, description="Only this actor, e.g. photographer.")
    entity_slug: Name | None = Field(default=None, description="Only stories about this entity, e.g. watermark.")
    code_path: Name | None = Field(
        default=None, description="Only stories that touch this file, or with a trailing / anything in the folder."
    )
    filters: StoryFilters | None = Field(
        default=None, description="Older callers nest them here; a top-level value wins."
    )
    group_by: Grouping | None = Field(default=None, description="Count stories per value of this instead.")
    limit: int = Field(default=25, ge=1, le=100, description="Most stories, or groups, in this page.")


class Group(Part):
    value: str = Field(description="A value of what was grouped by.")
    stories: int = Field(description="Stories that have it and satisfy the filters.")


class UnknownValue(Part):
    filter: str = Field(description="The filter.")
    value: str = Field(description="The value that no story has.")
    did_you_mean: list[str] = Field(description="Values that exist and look alike.")


class QueryStoriesResult(Paged):
    """One page of stories, or of groups."""

    stories: list[Story] = Field(description="By section and key; empty with group_by.")
    groups: list[Group] = Field(description="Most stories first; empty without group_by.")
    total: int = Field(description="Stories, or groups, that there are on all pages.")
    truncated: bool = Field(description="True when next_cursor leads to more.")
    applied_filters: dict[str, str] = Field(description="The filters as they were applied: all of them hold.")
    unknown_values: list[UnknownValue] = Field(description="Filter values that no story has: why a list is empty.")


def run(args: QueryStoriesArgs, caller: Caller) -> QueryStoriesResult:
    # A top-level value wins over a nested one, and both are spelt as the rows are.
    nested = args.filters or StoryFilters()
    given = {name: getattr(args, name) or getattr(nested, name) for name in StoryFilters.model_fields}
    spelt = {name: code_path if name == "code_path" else slug for name in given}
    # A value without any letter stays as it was: it matches nothing, and the answer repeats it.
    filters = {name: value and (spelt[name](value) or value) for name, value in given.items()}
    pages = STORIES if args.group_by is None else GROUPS
    # One row more than a page holds tells whether another page follows.
    after, most = pages.place(args, caller).after, args.limit + 1
    items: Sequence[Story | Group]
    keys: list[Key]
    if args.group_by is None:
        rows = queries.matching(caller.tenant, filters=filters, after=after, limit=most)
        items = [Story.model_validate(row, extra="ignore") for row in rows[: args.limit]]
        keys = [(row["section_key"], row["story_key"]) for row in rows[: args.limit]]
    else:
        rows = queries.counts(caller.tenant, filters=filters, group_by=args.group_by, after=after, limit=most)
        items = [Group(value=row["value"], stories=row["stories"]) for row in rows[: args.limit]]
        keys = [(row["stories"], row["value"]) for row in rows[: args.limit]]
    applied = {name: value for name, value in filters.items() if value is not None}
    page = QueryStoriesResult(
        stories=[],
        groups=[],
        total=rows[0]["_total"] if rows else 0,
        truncated=False,
        applied_filters=applied,
        unknown_values=[] if rows or args.cursor else _unknown(applied, tenant=caller.tenant),
    )
    page = pages.of_listing(page, items, keys=keys, more=len(rows) > args.limit, args=args, caller=caller)
    return page.model_copy(update={"truncated": page.next_cursor is not None})


def _unknown(applied: dict[str, str], *, tenant: str) -> list[UnknownValue]:
    known, found = queries.values(tenant), []
    for name, value in applied.items():
        there = known.get(name, {})
        is_folder = value.endswith("/") and any(path.startswith(value) for path in there)
        if value not in there and not is_folder:
            found.append(UnknownValue(filter=name, value=value, did_you_mean=alike(value, there)))
    return found


handler = serve(TOOL, QueryStoriesArgs, run)
