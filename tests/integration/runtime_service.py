"""The service's side of Lambda's Runtime API, moved by a test step by step: restores and calls as it wants them."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue
from typing import Any

RUNTIME = "/2018-06-01/runtime"


class Service:
    """What is asked waits in `asked` until the test puts an answer in `answers`; ``pid`` is whose runtime asks."""

    pid: int

    def __init__(self) -> None:
        self.asked: Queue[tuple[str, Any]] = Queue()
        self.answers: Queue[Any] = Queue()
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                service.asked.put((self.path.removeprefix(RUNTIME), None))
                self._reply(200, service.answers.get())

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                service.asked.put((self.path.removeprefix(RUNTIME), json.loads(body)))
                self._reply(202, {})

            def _reply(self, status: int, answer: Any) -> None:
                body = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Lambda-Runtime-Aws-Request-Id", "r1")
                self.send_header("Lambda-Runtime-Invoked-Function-Arn", "arn:f")
                self.send_header("Lambda-Runtime-Deadline-Ms", str(int(time.time() * 1000) + 60_000))
                self.send_header("Lambda-Runtime-Trace-Id", "Root=1-0-0")
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def next(self) -> tuple[str, Any]:
        return self.asked.get(timeout=30)

    def call(self, event: dict[str, Any]) -> Any:
        self.answers.put(event)
        path, answer = self.next()
        assert path == "/invocation/r1/response"
        return answer
