"""FastMCP's client, in either era of the protocol."""

import asyncio

from fastmcp import Client
from fastmcp.exceptions import ToolError
from mcp_types import ResourceTemplateReference

from tests.clients.observing import Task, refusal, saw, task


async def visit(task: Task) -> None:
    async with Client(task.url, mode="auto" if task.era == "modern" else "legacy") as client:
        saw("protocol", client.protocol_version)
        saw("tools", [tool.name for tool in await client.list_tools()])
        found = await client.call_tool(task.search["name"], task.search["arguments"])
        saw("search", found.structured_content)
        try:
            await client.call_tool(task.failing["name"], task.failing["arguments"])
        except ToolError as error:
            saw("tool error", str(error))
        saw("resources", [str(resource.uri) for resource in await client.list_resources()])
        saw("resource", (await client.read_resource(task.resource))[0].text)
        saw("templated", (await client.read_resource(task.templated))[0].text)
        prompt = await client.get_prompt(task.prompt["name"], task.prompt["arguments"])
        saw("prompt", "\n".join(message.content.text for message in prompt.messages))
        reference = ResourceTemplateReference(uri=task.completion["ref"]["uri"])
        saw("completion", (await client.complete(reference, task.completion["argument"])).values)
    async with Client(task.guarded_url, auth=task.key) as client:
        saw("tools with a key", [tool.name for tool in await client.list_tools()])
    try:
        async with Client(task.guarded_url, auth=task.wrong_key) as client:
            await client.list_tools()
    except Exception as error:  # noqa: BLE001 - whichever its users would meet
        saw("refusal", refusal(error))


asyncio.run(visit(task()))
