"""`make demo`: plays the golden scenario over MCP, as an agent would, and writes the draft a salesperson gets."""

import argparse
import asyncio
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, Literal

import yaml
from httpx2 import TransportError
from mcp import Client, MCPError
from mcp_types import TextContent, TextResourceContents

from local import sample
from local.failure import LocalError
from local.serve.own_keys import key_for
from local.settings import read_settings
from operations.golden.asking import connected

REQUEST = "100HP oilless compressor for food-grade plant"
FILTERS = {"hp_min": 80, "hp_max": 120, "lubrication": "oilless"}
REVIEW = "> **SALESPERSON REVIEW:**"
SUMMARY = "| section | tool and query | source | score | confidence | status |\n|---|---|---|---|---|---|"
MISSING, NAME_REMOVED, PRICE_REMOVED = "[NOT IN CATALOGUE – confirm]", "[NAME REMOVED]", "$[PRICE]"
Status = Literal["used with review", "used for specs", "context only", "no match", "degraded"]
FIELD = re.compile(r"\[([a-z_]+)\]")
_SECTION = re.compile(r"<!-- section: (\S+) -->\n(.*?)(?=<!-- section: |<!-- end of )", re.DOTALL)
_FACTS = re.compile(r"^## House facts$.*?^```yaml\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_PRICE = re.compile(r"(?<![\w$])\$\s?\d[\d,]*(?:\.\d{2})?(?!\w)")


@dataclass
class Desk:
    """The drafting client: it calls tools, and keeps a row of the retrieval summary for each call."""

    client: Client
    rows: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)

    async def read(self, name: str) -> str:
        contents = (await self.client.read_resource(f"quarry://templates/{name}")).contents
        return "".join(part.text for part in contents if isinstance(part, TextResourceContents))

    async def ask(self, section: str, tool: str, status: Status, **arguments: object) -> dict[str, Any]:
        result = await self.client.call_tool(tool, arguments)
        if result.is_error or result.structured_content is None:
            said = " ".join(block.text for block in result.content if isinstance(block, TextContent))
            raise LocalError(f"{tool} failed, which is not the same as finding nothing: {said}")
        answer: dict[str, Any] = result.structured_content
        if answer.get("degraded"):
            self.notices.append(answer["notice"])
            status = "degraded"
        query = ", ".join(f"{name}={value}" for name, value in arguments.items())
        best: Mapping[str, Any] = next(iter(answer.get("results", [answer])), {})
        found = (_source(best), _score(best), best.get("confidence") or "–", status if best else "no match")
        self.rows.append(f"| {section} | `{tool}` {query} | {' | '.join(found)} |")
        return answer

    async def search(self, section: str, tool: str, status: Status, **filters: object) -> list[dict[str, Any]]:
        """What was found for the request and may be used: a `probable_miss` may not."""
        found = (await self.ask(section, tool, status, query=REQUEST, **filters, top_k=5))["results"]
        return [hit for hit in found if hit["confidence"] != "probable_miss"]


def _source(hit: Mapping[str, Any]) -> str:
    if quote := {**hit.get("line_item", {}), **hit.get("source_quote", {}), **hit.get("quote", {})}:
        return ", ".join(quote[name] for name in ("customer", "quote_number") if name in quote)
    products = hit.get("products", [hit["product"]] if "product" in hit else [])
    return ", ".join(f"{product['manufacturer']} {product['model']}" for product in products) or "–"


def _score(hit: Mapping[str, Any]) -> str:
    return "–" if hit.get("score") is None else f"{hit['score']:.2f}"


def _precedent(hit: Mapping[str, Any]) -> str:
    item = hit["line_item"]
    return f"{_source(hit)}: {item['model']}, ${item['unit_price']}. Why: {item.get('price_note', 'not recorded')}"


def sections(template: str) -> dict[str, str]:
    return {name: body.strip() for name, body in _SECTION.findall(template)}


def house_facts(template: str) -> dict[str, str]:
    """The house's facts under the names the skeleton's placeholders use; the offices one line each."""
    facts: dict[str, str | list[str]] = yaml.safe_load(_FACTS.findall(template)[0])
    return {
        name.upper().replace("_", " "): "\\\n".join(value) if isinstance(value, list) else str(value).strip()
        for name, value in facts.items()
    }


def fill(text: str, values: Mapping[str, str]) -> str:
    """Replaces `[NAME]` in one pass, so that text that was filled in is never read for placeholders."""
    return re.sub(r"\[([A-Z][A-Z ]+)\]", lambda match: values.get(match[1], match[0]), text)


def characteristics(partial: str, product: Mapping[str, Any]) -> str:
    """The partial with the product's values; what the catalogue does not know is marked, without its unit."""
    shown = {name: f"{each:g}" if isinstance(each, int | float) else each for name, each in product.items() if each}
    text = FIELD.sub(lambda match: shown.get(match[1], MISSING), partial)
    text = re.sub(rf"^(- [^:]*: ).*{re.escape(MISSING)}.*$", rf"\g<1>{MISSING}", text, flags=re.MULTILINE)
    return fill(text, {"CATEGORY IN CAPS": product["category"].upper(), "QUANTITY": "1"})


