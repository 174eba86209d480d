"""find_crossover: the sections that share files and entities with a section or a story."""

from collections.abc import Sequence
from typing import Annotated, Self

from psycopg.rows import DictRow
from pydantic import Field, model_validator

from quarry.paging.pages import Paged, PagedArgs, Pages
from quarry.text import alike
from quarry.tool.contract import Part, retrieval_tool
from quarry.tool.errors import NotFound
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve
from stories import queries
from stories.naming import slug
from stories.ranking import inverse_frequency

TAGS_SHOWN = 15
STORIES_SHOWN = 5

TOOL = retrieval_tool(
    "find_crossover",
    title="Find entangled areas",
    toolset="stories",
    description="""
        Which other areas are entangled with a section or story you already know? Ranks other sections by the code
        paths and entities they share with it and names them; a rare tag counts more than a hub (1/df). Give exactly
        one of section_key and story_key. For free text or code use find_related.
    """,
)

PAGES = Pages(tool=TOOL, into="sections")

Key = Annotated[str, Field(min_length=1, max_length=200)]


class FindCrossoverArgs(PagedArgs):
    section_key: Key | None = Field(default=None, description="Key of a section; not together with story_key.")
    story_key: Key | None = Field(default=None, description="Key of a story; not together with section_key.")
    limit: int = Field(default=5, ge=1, le=50, description="Most sections to return.")

    @model_validator(mode="after")
    def one_source(self) -> Self:
        if (self.section_key is None) == (self.story_key is None):
            raise ValueError("give exactly one of section_key and story_key")
        return self


class CrossoverSource(Part):
    section_key: str = Field(description="The section whose footprint was taken, or the story's section.")
    story_key: str | None = Field(description="The story whose footprint was taken, or null for the whole section.")
    title: str = Field(description="Title of the section or story.")


class EntangledTag(Part):
    name: str = Field(description="The slug or path.")
    doc_frequency: int = Field(description="Stories that have it.")
    weight: float = Field(description="1/df: what it adds to the score.")
    story_keys: list[str] = Field(description=f"Stories of this section that have it, at most {STORIES_SHOWN}.")


class EntangledSection(Part):
    section_key: str = Field(description="Key: query_stories takes it.")
    title: str = Field(description="Title of the section.")
    score: float = Field(description="Sum of the weights of everything shared; path_score plus slug_score.")
    path_score: float = Field(description="Share of the code paths.")
    slug_score: float = Field(description="Share of the entities.")
    shared_paths: list[EntangledTag] = Field(description="Most distinctive first.")
    shared_slugs: list[EntangledTag] = Field(description="Most distinctive first.")
    shared_in_all: int = Field(description="Paths and slugs shared, including those left out of the lists.")


class FindCrossoverResult(Paged):
    """The sections entangled with a section or story."""

    source: CrossoverSource = Field(description="What was looked up.")
    sections: list[EntangledSection] = Field(description="Most entangled first; empty when nothing is shared.")
    omitted: int = Field(default=0, description="Sections left to the next pages.")


def run(args: FindCrossoverArgs, caller: Caller) -> FindCrossoverResult:
    if args.story_key is not None:
        source = _story(args.story_key, tenant=caller.tenant)
    else:
        source = _section(args.section_key or "", tenant=caller.tenant)
    rows = queries.shared(caller.tenant, section_key=source.section_key, story_key=source.story_key)
    sections = entangled(rows)[: args.limit]
    keys = [(section.section_key,) for section in sections]
    page = FindCrossoverResult(source=source, sections=[])
    return PAGES.of_ranking(page, sections, keys=keys, args=args, caller=caller)


def _story(key: str, *, tenant: str) -> CrossoverSource:
    if (row := queries.story(tenant, story_key=key)) is not None:
        return CrossoverSource(**row)
    raise _unknown(f"story '{key}'", near=alike(key, queries.story_keys(tenant)), listing="query_stories")


def _section(key: str, *, tenant: str) -> CrossoverSource:
    if (row := queries.section(tenant, section_key=slug(key))) is not None:
        return CrossoverSource(**row, story_key=None)
    near = alike(slug(key), [row["section_key"] for row in queries.sections(tenant)])
    raise _unknown(f"section '{key}'", near=near, listing="schema://taxonomy")


def _unknown(what: str, *, near: list[str], listing: str) -> NotFound:
    hint = f"Nearest: {', '.join(near)}." if near else f"None is spelt alike; {listing} lists them."
    return NotFound(f"No {what}. {hint}", details={"nearest": near})


def entangled(rows: Sequence[DictRow]) -> list[EntangledSection]:
    """Returns the sections of ``queries.shared``, highest score first, with their most distinctive tags first. A tag
    counts once, however many stories have it.
    """
    sections: dict[str, list[DictRow]] = {}
    for row in sorted(rows, key=lambda row: (row["doc_frequency"], row["name"])):
        sections.setdefault(row["section_key"], []).append(row)
    found = map(_scored, sections.values())
    return [section for _, section in sorted(found, key=lambda each: (-each[0], each[1].section_key))]


def _scored(shared: Sequence[DictRow]) -> tuple[float, EntangledSection]:
    paths, slugs = ([row for row in shared if row["kind"] == kind] for kind in ("path", "slug"))
    path_score, slug_score = (inverse_frequency(row["doc_frequency"] for row in tags) for tags in (paths, slugs))
    return path_score + slug_score, EntangledSection(
        section_key=shared[0]["section_key"],
        title=shared[0]["section"],
        score=round(path_score + slug_score, 4),
        path_score=round(path_score, 4),
        slug_score=round(slug_score, 4),
        shared_paths=[_tag(row) for row in paths[:TAGS_SHOWN]],
        shared_slugs=[_tag(row) for row in slugs[:TAGS_SHOWN]],
        shared_in_all=len(shared),
    )


def _tag(row: DictRow) -> EntangledTag:
    frequency, keys = row["doc_frequency"], row["story_keys"][:STORIES_SHOWN]
    return EntangledTag(name=row["name"], doc_frequency=frequency, weight=round(1 / frequency, 4), story_keys=keys)


handler = serve(TOOL, FindCrossoverArgs, run)
