"""Finding: the two legs of a search, each a short statement that knows nothing of the other or of ranking.

The statements stand in the folder sql. A corpus that is known to be small is searched by statements whose plans are
kept: they compare everything, so no plan can lose a row. Larger and unknown ones are planned with their values.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from pgvector import Vector
from psycopg.rows import DictRow
from psycopg.sql import SQL, Composed, Identifier, Literal

from quarry.data import database
from quarry.data.environment import kept
from quarry.embedding import provider, query_vectors
from quarry.retrieval.corpus import Corpus

EXACT_UP_TO = 8_000
"""Up to so many eligible rows are compared exactly; beyond, the HNSW index is walked iteratively.

More where the index holds much more: a walk through all tenants' rows meets one in so many that is eligible. Its cost
grows with rows in the index over rows eligible, that of comparing with rows eligible: they meet at a root.
"""

COPIES_SHOWN = 20
"""Rows of the same words that are listed with a hit; all of them are counted."""

MOST_MEETING = 60
"""Rows that are read because their columns meet what was asked, beside those that the legs found."""

BUDGET = 16_000
"""Postings one search reads. A query whose terms have no more is scored exactly, by all of them."""

UNFILTERED = {
    "scope": "",
    "readable": "true",
    "seen_scope": "true",
    "promising": "SELECT doc, bm25, idf FROM seen ORDER BY bm25 * sqrt(idf) DESC, doc LIMIT 2 * %(pool)s",
}

# Few eligible rows are known by id, and a handful is looked up without reading at all. Many are not known: there the
# filter is asked of the best, one by one, until enough pass.
FILTERED = {
    "scope": """
most AS MATERIALIZED (
    SELECT (%(exact_up_to)s * greatest(1, sqrt(greatest(c.reltuples, 0) / 30000)))::bigint AS rows
    FROM pg_class c WHERE c.oid = {index}::regclass),
few AS MATERIALIZED (
    SELECT count(*) AS eligible, count(*) <= (SELECT rows FROM most) AS yes
    FROM (SELECT FROM {base} d {narrow} WHERE d.tenant = %(tenant)s AND {condition}
          LIMIT (SELECT rows + 1 FROM most)) d),
eligible AS MATERIALIZED (
    SELECT d.id FROM {base} d {narrow} WHERE (SELECT yes FROM few) AND d.tenant = %(tenant)s AND {condition}),""",
    "readable": "(SELECT eligible > 2 * %(pool)s FROM few)",
    "seen_scope": "NOT (SELECT yes FROM few) OR p.doc IN (SELECT id FROM eligible)",
    "promising": """
    (SELECT e.id AS doc, s.bm25, s.idf
     FROM eligible e LEFT JOIN seen s ON s.doc = e.id
     WHERE (SELECT yes FROM few) ORDER BY s.bm25 * sqrt(s.idf) DESC NULLS LAST, e.id LIMIT 2 * %(pool)s)
    UNION ALL
    (SELECT s.doc, s.bm25, s.idf
     FROM (SELECT * FROM seen WHERE NOT (SELECT yes FROM few) ORDER BY bm25 * sqrt(idf) DESC, doc OFFSET 0) s
     CROSS JOIN LATERAL (
         SELECT FROM {base} d {narrow} WHERE d.id = s.doc AND d.tenant = %(tenant)s AND {condition} OFFSET 0) passed
     LIMIT %(pool)s)""",
}


@dataclass(frozen=True, slots=True)
class Match:
    """A row that has words of the query; ``raw`` is BM25 times the root of ``coverage``, the share of its idf."""

    raw: float
    coverage: float
    terms: Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """What the legs found, each best first: cosines by row, matches by row.

    ``read_as`` has the part numbers that no text has, with the one that each was read as.
    """

    nearest: Mapping[int, float]
    matches: Mapping[int, Match]
    read_as: Mapping[str, str] = field(default_factory=dict)


def small(corpus: Corpus, *, tenant: str) -> bool:
    """Whether this process has seen that the corpus is small."""
    return sizes().get((tenant, corpus), EXACT_UP_TO + 1) <= EXACT_UP_TO


@kept
def sizes() -> dict[tuple[str, Corpus], int]:
    """Documents of a tenant's corpus, as the last search that found words counted them."""
    return {}


def vector_leg(corpus: Corpus, *, filtered: bool, exact: bool) -> Composed:
    """(doc, cosine) of at most %(pool)s rows; reads %(vector)s, or where that is NULL the cache of query vectors."""
    if exact:
        return statement(corpus, "vector_exact", filtered=filtered)
    return statement(corpus, "vector_filtered" if filtered else "vector_walk", filtered=filtered)


