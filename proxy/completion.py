"""Completion of prompt arguments and of resource-template variables."""

from collections.abc import Sequence

import mcp_types as types
from mcp import MCPError

from proxy.arguments import did_you_mean
from proxy.catalog import Catalog, View
from proxy.resource_uris import variables

# The protocol's own limit on one answer.
_MOST_VALUES = 100


def complete(params: types.CompleteRequestParams, *, catalog: Catalog, view: View) -> types.CompleteResult:
    """Values that start with what was typed, then those that merely contain it."""
    values = _candidates(params.ref, params.argument.name, catalog=catalog, view=view)
    matching = rank(values, params.argument.value)
    return types.CompleteResult(
        completion=types.Completion(
            values=matching[:_MOST_VALUES], total=len(matching), has_more=len(matching) > _MOST_VALUES
        )
    )


def rank(values: Sequence[str], typed: str) -> list[str]:
    """Prefix matches first, then substring matches, each in the given order; case does not matter."""
    wanted = typed.casefold()
    starting = [value for value in values if value.casefold().startswith(wanted)]
    return starting + [value for value in values if wanted in value.casefold() and value not in starting]


def _candidates(
    ref: types.ResourceTemplateReference | types.PromptReference, name: str, *, catalog: Catalog, view: View
) -> Sequence[str]:
    if isinstance(ref, types.ResourceTemplateReference):
        template = view.resource_templates.get(ref.uri)
        if template is None:
            hint = did_you_mean(ref.uri, list(view.resource_templates), noun="templates")
            raise MCPError(types.INVALID_PARAMS, f"Unknown resource template {ref.uri!r}. {hint}")
        return _known(name, template.variables)
    prompt = view.prompts.get(ref.name)
    if prompt is None:
        hint = did_you_mean(ref.name, list(view.prompts), noun="prompts")
        raise MCPError(types.INVALID_PARAMS, f"Unknown prompt {ref.name!r}. {hint}")
    given = {argument.name: argument.values for argument in prompt.arguments}
    for template in catalog.manifest.resource_templates:
        # An argument that only serves to pick an embedded resource has that resource's values.
        if template.uri_template in prompt.embed:
            for variable in variables(template.uri_template):
                given[variable] = given.get(variable) or template.variables[variable]
    return _known(name, given)


def _known(name: str, values: dict[str, list[str]]) -> list[str]:
    if name not in values:
        raise MCPError(types.INVALID_PARAMS, f"{name!r}: {did_you_mean(name, list(values), noun='arguments')}")
    return values[name]
