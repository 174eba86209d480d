"""A chat model's stand-in: it asks for the items of a mail, decides by rule and has the letter composed."""

import json
from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from local.demo import MOST_OF_A_TEXT, first_words, fitting, proven_line, rows_of
from tests.integration.assistant.scripted_chat import Asked, ScriptedChat, Step, calls
from tests.requests.mails import Item, Mail

MOST_QUOTES = 4
"""Past quotes whose words are fetched."""
MOST_REQUIREMENTS = 60
UNTOLD = ("family", "model")
"""Needs that say what is meant, and demand nothing of it."""
WHO, DAYS = "Joe Miller", 7
PAGES = {
    "en": (
        "Hello,",
        "thank you for your request. We offer:",
        "With your answers we send the offer to be ordered from.",
    ),
    "de": ("Guten Tag,", "vielen Dank für Ihre Anfrage. Wir bieten an:", "Bitte sagen Sie uns, ob das so passt."),
    "fr": ("Bonjour,", "merci de votre demande. Nous proposons :", "Dites-nous si cela vous convient."),
}
"""Greeting, what stands before the table, and the next step."""


class Call:
    """A call of a tool that the conversation answers later: whoever drives the coroutine sees name and arguments."""

    def __init__(self, tool: str, arguments: dict[str, Any]) -> None:
        self._wanted = tool, arguments

    def __await__(self) -> Generator[tuple[str, dict[str, Any]], dict[str, Any], dict[str, Any]]:
        return (yield self._wanted)


async def ask(tool: str, **arguments: object) -> dict[str, Any]:
    return await Call(tool, arguments)


@dataclass
class Decided:
    """What is sent of a mail: what is offered, what nobody has, and what was asked and has no rule."""

    offered: list[tuple[Item, str]] = field(default_factory=list)
    goods: list[dict[str, Any]] = field(default_factory=list)
    blanks: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    lines: dict[str, str] = field(default_factory=dict)
    """Past lines by the model whose words they are."""

    def take(self, item: Item, found: Mapping[str, Any], *, customer: str) -> None:
        rows = rows_of(found.get("candidates"))
        notice = [found["notice"]] if found.get("notice") else []
        self.notes += [f"{item.what}: {one}" for one in notice]
        if machines := fitting(rows):
            model = machines[0]["id"]
            self.offered.append((item, model))
            self.goods.append({"product_id": model, "quantity": item.quantity})
            if line := proven_line(rows_of(found.get("lines")), model, customer=customer):
                self.lines[model] = line
            return
        self.blanks.append(item.what)
        if rows:
            self.goods.append({"product_id": rows[0]["id"], "role": "alternate"})
            self.notes.append(f"Nothing fits {item.what}; nearest is {rows[0]['id']}, {rows[0]['fit']}.")


async def composed(mail: Mail) -> dict[str, Any]:
    """What draft_compose answered last: everything is closed, or accepted by somebody for a day."""
    asked = {"items": [item.asked for item in mail.items], "customer": mail.customer, "rows": mail.rows}
    page = first = await ask("find_for_request", **asked)
    found = list(first["items"])
    while "next_cursor" in page:
        page = await ask("find_for_request", **asked, cursor=page["next_cursor"])
        found += page["items"]
    known = (first.get("customer") or {}).get("name", mail.customer)
    decided = Decided()
    for item, answer in zip(mail.items, found, strict=True):
        decided.take(item, answer, customer=known)
    passages = await _passages(decided.lines, request=mail.mail) if mail.language == "en" else {}
    draft = await ask(
        "draft_compose", customer=known, request=mail.mail, page=_page(mail, decided), language=mail.language,
        units=mail.units, requirements=_requirements(decided.offered)[:MOST_REQUIREMENTS], notes=decided.notes,
        comparison=[model for _, model in decided.offered] if mail.compared else [],
        items=[{**each, "passages": passages.pop(each["product_id"], [])} for each in decided.goods],
    )  # fmt: skip
    if draft.get("open"):
        told = {"who": WHO, "by": (date.today() + timedelta(days=DAYS)).isoformat()}
        accepted = [{"field": each["field"], **told} for each in draft["open"]]
        draft = await ask(
            "draft_compose", draft_id=draft["draft_id"], expected_version=draft["version"], accept_open=accepted
        )
    return draft


async def _passages(lines: Mapping[str, str], *, request: str) -> dict[str, list[dict[str, Any]]]:
    """Proven sentences by model, a call for each quote."""
    places: dict[str, dict[int, str]] = {}
    for model, line in lines.items():
        number, _, position = line.rpartition("/")
        places.setdefault(number, {})[int(position)] = model
    found = {}
    for number, wanted in list(places.items())[:MOST_QUOTES]:
        past = await ask("get_quote", quote_id=number, lines=list(wanted), max_tokens=MOST_OF_A_TEXT)
        for line in past["line_items"]:
            if sentences := first_words(past["quote"], line, request=request):
                model = wanted[line["position"]]
                found[model] = [{"line": f"{number}/{line['position']}", "sentences": sentences}]
    return found


def _page(mail: Mail, decided: Decided) -> str:
    greeting, before, after = PAGES[mail.language]
    blanks = "\n".join(f"- {what}: [{what}]" for what in decided.blanks)
    return "\n\n".join(filter(None, [greeting, before, "{{items}}", blanks, after]))


def _requirements(offered: Iterable[tuple[Item, str]]) -> list[dict[str, Any]]:
    return [
        {
            "text": f"{item.what}: {is_}", "attribute": name, "is": is_, "model": model,
            "machines": item.machines, "down": item.down,
        }
        for item, model in offered
        for name, is_ in item.needs.items()
        if name not in UNTOLD
    ]  # fmt: skip


def script(mail: Mail) -> list[Step | Callable[[Asked], Step]]:
    """Finding, proven words and the letter; then what came of it, as the answer."""

    def answer(asked: Asked) -> Step:
        drafting = composed(mail)
        try:
            wanted = drafting.send(None)
            for result in asked.results:
                if not result.startswith("{"):
                    return Step(text=result)
                wanted = drafting.send(json.loads(result))
        except StopIteration as done:
            return Step(text=f"{done.value['draft_id']}, version {done.value['version']}.")
        return calls(wanted)

    return [answer]


def scripted_for(mail: Mail, chat: ScriptedChat) -> None:
    chat.script, chat.asked = script(mail), []
