"""The OpenAI Agents SDK: an agent whose model is scripted, so that what the model would read can be seen."""

import asyncio
import json
from typing import Any

from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage
from agents.mcp import MCPServerStreamableHttp
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from tests.clients.observing import Task, refusal, saw, task


class Script(Model):
    """Calls one tool after the other, and keeps the tools it is offered and the outputs it is given."""

    def __init__(self, calls: list[dict[str, Any]]) -> None:
        self.calls = calls
        self.offered: list[str] = []
        self.outputs: list[Any] = []

    async def get_response(self, **asked: Any) -> ModelResponse:
        self.offered = [tool.name for tool in asked["tools"]]
        self.outputs = [item["output"] for item in asked["input"] if item.get("type") == "function_call_output"]
        answer: Any
        if len(self.outputs) < len(self.calls):
            call = self.calls[len(self.outputs)]
            answer = ResponseFunctionToolCall(
                type="function_call",
                call_id=f"call_{len(self.outputs)}",
                name=call["name"],
                arguments=json.dumps(call["arguments"]),
            )
        else:
            text = ResponseOutputText(type="output_text", text="done", annotations=[])
            answer = ResponseOutputMessage(
                id="1", type="message", role="assistant", status="completed", content=[text]
            )
        return ModelResponse(output=[answer], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


def server(url: str, key: str | None = None) -> MCPServerStreamableHttp:
    headers = {"headers": {"Authorization": f"Bearer {key}"}} if key else {}
    return MCPServerStreamableHttp({"url": url, **headers}, name="quarry")


async def uris(quarry: MCPServerStreamableHttp) -> list[str]:
    page = await quarry.list_resources()
    found = [str(resource.uri) for resource in page.resources]
    while page.next_cursor:
        page = await quarry.list_resources(page.next_cursor)
        found += [str(resource.uri) for resource in page.resources]
    return found


def text(output: Any) -> str:
    """The text of a tool's output as the Responses API takes it."""
    if isinstance(output, str):
        return output
    return "".join(part["text"] for part in output)


async def visit(task: Task) -> None:
    async with server(task.url) as quarry:
        saw("protocol", quarry.session.protocol_version)
        script = Script([task.search, task.failing])
        agent = Agent("writer of quotes", mcp_servers=[quarry], model=script)
        await Runner.run(agent, "Look it up.", run_config=RunConfig(tracing_disabled=True))
        saw("tools", script.offered)
        found, failed = script.outputs
        saw("search", json.loads(text(found)))
        saw("tool error", text(failed))
        saw("resources", await uris(quarry))
        saw("resource", (await quarry.read_resource(task.resource)).contents[0].text)
        saw("templated", (await quarry.read_resource(task.templated)).contents[0].text)
        prompt = await quarry.get_prompt(task.prompt["name"], task.prompt["arguments"])
        saw("prompt", "\n".join(message.content.text for message in prompt.messages))
    async with server(task.guarded_url, task.key) as quarry:
        saw("tools with a key", [tool.name for tool in await quarry.list_tools()])
    try:
        async with server(task.guarded_url, task.wrong_key) as quarry:
            await quarry.list_tools()
    except Exception as error:  # noqa: BLE001 - whichever its users would meet
        saw("refusal", refusal(error))


asyncio.run(visit(task()))
