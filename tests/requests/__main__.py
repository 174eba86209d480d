"""`make requests`: drafts from the mails against the running stack, with calls, characters and findings of each.

With CHAT_API_KEY the chat model of CHAT_MODEL at CHAT_BASE_URL drafts; without it a script stands in, which shows
what the tools give and cost, and not how well anybody writes.
"""

import argparse
import asyncio
import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from httpx2 import TransportError
from openai import AsyncOpenAI

from local.serve.own_keys import key_for
from local.settings import read_settings
from operations.golden.asking import connected
from tests.integration.assistant.scripted_chat import ScriptedChat, serve
from tests.requests.mails import Mail, read_mails
from tests.requests.playing import A_HANDFUL, MOST_CALLS, MOST_CHARACTERS, MOST_OF_AN_ITEM, Played, play
from tests.requests.scripted import scripted_for


@asynccontextmanager
async def stand_in() -> AsyncIterator[tuple[AsyncOpenAI, ScriptedChat]]:
    chat = ScriptedChat()
    stop = serve(chat)
    try:
        async with AsyncOpenAI(api_key="scripted", base_url=chat.url, max_retries=0) as client:
            yield client, chat
    finally:
        stop.set()


async def play_all(mails: Sequence[Mail], *, url: str) -> list[Played]:
    key, model = os.environ.get("CHAT_API_KEY"), os.environ.get("CHAT_MODEL", "gpt-4.1")
    base = os.environ.get("CHAT_BASE_URL", "https://api.openai.com/v1")
    played = []
    async with (
        connected(url, key=key_for(url, read_settings()), name="quarry-requests") as client,
        stand_in() as (scripted, chat),
    ):
        for mail in mails:
            if key:
                async with AsyncOpenAI(api_key=key, base_url=base) as real:
                    played.append(await play(mail, client=client, chat=real, model=model, written=True))
            else:
                scripted_for(mail, chat)
                played.append(await play(mail, client=client, chat=scripted, model="scripted", written=False))
    return played


def table(played: Sequence[Played]) -> str:
    lines = ["| mail | calls | characters | without a source | faults |", "|---|--:|--:|--:|---|"]
    lines += [
        f"| {one.mail} | {one.calls} | {one.characters:,} | {one.findings} | {'; '.join(one.faults) or '–'} |"
        for one in played
    ]
    told = f"To reach: at most {MOST_CALLS} calls and {MOST_CHARACTERS:,} characters a mail"
    return "\n".join([*lines, "", f"{told}, {MOST_OF_AN_ITEM:,} more for each item past {A_HANDFUL}."])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.requests", description=__doc__)
    parser.add_argument("--url", default="http://127.0.0.1:8000/mcp/sales", help="the MCP endpoint")
    parser.add_argument("--mail", help="only the mails whose name has this in it")
    parser.add_argument("--out", type=Path, help="a folder for the letters")
    options = parser.parse_args()
    mails = [mail for mail in read_mails() if not options.mail or options.mail in mail.name]
    try:
        played = asyncio.run(play_all(mails, url=options.url))
    except* TransportError:
        sys.exit(f"Nothing answers at {options.url}. Run `make serve` first, then `make requests`.")
    for one in played if options.out else ():
        for end, text in (("", one.letter), ("-internal", one.internal)):
            (options.out / f"{one.mail.replace(' ', '-')}{end}.md").write_text(text, encoding="utf-8")
    print(table(played))
    return 0 if all(one.within and not one.faults for one in played) else 1


if __name__ == "__main__":
    sys.exit(main())
