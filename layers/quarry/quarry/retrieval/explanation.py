"""Why a hit stands where it stands, for the caller who asks with `explain`."""

from pydantic import ConfigDict, Field

from quarry.retrieval.hits import Hit
from quarry.tool.contract import OPAQUE, Part

EXPLAIN = "Say why each ranks there."


class Explanation(Part):
    """Ranks count from 1; vector_part and text_part add up to the relevance, which with what was asked and met makes
    the score.
    """

    model_config = ConfigDict(json_schema_extra={OPAQUE: True})

    cosine: float | None = Field(description="Cosine similarity to the query, null without a vector.")
    vector_rank: int | None = Field(description="Rank by cosine, null beyond the candidates.")
    text_rank: int | None = Field(description="Rank by words, null when no word matched.")
    vector_part: float = Field(description="Weighted, normalised share of the vector search.")
    text_part: float = Field(description="Weighted, normalised share of the text search.")
    named: bool = Field(description="The query names its model.")
    relevance: float | None = Field(description="A reranker's score, which then orders the results; else null.")
    bm25: float | None = Field(description="Raw text score: BM25 times the root of coverage.")
    coverage: float | None = Field(description="Share of the query's idf that matched, 0 to 1.")
    terms: list[str] = Field(description="Stemmed query terms that matched, rarest first.")


def explanation_of(hit: Hit) -> Explanation | None:
    """None unless the search was asked to explain."""
    trace = hit.trace
    if trace.terms is None:
        return None
    return Explanation(
        cosine=trace.cosine,
        vector_rank=trace.vector_rank,
        text_rank=trace.text_rank,
        vector_part=round(trace.vector_part, 4),
        text_part=round(trace.text_part, 4),
        named=trace.named,
        relevance=trace.relevance,
        bm25=None if trace.bm25 is None else round(trace.bm25, 4),
        coverage=None if trace.coverage is None else round(trace.coverage, 4),
        terms=trace.terms,
    )
