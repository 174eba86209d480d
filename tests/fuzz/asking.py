"""Sends a case and judges the answer."""

import http.client
import json
import re
import socket
import threading
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from tests.fuzz.generating import Case

SECONDS = 40
"""Longer than any tool's time-out: no answer by then is silence."""

_STATUS = re.compile(rb"HTTP/1\.[01] (\d{3})")
INTERNAL = -32603


@dataclass
class Asker:
    """A client of the stack's endpoint that keeps a connection per thread, and what it found wrong."""

    url: str
    found: dict[str, Case] = field(default_factory=dict)
    _own: threading.local = field(default_factory=threading.local)

    def ask(self, case: Case) -> str | None:
        """What is wrong with the answer; None where nothing is."""
        wrong = self._raw(case.raw) if case.raw is not None else self._post(case)
        if wrong is not None:
            self.found.setdefault(f"{case.kind}: {wrong}", case)
        return wrong

    def _post(self, case: Case) -> str | None:
        address = urlsplit(self.url)
        for fresh in (False, True):
            connection: http.client.HTTPConnection | None = getattr(self._own, "connection", None)
            if fresh or connection is None:
                connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=SECONDS)
                self._own.connection = connection
            try:
                connection.request("POST", case.path, case.body, case.headers)
                response = connection.getresponse()
                body = response.read()
            except (http.client.HTTPException, OSError) as error:
                connection.close()
                self._own.connection = None
                # The server may have closed a kept connection, for instance after a request it refused.
                if fresh or isinstance(error, TimeoutError):
                    return f"no answer ({type(error).__name__})"
                continue
            return judged(response.status, body)
        return None

    def _raw(self, sent: bytes) -> str | None:
        address = urlsplit(self.url)
        with socket.create_connection((address.hostname, address.port), timeout=SECONDS) as connection:
            connection.sendall(sent)
            connection.shutdown(socket.SHUT_WR)
            try:
                answer = connection.recv(65_536)
            except TimeoutError:
                return "no answer (TimeoutError)"
            except OSError:
                return None  # hung up on, which is an answer to what is no HTTP
        status = _STATUS.match(answer)
        return f"status {int(status[1])}" if status and int(status[1]) >= 500 else None


def judged(status: int, body: bytes) -> str | None:
    if status >= 500:
        return f"status {status}"
    text = body.decode("utf-8", "replace")
    if "INTERNAL_ERROR" in text or "Traceback" in text:
        return re.sub(r"[0-9a-f]{16,}", "…", text[text.find("INTERNAL_ERROR") :][:120])
    for line in text.split("\n"):  # as an event stream has lines, not as Unicode has them
        if not (said := line.removeprefix("data: ")).startswith("{"):
            continue
        try:
            error = json.loads(said).get("error")
        except ValueError:
            return "an answer that is no JSON"
        if isinstance(error, dict) and error.get("code") == INTERNAL and "UNAVAILABLE" not in str(error):
            return f"JSON-RPC {INTERNAL}: {str(error.get('message'))[:80]}"
    return None
