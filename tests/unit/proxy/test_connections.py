"""Connections to one origin, against a real socket that answers as the test wants."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from proxy.connections import ConnectionLostError, Connections, Origin, UnreachableError

ASK = b"POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n"
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"


class Server:
    """Sends `answers` in turn, one per request, and hangs up after the last; None hangs up without a word."""

    def __init__(self, answers: list[bytes | None]) -> None:
        self.answers = answers
        self.connections = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        while await reader.readline():
            while await reader.readline() != b"\r\n":
                pass
            answer = self.answers.pop(0)
            if answer is None:
                break
            for part in answer.partition(b"|"):
                writer.write(part.strip(b"|"))
                await asyncio.sleep(0.01)
            if not self.answers:
                break
        writer.close()


@asynccontextmanager
async def talking(*answers: bytes | None, idle_seconds: float = 30) -> AsyncIterator[tuple[Connections, Server]]:
    server = Server(list(answers))
    listener = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    origin = Origin.of(f"http://127.0.0.1:{port}")
    connections = Connections(origin, connect_seconds=1, idle_seconds=idle_seconds)
    try:
        yield connections, server
    finally:
        connections.close()
        listener.close()


def test_an_origin_names_the_port_only_where_it_is_unusual() -> None:
    assert Origin.of("https://lambda.eu-west-1.amazonaws.com").authority == "lambda.eu-west-1.amazonaws.com"
    assert Origin.of("http://[::1]:9/lambda") == Origin(False, "::1", 9, "[::1]:9", "/lambda")


@pytest.mark.parametrize(
    "answer",
    [
        OK,
        b"HTTP/1.1 200 OK\r\nContent-Le|ngth: 2\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{|}",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n|1\r\n}\r\n0\r\n\r\n",
        b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n|" + OK,
    ],
)
def test_an_answer_is_put_together_however_it_arrives(answer: bytes) -> None:
    async def main() -> None:
        async with talking(answer, OK) as (connections, server):
            for _ in "ab":
                got = await connections.send(ASK, most=100)
                assert (got.status, got.body) == (200, b"{}")
            assert server.connections == 1

    asyncio.run(main())


@pytest.mark.parametrize(
    ("answer", "renewed"),
    [
        (b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}", True),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}", True),
        (OK + b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nothers", True),
        (OK, False),
    ],
)
def test_a_connection_is_kept_only_where_the_next_answer_will_be_ones_own(answer: bytes, renewed: bool) -> None:
    async def main() -> None:
        async with talking(answer, OK) as (connections, server):
            await connections.send(ASK, most=100)
            await asyncio.sleep(0.05)
            assert (await connections.send(ASK, most=100)).body == b"{}"
            assert server.connections == 1 + renewed

    asyncio.run(main())


def test_a_fresh_connection_is_neither_taken_from_the_kept_nor_added_to_them() -> None:
    async def main() -> None:
        async with talking(OK, OK, OK, OK) as (connections, server):
            for fresh, opened in ((False, 1), (True, 2), (False, 2), (True, 3)):
                await connections.send(ASK, most=100, fresh=fresh)
                assert server.connections == opened

    asyncio.run(main())


def test_a_connection_that_idled_too_long_is_not_used_again() -> None:
    async def main() -> None:
        async with talking(OK, OK, idle_seconds=0.05) as (connections, server):
            await connections.send(ASK, most=100)
            await asyncio.sleep(0.1)
            await connections.send(ASK, most=100)
            assert server.connections == 2

    asyncio.run(main())


@pytest.mark.parametrize("body", [b"x" * 11, b"x" * 8 + b"|xxx"])
def test_a_body_beyond_the_bound_is_dropped_with_its_connection(body: bytes) -> None:
    size = len(body.replace(b"|", b""))

    async def main() -> None:
        async with talking(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size + body, OK) as (connections, _):
            got = await connections.send(ASK, most=10)
            assert (got.status, got.body) == (200, None)
            assert (await connections.send(ASK, most=10)).body == b"{}"

    asyncio.run(main())


@pytest.mark.parametrize("answer", [None, b"HTTP/1.1 200 OK\r\nContent-Le", b"SMTP ready\r\n\r\n", OK[:-1]])
def test_an_answer_that_never_comes_whole_is_a_lost_connection(answer: bytes | None) -> None:
    async def main() -> None:
        async with talking(answer) as (connections, _):
            with pytest.raises(ConnectionLostError):
                await connections.send(ASK, most=100)

    asyncio.run(main())


def test_a_caller_that_gives_up_leaves_no_answer_for_the_next() -> None:
    async def main() -> None:
        async with talking(b"|HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst", OK) as (connections, server):
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.005):
                    await connections.send(ASK, most=100)
            assert (await connections.send(ASK, most=100)).body == b"{}"
            assert server.connections == 2

    asyncio.run(main())


@pytest.mark.parametrize("origin", ["http://127.0.0.1:1", "http://nowhere.invalid"])
def test_an_origin_that_cannot_be_reached_was_sent_nothing(origin: str) -> None:
    async def main() -> None:
        connections = Connections(Origin.of(origin), connect_seconds=2, idle_seconds=1)
        with pytest.raises(UnreachableError):
            await connections.send(ASK, most=100)

    asyncio.run(main())
