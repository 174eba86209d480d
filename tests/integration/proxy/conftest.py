"""Real parts for the proxy's tests: a proxy process, a scripted Lambda API, moto's S3."""

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import boto3
import httpx2
import pytest
from moto.server import ThreadedMotoServer

from tests.integration.proxy import scripted_lambda
from tests.integration.proxy.scripted_lambda import ScriptedLambda

ROOT = Path(__file__).parents[3]
MANIFEST = ROOT / "tests" / "fixtures" / "proxy_manifest.json"
BUCKET = "workbench-templates"
MODERN = "2026-07-28"
_META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
}
_NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_OBJECTS = {
    "letter.md": "---\nuri: workbench://letter\ntitle: Letter\n---\n\n# Order\n\nDear supplier,\n",
    "sheets/compressor.md": "---\ntitle: Compressor\n---\nPressure: [PSI]\n",
    "sheets/blower.md": "Flow: [CFM]\n",
    "garbled.md": "\udcff",
    "prompts/draft_order.md": "---\nprompt: draft_order\n---\nOrder {{need}} in a {{ tone }} tone. {{need}}!\n",
}


def request_parts(method: str, name: str | None = None) -> tuple[dict[str, Any], dict[str, str]]:
    """`_meta` and headers that every 2026-07-28 request carries."""
    headers = {"MCP-Protocol-Version": MODERN, "Mcp-Method": method}
    return dict(_META), headers | ({"Mcp-Name": name} if name else {})


def soon(condition: Callable[[], bool]) -> bool:
    """Whether `condition` comes true within a minute: another process's log line or hang-up takes a moment."""
    deadline = time.monotonic() + 60
    while not (met := condition()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return met


@dataclass
class Proxy:
    """A running proxy process, and raw JSON-RPC over HTTP to it."""

    url: str
    process: subprocess.Popen[str]
    log: list[str] = field(default_factory=list)
    http: httpx2.Client = field(default_factory=lambda: httpx2.Client(timeout=30))

    def modern(
        self,
        method: str,
        params: dict[str, Any] | None = None,
        *,
        path: str = "/mcp",
        headers: dict[str, str] | None = None,
        meta: dict[str, Any] | None = None,
    ) -> httpx2.Response:
        params = params or {}
        envelope, sent = request_parts(method, params.get(_NAMED_BY.get(method, "")))
        params = {**params, "_meta": {**envelope, **(meta or {})}}
        return self.post(path, method, params, {"Accept": "application/json"} | sent | (headers or {}))

    def legacy(
        self,
        method: str,
        params: dict[str, Any] | None = None,
        *,
        path: str = "/mcp",
        headers: dict[str, str] | None = None,
    ) -> httpx2.Response:
        sent = {"Accept": "application/json, text/event-stream"}
        return self.post(path, method, params or {}, sent | (headers or {}))

    def post(self, path: str, method: str, params: dict[str, Any], headers: dict[str, str]) -> httpx2.Response:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return self.http.post(self.url + path, json=body, headers=headers)

    def call(self, tool: str, arguments: dict[str, Any], **options: Any) -> dict[str, Any]:
        """The result of a modern tools/call."""
        headers = {"Mcp-Param-Number": arguments["number"]} if tool == "get_part" else {}
        headers |= options.pop("headers", {})
        params = {"name": tool, "arguments": arguments}
        response = self.modern("tools/call", params, headers=headers, **options)
        result: dict[str, Any] = response.json()["result"]
        return result

    def events(self, name: str) -> list[dict[str, Any]]:
        return [event for line in self.log if (event := json.loads(line))["event"] == name]


@pytest.fixture(scope="session")
def _lambda_api() -> Iterator[ScriptedLambda]:
    scripted = ScriptedLambda()
    stop = scripted_lambda.serve(scripted)
    yield scripted
    stop.set()


@pytest.fixture
def functions(_lambda_api: ScriptedLambda) -> ScriptedLambda:
    _lambda_api.clear()
    return _lambda_api


@pytest.fixture(scope="session")
def s3_url() -> Iterator[str]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    url = f"http://{host}:{port}"
    client = boto3.client(
        "s3",
        endpoint_url=url,
        region_name="us-east-1",
        aws_access_key_id=scripted_lambda.ACCESS_KEY,
        aws_secret_access_key=scripted_lambda.SECRET_KEY,
    )
    client.create_bucket(Bucket=BUCKET)
    for key, text in _OBJECTS.items():
        client.put_object(Bucket=BUCKET, Key=f"templates/{key}", Body=text.encode(errors="surrogateescape"))
    yield url
    server.stop()


@pytest.fixture(scope="session")
def environment(_lambda_api: ScriptedLambda, s3_url: str) -> dict[str, str]:
    """The whole environment of a proxy process."""
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "PORT": "0",
        "MANIFEST_PATH": str(MANIFEST),
        "AWS_ENDPOINT_URL_LAMBDA": _lambda_api.url,
        "AWS_ENDPOINT_URL_S3": s3_url,
        "AWS_REGION": scripted_lambda.REGION,
        "AWS_ACCESS_KEY_ID": scripted_lambda.ACCESS_KEY,
        "AWS_SECRET_ACCESS_KEY": scripted_lambda.SECRET_KEY,
        "TEMPLATE_BUCKET": BUCKET,
        "DEFAULT_TENANT": "acme",
        "PROGRESS_SECONDS": "0.1",
        "DEADLINE_MARGIN_SECONDS": "0.1",
    }


StartProxy = Callable[..., contextlib.AbstractContextManager[Proxy]]


@pytest.fixture(scope="session")
def start_proxy(environment: dict[str, str]) -> StartProxy:
    @contextlib.contextmanager
    def start(module: str = "proxy", **overrides: str) -> Iterator[Proxy]:
        process = subprocess.Popen(
            [sys.executable, "-m", module], env=environment | overrides, stderr=subprocess.PIPE, text=True
        )
        log: list[str] = []
        assert process.stderr is not None
        threading.Thread(target=lambda: log.extend(iter(process.stderr.readline, "")), daemon=True).start()  # type: ignore[union-attr]
        try:
            yield Proxy(_address(process, log), process, log)
        finally:
            process.terminate()
            process.wait(60)

    return start


def _address(process: subprocess.Popen[str], log: list[str]) -> str:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        for line in list(log):
            if '"listening"' in line:
                return f"http://127.0.0.1:{json.loads(line)['port']}"
        time.sleep(0.01)
    raise AssertionError("the proxy did not start:\n" + "".join(log))


@pytest.fixture(scope="session")
def _shared_proxy(start_proxy: StartProxy) -> Iterator[Proxy]:
    with start_proxy() as proxy:
        yield proxy


@pytest.fixture
def proxy(_shared_proxy: Proxy, functions: ScriptedLambda) -> Proxy:
    """The shared proxy, with a Lambda API that has nothing scripted yet."""
    _shared_proxy.log.clear()
    return _shared_proxy
