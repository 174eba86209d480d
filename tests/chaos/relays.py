"""TCP relays between two parts, whose connections can be cut, refused and held."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field


@dataclass
class Link:
    """``down`` cuts what is open and refuses what comes; ``held`` keeps all open and passes nothing on."""

    name: str
    host: str
    target: int
    port: int = 0
    down: bool = False
    held: bool = False
    _writers: set[asyncio.StreamWriter] = field(default_factory=set)

    async def serve(self) -> None:
        server = await asyncio.start_server(self._client, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.down:
            writer.transport.abort()
            return
        try:
            far_reader, far_writer = await asyncio.open_connection(self.host, self.target)
        except OSError:
            writer.transport.abort()
            return
        pair = {writer, far_writer}
        self._writers |= pair
        await asyncio.gather(self._pump(reader, far_writer), self._pump(far_reader, writer))
        self._writers -= pair

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65_536):
                while self.held:  # noqa: ASYNC110 - set by another thread
                    await asyncio.sleep(0.02)
                writer.write(data)
                await writer.drain()
        writer.transport.abort() if self.down else writer.close()

    def cut(self) -> None:
        for writer in list(self._writers):
            writer.transport.abort()


@contextmanager
def relaying() -> Iterator["Relays"]:
    relays = Relays()
    thread = threading.Thread(target=relays.loop.run_forever, daemon=True)
    thread.start()
    try:
        yield relays
    finally:
        relays.loop.call_soon_threadsafe(relays.loop.stop)
        thread.join(10)


@dataclass
class Relays:
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)

    def between(self, name: str, *, host: str, port: int) -> Link:
        link = Link(name, host, port)
        asyncio.run_coroutine_threadsafe(link.serve(), self.loop).result(60)
        return link

    def cut(self, link: Link) -> None:
        link.down = True
        self.loop.call_soon_threadsafe(link.cut)
