"""An invocation over a real socket whose other side answers as the test wants, well or badly."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from botocore.credentials import Credentials

from proxy.caller import Caller, Principal
from proxy.invocation import LambdaClient, Signer
from proxy.outcome import Failure, Function, Outcome
from proxy.settings import Settings

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n" + b'{"n":1}'
HANG_UP = b"<hang up>"
READ = Function("read", timeout_s=5, repeatable=True)
WRITE = Function("write", timeout_s=5, repeatable=False)
CALLER = Caller(Principal("acme", "s", frozenset()), request_id="r")
DONE = {"n": 1}


class Server:
    """Sends `answers` in turn, one per request, and hangs up after the last or one that ends in HANG_UP."""

    def __init__(self, answers: list[bytes]) -> None:
        self.answers = answers
        self.connections = 0
        self.requests = 0
        self.asked = asyncio.Event()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        while await reader.readline():
            self.requests += 1
            while (line := await reader.readline()) != b"\r\n":
                if line.lower().startswith(b"content-length:"):
                    size = int(line.partition(b":")[2])
            await reader.readexactly(size)
            self.asked.set()
            answer = self.answers.pop(0)
            for part in answer.removesuffix(HANG_UP).partition(b"|"):
                writer.write(part.strip(b"|"))
                await asyncio.sleep(0.01)
            if answer.endswith(HANG_UP) or not self.answers:
                break
        writer.close()


@asynccontextmanager
async def client_of(endpoint: str, **settings: Any) -> AsyncIterator[LambdaClient]:
    signer = Signer(Credentials("AKID", "secret"), region="r")
    client = LambdaClient(Settings(**settings), endpoint=endpoint, signer=signer)
    try:
        yield client
    finally:
        await client.close()


@asynccontextmanager
async def talking(*answers: bytes, **settings: Any) -> AsyncIterator[tuple[LambdaClient, Server]]:
    server = Server(list(answers))
    listener = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    try:
        async with client_of(f"http://127.0.0.1:{port}", **settings) as client:
            yield client, server
    finally:
        listener.close()


async def call(client: LambdaClient, function: Function = READ) -> Outcome:
    return await client.invoke(function, {}, caller=CALLER)


def said(outcome: Outcome) -> str:
    assert isinstance(outcome, Failure)
    return outcome.message


@pytest.mark.parametrize(
    "answer",
    [
        OK,
        b"HTTP/1.1 200 OK\r\nContent-Le|ngth: 7\r\n\r\n" + b'{"n":1}',
        b'HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n{"n"|:1}',
        b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{"n\r\n|4\r\n":1}\r\n0\r\n\r\n',
        b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n|" + OK,
    ],
)
def test_an_answer_is_put_together_however_it_arrives(answer: bytes) -> None:
    async def main() -> None:
        async with talking(answer, OK) as (client, server):
            assert [await call(client) for _ in "ab"] == [DONE, DONE]
            assert server.connections == 1

    asyncio.run(main())


def test_a_call_that_must_not_run_twice_neither_takes_a_kept_connection_nor_leaves_one() -> None:
    async def main() -> None:
        async with talking(OK, OK, OK, OK, OK) as (client, server):
            for function, opened in ((READ, 1), (WRITE, 2), (WRITE, 3), (READ, 3)):
                assert await call(client, function) == DONE
                assert server.connections == opened

    asyncio.run(main())


def test_kept_connections_can_be_forgotten() -> None:
    async def main() -> None:
        async with talking(OK, OK, OK) as (client, server):
            await call(client)
            await client.forget_connections()
            assert await call(client) == DONE
            assert server.connections == 2

    asyncio.run(main())


@pytest.mark.parametrize("begun", [b"", b"HTTP/1.1 200 OK\r\nContent-Le", b"SMTP ready\r\n\r\n", OK[:-1]])
def test_an_answer_that_never_comes_whole_is_asked_for_again_only_by_readers(begun: bytes) -> None:
    answer = begun + HANG_UP

    async def main() -> None:
        async with talking(answer, OK, OK) as (client, server):
            assert await call(client) == DONE
            assert server.requests == 2
        async with talking(answer, OK, OK) as (client, server):
            assert "lost its connection; request id r. Its outcome is unknown" in said(await call(client, WRITE))
            assert server.requests == 1

    asyncio.run(main())


@pytest.mark.parametrize("body", [b"x" * 11, b"x" * 8 + b"|xxx"])
@pytest.mark.parametrize("declared", [True, False])
def test_a_body_beyond_the_bound_is_refused_and_the_next_call_is_answered(body: bytes, declared: bool) -> None:
    head = b"HTTP/1.1 200 OK\r\n" + (b"Content-Length: 11" if declared else b"Connection: close") + b"\r\n\r\n"

    async def main() -> None:
        async with talking(head + body, OK, OK, max_response_bytes=10) as (client, server):
            assert "exceeds 10 bytes" in said(await call(client))
            assert await call(client) == DONE
            assert server.requests == 2

    asyncio.run(main())


def test_a_caller_that_gives_up_leaves_no_answer_for_the_next() -> None:
    async def main() -> None:
        async with talking(b"|" + OK.replace(b'"n":1', b'"n":2'), OK, OK) as (client, server):
            given_up = asyncio.create_task(call(client))
            await server.asked.wait()
            given_up.cancel()
            with pytest.raises(asyncio.CancelledError):
                await given_up
            assert await call(client) == DONE
            assert server.connections == 2

    asyncio.run(main())


@pytest.mark.parametrize("endpoint", ["http://127.0.0.1:1", "http://nowhere.invalid"])
def test_where_nobody_can_be_reached_nothing_was_run(endpoint: str) -> None:
    async def main() -> None:
        async with client_of(endpoint) as client:
            assert not await client.reachable()
            for function in (READ, WRITE):
                outcome = await call(client, function)
                assert "was not run: the function service cannot be reached" in said(outcome)
                assert isinstance(outcome, Failure)
                assert outcome.retryable

    asyncio.run(main())