def text_leg(corpus: Corpus, *, filtered: bool, exact: bool, budget: int = BUDGET) -> Composed:
    """(doc, raw, coverage, terms, read_as, documents) of at most %(pool)s rows that have words of %(query)s."""
    return statement(corpus, "text_exact" if exact else "text_budget", filtered=filtered, budget=budget)


def found(corpus: Corpus, near: Sequence[DictRow], matched: Sequence[DictRow], *, tenant: str) -> Found:
    """The rows of both statements, put together."""
    if matched:
        sizes()[tenant, corpus] = matched[0]["documents"]
    nearest = sorted(((row["doc"], float(row["cosine"])) for row in near), key=lambda pair: (-pair[1], pair[0]))
    return Found(
        nearest=dict(nearest),
        matches={row["doc"]: Match(float(row["raw"]), float(row["coverage"]), row["terms"]) for row in matched},
        read_as=(matched[0]["read_as"] or {}) if matched else {},
    )


@cache
def template(name: str) -> str:
    """The text of a statement in the folder sql."""
    return (Path(__file__).parent / "sql" / f"{name}.sql").read_text("utf-8")


@lru_cache(maxsize=256)
def statement(corpus: Corpus, name: str, *, filtered: bool, budget: int = BUDGET) -> Composed:
    """A statement of the folder sql for this corpus; ``filtered`` ones read the filter's parameters too."""
    values: dict[str, Any] = {
        "base": Identifier(corpus.schema, corpus.table),
        **{
            kind: Identifier(corpus.schema, f"{corpus.table}_{kind}")
            for kind in ("documents", "terms", "postings", "spellings", "totals", "vectors")
        },
        "index": Literal(f"{corpus.schema}.{corpus.table}_vectors"),
        "condition": corpus.condition if filtered else SQL("true"),
        "narrow": corpus.narrow,
        "cached": query_vectors.CACHED,
        "budget": Literal(budget),
        "read_as": SQL("(SELECT jsonb_object_agg(q.typed, q.term) FROM query_terms q WHERE q.typed IS NOT NULL)"),
    }
    # narrow is part of a corpus's joins where it has both.
    fingerprints = SQL("JOIN {documents} f ON f.doc = d.id") if corpus.copies else SQL("")
    joins = SQL(" ").join([corpus.joins, fingerprints.format(**values)])
    values |= {"columns": corpus.columns, "extra": _extra(corpus, values), "joins": joins}
    values["meeting"] = SQL(template("meeting") if corpus.meeting else "").format(
        **values, meeting=corpus.meeting, nearness=corpus.nearness
    )
    doc = {"vector_exact": "v.doc", "text_exact": "m.doc"}.get(name)
    join = "JOIN {base} d ON d.id = " + doc + " {narrow}" if filtered and doc else ""
    values["filtered"] = SQL(join).format(**values)
    values["query_terms"] = SQL(template("query_terms")).format(**values)
    choices = FILTERED if filtered else UNFILTERED
    parts = {part: SQL(text).format(**values) for part, text in choices.items()}
    return SQL(template(name)).format(**values, **parts)


def _extra(corpus: Corpus, values: Mapping[str, Any]) -> Composed:
    """Columns of rows.sql that only some corpora have."""
    columns: list[Composed] = []
    if corpus.model_key:
        columns.append(SQL("d.{} AS _model_key,").format(Identifier(corpus.model_key)))
    if corpus.document:
        columns.append(SQL("CASE WHEN %(texts)s THEN search.plain_text({}) END AS _text,").format(corpus.document))
    if corpus.copies:
        columns.append(
            SQL("""
       f.fingerprint AS _fingerprint, {on} AS _dated,
       (SELECT count(*) FROM {documents} y JOIN {base} d ON d.id = y.doc {narrow}
        WHERE y.tenant = %(tenant)s AND y.fingerprint = f.fingerprint AND y.doc <> w.doc AND {condition}) AS _copies,
       ARRAY(SELECT jsonb_build_object({row}) FROM {documents} y JOIN {base} d ON d.id = y.doc {joins}
        WHERE y.tenant = %(tenant)s AND y.fingerprint = f.fingerprint AND y.doc <> w.doc AND {condition}
        ORDER BY {on} DESC, d.id DESC LIMIT {shown}) AS _copied,""").format(
                **values, on=corpus.copies.on, row=corpus.copies.row, joins=corpus.joins, shown=Literal(COPIES_SHOWN)
            )
        )
    return SQL("").join(columns)


@dataclass(frozen=True, slots=True)
class Find:
    """What a search finds: ``vector`` is the query's, None with the reason ``down`` where the provider has none.

    ``others`` are the rows of the statements that were asked on the way.
    """

    found: Found
    vector: Vector | None
    down: str | None
    others: Sequence[list[DictRow]]


