"""The statements of a search, put together from the folder sql for a corpus and the filters that are set."""

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from psycopg.sql import SQL, Composable, Composed, Identifier, Literal, Placeholder

from quarry.attributes.model import Attributes
from quarry.data import database
from quarry.embedding import query_vectors
from quarry.needs.model import BUILT_IN, DESCRIPTION, Need
from quarry.needs.set_up import asked_at, nearest_point
from quarry.retrieval.clauses import compiled, order_of
from quarry.retrieval.condition import Condition, of_clauses
from quarry.retrieval.corpus import Corpus

BUDGET = 16_000
"""Most postings that one search reads. A query whose terms have no more is scored exactly, by all of them."""

MOST_NEEDS = 8
"""Most needs by which SQL chooses the rows to judge; the judge goes by all of them."""

NOTHING_IS = SQL("(SELECT 0)")

# Where an index answers the condition and nothing orders the rows, no row has to be read.
BY_ID = """WITH found AS MATERIALIZED ({ids})
SELECT id AS doc, (SELECT count(*) FROM found) AS eligible FROM found ORDER BY id LIMIT {most}"""

COMMENT = re.compile(r"^ *--.*\n", re.MULTILINE)

BM25 = "(p.weight & 16383) * 2.2 / ((p.weight & 16383) + 3 + (p.weight >> 14 & 262143) * {slope})"
"""Computes BM25 of one posting from its search.weight, in which all is counted in tenths."""

# Documents that wait to be merged are read from their own lists; what blocks have of them counts no longer.
PENDING = """
pending AS MATERIALIZED (SELECT doc FROM {pending} WHERE tenant = %(tenant)s),
waiting AS MATERIALIZED (
    SELECT d.doc, d.length, d.tids, d.tfs FROM {documents} d
    WHERE d.tenant = %(tenant)s AND d.doc = ANY (ARRAY(SELECT doc FROM pending))),"""

# The terms of a document are sorted, so that width_bucket finds one by binary search.
LISTED = """SELECT d.doc, d.idf, search.weight(d.tfs[d.place], d.length) AS weight
        FROM (
            SELECT d.doc, d.length, d.tids, d.tfs, r.tid, r.idf, width_bucket(r.tid, d.tids) AS place
            FROM {listed} d CROSS JOIN {asked} r OFFSET 0) d
        WHERE d.tids[d.place] = d.tid"""
"""Selects postings of terms from the lists that documents have of their own."""

UNFILTERED = {
    "scope": "",
    "readable": "true",
    "seen_scope": "true",
    "promising": "SELECT doc, bm25, idf FROM seen ORDER BY bm25 * sqrt(idf) DESC, doc LIMIT 2 * %(pool)s",
}

# All eligible rows are listed once; planned with a limit, the filter would be tested on each row instead.
ELIGIBLE = """
most AS MATERIALIZED (
    SELECT (%(exact_up_to)s * greatest(1, sqrt(greatest(c.reltuples, 0) / 30000)))::bigint AS rows
    FROM pg_class c WHERE c.oid = {index}::regclass),
{matching},
few AS MATERIALIZED (
    SELECT cardinality(ids) AS eligible, cardinality(ids) <= (SELECT rows FROM most) AS yes FROM matching),
eligible AS NOT MATERIALIZED (SELECT unnest(ids) AS id FROM matching WHERE (SELECT yes FROM few)),"""

ELIGIBLE_IDS = "ARRAY(SELECT m.id FROM ({ids}) m LIMIT (SELECT rows + 1 FROM most))"

# To list what satisfies two filters takes longer than either leg. Both legs run in one transaction, so the vector leg
# leaves its list to the text leg in a setting that ends with the transaction, under the number of the search.
KEEPS_IDS = """found AS MATERIALIZED (SELECT {list} AS ids),
matching AS MATERIALIZED (
    SELECT ids FROM found WHERE set_config('quarry.listed', %(search)s || ids::text, true) <> '')"""
TAKES_IDS = """matching AS MATERIALIZED (
    SELECT CASE WHEN starts_with(current_setting('quarry.listed', true), %(search)s)
        THEN substr(current_setting('quarry.listed'), length(%(search)s) + 1)::bigint[] ELSE {list} END AS ids)"""

IDS = """WITH every AS MATERIALIZED (SELECT d.id FROM {base} d {narrow} WHERE d.tenant = %(tenant)s AND {of_all})
    SELECT id FROM every"""

