"""A chat model's stand-in: it asks for the items of a mail, writes the letter by rule and has it checked."""

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

from local.files import ROOT
from local.letter import claims, compose
from tests.integration.assistant.scripted_chat import Asked, ScriptedChat, Step, calls
from tests.requests.mails import Mail

TEMPLATE = Path(ROOT / "templates" / "quote.md")


def script(mail: Mail) -> list[Step | Callable[[Asked], Step]]:
    """Finding, page by page; then the letter and its check; then the letter once more, as the answer."""
    request: dict[str, Any] = {"items": list(mail.asked), "customer": mail.customer, "units": mail.units}

    def answer(asked: Asked) -> Step:
        pages = [json.loads(result) if result.startswith("{") else {"failed": result} for result in asked.results]
        if pages and "failed" in pages[-1]:
            return Step(text=pages[-1]["failed"])
        if not pages:
            return calls(("find_for_request", request))
        *found, last = [page for page in pages if "items" in page]
        if "next_cursor" in last:
            return calls(("find_for_request", {**request, "cursor": last["next_cursor"]}))
        whole = {
            **(found[0] if found else last),
            "items": [item for page in (*found, last) for item in page["items"]],
        }
        draft = compose(
            TEMPLATE.read_text("utf-8"), whole, request=_subject(mail), customer=mail.customer, today=date.today(),
        )  # fmt: skip
        if "faults" in pages[-1]:
            return Step(text=draft)
        return calls(
            ("check_draft", {"draft": draft, "request": mail.mail, "account": mail.customer, **claims(whole)})
        )

    return [answer]


def _subject(mail: Mail) -> str:
    return ", ".join(str(item["query"]) for item in mail.asked)[:300]


def scripted_for(mail: Mail, chat: ScriptedChat) -> None:
    chat.script, chat.asked = script(mail), []