def find(
    corpus: Corpus,
    query: str,
    *,
    tenant: str,
    filters: Mapping[str, object | None],
    filtered: bool,
    pool: int,
    limit: int,
    explain: bool = False,
    others: Sequence[database.Query] = (),
) -> Find:
    """One round trip when the query's vector is known here or in Postgres. Otherwise a second one asks the vector leg
    and stores the vector; with the provider down, what the words found is the answer.

    Raises Unavailable when the provider's model is not the database's.
    """
    key = query_vectors.key_of(query, tenant=tenant)
    vector = query_vectors.recalled(key)
    asked = {**filters, **key.parameters, "query": query, "pool": pool, "limit": limit, "explain": explain}
    legs = _Legs(corpus, filtered=filtered, tenant=tenant)
    looked_up = [] if vector is not None else [(query_vectors.CACHED, key.parameters)]
    first, near, matched = legs.both(asked, vector=vector, before=[*looked_up, *others])
    down = None
    if vector is None and first[0]:
        vector = query_vectors.remember(key, first[0][0]["embedding"])
    elif vector is None:
        try:
            vector = query_vectors.embed(query)
        except provider.EmbeddingsDown as error:
            down = error.reason
        else:
            store = (query_vectors.STORE, {**key.parameters, "embedding": vector})
            near = legs.meaning(asked, vector=vector, before=[store])
            query_vectors.remember(key, vector)
    return Find(found(corpus, near, matched, tenant=tenant), vector, down, first[len(looked_up) :])


def find_given(
    corpus: Corpus,
    query: str,
    *,
    tenant: str,
    vector: Vector | None,
    pool: int,
    filters: Mapping[str, object | None] | None = None,
    filtered: bool = False,
    limit: int | None = None,
) -> Found:
    """What both legs find for words and a vector that are in hand; without a vector, what the words find."""
    asked = {"query": query, "pool": pool, "limit": limit or pool, "explain": False}
    cached = {"embedding_model": None, "text_hash": None}
    both = _Legs(corpus, filtered=filtered, tenant=tenant)
    _, near, matched = both.both({**(filters or {}), **asked, **cached}, vector=vector, before=[])
    return found(corpus, near, matched, tenant=tenant)


class _Legs:
    """The two statements of one search."""

    def __init__(self, corpus: Corpus, *, filtered: bool, tenant: str) -> None:
        self._tenant = tenant
        self._exact = small(corpus, tenant=tenant)
        self._vector = vector_leg(corpus, filtered=filtered, exact=self._exact)
        self._text = text_leg(corpus, filtered=filtered, exact=self._exact)

    def both(
        self, asked: Mapping[str, object], *, vector: Vector | None, before: Sequence[database.Query]
    ) -> tuple[list[list[DictRow]], list[DictRow], list[DictRow]]:
        whole = self._whole(asked, vector=vector)
        *first, near, matched = database.fetch_each(
            self._tenant, [*before, (self._vector, whole), (self._text, whole)], keep_plans=self._exact
        )
        return first, near, matched

    def meaning(
        self, asked: Mapping[str, object], *, vector: Vector, before: Sequence[database.Query]
    ) -> list[DictRow]:
        asks = [*before, (self._vector, self._whole(asked, vector=vector))]
        return database.fetch_each(self._tenant, asks, keep_plans=self._exact)[-1]

    def _whole(self, asked: Mapping[str, object], *, vector: Vector | None) -> dict[str, object]:
        return {**asked, "tenant": self._tenant, "exact_up_to": EXACT_UP_TO, "vector": vector}


def read(
    corpus: Corpus,
    docs: Sequence[int],
    *,
    tenant: str,
    filters: Mapping[str, object | None],
    vector: Vector | None,
    best: int | None,
    filtered: bool = False,
    bounds: Sequence[Mapping[str, object]] = (),
    fill: int = 0,
    texts: bool = False,
) -> list[DictRow]:
    """The rows of ``docs``, and besides them at most MOST_MEETING whose columns lie within ``bounds`` and at most
    ``fill`` that satisfy the filters, with cosines to the query and to the row ``best``.
    """
    parameters = {
        **filters,
        "items": json.dumps(list(bounds)),
        "tenant": tenant,
        "docs": list(docs),
        "best": best,
        "vector": vector,
        "fill": fill,
        "most_meeting": MOST_MEETING,
        "texts": texts,
    }
    exact = small(corpus, tenant=tenant)
    return database.fetch_each(
        tenant, [(statement(corpus, "rows", filtered=filtered), parameters)], keep_plans=exact
    )[0]
