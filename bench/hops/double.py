"""A Lambda Invoke API that answers at once, so that a measurement of the proxy measures the proxy.

`python -m bench.hops.double PORT`: every function is one that returns the same result.
"""

import asyncio
import json
import sys
from typing import cast

import httptools
import uvloop

RESULT = {
    "hits": [
        {
            "id": number,
            "text": "oilless rotary vane compressor, 30 HP, 100 CFM at 100 PSIG",
            "score": 0.62,
            "unit": None,
        }
        for number in range(5)
    ],
    "degraded": False,
}
_BODY = json.dumps(RESULT).encode()
_ANSWER = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Amzn-RequestId: 0\r\nX-Amz-Executed-Version: 1\r\n"
    b"Content-Length: %d\r\n\r\n%s" % (len(_BODY), _BODY)
)


class _Connection(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # uvloop's transports are none of asyncio's classes.
        self._transport = cast(asyncio.WriteTransport, transport)
        self._parser = httptools.HttpRequestParser(self)

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_message_complete(self) -> None:
        self._transport.write(_ANSWER)


async def serve(port: int) -> None:
    server = await asyncio.get_running_loop().create_server(_Connection, "127.0.0.1", port)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve(int(sys.argv[1])))
