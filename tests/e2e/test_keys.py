"""API keys on the whole stack: made by the command, taken by the front, named in what is written, revoked."""

import subprocess
import sys
import time
from typing import Any

import httpx2
import psycopg
import pytest

from local.files import ROOT
from local.stack import Stack
from proxy.shared_rate import GRACE, LASTS_SECONDS
from tests.e2e.sample_calls import ONE_CALL_OF_EACH
from tests.fronts import front, guarded_front, keys
from tests.house import ENVIRONMENT, House

pytestmark = pytest.mark.stack


def answer(url: str, key: str, method: str, **params: Any) -> httpx2.Response:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return httpx2.post(f"{url}/mcp", json=body, headers={"X-API-Key": key}, timeout=60)


def test_a_key_opens_what_it_names_and_signs_what_it_writes(house: House, stack: Stack) -> None:
    made = keys(house.data_dir, "create", "for the test", "--scopes", "cpq:read,cpq:write", "--subject", "agent:kimi")
    key = made.splitlines()[0]
    with guarded_front(house.data_dir) as url:
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
    key = keys(house.data_dir, "create", "short-lived").splitlines()[0]
    key_id = key.split("_")[1]
    assert f"qk_{key_id}_...  short-lived" in keys(house.data_dir, "list")
    assert "revoked" in keys(house.data_dir, "revoke", key_id)
    with guarded_front(house.data_dir) as url:
        assert answer(url, key, "tools/list").status_code == 401


def test_two_fronts_together_serve_a_tenant_no_more_than_its_rate(house: House) -> None:
    key = keys(house.data_dir, "create", "for two fronts").splitlines()[0]
    limits = {"RATE_PER_MINUTE": "120", "RATE_BURST": "20", "TENANT_RATE_FACTOR": "1", "REFUSAL_HOLD_SECONDS": "0"}
    settings = {"AUTH_MODE": "api_key", "SHARE_TENANT_RATES": "true", **limits}
    with front(house.data_dir, **settings) as one, front(house.data_dir, **settings) as other:
        for url in (one, other):
            assert answer(url, key, "ping").status_code == 200
        began = time.monotonic()
        served = refused = 0
        while time.monotonic() < began + 60 and min(served, refused) < 25:
            statuses = [answer(url, key, "ping").status_code for url in (one, other)]
            served, refused = served + statuses.count(200), refused + statuses.count(429)
        bound = 20 + 2 * (time.monotonic() - began + LASTS_SECONDS) + 2 * GRACE
    assert (served + 2 <= bound, refused > 0) == (True, True)


def test_a_scope_that_does_not_exist_is_named(house: House) -> None:
    environment = ENVIRONMENT | {"DATA_DIR": str(house.data_dir)}
    command = [sys.executable, "-m", "local.keys", "create", "x", "--scopes", "equipmnt:read"]
    done = subprocess.run(command, cwd=ROOT, env=environment, timeout=60, check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert "equipmnt:read. Known: " in done.stderr
