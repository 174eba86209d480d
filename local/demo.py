"""`make demo`: plays the golden scenario over MCP, as an agent would, and writes the letter in both its copies."""

import argparse
import asyncio
import json
import re
import sys
from collections.abc import Coroutine, Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any

import httpx2
from httpx2 import TransportError
from mcp import Client, MCPError
from mcp_types import TextContent

from local.failure import LocalError
from local.serve.own_keys import key_for
from local.settings import read_settings
from operations.golden.asking import connected

REQUEST = "100HP oilless compressor for food-grade plant"
CUSTOMER = "Meadowbrook Foods (example)"
FAMILY = {"attribute": "family", "is": "compressor"}
MUSTS = [
    {"text": "100HP", "attribute": "hp", "is": "100 hp"},
    {"text": "oilless compressor", "attribute": "lubrication", "is": "oilless"},
    {"text": "for food-grade plant", "attribute": "application", "is": "food"},
]
"""Each must as the customer wrote it, and the need that a reader takes it for."""
PAGE = Template("""\
To whom it may concern,

Yes, we can supply what you ask for: one **$model**, {{$model.hp}} in all, {{$model.lubrication}}, with air of
{{$model.air_quality}}. As priced below it comes to **{{net}}**. Lately its lead time was {{$model.lead_time}}; the
maker's own date comes with our confirmation of your order. Prices hold for {{house.validity}}.

{{items}}

It gives {{$model.cfm}} at {{$model.psi}}. No oil can get into air that touches your product, because there is none in
the machine. What such machines were sold with is in no price above: dryer, receiver, installation and start-up.

To make this firm, please tell us:

1. How much air do your consumers draw together, and at which pressure?
2. Is {{$model.voltage}} at hand where the machine will stand?
3. Should we add dryer, receiver and installation?

With your answers we send the offer to be ordered from.
""")
COPIES = {"customer": "", "internal": "-internal"}
"""What stands behind the name of the file of each copy."""
ENDINGS = {"markdown": "md", "docx": "docx", "pdf": "pdf"}
PRICE = re.compile(r"[\d,.]+")
SENTENCE = re.compile(r"(?<=[^\s.][.!?])\s+(?=[A-Z\"“•])|\s*\n+\s*")
AMOUNT = re.compile(r"[$€£¥]\s?\d|\d\s?[€£¥]|\b[A-Z]{3}\s?[\d.,'’]*\d[.,]\d\d\b|\d[.,]\d\d\s?[A-Z]{3}\b")
MOST_SENTENCES, FEWEST_WORDS = 3, 5
FIRST_WORDS = 60
"""Characters by which a sentence is named."""
MOST_OF_A_TEXT = 1_000
"""Tokens of what a past line is asked for."""


