"""query_stories: exact filters over the stories, or counts of them."""

from pydantic import Field

from quarry.contract import Args, Part, Result, retrieval_tool
from quarry.identity import Caller
from quarry.runtime import serve
from quarry.spelling import alike
from stories import queries
from stories.model import Grouping, Name, Story, StoryFilters
from stories.normalisation import code_path, slug

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

OPTIONAL = StoryFilters.model_fields


class QueryStoriesArgs(Args):
    status: Name | None = Field(default=None, description=OPTIONAL["status"].description)
    section_key: Name | None = Field(default=None, description=OPTIONAL["section_key"].description)
    actor: Name | None = Field(default=None, description=OPTIONAL["actor"].description)
    entity_slug: Name | None = Field(default=None, description=OPTIONAL["entity_slug"].description)
    code_path: Name | None = Field(default=None, description=OPTIONAL["code_path"].description)
    filters: StoryFilters | None = Field(
        default=None, description="The same filters as an object, for older callers; a top-level value wins."
    )
    group_by: Grouping | None = Field(default=None, description="Count stories per value of this instead.")
    limit: int = Field(default=25, ge=1, le=100, description="Most stories, or groups, to return.")


class Group(Part):
    value: str = Field(description="A value of what was grouped by.")
    stories: int = Field(description="Stories that have it and satisfy the filters.")


class UnknownValue(Part):
    filter: str = Field(description="The filter.")
    value: str = Field(description="The value that no story has.")
    did_you_mean: list[str] = Field(description="Values that exist and look alike.")


class QueryStoriesResult(Result):
    stories: list[Story] = Field(description="By section and key; empty with group_by.")
    groups: list[Group] = Field(description="Most stories first; empty without group_by.")
    total: int = Field(description="Stories, or groups, that there are, also beyond the limit.")
    truncated: bool = Field(description="Whether there are more than the limit let through.")
    applied_filters: dict[str, str] = Field(description="The filters as they were applied: all of them hold.")
    unknown_values: list[UnknownValue] = Field(description="Filter values that no story has: why a list is empty.")


def run(args: QueryStoriesArgs, caller: Caller) -> QueryStoriesResult:
    filters = _filters(args)
    if args.group_by is None:
        rows = queries.matching(caller.tenant, filters=filters, limit=args.limit)
        stories = [Story.model_validate({name: row[name] for name in Story.model_fields}) for row in rows]
        groups = []
    else:
        rows = queries.counts(caller.tenant, filters=filters, group_by=args.group_by, limit=args.limit)
        stories = []
        groups = [Group(value=row["value"], stories=row["stories"]) for row in rows]
    total = rows[0]["_total"] if rows else 0
    applied = {name: value for name, value in filters.items() if value is not None}
    return QueryStoriesResult(
        stories=stories,
        groups=groups,
        total=total,
        truncated=total > len(rows),
        applied_filters=applied,
        unknown_values=[] if rows else _unknown(applied, tenant=caller.tenant),
    )


def _filters(args: QueryStoriesArgs) -> dict[str, str | None]:
    """Top-level over nested, in the spelling that the rows have."""
    nested = args.filters or StoryFilters()
    given = {name: getattr(args, name) or getattr(nested, name) for name in StoryFilters.model_fields}
    spelt = {name: code_path if name == "code_path" else slug for name in given}
    # What has no letter at all stays as it was: it matches nothing, and is echoed.
    return {name: value and (spelt[name](value) or value) for name, value in given.items()}


def _unknown(applied: dict[str, str], *, tenant: str) -> list[UnknownValue]:
    known = queries.values(tenant)
    return [
        UnknownValue(filter=name, value=value, did_you_mean=alike(value, known.get(name, ())))
        for name, value in applied.items()
        if value not in known.get(name, ()) and not _folder(value, known.get(name, ()))
    ]


def _folder(value: str, paths: dict[str, int] | tuple[str, ...]) -> bool:
    return value.endswith("/") and any(path.startswith(value) for path in paths)


handler = serve(TOOL, QueryStoriesArgs, run)