# Few eligible rows are known by id, and up to 2,500 are looked up in their own lists without reading postings, of
# which one in a hundred would be theirs. Many are not listed: there the filter is tested on the best rows in turn,
# until enough pass.
FILTERED = {
    "scope": "{eligible}",
    "readable": "(SELECT NOT yes OR eligible > 25 * %(pool)s FROM few)",
    "seen_scope": "NOT (SELECT yes FROM few) OR p.doc IN (SELECT id FROM eligible)",
    "passes": """EXISTS (
    SELECT FROM {base} d {narrow} WHERE d.id = v.doc AND d.tenant = %(tenant)s AND {condition} OFFSET 0)""",
    "promising": """
    (SELECT s.doc, s.bm25, s.idf
     FROM seen s WHERE (SELECT yes FROM few) ORDER BY s.bm25 * sqrt(s.idf) DESC, s.doc LIMIT 2 * %(pool)s)
    UNION ALL
    (SELECT e.id, NULL, NULL FROM eligible e WHERE (SELECT yes FROM few) AND e.id NOT IN (SELECT doc FROM seen)
     ORDER BY e.id LIMIT CASE WHEN (SELECT eligible > 25 * %(pool)s FROM few)
         THEN greatest(2 * %(pool)s - (SELECT count(*) FROM seen), 0) END)
    UNION ALL
    (SELECT s.doc, s.bm25, s.idf
     FROM (SELECT * FROM seen WHERE NOT (SELECT yes FROM few) ORDER BY bm25 * sqrt(idf) DESC, doc OFFSET 0) s
     CROSS JOIN LATERAL (
         SELECT FROM {base} d {narrow} WHERE d.id = s.doc AND d.tenant = %(tenant)s AND {condition} OFFSET 0) passed
     LIMIT %(pool)s)""",
}


COSINE = "1 - (v.embedding <=> (SELECT vector FROM asked))"

# The cosine of a row with sentences is the mean of its own and that of its nearest sentence. A sentence's number is
# 128 times its row's plus its place in it. Where an index is walked, the rows of sentences that it offers are
# candidates like any other: rows.sql computes how near they are.
WITH_SENTENCES = {
    "cosine": "(({own}) + coalesce(t.cosine, {own})) / 2",
    "told": """LEFT JOIN LATERAL (
    SELECT 1 - min(x.embedding <=> (SELECT vector FROM asked)) AS cosine FROM {sentence_vectors} x
    WHERE x.tenant = %(tenant)s AND x.doc >= 128 * v.doc AND x.doc < 128 * (v.doc + 1) OFFSET 0) t ON true""",
    "walked": """UNION ALL
(SELECT d.id, 1 - min(x.distance)
 FROM (SELECT v.doc, v.embedding <=> (SELECT vector FROM asked) AS distance FROM {sentence_vectors} v
       WHERE NOT (SELECT yes FROM few) AND (SELECT vector FROM asked) IS NOT NULL AND v.tenant = %(tenant)s
       ORDER BY v.embedding <=> (SELECT vector FROM asked) LIMIT %(pool)s) x
 JOIN {base} d ON d.id = x.doc / 128 {narrow}
 WHERE d.tenant = %(tenant)s AND {condition} GROUP BY d.id)""",
}


@cache
def template(name: str) -> str:
    """Reads a statement of the folder sql, without comments: psycopg remembers how it read short ones."""
    return COMMENT.sub("", (Path(__file__).parent / "sql" / f"{name}.sql").read_text("utf-8"))


@lru_cache(maxsize=1024)
def statement(corpus: Corpus, name: str, *, condition: Condition, budget: int = BUDGET) -> SQL:
    """Returns a statement of the folder sql for this corpus and the rows that satisfy the condition."""
    values: dict[str, Any] = {
        "base": Identifier(corpus.schema, corpus.table),
        **{
            kind: Identifier(corpus.schema, f"{corpus.table}_{kind}")
            for kind in ("documents", "terms", "blocks", "pending", "spellings", "totals", "vectors")
        },
        "index": Literal(f"{corpus.schema}.{corpus.table}_vectors"),
        "condition": condition.as_one if name.endswith("_exact") else condition.of_one,
        "of_all": condition.of_all,
        "narrow": corpus.narrow,
        "cached": query_vectors.CACHED,
        "budget": Literal(budget),
        "read_as": SQL("(SELECT jsonb_object_agg(q.typed, q.term) FROM query_terms q WHERE q.typed IS NOT NULL)"),
    }
    # narrow is part of a corpus's joins where it has both.
    fingerprints = SQL("JOIN {documents} f ON f.doc = d.id") if corpus.copies else SQL("")
    joins = SQL(" ").join([corpus.joins, fingerprints.format(**values)])
    values |= {"columns": corpus.columns, "extra": _extra(corpus, values), "joins": joins}
    # A subquery that runs once is faster than a join to each posting; in a small corpus the join is faster.
    slope = SQL("s.slope" if name == "text_exact" else "(SELECT slope FROM totals)")
    values["bm25"] = SQL(BM25).format(slope=slope)
    doc = {"vector_exact": "v.doc", "text_exact": "m.doc"}.get(name)
    join = "JOIN {base} d ON d.id = " + doc + " {narrow}" if condition and doc else ""
    values["filtered"] = SQL(join).format(**values)
    values["query_terms"] = SQL(template("query_terms")).format(**values)
    listing = SQL(ELIGIBLE_IDS).format(ids=condition.alone or SQL(IDS).format(**values))
    matching = SQL(TAKES_IDS if name == "text_budget" else KEEPS_IDS).format(list=listing)
    values["eligible"] = SQL(ELIGIBLE).format(**values, matching=matching)
    values["waiting"] = SQL(PENDING).format(**values)
    asked = SQL("query_terms" if name == "text_exact" else "readings")
    values["listed"] = SQL(LISTED).format(listed=SQL("waiting"), asked=asked)
    values["looked_up"] = SQL(LISTED).format(listed=SQL("found"), asked=SQL("readings"))
    values |= _nearness(corpus, values)
    choices = FILTERED if condition else UNFILTERED
    parts = {part: SQL(text).format(**values) for part, text in choices.items()}
    return SQL(SQL(template(name)).format(**values, **parts).as_string())


