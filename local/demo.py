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

from local.failure import LocalError
from local.serve.own_keys import key_for
from local.settings import read_settings
from operations.golden.asking import connected

REQUEST = "100HP oilless compressor for food-grade plant"
CUSTOMER = "Meadowbrook Foods (example)"
ITEMS = [{"query": REQUEST, "filters": {"hp_min": 80, "hp_max": 120, "lubrication": "oilless"}}]
REVIEW = "> **SALESPERSON REVIEW:**"
ANNEX = """\
| item | offered | product_id | words from | precedents | confidence | status |
|---|---|---|---|---|---|---|"""
MISSING, NAME_REMOVED, PRICE_REMOVED = "[NOT IN CATALOGUE – confirm]", "[NAME REMOVED]", "$[PRICE]"
Status = Literal["used with review", "used for specs", "no match", "degraded"]
_SECTION = re.compile(r"<!-- section: (\S+) -->\n(.*?)(?=<!-- section: |<!-- end of )", re.DOTALL)
_FACTS = re.compile(r"^## House facts$.*?^```yaml\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_PRICE = re.compile(r"(?<![\w$])\$\s?\d[\d,]*(?:\.\d{2})?(?!\w)")


@dataclass
class Desk:
    """The drafting client: it calls tools, and numbers the notes that a salesperson has to look at."""

    client: Client
    notes: int = 0
    rows: list[str] = field(default_factory=list)

    async def read(self, name: str) -> str:
        contents = (await self.client.read_resource(f"quarry://templates/{name}")).contents
        return "".join(part.text for part in contents if isinstance(part, TextResourceContents))

    async def ask(self, tool: str, **arguments: object) -> dict[str, Any]:
        result = await self.client.call_tool(tool, arguments)
        if result.is_error or result.structured_content is None:
            said = " ".join(block.text for block in result.content if isinstance(block, TextContent))
            raise LocalError(f"{tool} failed, which is not the same as finding nothing: {said}")
        answer: dict[str, Any] = result.structured_content
        return answer

    def note(self, headline: str, *points: str) -> str:
        self.notes += 1
        return "\n".join([f"{REVIEW} {self.notes}. {headline}", *(f"> - {' '.join(one.split())}" for one in points)])


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


def copied(item: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    """(the proven words with their line breaks, what was taken out of them and what stands there now)."""
    text: str = item["text"]
    customer: str = item["source"]["customer"]
    taken = dict.fromkeys(_PRICE.findall(text), PRICE_REMOVED)
    taken |= {customer: NAME_REMOVED} if customer in text else {}
    for old, new in taken.items():
        text = text.replace(old, new)
    return text.replace("\n", "\\\n"), taken


def offered(offer: Mapping[str, Any]) -> str:
    several = f"{offer['machines']} × " if offer.get("machines", 1) > 1 else ""
    return f"{several}{offer['manufacturer']} {offer['model']}"


def line_item(desk: Desk, number: int, item: Mapping[str, Any], section: str) -> list[str]:
    """The item's part of the letter with its notes; its row of the annex goes to the desk."""
    first, *others = item["offers"]
    source = item["source"]
    words, taken = copied(item)
    status: Status = "degraded" if item.get("degraded") else "used with review"
    cited = f"{source['customer']}, {source['quote_number']}, {source['quote_date']}, line {source['position']}"
    precedents = [
        f"{each['customer']}, {each['quote_number']}, {each['quote_date']}: {each['unit_price']} "
        f"({each['outcome']}). Why: {each.get('why', 'not recorded')}"
        for each in item.get("precedents", [])
    ]
    sold = ", ".join(each["quote_number"] for each in item.get("precedents", [])) or "none"
    confidence = f"{first.get('confidence', 'none')} / {source.get('confidence', 'none')}"
    cells = (str(number), offered(first), first.get("product_id", "–"), cited, sold, confidence, status)
    desk.rows.append(f"| {' | '.join(cells)} |")
    changed = [f"`{old}`, now `{new}`" for old, new in taken.items()]
    checks = [
        *([f"the words say otherwise: {source['differs']}"] if "differs" in source else []),
        *([f"values marked {MISSING} come from the maker"] if MISSING in item["characteristics"] else []),
        *([item["notice"]] if "notice" in item else []),
        *(f"alternate: {offered(each)}, {each['facts']}; {each.get('fit', '')}" for each in others),
    ]
    values = {
        "ITEM NUMBER": str(number),
        "VERBATIM DESCRIPTION": words,
        "CHARACTERISTICS BLOCK": item["characteristics"],
    }
    return [
        fill(section, values),
        desk.note("the copied words are another job's: rooms, delivery, warranty, data table.", *changed),
        desk.note(f"{offered(first)} is {first.get('confidence', 'unrated')}: {first.get('fit', '')}.", *checks),
        desk.note("price needed. Precedents, not proposals:", *item.get("prices", []), *precedents),
    ]


async def draft(client: Client, *, today: date) -> str:
    desk = Desk(client)
    template = await desk.read("quote")
    found = await desk.ask("find_for_request", items=ITEMS, customer=CUSTOMER)
    items = [item for item in found["items"] if item.get("offers") and item.get("text")]
    if len(items) < len(ITEMS):
        raise LocalError("The demo needs the sample corpus, and nothing that was found fits its request.")
    values = {
        **house_facts(template),
        "DATE": f"{today:%B} {today.day}, {today.year}",
        "CUSTOMER COMPANY": CUSTOMER,
        "PROJECT": REQUEST,
        "REQUIREMENTS": "; ".join(", ".join(item["understood"]) for item in items),
        "OPEN QUESTIONS": "\n".join(f"- {question}" for item in items for question in item.get("ask", [])),
        "TOTALS ROWS": "\n".join(
            f"| {item['item']} | {offered(item['offers'][0])} | {item.get('quantity', 1)} | $[PRICE] | $[PRICE] |"
            for item in items
        ),
    }
    letter = {part: fill(text, values) for part, text in sections(template).items()}
    parts = [
        letter["header"],
        letter["intro"],
        desk.note("proposal number, address, contact and salutation are yours to fill in."),
        *([letter["questions"]] if values["OPEN QUESTIONS"] else []),
        *(part for item in items for part in line_item(desk, item["item"], item, letter["line-item"])),
        desk.note("usually goes with it; offer any of these?", *found.get("usual", []), *found.get("lead_times", [])),
        *(letter[part] for part in ("exclusions", "totals", "terms", "capability", "signature", "footer")),
        "## Sources (internal)",
        "\n".join([ANNEX, *desk.rows]),
    ]
    degraded = [desk.note("the search ran degraded: found by words alone.")] if found.get("degraded") else []
    opening = "> **DRAFT, not for sending.** Take out every blockquote and what stands behind the footer."
    return "\n\n".join([opening, *degraded, *parts]) + "\n"


async def connect_and_draft(url: str) -> str:
    async with connected(url, key=key_for(url, read_settings(os.environ)), name="quarry-demo") as client:
        return await draft(client, today=date.today())


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m local.demo", description=__doc__)
    parser.add_argument("--url", default="http://127.0.0.1:8000/mcp/sales", help="the MCP endpoint")
    parser.add_argument("--out", type=Path, default=Path("demo-draft.md"), help="where the draft goes")
    options = parser.parse_args()
    try:
        options.out.write_text(asyncio.run(connect_and_draft(options.url)), encoding="utf-8")
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
