"""User stories from the staging CSV or JSON Lines: one row per story, its section, entities and code paths."""

import re
from typing import Annotated, Any

from psycopg.sql import SQL
from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints, model_validator

from quarry.ingestion import Kind, Mending, Row, or_update
from stories.naming import code_path, slug

SEPARATOR = re.compile(r"[;|\n,]")


def _listed(value: Any) -> Any:
    """A CSV cell holds a list as a;b;c."""
    return SEPARATOR.split(value) if isinstance(value, str) else value


def _slugs(values: list[str]) -> list[str]:
    if strange := [value for value in values if re.search(r"(?<!\S)[^\s/\\]*+[/\\]\S+\.\w{1,6}$", value)]:
        raise ValueError(f"a path, not an entity: {strange[0]!r:.80}")
    return sorted({slug(value) for value in values} - {""})


def _paths(values: list[str]) -> list[str]:
    paths = sorted({code_path(value).rstrip("/") for value in values} - {""})
    if strange := [path for path in paths if not path.isprintable() or len(path) > 500]:
        raise ValueError(f"not a path: {strange[0]!r:.80}")
    return paths


def _named(value: str) -> str:
    if not (key := slug(value)):
        raise ValueError("needs at least one letter or digit")
    return key


Slugs = Annotated[list[str], BeforeValidator(_listed), AfterValidator(_slugs)]
Paths = Annotated[list[str], BeforeValidator(_listed), AfterValidator(_paths)]
Word = Annotated[str, Field(max_length=100), AfterValidator(_named)]


class StoryRow(Row):
    story_key: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)]
    section_key: Word = ""
    section: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
    title: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]
    narrative: str = Field(min_length=1, max_length=20_000)
    actor: Word
    status: Word
    entity_slugs: Slugs = Field(default_factory=list)
    code_paths: Paths = Field(default_factory=list)

    @model_validator(mode="before")
    @classmethod
    def section_names_its_key(cls, row: Any) -> Any:
        if isinstance(row, dict) and isinstance(row.get("section"), str) and not row.get("section_key"):
            return {**row, "section_key": row["section"]}
        return row


# jsonb_to_recordset turns JSON arrays into text arrays. The join tables follow by trigger.
UPSERT = SQL("""
    WITH incoming AS MATERIALIZED (
        SELECT r.*
        FROM ROWS FROM (jsonb_to_recordset(%(rows)s) AS (
            story_key text, section_key text, section text, title text, narrative text, actor text, status text,
            entity_slugs text[], code_paths text[])) WITH ORDINALITY AS r (
            story_key, section_key, section, title, narrative, actor, status, entity_slugs, code_paths, ordinal)),
    sections AS (
        INSERT INTO stories.sections AS s (tenant, section_key, title)
        SELECT DISTINCT ON (section_key) %(tenant)s, section_key, section FROM incoming
        ORDER BY section_key, ordinal DESC
        ON CONFLICT (tenant, section_key) DO UPDATE SET title = excluded.title WHERE s.title <> excluded.title)
    INSERT INTO stories.user_stories AS t (
        tenant, story_key, section_key, title, narrative, actor, status, entity_slugs, code_paths)
    SELECT %(tenant)s, story_key, section_key, title, narrative, actor, status, entity_slugs, code_paths
    FROM incoming ORDER BY story_key
""") + or_update(
    ("story_key",), ("section_key", "title", "narrative", "actor", "status", "entity_slugs", "code_paths")
)

STORED = SQL("""
    SELECT to_jsonb(u) || jsonb_build_object('section', s.title) AS content
    FROM stories.user_stories u JOIN stories.sections s ON s.tenant = u.tenant AND s.section_key = u.section_key
    WHERE u.tenant = %(tenant)s ORDER BY u.story_key
""")

STORIES = Kind(
    name="stories",
    row=StoryRow,
    key=("story_key",),
    upsert=UPSERT,
    table="stories.user_stories",
    stored=STORED,
    mending=Mending(columns=("title", "narrative"), recurring=("section", "actor", "status")),
    corpus="stories.user_stories",
)