def _nearness(corpus: Corpus, values: Mapping[str, Any]) -> dict[str, Composed]:
    """Returns the parts of a statement that say how near a row is in meaning."""
    own = SQL(COSINE).format()
    if not corpus.sentences:
        return {"cosine": own, "told": SQL("").format(), "walked": SQL("").format()}
    vectors = Identifier(corpus.schema, f"{corpus.table}_sentences_vectors")
    known = {**values, "own": own, "sentence_vectors": vectors}
    return {part: SQL(text).format(**known) for part, text in WITH_SENTENCES.items()}


def _extra(corpus: Corpus, values: Mapping[str, Any]) -> Composed:
    """Returns columns of rows.sql that only corpora with copies have."""
    text = """
       f.fingerprint AS _fingerprint, {dated} AS _dated,
       (SELECT count(*) FROM {documents} y JOIN {base} d ON d.id = y.doc {narrow}
        WHERE y.tenant = %(tenant)s AND y.fingerprint = f.fingerprint AND y.doc <> w.doc AND {condition}) AS _copies,
    """
    return SQL(text if corpus.copies else "").format(**values, dated=corpus.dated)


def meeting(
    corpus: Corpus,
    needs: Sequence[Need],
    *,
    condition: Condition,
    attributes: Attributes,
    small: bool,
    sort: str | None = None,
    currency: str | None = None,
) -> database.Query | None:
    """Returns the statement that finds rows to judge by their attributes, whatever their words are.

    None where neither a need nor a filter chooses any. Rows of a family that is asked for always come; wishes choose
    where nothing else is asked. In a small corpus rows that lack something come too, those that meet most first; in a
    large one only those that meet all. What is judged at the conditions of a job only orders them.
    """
    told = [need for need in needs if need.name != DESCRIPTION]
    asked = ([need for need in told if not need.wish] or told)[:MOST_NEEDS]
    only_denied = bool(needs) and all(need.negated for need in needs)
    if not asked and not condition and sort is None and not only_denied:
        return None
    at = asked_at(tuple(needs), attributes)
    moved = {need: near for need in asked if at and (near := nearest_point(need, at, attributes))}
    ordering = [moved.get(need, need) for need in asked]
    clauses, parameters = compiled(corpus, ordering, attributes=attributes, prefix="n", close=True, currency=currency)
    families = [clause for need, clause in zip(asked, clauses, strict=True) if need.name == "family"]
    needed = [clause for need, clause in zip(asked, clauses, strict=True) if need not in moved]
    within = of_clauses(families if small else needed, parameters)
    # In a large corpus all rows found meet the needs, so these do not order them.
    ordered_by = clauses if small else [clause for need, clause in zip(asked, clauses, strict=True) if need in moved]
    met = [SQL("coalesce({}, false)::integer").format(clause.sql) for clause in ordered_by]
    distances = [
        each for number, need in enumerate(ordering) if (each := _distance(corpus, need, number, parameters))
    ]
    wanted = order_of(corpus, sort, attributes)
    order = wanted.sql or (SQL(" + ").join(distances) if distances else NOTHING_IS)
    whole = condition if small else condition.joined(within)
    if not small and order is NOTHING_IS and not met and (ids := whole.alone):
        return SQL(BY_ID).format(ids=ids, most=Literal(corpus.most_judged)), whole.parameters
    statement = SQL(template("meeting")).format(
        base=Identifier(corpus.schema, corpus.table),
        narrow=SQL(" ").join([corpus.narrow, wanted.joins]),
        condition=whole.as_one if small else whole.of_all,
        within=within.composed if small else SQL("true"),
        # Needs hide no row, so how many rows meet them is not counted.
        eligible=SQL("NULL" if needs else "count(*) OVER ()"),
        met=SQL(" + ").join(met) if met else NOTHING_IS,
        distance=order,
        most=Literal(corpus.most_judged),
    )
    return statement, {**condition.parameters, **parameters, **wanted.parameters}


def _distance(corpus: Corpus, need: Need, number: int, parameters: dict[str, object]) -> Composable | None:
    """Returns SQL of how far a row is from the figure asked for, as a difference of logarithms."""
    figure = next((choice.low for choice in need.choices if choice.low), None)
    if figure is None or figure <= 0 or need.negated or need.name in BUILT_IN:
        return None
    parameters[f"n{number}_asked"] = figure
    value = SQL(corpus.value.as_string()).format(
        field=Identifier("low"), attribute=Placeholder(f"n{number}_attribute")
    )
    return SQL("coalesce(abs(ln(nullif(greatest({}, 0), 0) / {}::float8)), 0)").format(
        value, Placeholder(f"n{number}_asked")
    )
