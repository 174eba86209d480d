"""uvicorn's HTTP protocol with bounds on a request's head, which httptools reads without any."""

from asyncio import TimerHandle
from typing import ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from proxy.settings import Settings

_TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
_TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class BoundedHttp(HttpToolsProtocol):
    """A head that arrives in one piece, as nearly all do, costs a comparison more."""

    most_bytes: ClassVar[int]
    seconds: ClassVar[float]
    _head_bytes = 0
    _head_open = True
    _deadline: TimerHandle | None = None

    def connection_made(self, transport: object) -> None:
        super().connection_made(transport)  # type: ignore[arg-type]
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget_deadline()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._head_open and not self.transport.is_closing():
            self._head_bytes += len(data)
            if self._head_bytes > self.most_bytes:
                self._end(_TOO_LARGE)
            elif self._deadline is None:
                self._await_head()

    def on_message_begin(self) -> None:
        self._head_open = True
        self._head_bytes = 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._head_open = False
        self._forget_deadline()
        super().on_headers_complete()

    def _await_head(self) -> None:
        self._deadline = self.loop.call_later(self.seconds, self._end, _TOO_SLOW)

    def _forget_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _end(self, answer: bytes) -> None:
        self._forget_deadline()
        if not self.transport.is_closing():
            self.transport.write(answer)
            self.transport.close()


def bounded_http(settings: Settings) -> type[BoundedHttp]:
    """A class, because uvicorn makes one instance per connection itself."""

    class Configured(BoundedHttp):
        most_bytes = settings.max_header_bytes
        seconds = settings.header_seconds

    return Configured
