"""LangChain's adapters: tools, resources and prompts in LangChain's own shapes."""

import asyncio

from langchain_mcp_adapters.client import MultiServerMCPClient

from tests.clients.observing import Task, refusal, saw, task


def client_of(url: str, key: str | None = None) -> MultiServerMCPClient:
    headers = {"headers": {"X-API-Key": key}} if key else {}
    return MultiServerMCPClient({"quarry": {"transport": "streamable_http", "url": url, **headers}})


async def visit(task: Task) -> None:
    client = client_of(task.url)
    saw("protocol", (await client.get_server_info())["quarry"].protocolVersion)
    tools = {tool.name: tool for tool in await client.get_tools()}
    saw("tools", list(tools))
    message = await tools[task.search["name"]].ainvoke({"type": "tool_call", "id": "1", **called(task.search)})
    saw("search", message.artifact["structured_content"])
    message = await tools[task.failing["name"]].ainvoke({"type": "tool_call", "id": "2", **called(task.failing)})
    assert message.status == "error", message
    saw("tool error", message.content if isinstance(message.content, str) else message.content[0]["text"])
    saw("resources", [str(blob.metadata["uri"]) for blob in await client.get_resources("quarry")])
    (blob,) = await client.get_resources("quarry", uris=task.resource)
    saw("resource", blob.as_string())
    (blob,) = await client.get_resources("quarry", uris=task.templated)
    saw("templated", blob.as_string())
    prompt = await client.get_prompt("quarry", task.prompt["name"], arguments=task.prompt["arguments"])
    saw("prompt", "\n".join(message.content for message in prompt))
    saw("tools with a key", [tool.name for tool in await client_of(task.guarded_url, task.key).get_tools()])
    try:
        await client_of(task.guarded_url, task.wrong_key).get_tools()
    except Exception as error:  # noqa: BLE001 - whichever its users would meet
        saw("refusal", refusal(error))


def called(call: dict[str, object]) -> dict[str, object]:
    return {"name": call["name"], "args": call["arguments"]}


asyncio.run(visit(task()))
