"""`python -m local.demo`: drafts a quote against the running stack and writes it as Markdown."""

import argparse
import asyncio
import os
import sys
from datetime import date
from pathlib import Path
from urllib.parse import urlsplit

from httpx2 import TransportError
from mcp import Client, MCPError

from local.demo.compose import compose
from local.demo.evidence import Evidence
from local.demo.gather import Gatherer
from local.demo.item import House
from local.demo.request import parse_request
from local.demo.session import PROMPT, QUOTE_URI, McpTools, characteristics_uri, read_prompt, read_template
from local.demo.template import PARTIALS, house_facts, sections
from local.demo.trace import Trace
from local.serve.own_keys import key_for
from local.settings import read_settings
from operations.golden.asking import connected

REQUEST = "100HP oilless compressor for food-grade plant"
CUSTOMER = "Meadowbrook Foods (example)"
CONNECT_SECONDS = 3


def main() -> int:
    options = _options()
    url = urlsplit(options.url)
    if not asyncio.run(_is_up(url.hostname or "", url.port or (443 if url.scheme == "https" else 80))):
        print(f"Nothing answers at {options.url}. Run `make serve` first, then `make demo`.", file=sys.stderr)
        return 1
    try:
        draft = asyncio.run(_connect_and_draft(options.url, request=options.request, customer=options.customer))
    except (MCPError, TransportError, ExceptionGroup) as failure:
        print(f"The server at {options.url} could not be used: {_reason(failure)}", file=sys.stderr)
        return 1
    options.out.write_text(draft, encoding="utf-8")
    print(f"Wrote {options.out}: {draft.count('SALESPERSON REVIEW:')} notes for the salesperson.")
    return 0


def _reason(failure: Exception) -> str:
    """The SDK's task groups wrap what went wrong; anything that is not the connection's fault goes on up."""
    if not isinstance(failure, ExceptionGroup):
        return f"{failure} ({type(failure).__name__})"
    ours = failure.split((MCPError, TransportError))[1]
    if ours is not None:
        raise ours
    return "; ".join(_reason(part) for part in failure.exceptions)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m local.demo", description=__doc__)
    parser.add_argument("--url", default="http://127.0.0.1:8000/mcp", help="the MCP endpoint")
    parser.add_argument("--out", type=Path, default=Path("demo-draft.md"), help="where the draft goes")
    parser.add_argument("--request", default=REQUEST, help="what the customer asked for")
    parser.add_argument("--customer", default=CUSTOMER, help="the company the quote is for")
    return parser.parse_args()


async def _is_up(host: str, port: int) -> bool:
    try:
        _, writer = await asyncio.wait_for(asyncio.open_connection(host, port), CONNECT_SECONDS)
    except (OSError, TimeoutError):
        return False
    writer.close()
    return True


async def _connect_and_draft(url: str, *, request: str, customer: str) -> str:
    key = key_for(url, read_settings(os.environ))
    async with connected(url, key=key, name="quarry-demo") as client:
        return await draft_quote(client, request=request, customer=customer, today=date.today())


async def draft_quote(client: Client, *, request: str, customer: str, today: date) -> str:
    parsed = parse_request(request)
    main_category = next((PARTIALS[line.family] for line in parsed.lines if line.family in PARTIALS), None)
    prompt = await read_prompt(client, request=request, customer=customer, category=main_category)
    templates = dict(prompt.enclosed)
    evidence = await Gatherer(McpTools(client), Evidence(parsed, Trace())).gather()
    families = {found.product.family if found.product else found.line.family for found in evidence.lines}
    categories = {PARTIALS[family] for family in families if family in PARTIALS}
    for uri in [QUOTE_URI, *map(characteristics_uri, sorted(categories))]:
        templates[uri] = await read_template(client, uri=uri)
    house = House(
        sections=sections(templates[QUOTE_URI]),
        partials={category: templates[characteristics_uri(category)] for category in categories},
        customer=customer,
    )
    read = [f"prompt `{PROMPT}` ({prompt.messages} messages)", *(f"`{uri}`" for uri in sorted(templates))]
    return compose(evidence, house=house, facts=house_facts(templates[QUOTE_URI]), today=today, read=read)


if __name__ == "__main__":
    sys.exit(main())
