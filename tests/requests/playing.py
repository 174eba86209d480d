"""Plays a mail: a chat model drafts from it with the tools of an MCP endpoint, and what it read is counted."""

import json
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
    """``characters`` are what the model read: prompt, list of tools and answers. ``letter`` is the customer's copy of
    each draft that it had composed, ``internal`` the house's; ``findings`` are what was typed there without a source.
    """

    mail: str
    items: int
    letter: str
    internal: str
    calls: int
    characters: int
    faults: list[str]
    findings: int

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
    characters, calls, drafts = len(prompt) + len(json.dumps(tools, separators=(",", ":"))), 0, dict[str, int]()
    for _ in range(MOST_TURNS):
        reply = (await chat.chat.completions.create(model=model, messages=messages, tools=tools)).choices[0].message
        messages.append(reply.model_dump(exclude_none=True))
        if not reply.tool_calls:
            break
        for wanted in reply.tool_calls:
            assert wanted.type == "function"
            result = await client.call_tool(wanted.function.name, json.loads(wanted.function.arguments))
            said = _said(result)
            messages.append({"role": "tool", "tool_call_id": wanted.id, "content": said})
            characters += len(said)
            calls += 1
            if wanted.function.name == "draft_compose" and not result.is_error and result.structured_content:
                drafts[result.structured_content["draft_id"]] = len(result.structured_content.get("findings", ()))
    copies = [await _copies(client, draft) for draft in drafts]
    letter, internal = ("\n\n".join(each[place] for each in copies) for place in (0, 1))
    lacking = faults(mail, letter, internal, written=written) if copies else [f"no letter: {messages[-1]['content']}"]
    return Played(mail.name, len(mail.items), letter, internal, calls, characters, lacking, sum(drafts.values()))


async def _copies(client: Client, draft_id: str) -> tuple[str, str]:
    """(the customer's copy, or why it is held back; the internal one)."""
    views = [
        await client.call_tool("draft_get", {"draft_id": draft_id, "view": view}) for view in ("customer", "internal")
    ]
    letter, internal = (
        _said(each) if each.is_error else str((each.structured_content or {}).get("letter", "")) for each in views
    )
    return letter, internal


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
