"""The process: health, readiness, start-up refusals, signals."""

import asyncio
import signal
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest

from proxy.app import create_app
from proxy.settings import Settings
from tests.integration.proxy.conftest import MANIFEST, Proxy, StartProxy
from tests.integration.proxy.scripted_lambda import ScriptedLambda, Step


def test_health_needs_no_backend_and_readiness_does(start_proxy: StartProxy) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        dead = f"http://127.0.0.1:{unused.getsockname()[1]}"
        with start_proxy(AWS_ENDPOINT_URL_LAMBDA=dead) as proxy:
            health = proxy.http.get(f"{proxy.url}/healthz")
            assert health.json() == {"status": "ok", "version": "9.8.7", "tools": 4}
            ready = proxy.http.get(f"{proxy.url}/readyz")
            assert (ready.status_code, ready.json()["lambda"]) == (503, "unreachable")
            message = proxy.call("place_order", {"number": "A"})["content"][0]["text"]
            assert "was not run: the function service cannot be reached" in message


def test_a_reachable_lambda_endpoint_is_ready(proxy: Proxy) -> None:
    assert proxy.http.get(f"{proxy.url}/readyz").json() == {"status": "ready"}


def test_sigterm_finishes_the_call_in_flight_and_exits_with_0(
    start_proxy: StartProxy, functions: ScriptedLambda
) -> None:
    functions.script["get_part"] = [Step(result={"n": 1}, seconds=0.6)]
    with start_proxy() as proxy:
        results: list[object] = []
        call = threading.Thread(target=lambda: results.append(proxy.call("get_part", {"number": "A"})))
        call.start()
        while not functions.calls:
            call.join(0.02)
        proxy.process.send_signal(signal.SIGTERM)
        call.join(60)
        assert isinstance(results[0], dict)
        assert results[0]["structuredContent"] == {"n": 1}
        assert proxy.process.wait(60) == 0


def test_a_call_that_finds_no_slot_is_told_it_was_not_run(start_proxy: StartProxy, functions: ScriptedLambda) -> None:
    functions.script["get_part"] = [Step(result={"n": 1}, seconds=0.5)]
    with start_proxy(MAX_CONCURRENT_CALLS_PER_TOOL="1", QUEUE_SECONDS="0.05") as proxy, ThreadPoolExecutor(3) as pool:
        futures = [pool.submit(proxy.call, "get_part", {"number": "A"}) for _ in range(3)]
        texts = sorted(future.result()["content"][0]["text"] for future in futures)
        assert [text for text in texts if "too many calls are in progress" in text] == texts[:2]
        assert proxy.call("find_parts", {"query": "x"})["isError"] is False


def test_a_taken_port_is_named_with_a_way_out(environment: dict[str, str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = _run(environment | {"PORT": port})
    assert done.returncode == 1
    assert f"port {port} on 127.0.0.1 is in use" in done.stderr
    assert "PORT=" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_app_serves_again_after_its_lifespan_ended(
    environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, environment[name])
    settings = Settings(
        manifest_path=MANIFEST,
        aws_endpoint_url_lambda=environment["AWS_ENDPOINT_URL_LAMBDA"],
        aws_endpoint_url_s3=environment["AWS_ENDPOINT_URL_S3"],
    )
    app = create_app(settings)
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}

    async def once() -> int:
        transport = httpx2.ASGITransport(app)
        async with (
            app.router.lifespan_context(app),
            httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client,
        ):
            return len((await client.post("/mcp", json=body)).json()["result"]["tools"])

    assert [asyncio.run(once()) for _ in range(2)] == [4, 4]


def _run(environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "proxy"], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
