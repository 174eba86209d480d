"""All SQL of the stories toolset."""

from collections.abc import Sequence
from dataclasses import dataclass

from pgvector import Vector
from psycopg.rows import DictRow
from psycopg.sql import SQL

from quarry.data import database
from quarry.paging.pages import Key
from quarry.retrieval import legs
from quarry.retrieval.corpus import Corpus
from stories.ranking import POOL

CARD = SQL("""
    d.story_key, d.title, d.section_key, s.title AS section, d.narrative, d.actor, d.status, d.entity_slugs,
    d.code_paths
""")

SECTION = SQL("JOIN stories.sections s ON s.tenant = d.tenant AND s.section_key = d.section_key")

STORIES = Corpus(schema="stories", table="user_stories", columns=CARD, joins=SECTION)

KNOWN_SLUGS = SQL("""
    SELECT slug AS name, doc_frequency FROM stories.entities
    WHERE tenant = %(tenant)s AND slug = ANY (%(slugs)s)
""")

KNOWN_PATHS = SQL("""
    SELECT path AS name, doc_frequency FROM stories.code_assets
    WHERE tenant = %(tenant)s AND stem = ANY (%(stems)s)
""")

# Stories with the greatest overlap come first, because for code the stories that share its paths are the candidates.
SHARING_PATHS = SQL("""
    SELECT {card},
           (SELECT 1 - (v.embedding <=> %(vector)s::vector) FROM stories.user_stories_vectors v WHERE v.doc = d.id)
           AS _cosine
    FROM (
        SELECT j.story_id, sum(1.0 / a.doc_frequency) AS weight
        FROM stories.code_assets a JOIN stories.story_code_assets j ON j.asset_id = a.id
        WHERE a.tenant = %(tenant)s AND a.path = ANY (%(paths)s)
        GROUP BY j.story_id ORDER BY weight DESC, j.story_id LIMIT %(pool)s) shared
    JOIN stories.user_stories d ON d.id = shared.story_id
    {section}
    ORDER BY shared.weight DESC, d.story_key
""").format(card=CARD, section=SECTION)

SECTION_OF = SQL("""
    SELECT section_key, title FROM stories.sections WHERE tenant = %(tenant)s AND section_key = %(section_key)s
""")

STORY_OF = SQL("""
    SELECT story_key, title, section_key FROM stories.user_stories
    WHERE tenant = %(tenant)s AND lower(story_key) = lower(%(story_key)s)
    ORDER BY story_key = %(story_key)s DESC LIMIT 1
""")

# One row per other section and tag that it shares with the source, which is a section or one of its stories.
SHARED = SQL("""
    WITH source AS MATERIALIZED (
        SELECT id FROM stories.user_stories d
        WHERE d.tenant = %(tenant)s AND d.section_key = %(section_key)s
          AND (%(story_key)s::text IS NULL OR d.story_key = %(story_key)s)),
    shared AS (
        SELECT 'path' AS kind, a.path AS name, a.doc_frequency, j.story_id
        FROM stories.code_assets a JOIN stories.story_code_assets j ON j.asset_id = a.id
        WHERE a.id IN (SELECT f.asset_id FROM stories.story_code_assets f JOIN source ON source.id = f.story_id)
        UNION ALL
        SELECT 'slug', e.slug, e.doc_frequency, j.story_id
        FROM stories.entities e JOIN stories.story_entities j ON j.entity_id = e.id
        WHERE e.id IN (SELECT f.entity_id FROM stories.story_entities f JOIN source ON source.id = f.story_id))
    SELECT d.section_key, s.title AS section, shared.kind, shared.name, shared.doc_frequency,
           array_agg(d.story_key ORDER BY d.story_key) AS story_keys
    FROM shared JOIN stories.user_stories d ON d.id = shared.story_id
    {section}
    WHERE d.section_key <> %(section_key)s
    GROUP BY d.section_key, s.title, shared.kind, shared.name, shared.doc_frequency
    ORDER BY d.section_key, shared.kind, shared.name
""").format(section=SECTION)

