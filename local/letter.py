"""`python -m local.letter FILE`: a letter that a person edited in Word becomes the draft's next version."""

import argparse
import difflib
from collections.abc import Iterator
from pathlib import Path

import httpx2

from local import edited
from local.demo import Agent, answered
from local.edited import EditedLetter
from local.failure import LocalError, run_command
from local.serve.own_keys import key_for
from local.settings import read_settings
from operations.golden.asking import connected
from quarry.tool.errors import ToolError


async def loaded(url: str, letter: EditedLetter) -> list[str]:
    """What to tell. Raises LocalError with what the server said."""
    async with connected(url, key=key_for(url, read_settings()), name="quarry-letter") as client:
        agent, named = Agent(client), {"draft_id": letter.draft_id, "version": letter.version}
        unedited = await agent.ask("draft_get", **named, view=letter.view, format="docx", arguments=True)
        async with httpx2.AsyncClient() as http:
            content = (await http.get(unedited["download_url"])).raise_for_status().content
        before = edited.read(content)
        told = [*_not_taken(before, letter)]
        if before.page == letter.page:
            return [f"{letter.draft_id} keeps its version: nothing of the page was edited.", *told]
        page = edited.taken(letter, unedited=before, stored=unedited["arguments"]["page"])
        draft = await agent.ask("draft_compose", draft_id=letter.draft_id, expected_version=letter.version, page=page)
    told += [f"Open: {each['field']} ({each['who']})." for each in draft["open"]]
    told += [f"Without a source, line {each['line']}: {each['text']}" for each in draft["findings"]]
    return [f"{draft['draft_id']} version {draft['version']}, {draft['words']} words on its page.", *told]


def _not_taken(before: EditedLetter, after: EditedLetter) -> Iterator[str]:
    changes = [line for line in difflib.ndiff(before.others, after.others) if line[0] in "+-"]
    if changes:
        yield "Not taken, for it is not of the page; change annex, items, requirements or passages instead:"
        yield from (f"  {line}" for line in changes)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m local.letter", description=__doc__)
    parser.add_argument("file", type=Path, help="a .docx that draft_get gave and somebody edited")
    parser.add_argument("--url", default="http://127.0.0.1:8000/mcp/sales", help="the MCP endpoint")
    arguments = parser.parse_args()
    if not arguments.file.is_file():
        raise LocalError(f"There is no file {arguments.file}.")
    letter = edited.read(arguments.file.read_bytes())
    for line in answered(loaded(arguments.url, letter), url=arguments.url, command="letter"):
        print(line)


if __name__ == "__main__":
    run_command(main, ToolError)
