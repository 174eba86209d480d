"""API keys on the whole stack: made by the command, taken by the front, named in what is written, revoked."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
import psycopg
import pytest

from local.environment import child_base, proxy_environment
from local.files import ROOT
from local.ports import free_port
from local.stack import Stack, require
from tests.e2e.conftest import ENVIRONMENT, House
from tests.e2e.sample_calls import ONE_CALL_OF_EACH

pytestmark = pytest.mark.stack


def keys(house: House, *words: str) -> str:
    """What the command prints."""
    environment = ENVIRONMENT | {"DATA_DIR": str(house.data_dir)}
    command = [sys.executable, "-m", "local.keys", *words]
    done = subprocess.run(command, cwd=ROOT, env=environment, timeout=60, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@contextmanager
def guarded_front(house: House) -> Iterator[str]:
    """A second proxy before the same functions, which asks for keys."""
    port = free_port()
    stack = require(house.data_dir)
    environment = child_base(ENVIRONMENT, data_dir=house.data_dir) | proxy_environment(
        stack, host="127.0.0.1", port=port
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "proxy"],
        cwd=ROOT,
        env=environment | {"AUTH_MODE": "api_key"},
        stderr=subprocess.DEVNULL,
    )
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(15)


def answer(url: str, key: str, method: str, **params: Any) -> httpx2.Response:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    deadline = time.monotonic() + 20
    while True:
        try:
            return httpx2.post(f"{url}/mcp", json=body, headers={"X-API-Key": key}, timeout=60)
        except httpx2.ConnectError:
            assert time.monotonic() < deadline
            time.sleep(0.1)


def test_a_key_opens_what_it_names_and_signs_what_it_writes(house: House, stack: Stack) -> None:
    made = keys(house, "create", "for the test", "--scopes", "cpq:read,cpq:write", "--subject", "agent:kimi")
    key = made.splitlines()[0]
    with guarded_front(house) as url:
        tools = answer(url, key, "tools/list").json()["result"]["tools"]
        assert {"quote_create", "quote_get"} <= {tool["name"] for tool in tools}
        assert "search_equipment" not in {tool["name"] for tool in tools}
        call = {
            "name": "quote_create",
            "arguments": ONE_CALL_OF_EACH["quote_create"] | {"idempotency_key": key.split("_")[1]},
        }
        created = answer(url, key, "tools/call", **call).json()["result"]
        assert created["isError"] is False, created
        quote_id = created["structuredContent"]["quote"]["id"]
        assert answer(url, key[:-1] + "_", "tools/list").status_code == 401
        assert answer(url, key, "tools/call", name="search_equipment", arguments={"query": "x"}).status_code == 403
    with psycopg.connect(stack.database.dsn) as connection:
        actors = connection.execute("SELECT actor FROM cpq.audit WHERE subject_id = %s", [quote_id]).fetchall()
    assert actors == [("agent:kimi",)]


def test_a_revoked_key_is_refused_by_a_front_that_has_not_seen_it(house: House) -> None:
    key = keys(house, "create", "short-lived").splitlines()[0]
    key_id = key.split("_")[1]
    assert f"qk_{key_id}_...  short-lived" in keys(house, "list")
    assert "revoked" in keys(house, "revoke", key_id)
    with guarded_front(house) as url:
        assert answer(url, key, "tools/list").status_code == 401


def test_a_scope_that_does_not_exist_is_named(house: House) -> None:
    environment = ENVIRONMENT | {"DATA_DIR": str(house.data_dir)}
    command = [sys.executable, "-m", "local.keys", "create", "x", "--scopes", "equipmnt:read"]
    done = subprocess.run(command, cwd=ROOT, env=environment, timeout=60, check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert "equipmnt:read. Known: " in done.stderr
