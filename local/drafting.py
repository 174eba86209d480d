"""Looks up the items of a request over MCP, as an agent would, for a draft that is composed by rule."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from local.letter import Offered, Words, rows_of

Ask = Callable[..., Awaitable[dict[str, Any]]]
"""Calls a tool by name with its arguments, and answers its data."""

ALTERNATES = 2


async def offered(ask: Ask, items: Sequence[Mapping[str, Any]], *, customer: str) -> tuple[list[Offered], list[str]]:
    """(each item with its first candidate, its block and proven words; what such goods were sold with)."""
    found = await ask("find_for_request", items=list(items), customer=customer)
    answered = list(found["items"])
    sold = [", ".join(filter(None, row.values())) for row in rows_of(found.get("sold_with"))]
    while "next_cursor" in found:
        found = await ask("find_for_request", items=list(items), customer=customer, cursor=found["next_cursor"])
        answered += found["items"]
    candidates = [rows_of(item.get("candidates")) for item in answered]
    models = list(dict.fromkeys(rows[0]["id"] for rows in candidates if rows))
    specs = await ask("get_specs", models=models[:20], blocks=True) if models else {"products": []}
    blocks = {product["model"]: product.get("characteristics") for product in specs["products"]}
    whole = []
    for asked, item, rows in zip(items, answered, candidates, strict=True):
        lines = rows_of(item.get("lines"))
        whole.append(
            Offered(
                number=item["item"], what=item["what"], quantity=asked.get("quantity", 1),
                row=rows[0] if rows else {}, block=blocks.get(rows[0]["id"]) if rows else None,
                words=await _words(ask, lines[0]["id"]) if lines and "-" not in lines[0].get("fit", "") else None,
                others=rows[1 : 1 + ALTERNATES], notice=item.get("notice"), degraded=item.get("degraded", False),
            )
        )  # fmt: skip
    return whole, sold


async def _words(ask: Ask, line: str) -> Words:
    number, _, position = line.rpartition("/")
    answer = await ask("get_quote", quote_id=number, lines=[int(position)])
    quote, [item] = answer["quote"], answer["line_items"]
    return Words(
        item["description"], number, int(position), quote["customer"], quote.get("contact"), quote["quote_date"]
    )


def claims(items: Sequence[Offered]) -> dict[str, list[str]]:
    """What the draft rests on, as check_draft wants it named."""
    return {
        "products": list(dict.fromkeys(item.row["id"] for item in items if item.row)),
        "past_quotes": list(dict.fromkeys(item.words.quote_number for item in items if item.words)),
    }
