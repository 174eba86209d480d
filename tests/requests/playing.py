"""Plays a mail: a chat model drafts from it with the tools of an MCP endpoint, and what it read is counted."""

import json
import re
from dataclasses import dataclass
from typing import Any

from mcp import Client
from mcp_types import CallToolResult, EmbeddedResource, GetPromptResult, TextContent, TextResourceContents
from openai import AsyncOpenAI

from tests.requests.mails import Mail, faults

MOST_CALLS = 10
MOST_CHARACTERS = 40_000
MOST_OF_AN_ITEM = 1_500
"""More for each item past a handful: a tender of forty positions needs forty tables."""
A_HANDFUL = 5
MOST_TURNS = 20


@dataclass(frozen=True, slots=True)
class Played:
    """``characters`` are what the model read: prompt, list of tools and answers. ``unsupported`` are the faults that
    check_draft finds in the draft, None where it could not be asked.
    """

    mail: str
    items: int
    draft: str
    calls: int
    characters: int
    faults: list[str]
    unsupported: int | None

    @property
    def within(self) -> bool:
        most = MOST_CHARACTERS + MOST_OF_AN_ITEM * max(0, self.items - A_HANDFUL)
        return self.calls <= MOST_CALLS and self.characters <= most


async def play(mail: Mail, *, client: Client, chat: AsyncOpenAI, model: str, written: bool) -> Played:
    """``written`` holds the draft to what only a model can add."""
    arguments = {"request": mail.mail, "customer": mail.customer}
    prompt = _text_of_prompt(await client.get_prompt("draft_quote", arguments))
    tools = [_function(tool.name, tool.description, tool.input_schema) for tool in (await client.list_tools()).tools]
    messages: list[Any] = [{"role": "user", "content": prompt}]
    characters, calls, draft = len(prompt) + len(json.dumps(tools, separators=(",", ":"))), 0, ""
    for _ in range(MOST_TURNS):
        reply = (await chat.chat.completions.create(model=model, messages=messages, tools=tools)).choices[0].message
        messages.append(reply.model_dump(exclude_none=True))
        if not reply.tool_calls:
            draft = reply.content or ""
            break
        for wanted in reply.tool_calls:
            assert wanted.type == "function"
            result = await client.call_tool(wanted.function.name, json.loads(wanted.function.arguments))
            said = _said(result)
            messages.append({"role": "tool", "tool_call_id": wanted.id, "content": said})
            characters += len(said)
            calls += 1
    draft = re.sub(r"\A```\w*\n|\n```\s*\Z", "", draft)
    named = {"draft": draft, "request": mail.mail, "account": mail.customer}
    report = await client.call_tool("check_draft", named if draft else {})
    checked = report.structured_content if not report.is_error else None
    found = checked["faults"] if checked else None
    lacking = faults(mail, draft, written=written)
    return Played(mail.name, len(mail.items), draft, calls, characters, lacking, found)


def _function(name: str, description: str | None, schema: dict[str, Any]) -> Any:
    return {"type": "function", "function": {"name": name, "description": description or "", "parameters": schema}}


def _text_of_prompt(prompt: GetPromptResult) -> str:
    blocks = [message.content for message in prompt.messages]
    texts = [
        block.resource.text
        if isinstance(block, EmbeddedResource) and isinstance(block.resource, TextResourceContents)
        else block.text
        if isinstance(block, TextContent)
        else ""
        for block in blocks
    ]
    return "\n\n".join(texts)


def _said(result: CallToolResult) -> str:
    return "".join(block.text for block in result.content if isinstance(block, TextContent))