class Agent:
    """A client of the endpoint; ``sent`` counts the characters of the arguments of its ``calls``."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.calls = self.sent = 0

    async def ask(self, tool: str, **arguments: object) -> dict[str, Any]:
        self.calls += 1
        self.sent += len(json.dumps(arguments, ensure_ascii=False))
        result = await self._client.call_tool(tool, arguments)
        if result.is_error or result.structured_content is None:
            said = " ".join(block.text for block in result.content if isinstance(block, TextContent))
            raise LocalError(f"{tool} failed, which is not the same as finding nothing: {said}")
        answer: dict[str, Any] = result.structured_content
        return answer


def rows_of(table: Mapping[str, Any] | None) -> list[dict[str, str]]:
    """The rows of a table by column."""
    return [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]] if table else []


def fitting(rows: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """The rows that contradict nothing; the cheapest of those that meet all musts and most wishes comes first."""
    left = [row for row in rows if "-" not in row["fit"]]
    met = [row for row in left if not set(row["fit"]) - {"+", "w"} and PRICE.match(row["list price"])]
    if not met:
        return left
    first = min(
        met, key=lambda row: (row["fit"].count("w"), float(PRICE.findall(row["list price"])[0].replace(",", "")))
    )
    return [first, *(row for row in left if row is not first)]


def proven_line(lines: Sequence[dict[str, str]], model: str, *, customer: str) -> str | None:
    """The past line whose words a letter takes: the customer's own before others', a won one before a lost one."""
    of_model = [line for line in lines if line["model"] == model and "-" not in line["fit"]]
    of_model.sort(key=lambda line: (line["customer"] != customer, line["status"] != "won"))
    return of_model[0]["id"] if of_model else None


def first_words(quote: Mapping[str, Any], line: Mapping[str, Any], *, request: str) -> list[str]:
    """Of the first sentences of the line that are about its goods alone: no price, no name, nothing of that job."""
    known = words_of(f"{request} {line['category']}")
    named = " ".join(filter(None, (quote["customer"], quote.get("contact"), quote.get("salesperson"))))
    theirs = words_of(f"{named} {quote.get('project') or ''}") - known
    own = [
        each
        for each in SENTENCE.split(line["description"])
        if each.endswith(".") and len(each.split()) >= FEWEST_WORDS
    ]
    kept = [each for each in own if not AMOUNT.search(each) and not words_of(each) & theirs]
    return [each[:FIRST_WORDS] for each in kept[:MOST_SENTENCES]]


def words_of(text: str) -> set[str]:
    return {word for word in re.findall(r"\w+", text.casefold()) if len(word) >= FEWEST_WORDS}


async def drafted(agent: Agent) -> dict[str, Any]:
    """What draft_compose answered to a letter that offers the cheapest machine that meets all, and its alternate."""
    needs = [FAMILY, *({"attribute": must["attribute"], "is": must["is"]} for must in MUSTS)]
    found = await agent.ask("find_for_request", items=[{"what": REQUEST, "needs": needs}], customer=CUSTOMER)
    [item] = found["items"]
    machines = fitting(rows_of(item.get("candidates")))
    line = proven_line(rows_of(item.get("lines")), machines[0]["id"], customer=CUSTOMER) if machines else None
    if line is None:
        raise LocalError("The demo needs the sample corpus, and nothing that was found fits its request.")
    number, _, position = line.rpartition("/")
    past = await agent.ask("get_quote", quote_id=number, lines=[int(position)], max_tokens=MOST_OF_A_TEXT)
    sentences = first_words(past["quote"], past["line_items"][0], request=REQUEST)
    offered, *others = [row["id"] for row in machines]
    items = [
        {"product_id": offered, "quantity": 1, "passages": [{"line": line, "sentences": sentences}]},
        *({"product_id": model, "role": "alternate"} for model in others[:1]),
    ]
    return await agent.ask(
        "draft_compose", customer=CUSTOMER, request=REQUEST, page=PAGE.substitute(model=offered), items=items,
        requirements=MUSTS, notes=["Ask for his load profile before this becomes an order: nothing was measured."],
    )  # fmt: skip


async def copies(agent: Agent, draft_id: str) -> dict[str, bytes]:
    """Every copy of the draft in every format, by the end of its file's name."""
    found = {}
    async with httpx2.AsyncClient() as http:
        for view, behind in COPIES.items():
            for form, ending in ENDINGS.items():
                answer = await agent.ask("draft_get", draft_id=draft_id, view=view, format=form)
                content = answer.get("letter", "").encode()
                if form != "markdown":
                    content = (await http.get(answer["download_url"])).raise_for_status().content
                found[f"{behind}.{ending}"] = content
    return found


async def connect_and_draft(url: str) -> tuple[dict[str, bytes], str]:
    """(the files by the end of their name, what to tell of them)."""
    async with connected(url, key=key_for(url, read_settings()), name="quarry-demo") as client:
        agent = Agent(client)
        draft = await drafted(agent)
        files = await copies(agent, draft["draft_id"])
    found = len(draft.get("findings", []))
    told = f"{draft['draft_id']}, {draft['words']} words on its page, {found} statements without a source"
    return files, f"{told}; {agent.calls} calls, {agent.sent:,} characters sent"


def answered[T](asking: Coroutine[Any, Any, T], *, url: str, command: str) -> T:
    """What a server was asked; without it, or where it refuses, the command ends with what to do."""
    try:
        return asyncio.run(asking)
    except* TransportError:
        sys.exit(f"Nothing answers at {url}. Run `make serve` first, then `make {command}`.")
    except* (LocalError, MCPError) as failures:
        failure: BaseException = failures
        while isinstance(failure, BaseExceptionGroup):
            failure = failure.exceptions[0]
        sys.exit(f"The server at {url} gave no draft: {failure}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m local.demo", description=__doc__)
    parser.add_argument("--url", default="http://127.0.0.1:8000/mcp/sales", help="the MCP endpoint")
    parser.add_argument(
        "--out", type=Path, default=Path("demo-draft.md"), help="the customer's copy; the other files go beside it"
    )
    options = parser.parse_args()
    files, told = answered(connect_and_draft(options.url), url=options.url, command="demo")
    written = [options.out.with_name(options.out.stem + end) for end in files]
    for path, content in zip(written, files.values(), strict=True):
        path.write_bytes(content)
    print(f"Wrote {', '.join(map(str, written))} ({told}).")


if __name__ == "__main__":
    main()
