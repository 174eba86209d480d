"""tools/call: finds the tool, invokes its function and logs the call."""

import logging
import time
from collections.abc import Mapping
from typing import Any

import anyio
import mcp_types as types
from mcp import MCPError
from mcp.server.context import ServerRequestContext
from starlette.requests import Request

from proxy.caller import Caller
from proxy.catalog import ROOT, View, did_you_mean, shown
from proxy.manifest import Tool
from proxy.outcome import Failure, Function, Outcome
from proxy.runtime import Runtime
from proxy.telemetry import log

_logger = logging.getLogger(__name__)

Context = ServerRequestContext[Any, Request]


class ToolCalls:
    """Serves tools/call for one running proxy."""

    def __init__(self, runtime: Runtime) -> None:
        self._functions = runtime.functions
        self._beat_seconds = runtime.settings.progress_seconds
        self._tools = runtime.catalog.everything.tools
        self._targets = {
            name: Function(
                name,
                timeout_s=tool.timeout_s,
                repeatable=tool.repeatable,
                keyed="idempotency_key" in tool.input_schema.get("properties", {}),
            )
            for name, tool in self._tools.items()
        }

    async def outcome(
        self,
        name: str,
        given: Mapping[str, Any],
        *,
        view: View,
        caller: Caller,
        ctx: Context,
        beside: Mapping[str, Any],
    ) -> Outcome:
        """Makes one call and logs one line, whatever becomes of it. ``ctx`` gets progress if its client asked for it.

        ``beside`` is added to the arguments and replaces one of the same name. Raises MCPError for an unknown tool.
        """
        started = time.perf_counter()
        # This is logged if the client disconnects, which cancels this task.
        code = "CANCELLED"
        try:
            if name not in view.tools:
                code = "UNKNOWN_TOOL"
                raise self._unknown(name, view)
            event = {**given, **beside}
            outcome = await self._invoke(self._targets[name], event, caller=caller, ctx=ctx)
            code = outcome.code if isinstance(outcome, Failure) else "OK"
            return outcome
        finally:
            seconds = time.perf_counter() - started
            traced: dict[str, Any] = {"trace_id": caller.trace_id} if caller.trace_id else {}
            log(
                _logger,
                "tool_called",
                tool=shown(name)[1:-1],
                outcome=code,
                ms=round(seconds * 1000, 1),
                request_id=caller.request_id,
                **traced,
            )

    async def _invoke(
        self, function: Function, arguments: dict[str, Any], *, caller: Caller, ctx: Context
    ) -> Outcome:
        if ctx.meta is None or "progress_token" not in ctx.meta:
            return await self._functions.invoke(function, arguments, caller=caller)
        async with anyio.create_task_group() as group:
            group.start_soon(self._beat, function.name, ctx)
            outcome = await self._functions.invoke(function, arguments, caller=caller)
            group.cancel_scope.cancel()
        return outcome

    async def _beat(self, tool: str, ctx: Context) -> None:
        """Reports the seconds waited until cancelled, with no total, as nobody knows how long the rest takes."""
        started = time.monotonic()
        while True:
            await anyio.sleep(self._beat_seconds)
            await ctx.session.report_progress(round(time.monotonic() - started, 3), None, f"{tool} is running")

    def _unknown(self, name: str, view: View) -> MCPError:
        if (tool := self._tools.get(name)) is not None:
            message = f"Tool '{name}' is not available here: {_reason(tool, view)}."
            return MCPError(types.INVALID_PARAMS, message)
        hint = did_you_mean(name, list(view.tools), noun="tools")
        return MCPError(types.INVALID_PARAMS, f"Unknown tool {shown(name)}. {hint}")


def _reason(tool: Tool, view: View) -> str:
    if tool.toolset not in view.selection.toolsets:
        return f"toolset '{tool.toolset}' is not selected"
    if view.selection.read_only and not tool.read_only:
        return "it writes, and this endpoint is read-only"
    if view.selection.tools is not None and tool.name not in view.selection.tools:
        return f"this address serves a choice of tools, {ROOT} all"
    return f"scope '{tool.scope}' is needed"
