"""Completion of prompt arguments and of resource-template variables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import mcp_types as types
from mcp import MCPError
from pydantic import BaseModel

from proxy.arguments import did_you_mean
from proxy.catalog import Catalog, View
from proxy.client_context import Caller
from proxy.knowledge import Library, UnknownResourceError
from proxy.manifest import ResourceTemplate
from proxy.resource_uris import variables

# The protocol's own limit on one answer.
_MOST_VALUES = 100


class _Values(BaseModel):
    values: list[str]


@dataclass(frozen=True, slots=True)
class _Live:
    """Values that only the template's function knows."""

    template: ResourceTemplate
    variable: str


async def complete(
    params: types.CompleteRequestParams, *, catalog: Catalog, view: View, library: Library, caller: Caller
) -> types.CompleteResult:
    """Values that start with what was typed, then those that merely contain it."""
    name, typed = params.argument.name, params.argument.value
    known = _candidates(params.ref, name, catalog=catalog, view=view)
    values = await _ask(known, typed, library=library, caller=caller) if isinstance(known, _Live) else known
    matching = rank(values, typed)
    more = len(matching) > _MOST_VALUES
    return types.CompleteResult(
        completion=types.Completion(
            values=matching[:_MOST_VALUES],
            # A function stops counting once there are more than fit.
            total=None if more and isinstance(known, _Live) else len(matching),
            has_more=more,
        )
    )


def rank(values: Sequence[str], typed: str) -> list[str]:
    """Prefix matches first, then substring matches, each in the given order; case does not matter."""
    wanted = typed.casefold()
    starting = [value for value in values if value.casefold().startswith(wanted)]
    return starting + [value for value in values if wanted in value.casefold() and value not in starting]


async def _ask(live: _Live, typed: str, *, library: Library, caller: Caller) -> list[str]:
    uri = live.template.uri_template
    # A prompt may embed what its own toolset's readers must not read.
    if live.template.needed_scope not in caller.principal.scopes:
        return []
    question = {"complete": {"uriTemplate": uri, "variable": live.variable, "prefix": typed}}
    try:
        return (await library.ask(live.template, question, answer=_Values, caller=caller)).values
    except UnknownResourceError as unknown:
        raise MCPError(types.INTERNAL_ERROR, f"{uri} cannot be completed: {unknown}") from None


def _candidates(
    ref: types.ResourceTemplateReference | types.PromptReference, name: str, *, catalog: Catalog, view: View
) -> Sequence[str] | _Live:
    if isinstance(ref, types.ResourceTemplateReference):
        template = view.resource_templates.get(ref.uri)
        if template is None:
            hint = did_you_mean(ref.uri, list(view.resource_templates), noun="templates")
            raise MCPError(types.INVALID_PARAMS, f"Unknown resource template {ref.uri!r}. {hint}")
        return _known(name, {variable: _of_template(template, variable) for variable in template.variables})
    prompt = view.prompts.get(ref.name)
    if prompt is None:
        hint = did_you_mean(ref.name, list(view.prompts), noun="prompts")
        raise MCPError(types.INVALID_PARAMS, f"Unknown prompt {ref.name!r}. {hint}")
    given: dict[str, Sequence[str] | _Live] = {argument.name: argument.values for argument in prompt.arguments}
    for template in catalog.manifest.resource_templates:
        # An argument that only serves to pick an embedded resource has that resource's values.
        if template.uri_template in prompt.embed:
            for variable in variables(template.uri_template):
                given[variable] = given.get(variable) or _of_template(template, variable)
    return _known(name, given)


def _of_template(template: ResourceTemplate, variable: str) -> Sequence[str] | _Live:
    if not template.variables[variable] and template.function is not None:
        return _Live(template, variable)
    return template.variables[variable]


def _known(name: str, values: Mapping[str, Sequence[str] | _Live]) -> Sequence[str] | _Live:
    if name not in values:
        raise MCPError(types.INVALID_PARAMS, f"{name!r}: {did_you_mean(name, list(values), noun='arguments')}")
    return values[name]
