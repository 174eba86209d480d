"""The MCP server: one SDK `Server` whose handlers look at the view each request addresses."""

import json
import logging
import uuid
from dataclasses import dataclass, replace
from typing import Any

import mcp_types as types
from mcp import MCPError
from mcp.server.caching import CacheableMethod, CacheHint
from mcp.server.context import CallNext, HandlerResult
from mcp.server.lowlevel import Server
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from proxy.caller import Caller, Principal, local_principal
from proxy.calls import Context, ToolCalls
from proxy.catalog import Selection, View
from proxy.manifest import Readable
from proxy.outcome import Failure, WireResult, call_result
from proxy.prompts import complete_argument, find_prompt, render, wire_prompt
from proxy.questions import Round, asks, question, round_of, sealing
from proxy.resources import UnknownResourceError, complete_variable
from proxy.runtime import Runtime
from proxy.telemetry import current_traceparent

_logger = logging.getLogger(__name__)

ListParams = types.PaginatedRequestParams | None
SCOPE_KEY = "proxy.addressed"
_TTL_MS = 60_000
_LEGACY_RESOURCE_NOT_FOUND = -32002
# Private throughout: what is listed depends on who asks.
_LIST_HINT = CacheHint(_TTL_MS, "private")
_HINTED: tuple[CacheableMethod, ...] = (
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
    "server/discover",
)


@dataclass(frozen=True, slots=True)
class Addressed:
    """The view that a request may see, and who sent it. The HTTP endpoint leaves it in the ASGI scope."""

    view: View
    principal: Principal


def build_server(runtime: Runtime) -> Server[Any]:
    manifest = runtime.catalog.manifest
    handlers = _Handlers(runtime)
    server: Server[Any] = Server(
        manifest.server.name,
        version=manifest.version,
        title=manifest.server.title,
        instructions=manifest.server.instructions,
        get_tool_input_schema=runtime.catalog.header_schemas.get,
        cache_hints=dict.fromkeys(_HINTED, _LIST_HINT),
        on_list_tools=handlers.list_tools,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_resource_templates,
        on_read_resource=handlers.read_resource,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
        on_completion=handlers.complete,
    )
    # Not the constructor's on_call_tool: this registration admits the wire form, one model dump less per call.
    server.add_request_handler("tools/call", types.CallToolRequestParams, handlers.call_tool)
    # In place of the SDK's own OpenTelemetry middleware.
    server.middleware[:] = [runtime.telemetry.middleware, _contain]
    if manifest.asks:
        keys, audience = runtime.settings.request_state_keys, manifest.server.name
        server.middleware.append(sealing(keys, owner=handlers.owner, audience=audience))
    return server


