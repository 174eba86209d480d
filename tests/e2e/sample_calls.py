"""A sensible call of every tool, for whoever wants to see each of them at work."""

ONE_CALL_OF_EACH: dict[str, dict[str, object]] = {
    "get_product": {"model": "QMB30"},
    "get_quote": {"quote_id": "Q21-0347"},
    "get_specs": {"models": ["QMB30", "Q$ync 100"]},
    "search_equipment": {"query": "oilless compressor", "hp_min": 30, "lubrication": "oilless", "top_k": 3},
    "search_line_items": {"query": "100HP oilless food grade", "top_k": 3},
    "search_past_quotes": {"query": "medical vacuum plant for a hospital", "top_k": 2},
}
"""Arguments by tool; each call finds something in the sample corpus."""
