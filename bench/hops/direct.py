"""Callers that speak no MCP: boto3's Invoke, and the very SQL that a warm call sends.

`python -m bench.hops.direct {boto3 URL|sql}` takes orders as the load generator does. Threads, because both
clients block; each has a client or a connection of its own.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from typing import Any
from unittest.mock import patch

from bench.hops.load import Measured, summary
from bench.hops.tool import ARGUMENTS, EXPECT, NAME

Ask = Callable[[], object]


@contextmanager
def boto3_invoke(url: str) -> Iterator[Ask]:
    import boto3  # the other caller does not need it
    from botocore.config import Config

    client: Any = boto3.client(
        "lambda",
        endpoint_url=url,
        region_name="us-east-1",
        aws_access_key_id="local",
        aws_secret_access_key="local",  # noqa: S106 - the local Lambda API looks at no key
        config=Config(proxies={}),
    )
    payload = json.dumps(ARGUMENTS)

    def ask() -> None:
        answer = client.invoke(FunctionName=f"quarry-{NAME}", Qualifier="live", Payload=payload)["Payload"].read()
        if EXPECT.encode() not in answer:
            raise AssertionError(answer)

    yield ask
    client.close()


@contextmanager
def bare_sql() -> Iterator[Ask]:
    """The statements of one warm call, recorded from the function itself and sent again as it sends them."""
    from pgvector.psycopg import register_vector

    from quarry.data import database
    from quarry.data.settings import settings

    reads = _warm_reads()
    connection = database.connect(settings())
    register_vector(connection)

    def ask() -> None:
        for tenant, queries, keep_plans in reads:
            enter = database.ENTER_AND_KEEP_PLANS if keep_plans else database.ENTER
            with connection.pipeline():
                connection.execute(enter, {"tenant": tenant, "label": "bench"}, prepare=True)
                cursors = [connection.execute(*query, prepare=True, binary=True) for query in queries]
            if not cursors[-1].fetchall():
                raise AssertionError("no rows")

    yield ask
    connection.close()


def _warm_reads() -> list[tuple[str, list[Any], bool]]:
    from equipment.search_equipment import SearchEquipmentArgs, run
    from quarry.data import database
    from quarry.data.settings import settings
    from quarry.tool.identity import Caller

    recorded: list[tuple[str, list[Any], bool]] = []
    fetch_each = database.fetch_each

    def recording(tenant: str, queries: list[Any], *, keep_plans: bool = False) -> object:
        recorded.append((tenant, queries, keep_plans))
        return fetch_each(tenant, queries, keep_plans=keep_plans)

    caller = Caller(tenant=settings().default_tenant, request_id="bench")
    arguments = SearchEquipmentArgs.model_validate(ARGUMENTS)
    run(arguments, caller)
    with patch.object(database, "fetch_each", recording):
        run(arguments, caller)
    if not recorded:
        raise AssertionError("the call sent no statement")
    return recorded


def measure(make: Callable[[], Any], *, clients: int, seconds: float) -> Measured:
    with ExitStack() as stack, ThreadPoolExecutor(clients) as pool:
        asks = [stack.enter_context(make()) for _ in range(clients)]
        for ask in asks:
            ask()
        started = time.perf_counter()
        until = started + seconds
        latencies = [latency for own in pool.map(lambda ask: _repeat(ask, until=until), asks) for latency in own]
        return summary(latencies, elapsed=time.perf_counter() - started, wrong=[])


def _repeat(ask: Ask, *, until: float) -> list[float]:
    latencies: list[float] = []
    now = time.perf_counter()
    while now < until:
        ask()
        after = time.perf_counter()
        latencies.append((after - now) * 1000)
        now = after
    return latencies


def main() -> None:
    kind, *rest = sys.argv[1:]
    make: Callable[[], Any] = (lambda: boto3_invoke(rest[0])) if kind == "boto3" else bare_sql
    for line in sys.stdin:
        order = json.loads(line)
        print(json.dumps(asdict(measure(make, clients=order["clients"], seconds=order["seconds"]))), flush=True)


if __name__ == "__main__":
    main()
