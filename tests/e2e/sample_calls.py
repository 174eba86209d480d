"""A sensible call of every tool, for whoever wants to see each of them at work."""

from collections.abc import Mapping

NEEDS_A_MODEL = "ask"
"""The one tool that answers UNAVAILABLE here: no chat model can be had offline."""

ONE_CALL_OF_EACH: dict[str, dict[str, object]] = {
    "find_crossover": {"section_key": "watermarking", "limit": 3},
    "find_related": {"context": "stamp proof photos with the studio's logo", "limit": 3},
    "get_product": {"model": "QMB30"},
    "get_quote": {"quote_id": "Q21-0347"},
    "get_related_chunks": {"chunk_id": "slow-harbour~0", "limit": 3},
    "get_specs": {"models": ["QMB30", "Q$ync 100"]},
    "get_stats": {},
    "list_documents": {"limit": 5},
    "query_stories": {"entity_slug": "watermark", "group_by": "section_key"},
    "search": {"query": "who developed GridMind", "top_k": 3},
    "search_by_metadata": {"tags": ["attention", "habits"], "limit": 3},
    "search_equipment": {"query": "oilless compressor", "hp_min": 30, "lubrication": "oilless", "top_k": 3},
    "search_line_items": {"query": "100HP oilless food grade", "top_k": 3},
    "search_past_quotes": {"query": "medical vacuum plant for a hospital", "top_k": 2},
    "search_semantic": {"query": "how do habits change what we notice", "limit": 3},
}
"""Arguments by tool; each call finds something in the sample corpus."""


def found(result: Mapping[str, object]) -> object:
    """What a tool's answer is about: the first of its parts that is neither an echo nor a note."""
    return next((value for name, value in result.items() if name not in ECHOES and value), None)


ECHOES = ("query", "mode", "scope", "applied_filters", "degraded", "notice")
