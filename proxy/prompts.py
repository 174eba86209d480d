"""Prompts: a template with its arguments filled in and the resources it embeds, or what a function makes of them."""

import asyncio
import re
from collections.abc import Mapping

import mcp_types as types
from mcp import MCPError
from mcp.shared.uri_template import UriTemplate

from proxy.caller import Caller
from proxy.catalog import Catalog, View, did_you_mean
from proxy.manifest import Prompt
from proxy.outcome import Failure
from proxy.questions import Round, asks, question
from proxy.resources import Candidates, Library, UnknownResourceError, candidates_of, completion, parsed

_NOTHING = r"[\s\u00ad\u200b-\u200f\u2060-\u2064\ufeff]*+"
FENCE = re.compile(
    rf"<(?={_NOTHING}/{_NOTHING}(?:{'|'.join(map(_NOTHING.join, ('resource', 'request')))})\b)", re.IGNORECASE
)
"""Matches the `<` of a closing resource or request tag, even one with invisible characters in it."""

_BLANK = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")


async def render(
    prompt: Prompt, arguments: Mapping[str, str], *, library: Library, caller: Caller, round_: Round
) -> types.GetPromptResult | types.InputRequiredResult:
    """Answers prompts/get with one user message per part. A resource whose argument was not given is left out."""
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
    embedded = map(UriTemplate.parse, prompt.embed)
    uris = [each.expand(arguments) for each in embedded if all(map(arguments.get, each.variable_names))]
    try:
        if prompt.key is None:
            return await _from_function(prompt, arguments, library=library, caller=caller, round_=round_)
        body, parts = await asyncio.gather(
            library.text(prompt.key), asyncio.gather(*(library.read_any(uri, caller=caller) for uri in uris))
        )
    except UnknownResourceError as unknown:
        raise MCPError(types.INVALID_PARAMS, f"Prompt '{prompt.name}': {unknown}") from None
    messages = [_message(types.TextContent(text=fill(body, arguments)))]
    for contents in parts:
        messages += [_message(_embedded(item)) for item in contents]
    return types.GetPromptResult(description=prompt.description, messages=messages)


async def _from_function(
    prompt: Prompt, arguments: Mapping[str, str], *, library: Library, caller: Caller, round_: Round
) -> types.GetPromptResult | types.InputRequiredResult:
    event = {"prompt": {"name": prompt.name, "arguments": dict(arguments)}}
    said = await library.ask_raw(prompt, event | (round_.event() if prompt.asks else {}), caller=caller)
    if not (prompt.asks and asks(said)):
        return parsed(said, types.GetPromptResult, name=prompt.name, caller=caller)
    asked = question(said, name=prompt.name, round_=round_, request_id=caller.request_id)
    if isinstance(asked, Failure):
        raise MCPError(types.INTERNAL_ERROR, asked.message)
    return asked


def fill(body: str, arguments: Mapping[str, str]) -> str:
    """Replaces each `{{name}}` in one pass, so that braces in a value stay as they are; no value makes it empty."""
    return _BLANK.sub(lambda blank: fenced(arguments.get(blank[1], "")), body)


def fenced(text: str) -> str:
    """Escapes the closing tags that FENCE matches, so that the text cannot end the tag around it."""
    return FENCE.sub("&lt;", text)


def _embedded(
    item: types.TextResourceContents | types.BlobResourceContents,
) -> types.TextContent | types.EmbeddedResource:
    """A text resource becomes plain text: LangChain's adapters refuse a whole prompt for one embedded resource."""
    if isinstance(item, types.BlobResourceContents):
        return types.EmbeddedResource(resource=item)
    return types.TextContent(text=f'<resource uri="{item.uri}">\n{fenced(item.text)}\n</resource>')


def _message(content: types.TextContent | types.EmbeddedResource) -> types.PromptMessage:
    return types.PromptMessage(role="user", content=content)


async def complete_argument(
    name: str,
    argument: types.CompletionArgument,
    *,
    catalog: Catalog,
    view: View,
    library: Library,
    caller: Caller,
) -> types.CompleteResult:
    """Answers completion/complete for an argument of a prompt."""
    prompt = find_prompt(name, view)
    values: dict[str, Candidates] = {argument.name: argument.values for argument in prompt.arguments}
    for template in catalog.manifest.resource_templates:
        # An argument that only serves to pick an embedded resource has that resource's values.
        if template.uri_template in prompt.embed:
            for variable in template.variables:
                values[variable] = values.get(variable) or candidates_of(template, variable)
    return await completion(argument, values, library=library, caller=caller)


def find_prompt(name: str, view: View) -> Prompt:
    """Returns the prompt of that name. Raises MCPError, which names the nearest."""
    if (prompt := view.prompts.get(name)) is None:
        hint = did_you_mean(name, list(view.prompts), noun="prompts")
        raise MCPError(types.INVALID_PARAMS, f"Unknown prompt {name!r}. {hint}")
    return prompt


def wire_prompt(entry: Prompt) -> types.Prompt:
    """A line of prompts/list."""
    arguments = [types.PromptArgument(**argument.model_dump(exclude={"values"})) for argument in entry.arguments]
    return types.Prompt(name=entry.name, title=entry.title, description=entry.description, arguments=arguments)
