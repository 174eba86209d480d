"""`make bench-fair`: what one tenant with 180 clients on 25 keys costs another, on a stack of their own.

The crowd asks ever new questions of the sample corpus, and asks again at once whatever it was told. Its neighbour
asks one question after the other, first alone and then beside the crowd: its p95 may be three times what it was, and
no answer of its may be an error. Then the crowd comes in through several fronts that count its requests together, as
on AWS: what they serve, beside what the rate allows.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import aiohttp

from bench.hops.messages import tools_call
from local import corpus_loader
from local.files import ROOT
from local.keys import every_scope
from local.stack import Stack, invoke
from proxy.shared_rate import GRACE, LASTS_SECONDS
from tests.fronts import front
from tests.house import new_house

CLIENTS = 180
KEYS = 25
FRONTS = (1, 2, 6)
CROWD = "default"
NEIGHBOUR = "neighbour"
MOST = 3.0
"""How many times its quiet p95 the neighbour may wait."""

THINKING_S = 0.05
QUESTIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("search_equipment", {"query": "oilless compressor 30 hp", "top_k": 5}),
    ("search_equipment", {"query": "refrigerated dryer for 400 cfm"}),
    ("get_specs", {"models": ["QMB30", "Q$ync 100"]}),
    ("quote_list", {}),
)


@dataclass
class Answers:
    seconds: list[float] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)

    def percentile(self, share: float) -> float:
        return sorted(self.seconds)[int(share * (len(self.seconds) - 1))]


async def _ask(
    http: aiohttp.ClientSession, url: str, key: str, *, tool: str, arguments: Mapping[str, Any]
) -> tuple[str, float]:
    """What came of it, and the seconds."""
    plain = tools_call(url, era="modern")
    message = json.loads(plain.body)
    message["params"] |= {"name": tool, "arguments": arguments}
    headers = {**plain.headers, "Mcp-Name": tool, "Authorization": f"Bearer {key}"}
    started = time.perf_counter()
    try:
        async with http.post(url, data=json.dumps(message), headers=headers) as response:
            body = await response.text()
            seconds = time.perf_counter() - started
            if response.status != 200:
                return str(response.status), seconds
            result = json.loads(body).get("result", {})
            if not result.get("isError"):
                return "ok", seconds
            text = result["content"][0]["text"]
            # A model that is not there is an answer as well; what fails is told by these words.
            return ("ok", seconds) if "NOT_FOUND" in text else (text[:60], seconds)
    except (aiohttp.ClientError, TimeoutError) as error:
        return type(error).__name__, time.perf_counter() - started


async def _storm(urls: list[str], keys: list[str], *, seconds: float) -> Counter[str]:
    outcomes, numbers, end = Counter[str](), count(), time.monotonic() + seconds

    async def client(http: aiohttp.ClientSession, url: str, key: str) -> None:
        while time.monotonic() < end:
            number = next(numbers)
            tool = ("search_line_items", "search_equipment")[number % 2]
            arguments = {"query": f"oilless compressor for job {number}", "top_k": 10}
            outcome, _ = await _ask(http, url, key, tool=tool, arguments=arguments)
            outcomes[outcome] += 1

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as http:
        await asyncio.gather(*(client(http, urls[n % len(urls)], keys[n % len(keys)]) for n in range(CLIENTS)))
    return outcomes


async def _neighbour(url: str, key: str, *, seconds: float) -> Answers:
    answers, end = Answers(), time.monotonic() + seconds
    async with aiohttp.ClientSession() as http:
        for number in count():
            if time.monotonic() > end:
                return answers
            tool, arguments = QUESTIONS[number % len(QUESTIONS)]
            outcome, took = await _ask(http, url, key, tool=tool, arguments=arguments)
            answers.seconds.append(took)
            answers.outcomes[outcome] += 1
            await asyncio.sleep(THINKING_S)
    raise AssertionError


def _key(stack: Stack, tenant: str, name: str) -> str:
    event = {"action": "create", "tenant": tenant, "name": name, "scopes": every_scope(), "new_tenant": True}
    key: str = invoke(stack, "api_keys", event)["key"]
    return key


def _silently(line: str) -> None:
    """Where nobody watches the progress."""


def run(stack: Stack, *, seconds: float) -> int:
    crowd = [_key(stack, CROWD, f"crowd {n}") for n in range(KEYS)]
    mine = _key(stack, NEIGHBOUR, "neighbour")
    corpus_loader.ingest(stack, corpus_loader.CORPUS / "products.csv", kind="products", tenant=NEIGHBOUR)
    corpus_loader.drain(stack, on_progress=_silently)
    asyncio.run(_neighbour(stack.mcp, mine, seconds=3))  # what starts once is started
    quiet = asyncio.run(_neighbour(stack.mcp, mine, seconds=seconds))
    command = [sys.executable, "-m", "bench.fair", "--storm", stack.mcp, "--seconds", str(seconds + 5)]
    storm = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert storm.stdin is not None
    storm.stdin.write(json.dumps(crowd))
    storm.stdin.close()
    time.sleep(2)
    beside = asyncio.run(_neighbour(stack.mcp, mine, seconds=seconds))
    assert storm.stdout is not None
    told = storm.stdout.read()
    storm.wait(60)
    print(f"The crowd, {CLIENTS} clients on {KEYS} keys, in {seconds + 5:.0f} s: {told.strip()}")
    print("\n| the neighbour | calls | p50 ms | p95 ms | most ms | outcomes |\n|---|---|---|---|---|---|")
    for name, answers in (("alone", quiet), ("beside the crowd", beside)):
        figures = " | ".join(f"{answers.percentile(share) * 1000:.0f}" for share in (0.5, 0.95, 1))
        print(f"| {name} | {len(answers.seconds)} | {figures} | {dict(answers.outcomes)} |")
    times = beside.percentile(0.95) / quiet.percentile(0.95)
    errors = sum(number for outcome, number in beside.outcomes.items() if outcome != "ok")
    print(f"\np95 beside the crowd: {times:.1f} times that alone, at most {MOST:.0f}; errors: {errors}.")
    return 0 if times <= MOST and not errors else 1


def run_together(stack: Stack, *, seconds: float) -> int:
    """How many fronts served more than the rate of a tenant allows them together."""
    keys = [_key(stack, CROWD, f"together {n}") for n in range(KEYS)]
    settings = {"AUTH_MODE": "api_key", "SHARE_TENANT_RATES": "true", "RATE_PER_MINUTE": "120", "RATE_BURST": "20"}
    per_second, burst = 5 * 120 / 60, 5 * 20
    print(f"\nA tenant may have {per_second:.0f} requests a second and {burst} at once.")
    print("\n| fronts | seconds | by the rate | at most, as said | served | of the rate |\n|---|---|---|---|---|---|")
    beyond = 0
    for number in FRONTS:
        time.sleep(burst / per_second)  # the tenant's burst is whole again
        with ExitStack() as open_fronts:
            urls = [f"{open_fronts.enter_context(front(stack.data_dir, **settings))}/mcp" for _ in range(number)]
            began = time.monotonic()
            served = asyncio.run(_storm(urls, keys, seconds=seconds))["ok"]
            took = time.monotonic() - began
        rates = burst + per_second * took
        most = rates + per_second * LASTS_SECONDS + GRACE * number
        beyond += served > most
        print(f"| {number} | {took:.1f} | {rates:.0f} | {most:.0f} | {served} | {served / rates:.2f} |", flush=True)
    return beyond


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.fair", description=__doc__)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--storm", metavar="URL", help="be the crowd; its keys come on stdin")
    options = parser.parse_args()
    if options.storm:
        print(dict(asyncio.run(_storm([options.storm], json.loads(sys.stdin.read()), seconds=options.seconds))))
        return 0
    with new_house() as house:
        house.stop()
        stack = house.start(AUTH_MODE="api_key")
        return run(stack, seconds=options.seconds) + run_together(stack, seconds=options.seconds)


if __name__ == "__main__":
    sys.exit(main())
