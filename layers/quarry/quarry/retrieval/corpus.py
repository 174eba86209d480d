"""A searchable table, and its statement put together."""

from dataclasses import dataclass, field
from functools import lru_cache

from psycopg.sql import SQL, Composed, Identifier, Literal

from quarry.embedding import query_vectors
from quarry.retrieval import text_leg
from quarry.retrieval.statement import (
    COPIES,
    FILTERED,
    MODELS,
    NO_MODELS,
    NO_TEXTS,
    PART_NUMBERS,
    SINGLES,
    SMALL,
    STATEMENT,
    TEXTS,
    UNFILTERED,
    WORDS,
)

POOL = 100
"""Candidates each leg brings to the fusion."""

EXACT_UP_TO = 8_000
"""Up to so many eligible rows are compared exactly; beyond, the HNSW index is walked iteratively.

More where the index holds much more: a walk through all tenants' rows meets one in so many that is eligible. Its cost
grows with rows in the index over rows eligible, that of comparing with rows eligible: they meet at a root.
"""

FEEDBACK = 0.3
"""Weight of the best hit's vector beside the query's, in ranking the pool once more (docs/decisions/retrieval.md)."""

COPIES_SHOWN = 20
"""Rows of the same words that are listed with a hit; all of them are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Copies:
    """``row`` are the arguments of jsonb_build_object for a copy, ``on`` its date; both read ``d`` and the joins."""

    row: SQL
    on: SQL


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Corpus:
    """``columns`` and ``joins`` read the base table as ``d``; ``condition`` is the hard filter over ``d``.

    ``condition`` uses named parameters that are NULL when the caller did not filter on them. Unless ``gated``, a
    query that nothing in the corpus resembles still gets its nearest rows. Where there is a ``model_key``, rows whose
    model the query names come first. With ``copies``, rows of the same words are one hit that lists the others.
    ``document`` is the row's search.document, for what reads its text (a reranker).
    """

    schema: str
    table: str
    columns: SQL | Composed
    condition: SQL
    joins: SQL = field(default_factory=lambda: SQL(""))
    gated: bool = True
    model_key: str | None = None
    copies: Copies | None = None
    document: SQL | None = None


@lru_cache(maxsize=128)
def statement(
    corpus: Corpus,
    *,
    filtered: bool,
    part_numbers: bool = False,
    small: bool = False,
    texts: bool = False,
    budget: int = text_leg.BUDGET,
    feedback: float = FEEDBACK,
) -> Composed:
    """One statement for both legs, fusion and the rows; see STATEMENT for its parameters, TEXT_LEG for ``budget``.

    Without ``part_numbers`` it does not look for what a model or a misspelt one could stand for. A ``small`` one,
    never filtered, answers for up to EXACT_UP_TO documents and finds nothing in larger corpora; its plan may be kept.
    With ``texts`` every row has its document's text.
    """
    values = {
        "base": Identifier(corpus.schema, corpus.table),
        **{
            name: Identifier(corpus.schema, f"{corpus.table}_{name}")
            for name in ("documents", "terms", "postings", "spellings", "totals", "vectors")
        },
        "index": Literal(f"{corpus.schema}.{corpus.table}_vectors"),
        "columns": corpus.columns,
        "joins": corpus.joins,
        "condition": corpus.condition,
        "cached": query_vectors.CACHED,
        "model_key": Identifier(corpus.model_key or ""),
        "feedback": Literal(feedback),
        "copies_shown": Literal(COPIES_SHOWN),
        "document": corpus.document or SQL("NULL"),
        **({"copy": corpus.copies.row, "copied_on": corpus.copies.on} if corpus.copies else {}),
    }
    parts = {
        **(SMALL if small else FILTERED if filtered else UNFILTERED),
        **(PART_NUMBERS if part_numbers else WORDS),
        **(MODELS if part_numbers and corpus.model_key else NO_MODELS),
        **(COPIES if corpus.copies else SINGLES),
        **(TEXTS if texts else NO_TEXTS),
    }
    choices = text_leg.SMALL if small else text_leg.FILTERED if filtered else text_leg.UNFILTERED
    return SQL(STATEMENT).format(
        **values,
        **{name: SQL(part).format(**values) for name, part in parts.items()},
        text_leg=SQL(text_leg.TEXT_LEG).format(
            **values,
            budget=Literal(budget),
            **{name: SQL(part).format(**values) for name, part in choices.items()},
        ),
    )
