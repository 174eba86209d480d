"""A draft by rule over MCP: the items of a request are looked up as an agent would, written and checked."""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from local.files import ROOT
from local.letter import Offered, Words, compose, rows_of

Ask = Callable[..., Awaitable[dict[str, Any]]]
"""Calls a tool by name with its arguments, and answers its data."""

TEMPLATE = ROOT / "templates" / "quote.md"
PRICE = re.compile(r"[\d,.]+")
ALTERNATES = 2
MOST_COMPARED = 20
MOST_OF_A_TEXT = 800
"""Tokens of what a past quote is asked for; a scope of installation is longer than a letter."""
MOST_QUOTES = 4
"""Past quotes whose words are fetched; what else was asked for is offered in a line."""


async def checked(
    ask: Ask,
    items: Sequence[Mapping[str, Any]],
    *,
    request: str,
    customer: str,
    today: date,
    template: str | None = None,
    rows: int = 5,
    **shown: str,
) -> tuple[list[Offered], str, dict[str, Any]]:
    """(what is offered, the draft, what check_draft found in it); ``shown`` are the language and units of blocks."""
    whole, usual = await offered(ask, items, customer=customer, rows=rows, **shown)
    text = compose(template or TEMPLATE.read_text("utf-8"), whole, customer=customer, today=today, usual=usual)
    return whole, text, await ask("check_draft", draft=text, request=request, account=customer)


async def offered(
    ask: Ask, items: Sequence[Mapping[str, Any]], *, customer: str, rows: int = 5, **shown: str
) -> tuple[list[Offered], list[str]]:
    """(each item with its first candidate, its block and proven words; what such goods were sold with)."""
    request = {"items": list(items), "customer": customer, "rows": rows}
    page = first = await ask("find_for_request", **request)
    answered = list(first["items"])
    while "next_cursor" in page:
        page = await ask("find_for_request", **request, cursor=page["next_cursor"])
        answered += page["items"]
    found = [cheapest_first(rows_of(item.get("candidates"))) for item in answered]
    best = [rows[0] if rows else {} for rows in found]
    known = (first.get("customer") or {}).get("name", customer)
    lines = [_line(item, row, customer=known) for item, row in zip(answered, best, strict=True)]
    specs = await _specs(ask, [row["id"] for row in best if row and "-" not in row.get("fit", "")], shown)
    words = await _words(ask, lines)
    whole = [
        Offered(
            number=item["item"], what=item["what"], kind=asked.get("kind", "goods"),
            quantity=asked.get("quantity", 1), row=row, others=rows[1 : 1 + ALTERNATES], words=words.get(line),
            notice=item.get("notice"), degraded=item.get("degraded", False), **specs.get(row.get("id", ""), {}),
        )
        for asked, item, row, rows, line in zip(items, answered, best, found, lines, strict=True)
    ]  # fmt: skip
    return whole, [", ".join(filter(None, row.values())) for row in rows_of(first.get("sold_with"))]


def cheapest_first(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """The rows, of those that meet every must and most wishes the one with the least list price before all others."""
    met = [row for row in rows if not set(row.get("fit", "")) - {"+", "w"} and PRICE.match(row["list price"])]
    least = min((row.get("fit", "").count("w") for row in met), default=0)
    met = [row for row in met if row.get("fit", "").count("w") == least]
    if not met:
        return rows
    first = min(met, key=lambda row: float(PRICE.match(row["list price"])[0].replace(",", "")))  # type: ignore[index]
    return [first, *(row for row in rows if row is not first)]


async def _specs(ask: Ask, models: Iterable[str], shown: Mapping[str, str]) -> dict[str, dict[str, str | None]]:
    """Characteristics and product id by model."""
    wanted = list(dict.fromkeys(models))[:MOST_COMPARED]
    if not wanted:
        return {}
    compared = await ask("get_specs", models=wanted, blocks=True, **shown)
    products = list(compared["products"])
    while "next_cursor" in compared:
        compared = await ask("get_specs", models=wanted, blocks=True, cursor=compared["next_cursor"], **shown)
        products += compared["products"]
    return {
        each["model"]: {"block": each.get("characteristics"), "product_id": each.get("product_id")}
        for each in products
    }


def _line(item: Mapping[str, Any], row: Mapping[str, str], *, customer: str) -> str:
    """The past line whose words an item may have, empty where none fits: of what is offered and of nothing else, the
    customer's own before others', what was sold before what was not.
    """
    lines = [line for line in rows_of(item.get("lines")) if "-" not in line.get("fit", "")]
    fitting = [line for line in lines if line["model"] == row.get("id", "")]
    fitting.sort(key=lambda line: (line["customer"] != customer, line["status"] != "won"))
    return fitting[0]["id"] if fitting else ""


async def _words(ask: Ask, lines: Iterable[str]) -> dict[str, Words]:
    """Texts by line, a call for each quote."""
    positions: dict[str, list[int]] = {}
    for line in filter(None, dict.fromkeys(lines)):
        number, _, position = line.rpartition("/")
        positions.setdefault(number, []).append(int(position))
    found = {}
    for number, wanted in list(positions.items())[:MOST_QUOTES]:
        answer = await ask("get_quote", quote_id=number, lines=wanted, max_tokens=MOST_OF_A_TEXT)
        quote = answer["quote"]
        for line in answer["line_items"]:
            text = line["description"]
            whole = text[: text.rfind(".") + 1] if line.get("truncated") else text
            found[f"{number}/{line['position']}"] = Words(
                whole, number, line["position"], quote["customer"], quote.get("contact"),
                quote["quote_date"],
            )  # fmt: skip
    return found