FILTER = SQL("""
    d.tenant = %(tenant)s
    AND (%(status)s::text IS NULL OR d.status = %(status)s)
    AND (%(section_key)s::text IS NULL OR d.section_key = %(section_key)s)
    AND (%(actor)s::text IS NULL OR d.actor = %(actor)s)
    AND (%(entity_slug)s::text IS NULL OR d.entity_slugs @> ARRAY[%(entity_slug)s::text])
    AND (%(code_path)s::text IS NULL OR EXISTS (
        SELECT FROM unnest(d.code_paths) AS p (path)
        WHERE p.path = %(code_path)s OR (%(code_path)s LIKE '%%/' AND starts_with(p.path, %(code_path)s))))
""")

# The total counts the rows of all pages, before and after this one.
MATCHING = SQL("""
    SELECT {card}, (SELECT count(*) FROM stories.user_stories d WHERE {filter}) AS _total
    FROM stories.user_stories d {section}
    WHERE {filter}
      AND (%(after_section)s::text IS NULL
           OR (d.section_key, d.story_key) > (%(after_section)s::text, %(after_story)s::text))
    ORDER BY d.section_key, d.story_key LIMIT %(limit)s
""").format(card=CARD, section=SECTION, filter=FILTER)

COUNTS = SQL("""
    WITH counted AS MATERIALIZED (
        SELECT g.value, count(*) AS stories
        FROM stories.user_stories d
        CROSS JOIN LATERAL unnest(CASE %(group_by)s
            WHEN 'status' THEN ARRAY[d.status] WHEN 'section_key' THEN ARRAY[d.section_key]
            WHEN 'actor' THEN ARRAY[d.actor] WHEN 'entity_slug' THEN d.entity_slugs ELSE d.code_paths END)
            AS g (value)
        WHERE {filter}
        GROUP BY g.value)
    SELECT value, stories, (SELECT count(*) FROM counted) AS _total
    FROM counted
    WHERE %(after_stories)s::bigint IS NULL OR stories < %(after_stories)s::bigint
       OR (stories = %(after_stories)s::bigint AND value > %(after_value)s::text)
    ORDER BY stories DESC, value LIMIT %(limit)s
""").format(filter=FILTER)

# Every value a filter can take, with the number of stories that have it.
VALUES = SQL("""
    SELECT 'status' AS filter, status AS value, count(*)::integer AS stories
    FROM stories.user_stories WHERE tenant = %(tenant)s GROUP BY status
    UNION ALL
    SELECT 'actor', actor, count(*)::integer FROM stories.user_stories WHERE tenant = %(tenant)s GROUP BY actor
    UNION ALL
    SELECT 'entity_slug', slug, doc_frequency FROM stories.entities WHERE tenant = %(tenant)s
    UNION ALL
    SELECT 'code_path', path, doc_frequency FROM stories.code_assets WHERE tenant = %(tenant)s
    UNION ALL
    SELECT 'section_key', s.section_key, count(d.id)::integer
    FROM stories.sections s
    LEFT JOIN stories.user_stories d ON d.tenant = s.tenant AND d.section_key = s.section_key
    WHERE s.tenant = %(tenant)s GROUP BY s.section_key
    ORDER BY 1, 3 DESC, 2
""")

STORY_KEYS = SQL("SELECT story_key FROM stories.user_stories WHERE tenant = %(tenant)s ORDER BY story_key LIMIT 5000")

SECTIONS = SQL("""
    SELECT s.section_key, s.title, count(d.id)::integer AS stories
    FROM stories.sections s
    LEFT JOIN stories.user_stories d ON d.tenant = s.tenant AND d.section_key = s.section_key
    WHERE s.tenant = %(tenant)s GROUP BY s.section_key, s.title ORDER BY s.section_key
""")

TOTALS = SQL("""
    SELECT count(*)::integer AS stories,
           (count(*) FILTER (WHERE NOT EXISTS (
               SELECT FROM stories.user_stories_vectors v WHERE v.doc = d.id)))::integer AS awaiting_embedding
    FROM stories.user_stories d WHERE d.tenant = %(tenant)s
""")


