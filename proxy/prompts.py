"""Prompts: a template's body with the arguments filled in and the resources it embeds, or what a function makes."""

import asyncio
import re
from collections.abc import Mapping

import mcp_types as types
from mcp import MCPError

from proxy.arguments import did_you_mean
from proxy.client_context import Caller
from proxy.knowledge import Library, UnknownResourceError, understood
from proxy.manifest import Prompt
from proxy.outcome import Failure
from proxy.questions import Round, asks, question
from proxy.resource_uris import expand, variables

_BLANK = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")


async def render(
    prompt: Prompt, arguments: Mapping[str, str], *, library: Library, caller: Caller, round_: Round
) -> types.GetPromptResult | types.InputRequiredResult:
    """One user message per part. A resource whose argument was not given is left out."""
    _check(prompt, arguments)
    if prompt.key is None:
        return await _made(prompt, arguments, library=library, caller=caller, round_=round_)
    uris = [expand(uri, arguments) for uri in prompt.embed if all(arguments.get(name) for name in variables(uri))]
    try:
        body, parts = await asyncio.gather(
            library.text(prompt.key), asyncio.gather(*(library.read_any(uri, caller=caller) for uri in uris))
        )
    except UnknownResourceError as unknown:
        raise MCPError(types.INVALID_PARAMS, f"Prompt '{prompt.name}': {unknown}") from None
    messages = [_message(types.TextContent(text=fill(body, arguments)))]
    for contents in parts:
        messages += [_message(_embedded(item)) for item in contents]
    return types.GetPromptResult(description=prompt.description, messages=messages)


async def _made(
    prompt: Prompt, arguments: Mapping[str, str], *, library: Library, caller: Caller, round_: Round
) -> types.GetPromptResult | types.InputRequiredResult:
    event = {"prompt": {"name": prompt.name, "arguments": dict(arguments)}}
    try:
        said = await library.say(prompt, event | (round_.event() if prompt.asks else {}), caller=caller)
    except UnknownResourceError as unknown:
        raise MCPError(types.INVALID_PARAMS, f"Prompt '{prompt.name}': {unknown}") from None
    if not (prompt.asks and asks(said)):
        return understood(said, types.GetPromptResult, name=prompt.name, caller=caller)
    asked = question(said, name=prompt.name, round_=round_, request_id=caller.request_id)
    if isinstance(asked, Failure):
        raise MCPError(types.INTERNAL_ERROR, asked.message)
    return asked


def fill(body: str, arguments: Mapping[str, str]) -> str:
    """Replace `{{name}}` in one pass, so that a value with braces is not read again; not given is empty."""
    return _BLANK.sub(lambda blank: arguments.get(blank[1], ""), body)


def _embedded(
    item: types.TextResourceContents | types.BlobResourceContents,
) -> types.TextContent | types.EmbeddedResource:
    """A text as text: LangChain's adapters refuse a whole prompt for one embedded resource."""
    if isinstance(item, types.BlobResourceContents):
        return types.EmbeddedResource(resource=item)
    return types.TextContent(text=f'<resource uri="{item.uri}">\n{item.text}\n</resource>')


def _check(prompt: Prompt, arguments: Mapping[str, str]) -> None:
    known = [argument.name for argument in prompt.arguments]
    for name in arguments:
        if name not in known:
            hint = did_you_mean(name, known, noun="arguments")
            raise MCPError(types.INVALID_PARAMS, f"Prompt '{prompt.name}' has no argument {name!r}. {hint}")
    missing = [
        argument.name for argument in prompt.arguments if argument.required and not arguments.get(argument.name)
    ]
    if missing:
        raise MCPError(types.INVALID_PARAMS, f"Prompt '{prompt.name}' needs {', '.join(map(repr, missing))}.")


def _message(content: types.TextContent | types.EmbeddedResource) -> types.PromptMessage:
    return types.PromptMessage(role="user", content=content)