async def _contain(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Hides the text of unexpected exceptions, which the SDK would send to clients of older protocol versions."""
    try:
        return await call_next(ctx)
    except (MCPError, ValidationError):
        raise
    except Exception:
        _logger.exception("request_failed")
        raise MCPError(types.INTERNAL_ERROR, "Internal error; the server's log has the cause.") from None


class _Handlers:
    def __init__(self, runtime: Runtime) -> None:
        self._catalog = runtime.catalog
        self._library = runtime.library
        # Requests that do not come by HTTP are of this machine's operator, who addresses everything that is enabled.
        operator = local_principal(runtime.settings, scopes=self._catalog.scopes)
        selection = Selection(frozenset(self._catalog.toolsets), runtime.settings.read_only)
        self._default = Addressed(self._catalog.view(selection, scopes=operator.scopes), operator)
        self._calls = ToolCalls(runtime)

    async def list_tools(self, ctx: Context, params: ListParams) -> types.ListToolsResult:
        return types.ListToolsResult(tools=self._catalog.listed(self._listed(ctx, params)))

    def owner(self, ctx: Context) -> str:
        principal = self._addressed(ctx).principal
        return json.dumps([principal.tenant, principal.subject])

    async def call_tool(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> WireResult | types.InputRequiredResult:
        addressed, name = self._addressed(ctx), params.name
        caller = _caller_of(addressed)
        tool = addressed.view.tools.get(name)
        round_ = _round(ctx, params) if tool is not None and tool.asks else None
        outcome = await self._calls.outcome(
            name,
            params.arguments or {},
            view=addressed.view,
            caller=caller,
            ctx=ctx,
            beside=round_.event() if round_ else {},
        )
        if round_ and not isinstance(outcome, Failure) and asks(outcome):
            asked = question(outcome, name=name, round_=round_, request_id=caller.request_id)
            if isinstance(asked, types.InputRequiredResult):
                return asked
            outcome = asked
        return call_result(outcome, tool=name, request_id=caller.request_id)

    async def list_resources(self, ctx: Context, params: ListParams) -> types.ListResourcesResult:
        entries = self._listed(ctx, params).resources.values()
        return types.ListResourcesResult(resources=[types.Resource(**_card(entry)) for entry in entries])

    async def list_resource_templates(self, ctx: Context, params: ListParams) -> types.ListResourceTemplatesResult:
        entries = self._listed(ctx, params).resource_templates.values()
        lines = [types.ResourceTemplate(**_card(entry)) for entry in entries]
        return types.ListResourceTemplatesResult(resource_templates=lines)

    async def read_resource(self, ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        addressed = self._addressed(ctx)
        try:
            contents, dynamic = await self._library.read(
                params.uri, view=addressed.view, caller=_caller_of(addressed)
            )
        except UnknownResourceError as unknown:
            modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS
            code = types.INVALID_PARAMS if modern else _LEGACY_RESOURCE_NOT_FOUND
            raise MCPError(code, f"Resource not found: {unknown}", {"uri": params.uri}) from None
        return types.ReadResourceResult(contents=contents, ttl_ms=0 if dynamic else _TTL_MS, cache_scope="private")

    async def list_prompts(self, ctx: Context, params: ListParams) -> types.ListPromptsResult:
        entries = self._listed(ctx, params).prompts.values()
        return types.ListPromptsResult(prompts=[wire_prompt(entry) for entry in entries])

    async def get_prompt(
        self, ctx: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult | types.InputRequiredResult:
        addressed = self._addressed(ctx)
        prompt = find_prompt(params.name, addressed.view)
        caller = _caller_of(addressed)
        given, round_ = params.arguments or {}, _round(ctx, params)
        return await render(prompt, given, library=self._library, caller=caller, round_=round_)

    async def complete(self, ctx: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        addressed = self._addressed(ctx)
        caller = _caller_of(addressed)
        view, library = addressed.view, self._library
        if isinstance(params.ref, types.ResourceTemplateReference):
            return await complete_variable(params.ref.uri, params.argument, view=view, library=library, caller=caller)
        return await complete_argument(
            params.ref.name, params.argument, catalog=self._catalog, view=view, library=library, caller=caller
        )

    def _addressed(self, ctx: Context) -> Addressed:
        if ctx.request is None:
            return self._default
        addressed: Addressed = ctx.request.scope[SCOPE_KEY]
        return addressed

    def _listed(self, ctx: Context, params: ListParams) -> View:
        """Returns the view that a list is of, which has a single page. Raises MCPError for a cursor."""
        if params is not None and params.cursor is not None:
            raise MCPError(types.INVALID_PARAMS, "Unknown cursor: this list has a single page.")
        return self._addressed(ctx).view


def _card(entry: Readable) -> dict[str, Any]:
    return entry.model_dump(include={"uri", "uri_template", "name", "title", "description", "mime_type"})


def _round(ctx: Context, params: types.InputResponseRequestParams) -> Round:
    return round_of(params, version=ctx.protocol_version, capabilities=ctx.session.client_capabilities)


def _caller_of(addressed: Addressed) -> Caller:
    """Returns the caller of the request that is being served, with the trace of the current span.

    At a read-only address it may not write, whatever else it may: a tool that reads may offer more to who writes.
    """
    principal = addressed.principal
    if addressed.view.selection.read_only:
        read = (scope for scope in principal.scopes if not scope.endswith(":write"))
        principal = replace(principal, scopes=frozenset(read))
    return Caller(principal, request_id=uuid.uuid4().hex, traceparent=current_traceparent())
