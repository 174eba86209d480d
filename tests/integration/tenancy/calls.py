"""Calls of every tool and live resource: some find something, some ask for what only another tenant has.

A tool that has no call of its own here is asked as its event asks it.
"""

from typing import Any

from tests.e2e.sample_calls import ONE_CALL_OF_EACH, TOOLS, YEAR
from tests.integration.tenancy.houses import MARK, ORDER, THEIRS

Call = tuple[str, dict[str, Any]]

OWN, NOT_OWN = f"Q-{YEAR}-0001", f"Q-{YEAR}-0003"
"""Numbers are each tenant's own: the neighbour has both, the tenant only the first."""

WHY = {"justification": "They take three years."}

OWN_WRITES: list[Call] = [
    ("quote_create", {**ORDER, "account_id": THEIRS["account"]}),
    ("quote_create", {**ORDER, "line_items": [{"product_id": THEIRS["product_for_sale"], "quantity": 1}]}),
    ("quote_price", {"quote_id": OWN}),
    # The neighbour used these keys, for the same and for other arguments.
    ("quote_create", {**ORDER, "idempotency_key": "k0"}),
    ("quote_create", {**ORDER, "idempotency_key": "k0"}),
    ("quote_create", {**ORDER, "notes": "other", "idempotency_key": "k0"}),
    ("quote_create", {**ORDER, "notes": "other", "idempotency_key": "k1"}),
    ("quote_price", {"quote_id": OWN, "requested_discount_pct": 10, "idempotency_key": "k0"}),
    ("quote_price", {"quote_id": NOT_OWN}),
    ("approval_request", {"quote_id": NOT_OWN, **WHY}),
    ("approval_request", {"quote_id": OWN, **WHY, "idempotency_key": "k0"}),
    ("approval_request", {"quote_id": OWN, **WHY}),
    ("quote_pdf", {"quote_id": NOT_OWN}),
    ("quote_pdf", {"quote_id": OWN}),
    ("quote_pdf", {"quote_id": OWN}),
    ("quote_withdraw", {"quote_id": NOT_OWN, "reason": "They withdrew."}),
    ("quote_withdraw", {"quote_id": OWN, "reason": "They withdrew."}),
]

QUERIES = ("oilless rotary compressor 30 hp", "QMB3O", THEIRS["model"], MARK)

OWN_READS: list[Call] = [
    *(("search_equipment", {"query": query, "top_k": 20}) for query in QUERIES),
    ("search_equipment", {"query": "compressor", "hp_min": 10, "max_tokens": 1000, "full": True}),
    *(("get_product", {"model": model}) for model in ("QMB30", THEIRS["model"], THEIRS["model"][:-1])),
    ("get_specs", {"models": ["QMB30", THEIRS["model"], "QMB3"]}),
    *(("search_line_items", {"query": query, "top_k": 20}) for query in QUERIES),
    ("search_line_items", {"query": "pump", "category": "NO SUCH CATEGORY"}),
    *(("search_past_quotes", {"query": query}) for query in (*QUERIES, "plating line agitation air")),
    *(("get_quote", {"quote_id": number}) for number in ("Q18-0064", THEIRS["quote"], THEIRS["quote"][:-1])),
    *(("search", {"query": query}) for query in ("who founded the company", THEIRS["document"], MARK)),
    ("list_documents", {}),
    ("list_documents", {"limit": 2}),
    *(("search_semantic", {"query": query}) for query in ("attention and habits", MARK)),
    ("search_semantic", {"query": "work", "tags": [THEIRS["tag"], "no such tag"]}),
    ("search_by_metadata", {"source": "articles", "limit": 2}),
    ("search_by_metadata", {"tags": ["no such tag"], "author": "Nobody Lindqvist"}),
    ("get_related_chunks", {"chunk_id": "slow-harbour~0"}),
    ("get_related_chunks", {"chunk_id": f"{THEIRS['highlight']}~0"}),
    ("get_stats", {}),
    ("find_related", {"context": "a gallery from a finished shoot", "limit": 10}),
    ("find_related", {"context": MARK}),
    ("find_crossover", {"section_key": "gallery-management"}),
    ("find_crossover", {"story_key": THEIRS["story"]}),
    ("query_stories", {"group_by": "section_key"}),
    ("query_stories", {"entity_slug": "galery", "actor": "nobody"}),
    ("query_stories", {"limit": 3}),
    ("catalog_search", {"query": "plan", "limit": 50}),
    ("catalog_search", {"query": THEIRS["sku"]}),
    ("catalog_search", {"query": "zebulom", "category": THEIRS["category"]}),
    ("catalog_get", {"product_id": "prod_pro_v2", "include_relationships": True}),
    *(("catalog_get", {"product_id": name}) for name in (THEIRS["product_for_sale"], THEIRS["sku"])),
    ("quote_get", {"quote_id": OWN, "include_audit": True}),
    ("quote_get", {"quote_id": NOT_OWN}),
    ("quote_compare", {"quote_id": OWN, "with_quote_id": OWN, "with_version": 1}),
    ("quote_list", {}),
    ("quote_list", {"limit": 1}),
    ("quote_list", {"account_id": THEIRS["account"]}),
    *(("check_draft", {"draft": "It weighs 999 lb.", "quote_id": number}) for number in (OWN, NOT_OWN)),
    (
        "check_draft",
        {
            "draft": f"The {THEIRS['model']} is what {THEIRS['account']} has, see {THEIRS['quote']}.",
            "products": [THEIRS["model"]],
            "past_quotes": [THEIRS["quote"]],
            "account": THEIRS["account"],
        },
    ),
    *(("draft_get", {"draft_id": number.replace("Q", "D"), "arguments": True}) for number in (OWN, NOT_OWN)),
    ("draft_list", {}),
    ("approval_status", {"quote_id": OWN}),
    ("approval_status", {"quote_id": NOT_OWN}),
    ("approval_pending", {}),
    ("file_open", {}),
    ("file_open", {"name": "list.csv", "size": 100}),
    ("loads", {}),
]


def _by_event(*, reading: bool) -> list[Call]:
    named = {tool for tool, _ in (*OWN_WRITES, *OWN_READS)}
    kind = {tool["name"] for tool in TOOLS if tool["read_only"] is reading}
    return [(tool, dict(event)) for tool, event in ONE_CALL_OF_EACH.items() if tool in kind - named]


WRITES = [*OWN_WRITES, *_by_event(reading=False)]
READS = [*OWN_READS, *_by_event(reading=True)]

BY_TAG, BY_AUTHOR = "kxhub://chunks/by-tag/{tag}", "kxhub://chunks/by-author/{author}"
CHUNK = "kxhub://chunk/{chunk_id}"
RESOURCES: list[dict[str, Any]] = [
    {"uri": "schema://taxonomy"},
    {"uri": "kxhub://chunk/slow-harbour~0"},
    {"uri": f"kxhub://chunk/{THEIRS['highlight']}~0"},
    {"uri": "kxhub://chunks/by-source/articles"},
    {"uri": "kxhub://chunks/by-author/Bea%20Lindqvist"},
    {"uri": "kxhub://chunks/by-author/Nobody"},
    {"uri": "kxhub://chunks/by-tag/attentio"},
    {"list": {"uriTemplate": CHUNK}},
    {"list": {"uriTemplate": BY_TAG}},
    {"complete": {"uriTemplate": CHUNK, "variable": "chunk_id", "prefix": ""}},
    {"complete": {"uriTemplate": BY_TAG, "variable": "tag", "prefix": "a"}},
    {"complete": {"uriTemplate": BY_AUTHOR, "variable": "author", "prefix": ""}},
]
