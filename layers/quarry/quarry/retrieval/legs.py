"""The two legs of a search, each a short statement that knows nothing of the other or of ranking.

A corpus that is known to be small is searched by statements whose plans are kept: they compare everything, so no plan
can lose a row. In larger and unknown ones, the walk of an index of vectors is planned with its values.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple
from uuid import uuid4

from pgvector import Vector
from psycopg.rows import DictRow
from psycopg.sql import SQL, Identifier

from quarry.attributes.model import held_in
from quarry.data import database
from quarry.data.settings import kept
from quarry.embedding import provider, query_vectors
from quarry.retrieval.condition import Condition
from quarry.retrieval.corpus import Corpus
from quarry.retrieval.statements import BUDGET, statement

EXACT_UP_TO = 8_000
"""Most eligible rows that are compared exactly; for more, the HNSW index is walked iteratively.

The limit grows with the root of the index's size: a walk also meets rows of other tenants, so that its cost grows
with rows in the index over rows eligible, and that of comparing with rows eligible.
"""

EVERY = Condition()

HELD = frozenset(("attributes", "_catalogue", "_lines"))
"""Columns of JSON that corpora select as text."""

VECTORS_OF_TEXTS = 4
"""Vectors for which a row with sentences counts: the limit of exact comparison is divided by it."""


class Match(NamedTuple):
    """A row with words of the query; ``raw`` is BM25 times the root of ``coverage``, its share of the query's idf."""

    raw: float
    coverage: float


class Found(NamedTuple):
    """What the legs found, each best first: cosines by row, matches by row. ``read_as`` maps part numbers that no
    text has to those that they were read as. ``vector`` is the query's, None with the reason ``down`` where the
    provider gave none; ``others`` are the rows of the statements that were asked on the way.
    """

    nearest: Mapping[int, float]
    matches: Mapping[int, Match]
    read_as: Mapping[str, str] = MappingProxyType({})
    vector: Vector | None = None
    down: str | None = None
    others: Sequence[list[DictRow]] = ()


def small(corpus: Corpus, *, tenant: str, count: bool = False) -> bool:
    """Returns whether the corpus is known to be small; with ``count`` its size is looked up if it is not known."""
    if count and (tenant, corpus) not in sizes():
        totals = SQL("SELECT documents FROM {} WHERE tenant = %(tenant)s").format(
            Identifier(corpus.schema, f"{corpus.table}_totals")
        )
        row = database.fetch_first(tenant, totals)
        sizes()[tenant, corpus] = row["documents"] if row else 0
    return sizes().get((tenant, corpus), EXACT_UP_TO + 1) <= exact_up_to(corpus)


def exact_up_to(corpus: Corpus) -> int:
    return EXACT_UP_TO // VECTORS_OF_TEXTS if corpus.sentences else EXACT_UP_TO


@kept
def sizes() -> dict[tuple[str, Corpus], int]:
    """Maps (tenant, corpus) to its number of documents, as counted last."""
    return {}


def vector_leg(corpus: Corpus, *, condition: Condition, exact: bool) -> SQL:
    """Selects (doc, cosine) of at most %(pool)s rows by %(vector)s, or by the cached vector where that is NULL."""
    name = "vector_exact" if exact else "vector_filtered" if condition else "vector_walk"
    return statement(corpus, name, condition=condition)


def text_leg(corpus: Corpus, *, condition: Condition, exact: bool, budget: int = BUDGET) -> SQL:
    """Selects (doc, raw, coverage, read_as, documents) of at most %(pool)s rows with words of %(query)s."""
    return statement(corpus, "text_exact" if exact else "text_budget", condition=condition, budget=budget)


def found(corpus: Corpus, near: Sequence[DictRow], matched: Sequence[DictRow], *, tenant: str) -> Found:
    """Combines the rows of both statements, and remembers the size of the corpus."""
    if matched:
        sizes()[tenant, corpus] = matched[0]["documents"]
    cosines: dict[int, float] = {}
    for row in near:
        cosines[row["doc"]] = max(float(row["cosine"]), cosines.get(row["doc"], -1.0))
    return Found(
        nearest=dict(sorted(cosines.items(), key=lambda pair: (-pair[1], pair[0]))),
        matches={row["doc"]: Match(float(row["raw"]), float(row["coverage"])) for row in matched},
        read_as=(matched[0]["read_as"] or {}) if matched else {},
    )


