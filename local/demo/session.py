"""The demo's hold on the MCP server: typed tool calls, templates and the drafting prompt."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from mcp import Client
from mcp_types import TextContent, TextResourceContents

from local.demo.results import Answer

QUOTE_URI = "quarry://templates/quote"
PROMPT = "draft_quote"

_ENCLOSED = re.compile(r'<resource uri="([^"]*)">\n(.*)\n</resource>', re.DOTALL)


class ToolCallError(Exception):
    """A tool answered with an error: unlike an empty result, nothing is known about the question."""

    def __init__(self, tool: str, message: str) -> None:
        super().__init__(f"{tool}: {message}")


class Tools(Protocol):
    async def call[A: Answer](self, name: str, *, arguments: Mapping[str, object], answer: type[A]) -> A: ...


@dataclass(frozen=True)
class McpTools:
    client: Client

    async def call[A: Answer](self, name: str, *, arguments: Mapping[str, object], answer: type[A]) -> A:
        result = await self.client.call_tool(name, dict(arguments))
        if result.is_error:
            text = " ".join(block.text for block in result.content if isinstance(block, TextContent))
            raise ToolCallError(name, text or "failed without a message")
        return answer.model_validate(result.structured_content)


@dataclass(frozen=True)
class Prompt:
    messages: int
    enclosed: dict[str, str]
    """Text by URI."""


def characteristics_uri(category: str) -> str:
    return f"quarry://templates/characteristics/{category}"


async def read_template(client: Client, *, uri: str) -> str:
    contents = (await client.read_resource(uri)).contents
    return "".join(part.text for part in contents if isinstance(part, TextResourceContents))


async def read_prompt(client: Client, *, request: str, customer: str, category: str | None) -> Prompt:
    arguments = {"request": request, "customer": customer} | ({"category": category} if category else {})
    prompt = await client.get_prompt(PROMPT, arguments)
    texts = (message.content.text for message in prompt.messages if isinstance(message.content, TextContent))
    enclosed = (match for text in texts if (match := _ENCLOSED.fullmatch(text)))
    return Prompt(messages=len(prompt.messages), enclosed={match[1]: match[2] for match in enclosed})