def note(headline: str, *points: str) -> str:
    return "\n".join([f"{REVIEW} {headline}", *(f"> - {' '.join(point.split())}" for point in points)])


def copied(hit: Mapping[str, Any]) -> str:
    """What was taken out, the attribution, then the words to the letter."""
    item, quote = hit["line_item"], hit["source_quote"]
    text: str = item["description"]
    taken = dict.fromkeys(_PRICE.findall(text), PRICE_REMOVED)
    taken |= {quote["customer"]: NAME_REMOVED} if quote["customer"] in text else {}
    points = [f"`{old}`, now `{new}`" for old, new in taken.items()]
    removed = [note("taken out of the copied block; rewrite the passage:", *points)] if taken else []
    for old, new in taken.items():
        text = text.replace(old, new)
    attribution = (
        f"> **Attribution:** {quote['customer']}, quote {item['quote_number']}, {quote['quote_date']}, "
        f"line {item['position']} · score {_score(hit)} · {hit['confidence']}"
    )
    return "\n\n".join([*removed, attribution, text])


async def draft(client: Client, *, today: date) -> str:
    desk = Desk(client)
    template, partial = await desk.read("quote"), await desk.read("characteristics/compressor")
    words = await desk.search("Item 1", "search_line_items", "used with review", full=True, **FILTERS)
    machines = await desk.search("Item 1", "search_equipment", "used for specs", **FILTERS)
    if not words or not machines:
        raise LocalError("The demo needs the sample corpus, and nothing that was found fits its request.")
    model, number = machines[0]["product"]["model"], words[0]["line_item"]["quote_number"]
    (product,) = (await desk.ask("Item 1", "get_specs", "used for specs", models=[model]))["products"]
    sold = (await desk.ask("Item 1", "get_quote", "context only", quote_id=number))["line_items"]
    projects = await desk.search("Precedent", "search_past_quotes", "context only")
    values = {
        **house_facts(template),
        "DATE": f"{today:%B} {today.day}, {today.year}",
        "CUSTOMER COMPANY": "Meadowbrook Foods (example)",
        "PROJECT": REQUEST,
        "REQUIREMENTS": "100 HP, oilless, food-grade",
        "ITEM NUMBER": "1",
        "VERBATIM DESCRIPTION": copied(words[0]),
        "CHARACTERISTICS BLOCK": characteristics(sections(partial)["characteristics"], product),
        "TOTALS ROWS": f"| 1 | {_source(machines[0])} | 1 | $[PRICE] | $[PRICE] |",
    }
    letter = {part: fill(text, values) for part, text in sections(template).items()}
    parts = [
        *(note(f"a search ran degraded: {notice}") for notice in desk.notices),
        *(letter[part] for part in ("header", "intro")),
        note("proposal number, address, contact and salutation are yours to fill in."),
        note("similar projects, for context only:", *(f"{_source(hit)}, {hit['confidence']}" for hit in projects)),
        letter["line-item"],
        note(
            f"{_source(machines[0])} is {machines[0]['confidence']}, the words {words[0]['confidence']}. Check:",
            f"the words describe {words[0]['line_item']['model']}; values marked {MISSING} come from the maker",
            f"quote {number} also sold {', '.join(line['category'].lower() for line in sold)}: offer any of these?",
            f"the plant is food-grade: confirm that {product['air_quality'] or 'the air quality'} satisfies it",
            "the machine is oilless: oil/water separator and oil-removal filters are left out",
            "warranty and delivery time: get both from the maker",
        ),
        note("price needed. Precedents, not proposals:", *map(_precedent, words)),
        *(letter[part] for part in ("exclusions", "totals", "terms", "capability", "signature", "footer")),
        "## Retrieval summary (internal)",
        "\n".join([SUMMARY, *desk.rows]),
    ]
    return "> **DRAFT, not for sending.** Take out every blockquote and the summary.\n\n" + "\n\n".join(parts) + "\n"


async def connect_and_draft(url: str) -> str:
    async with connected(url, key=key_for(url, read_settings(os.environ)), name="quarry-demo") as client:
        return await draft(client, today=date.today())


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m local.demo", description=__doc__)
    parser.add_argument("--url", default="http://127.0.0.1:8000/mcp", help="the MCP endpoint")
    parser.add_argument("--out", type=Path, default=Path("demo-draft.md"), help="where the draft goes")
    options = parser.parse_args()
    try:
        with sample.endpoint(read_settings(os.environ), options.url) as url:
            options.out.write_text(asyncio.run(connect_and_draft(url)), encoding="utf-8")
    except* TransportError:
        sys.exit(f"Nothing answers at {options.url}. Run `make serve` first, then `make demo`.")
    except* (LocalError, MCPError) as failures:
        failure: BaseException = failures
        while isinstance(failure, BaseExceptionGroup):
            failure = failure.exceptions[0]
        sys.exit(f"The server at {options.url} gave no draft: {failure}")
    print(f"Wrote {options.out}.")


if __name__ == "__main__":
    main()