@dataclass(frozen=True, slots=True)
class NearStory:
    """A story's row with its nearness by meaning (None without a vector) and by words (None where none was found)."""

    row: DictRow
    cosine: float | None
    coverage: float | None

    @property
    def key(self) -> str:
        return str(self.row["story_key"])


def known_slugs(tenant: str, *, slugs: Sequence[str]) -> list[DictRow]:
    """Returns (name, doc_frequency) of the slugs that exist."""
    return database.fetch(tenant, KNOWN_SLUGS, {"slugs": list(slugs)})


def known_paths(tenant: str, *, stems: Sequence[str]) -> list[DictRow]:
    """Returns (name, doc_frequency) of the files with these stems, whatever their folder."""
    return database.fetch(tenant, KNOWN_PATHS, {"stems": list(stems)})


def nearest(tenant: str, *, text: str, vector: Vector | None) -> list[NearStory]:
    """Returns the POOL stories nearest by vector, and those found by their text that have no vector yet.

    Without ``vector`` it returns the POOL best by text.
    """
    found = legs.find_given(STORIES, text, tenant=tenant, vector=vector, pool=POOL)
    docs = [*dict.fromkeys([*found.nearest, *found.matches])]
    rows = {
        row["_doc"]: row
        for row in legs.read(STORIES, docs, tenant=tenant, condition=legs.EVERY, vector=vector, best=None)
    }
    coverage = {doc: match.coverage for doc, match in found.matches.items()}
    return [
        NearStory(row, row["_cosine"], coverage.get(doc))
        for doc in docs
        if (row := rows.get(doc)) and (vector is None or doc in found.nearest or row["_cosine"] is None)
    ]


def sharing_paths(tenant: str, *, paths: Sequence[str], vector: Vector | None) -> list[NearStory]:
    """Returns at most POOL stories, greatest overlap first; their nearness in words is not measured."""
    parameters = {"paths": list(paths), "vector": vector, "pool": POOL}
    return [NearStory(row, row["_cosine"], None) for row in database.fetch(tenant, SHARING_PATHS, parameters)]


def section(tenant: str, *, section_key: str) -> DictRow | None:
    return database.fetch_first(tenant, SECTION_OF, {"section_key": section_key})


def story(tenant: str, *, story_key: str) -> DictRow | None:
    """Returns the story with that key in any case, preferring the exact spelling."""
    return database.fetch_first(tenant, STORY_OF, {"story_key": story_key})


def shared(tenant: str, *, section_key: str, story_key: str | None) -> list[DictRow]:
    """Returns (section_key, section, kind, name, doc_frequency, story_keys) per other section and shared tag."""
    return database.fetch(tenant, SHARED, {"section_key": section_key, "story_key": story_key})


def matching(tenant: str, *, filters: dict[str, str | None], after: Key, limit: int) -> list[DictRow]:
    """Returns the stories after the (section_key, story_key) ``after``; _total is their number on all pages."""
    section, story = after or (None, None)
    place = {"after_section": section, "after_story": story}
    return database.fetch(tenant, MATCHING, {**filters, **place, "limit": limit})


def counts(tenant: str, *, filters: dict[str, str | None], group_by: str, after: Key, limit: int) -> list[DictRow]:
    """Returns (value, stories) after the (stories, value) ``after``; _total is the number of all values."""
    stories, value = after or (None, None)
    place = {"after_stories": stories, "after_value": value}
    return database.fetch(tenant, COUNTS, {**filters, **place, "group_by": group_by, "limit": limit})


def values(tenant: str) -> dict[str, dict[str, int]]:
    """Returns, by filter, the number of stories per value, most frequent first."""
    found: dict[str, dict[str, int]] = {}
    for row in database.fetch(tenant, VALUES):
        found.setdefault(row["filter"], {})[row["value"]] = row["stories"]
    return found


def story_keys(tenant: str) -> list[str]:
    return [row["story_key"] for row in database.fetch(tenant, STORY_KEYS)]


def sections(tenant: str) -> list[DictRow]:
    """Returns (section_key, title, number of stories) of every section."""
    return database.fetch(tenant, SECTIONS)


def totals(tenant: str) -> DictRow:
    return database.fetch(tenant, TOTALS)[0]
