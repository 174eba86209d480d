"""An embedding provider over real HTTP that can refuse texts, be down, and count what it was asked."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

REFUSED = "unspeakable"
"""A text with this word gets HTTP 400, as OpenAI answers to an input that it does not take."""

FATAL = "overload"
"""A text with this word, alone in its request, gets HTTP 503."""

LARGE = "encyclopedia"
"""A text with this word gets HTTP 413."""


@dataclass
class Provider:
    """``asked`` has every text that was embedded, in order."""

    url: str = ""
    dimensions: int = 384
    down: bool = False
    key: str | None = None
    """The only one it takes, if it looks at keys at all."""
    asked: list[str] = field(default_factory=list)
    may_answer: threading.Event = field(default_factory=threading.Event)
    """Clear it, and every request waits."""

    def answer(self, texts: list[str]) -> tuple[int, dict[str, Any]]:
        if self.down or (len(texts) == 1 and FATAL in texts[0]):
            return 503, {"error": {"message": "overloaded"}}
        if any(LARGE in text for text in texts):
            return 413, {"error": {"message": "too large"}}
        if any(REFUSED in text for text in texts):
            return 400, {"error": {"message": f"refused: {texts}"}}
        self.asked += texts
        self.may_answer.wait(60)
        data = [
            {"object": "embedding", "index": index, "embedding": self._vector(text)}
            for index, text in enumerate(texts)
        ]
        # A server may answer in any order; the index says which is which.
        return 200, {
            "object": "list",
            "data": data[::-1],
            "model": "m",
            "usage": {"prompt_tokens": 1, "total_tokens": 1},
        }

    def _vector(self, text: str) -> list[float]:
        digest = sha256(text.encode()).digest()
        return [1 + digest[n % len(digest)] for n in range(self.dimensions)]


@contextmanager
def running_provider() -> Iterator[Provider]:
    provider = Provider()
    provider.may_answer.set()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if provider.key is not None and self.headers["Authorization"] != f"Bearer {provider.key}":
                status, answer = 401, {"error": {"message": "no such key"}}
            else:
                status, answer = provider.answer(request["input"])
            body = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.send_header("x-should-retry", "false")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """pytest shows what matters."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    provider.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
