"""A sensible call of every tool, for whoever wants to see each of them at work."""

from collections.abc import Mapping
from datetime import UTC, datetime

NEEDS_A_MODEL = "ask"
"""The one tool that answers UNAVAILABLE here: no chat model can be had offline."""

YEAR = datetime.now(UTC).year
"""The sample corpus' quotes are numbered in the year in which the stack was first started."""

ONE_CALL_OF_EACH: dict[str, dict[str, object]] = {
    # In this order, so that the two that read find what the first has written.
    "approval_request": {
        "quote_id": f"Q-{YEAR}-0004",
        "justification": "They take three years at once.",
        "idempotency_key": "sample call",
    },
    "approval_pending": {"approver_role": "sales_manager"},
    "approval_status": {"quote_id": f"Q-{YEAR}-0004"},
    "catalog_get": {"product_id": "prod_pro_v2", "include_relationships": True},
    "catalog_search": {"query": "Pro Plan", "limit": 3},
    "find_crossover": {"section_key": "watermarking", "limit": 3},
    "find_related": {"context": "stamp proof photos with the studio's logo", "limit": 3},
    "get_product": {"model": "QMB30"},
    "get_quote": {"quote_id": "Q21-0347"},
    "get_related_chunks": {"chunk_id": "slow-harbour~0", "limit": 3},
    "get_specs": {"models": ["QMB30", "Q$ync 100"]},
    "get_stats": {},
    "list_documents": {"limit": 5},
    "query_stories": {"entity_slug": "watermark", "group_by": "section_key"},
    "quote_create": {
        "account_id": "acct_birch_002",
        "term_months": 12,
        "line_items": [{"product_id": "prod_sso", "quantity": 4}],
        "idempotency_key": "sample call",
    },
    "quote_get": {"quote_id": f"Q-{YEAR}-0001", "include_audit": True},
    "quote_list": {"account_id": "acct_al_waha"},
    "quote_pdf": {"quote_id": f"Q-{YEAR}-0002", "template": "executive"},
    "quote_price": {"quote_id": f"Q-{YEAR}-0003", "idempotency_key": "sample call"},
    "search": {"query": "who developed GridMind", "top_k": 3},
    "search_by_metadata": {"tags": ["attention", "habits"], "limit": 3},
    "search_equipment": {"query": "oilless compressor", "hp_min": 30, "lubrication": "oilless", "top_k": 3},
    "search_line_items": {"query": "100HP oilless food grade", "top_k": 3},
    "search_past_quotes": {"query": "medical vacuum plant for a hospital", "top_k": 2},
    "search_semantic": {"query": "how do habits change what we notice", "limit": 3},
}
"""Arguments by tool. Each finds something in the sample corpus; writers write once, to what no other call reads."""

PASSING = ("cursor", "download_url", "expires_at", "_mcp")
"""Parts of an answer that are of the moment, or that the proxy makes content of."""


def lasting(result: Mapping[str, object]) -> dict[str, object]:
    """What the same call answers again."""
    return {name: value for name, value in result.items() if name not in PASSING}


def found(result: Mapping[str, object]) -> object:
    """What a tool's answer is about: the first of its parts that is neither an echo nor a note."""
    return next((value for name, value in result.items() if name not in ECHOES and value), None)


ECHOES = ("query", "mode", "scope", "applied_filters", "degraded", "notice")
