"""`make demo`: plays the golden scenario over MCP, as an agent would, and writes the draft a salesperson gets."""

import argparse
import asyncio
import os
import sys
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

from httpx2 import TransportError
from mcp import Client, MCPError
from mcp_types import TextContent, TextResourceContents

from local.drafting import checked
from local.failure import LocalError
from local.serve.own_keys import key_for
from local.settings import read_settings
from operations.golden.asking import connected

REQUEST = "100HP oilless compressor for food-grade plant"
CUSTOMER = "Meadowbrook Foods (example)"
ITEMS = [
    {
        "what": REQUEST,
        "needs": [
            {"attribute": "family", "is": "compressor"},
            {"attribute": "hp", "is": "80..120"},
            {"attribute": "lubrication", "is": "oilless"},
        ],
    }
]


async def ask(client: Client, tool: str, **arguments: object) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    if result.is_error or result.structured_content is None:
        said = " ".join(block.text for block in result.content if isinstance(block, TextContent))
        raise LocalError(f"{tool} failed, which is not the same as finding nothing: {said}")
    answer: dict[str, Any] = result.structured_content
    return answer


async def draft(client: Client, *, today: date) -> str:
    contents = (await client.read_resource("quarry://templates/quote")).contents
    template = "".join(part.text for part in contents if isinstance(part, TextResourceContents))
    items, text, report = await checked(
        partial(ask, client), ITEMS, request=REQUEST, customer=CUSTOMER, today=today, template=template
    )
    if not all(item.fits and item.words for item in items):
        raise LocalError("The demo needs the sample corpus, and nothing that was found fits its request.")
    faults = [f"- line {each['line']}, {each['verdict']}: {each['text']}" for each in report["findings"]]
    told = f"{report['faults']} of its statements are not supported."
    return f"{text}\n## Check (internal)\n\n" + "\n".join([told, *faults]) + "\n"


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
