"""`python -m local.stdio` over the running stack: what a desktop client that spawns a process gets."""

import asyncio
import json
import subprocess
import sys
from asyncio.subprocess import PIPE

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from local.files import ROOT
from local.stack import Stack
from tests.e2e.sample_calls import AFTER_ANOTHER, NEEDS_A_MODEL, ONE_CALL_OF_EACH
from tests.e2e.visits import ERAS, call, structured, visit
from tests.fronts import keys
from tests.house import ENVIRONMENT

pytestmark = pytest.mark.stack

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "desk", "version": "1"}},
}
CALL = {
    "jsonrpc": "2.0",
    "id": 2,
    "method": "tools/call",
    "params": {"name": "get_product", "arguments": {"model": "QMB3O"}},
}


def environment(stack: Stack) -> dict[str, str]:
    return {**ENVIRONMENT, "DATA_DIR": str(stack.data_dir), "PYTHONPATH": str(ROOT)}


@pytest.mark.parametrize("mode", ERAS)
def test_the_sdk_s_stdio_client_gets_the_tools_templates_and_answers_of_the_endpoint(stack: Stack, mode: str) -> None:
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "local.stdio"], env=environment(stack), cwd="/"
    )
    arguments = ONE_CALL_OF_EACH["search_line_items"]

    async def doing(client: Client) -> None:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names == sorted([*ONE_CALL_OF_EACH, NEEDS_A_MODEL, *AFTER_ANOTHER])
        assert (await client.read_resource("quarry://templates/quote")).contents
        answer = structured(await client.call_tool("search_line_items", arguments))
        assert answer["results"]
        seen.append(answer)

    seen: list[dict[str, object]] = []
    visit(server, doing, mode=mode)
    assert seen == [structured(call(stack.mcp, "search_line_items", dict(arguments)))]


def test_a_key_decides_whose_data_stdio_serves_and_how_much_of_it(stack: Stack) -> None:
    made = keys(stack.data_dir, "create", "desk", "--tenant", "desk", "--new-tenant", "--scopes", "equipment:read")
    key = made.splitlines()[0]
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "local.stdio"], env={**environment(stack), "KEY": key}, cwd="/"
    )

    async def doing(client: Client) -> None:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert {"search_equipment", "get_product"} <= names
        assert names.isdisjoint({"search_past_quotes", "quote_create"})
        answer = structured(await client.call_tool("search_equipment", {"query": "oilless compressor"}))
        assert answer["results"] == [], "the sample's rows are another tenant's"

    visit(server, doing)


def test_a_key_that_was_revoked_opens_no_stdio(stack: Stack) -> None:
    key = keys(stack.data_dir, "create", "gone").splitlines()[0]
    keys(stack.data_dir, "revoke", key.split("_")[1])
    command = [sys.executable, "-m", "local.stdio"]
    told = {**environment(stack), "KEY": key}
    done = subprocess.run(command, env=told, cwd="/", timeout=60, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert "it was revoked" in done.stderr


def test_standard_output_carries_mcp_and_nothing_else(stack: Stack) -> None:
    async def main() -> list[bytes]:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "local.stdio", env=environment(stack), cwd="/", stdin=PIPE, stdout=PIPE, stderr=PIPE
        )
        lines = [json.dumps(message).encode() + b"\n" for message in (HELLO, CALL)]
        assert process.stdin is not None
        assert process.stdout is not None
        async with asyncio.timeout(30):
            process.stdin.write(lines[0])
            first = await process.stdout.readline()
            process.stdin.write(lines[1])
            second = await process.stdout.readline()
            rest, _ = await process.communicate()
        assert process.returncode == 0
        return [first, second, rest]

    hello, answer, rest = asyncio.run(main())
    assert json.loads(hello)["result"]["serverInfo"]["name"] == "quarry"
    assert json.loads(answer)["result"]["isError"] is True
    assert rest == b""
