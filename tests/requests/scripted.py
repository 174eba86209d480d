"""A chat model's stand-in: it asks for the items of a mail, writes the letter by rule and has it checked."""

import json
from collections.abc import Callable, Generator
from datetime import date
from typing import Any

from local.drafting import checked
from tests.integration.assistant.scripted_chat import Asked, ScriptedChat, Step, calls
from tests.requests.mails import Mail


class Call:
    """A call of a tool that the conversation answers later: whoever drives the coroutine sees name and arguments."""

    def __init__(self, tool: str, arguments: dict[str, Any]) -> None:
        self._wanted = tool, arguments

    def __await__(self) -> Generator[tuple[str, dict[str, Any]], dict[str, Any], dict[str, Any]]:
        return (yield self._wanted)


async def ask(tool: str, **arguments: object) -> dict[str, Any]:
    return await Call(tool, arguments)


def script(mail: Mail) -> list[Step | Callable[[Asked], Step]]:
    """Finding, then the letter and its check; then the letter once more, as the answer."""

    def answer(asked: Asked) -> Step:
        drafting = checked(
            ask, [item.asked for item in mail.items], request=mail.mail, customer=mail.customer, today=date.today(),
            rows=mail.rows, language=mail.language, units=mail.units,
        )  # fmt: skip
        try:
            wanted = drafting.send(None)
            for result in asked.results:
                if not result.startswith("{"):
                    return Step(text=result)
                wanted = drafting.send(json.loads(result))
        except StopIteration as done:
            _, draft, _ = done.value
            return Step(text=draft)
        return calls(wanted)

    return [answer]


def scripted_for(mail: Mail, chat: ScriptedChat) -> None:
    chat.script, chat.asked = script(mail), []