def find(
    corpus: Corpus,
    query: str,
    *,
    tenant: str,
    condition: Condition,
    pool: int,
    limit: int,
    others: Sequence[database.Query] = (),
) -> Found:
    """Finds the rows nearest to the query in meaning and in words, of those that satisfy the condition.

    One round trip when the query's vector is known here or in Postgres. Otherwise a second one asks the vector leg
    and stores the vector; with the provider down, what the words found is the answer.

    Raises Unavailable when the provider's model is not the database's.
    """
    key = query_vectors.key_of(query, tenant=tenant)
    vector = query_vectors.recalled(key)
    asked = {**key.parameters, "query": query, "pool": pool, "limit": limit}
    legs = _Legs(corpus, asked, condition=condition, tenant=tenant)
    looked_up = [] if vector is not None else [(query_vectors.CACHED, key.parameters)]
    first, near, matched = legs.both(vector, before=[*looked_up, *others])
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
            near = legs.meaning(vector, before=[store])
            query_vectors.remember(key, vector)
    both = found(corpus, near, matched, tenant=tenant)
    return both._replace(vector=vector, down=down, others=first[len(looked_up) :])


def find_given(
    corpus: Corpus,
    query: str,
    *,
    tenant: str,
    vector: Vector | None,
    pool: int,
    condition: Condition = EVERY,
    limit: int | None = None,
) -> Found:
    """Runs both legs by words and a vector that are in hand; without a vector, the text leg alone."""
    asked = {"query": query, "pool": pool, "limit": limit or pool}
    asked |= {"embedding_model": None, "text_hash": None}
    _, near, matched = _Legs(corpus, asked, condition=condition, tenant=tenant).both(vector)
    return found(corpus, near, matched, tenant=tenant)


class _Legs:
    def __init__(self, corpus: Corpus, asked: Mapping[str, object], *, condition: Condition, tenant: str) -> None:
        self._tenant = tenant
        mine = {"exact_up_to": exact_up_to(corpus), "search": uuid4().hex}
        self._asked = {**condition.parameters, **asked, **mine}
        self._exact = small(corpus, tenant=tenant)
        self._vector = vector_leg(corpus, condition=condition, exact=self._exact)
        self._text = text_leg(corpus, condition=condition, exact=self._exact)

    def both(
        self, vector: Vector | None, *, before: Sequence[database.Query] = ()
    ) -> tuple[list[list[DictRow]], list[DictRow], list[DictRow]]:
        """Returns the rows of the statements ``before``, of the vector leg and of the text leg."""
        asked = {**self._asked, "vector": vector}
        # One kept plan finds any words: to make a plan takes as long as to find a rare word.
        keep = [] if self._exact else [(database.KEEP_PLANS, database.NONE)]
        asks = [*before, (self._vector, asked), *keep, (self._text, asked)]
        rows = database.fetch_each(self._tenant, asks, keep_plans=self._exact)
        return rows[: len(before)], rows[len(before)], rows[-1]

    def meaning(self, vector: Vector, *, before: Sequence[database.Query]) -> list[DictRow]:
        asks = [*before, (self._vector, {**self._asked, "vector": vector})]
        return database.fetch_each(self._tenant, asks, keep_plans=self._exact)[-1]


def read(
    corpus: Corpus,
    docs: Sequence[int],
    *,
    tenant: str,
    condition: Condition,
    vector: Vector | None,
    best: int | None,
    fill: int = 0,
    also: Mapping[str, object] = database.NONE,
) -> list[DictRow]:
    """Reads the rows of ``docs`` and at most ``fill`` others that satisfy the condition, with cosines to the query
    and to the row ``best``; ``also`` are parameters of the corpus's own columns.
    """
    parameters = {
        **condition.parameters,
        **also,
        "docs": list(docs),
        "best": best,
        "vector": vector,
        "fill": fill,
    }
    statement_of_rows = statement(corpus, "rows", condition=condition)
    rows = database.fetch_each(tenant, [(statement_of_rows, parameters)], keep_plans=True)[0]
    for row in rows:
        for name in HELD & row.keys():
            row[name] = held_in(row[name]) if row[name] else None
    return rows
