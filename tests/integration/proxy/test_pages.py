"""Pages for people beside /mcp on one machine: passed on whole to who serves them, with the headers that he gives."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from local.ports import free_port
from tests.integration.proxy.conftest import Proxy, StartProxy

STYLE = "default-src 'none'; style-src 'sha256-x'"


class Told(BaseHTTPRequestHandler):
    """Answers with what it was asked, as a form's page would with a redirect."""

    def answer(self) -> None:
        size = int(self.headers.get("content-length", 0))
        asked = {"line": self.requestline, "host": self.headers["host"], "cookie": self.headers.get("cookie"),
                 "origin": self.headers.get("origin"), "body": self.rfile.read(size).decode()}  # fmt: skip
        body = json.dumps(asked).encode()
        self.send_response(303 if self.command == "POST" else 200)
        self.send_header("content-length", str(len(body)))
        self.send_header("location", "/approve/t")
        self.send_header("content-security-policy", STYLE)
        self.send_header("referrer-policy", "same-origin")
        for cookie in ("a=1; Path=/", "b=2"):
            self.send_header("set-cookie", cookie)
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = answer  # noqa: N815 - names that http.server looks for

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def pages() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", free_port()), Told)
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def test_a_form_and_its_answer_pass_unchanged_and_need_no_key(start_proxy: StartProxy) -> None:
    with pages() as url, start_proxy("local.origin", PAGES_URL=url, MAX_REQUEST_BYTES="2000") as proxy:
        sent = {"cookie": "visit=v", "origin": "https://quotes.example.lan", "host": "quotes.example.lan"}
        answer = proxy.http.post(f"{proxy.url}/approve/t.%2Fs?x=%20y", content="comment=%C3%BC", headers=sent)
        assert answer.status_code == 303
        assert answer.json() == {
            "line": "POST /approve/t.%2Fs?x=%20y HTTP/1.1",
            "host": "quotes.example.lan",
            "cookie": "visit=v",
            "origin": "https://quotes.example.lan",
            "body": "comment=%C3%BC",
        }
        assert answer.headers.get_list("set-cookie") == ["a=1; Path=/", "b=2"]
        assert answer.headers.get_list("content-security-policy") == [STYLE]
        assert answer.headers.get_list("referrer-policy") == ["same-origin"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        document = proxy.http.get(f"{proxy.url}/documents/acme/q.pdf?until=1&signature=secret-part")
        assert document.json()["line"] == "GET /documents/acme/q.pdf?until=1&signature=secret-part HTTP/1.1"
        assert proxy.http.post(f"{proxy.url}/approve/t", content="x" * 2001).status_code == 413
        assert proxy.http.get(f"{proxy.url}/other").status_code == 404
    assert "secret-part" not in "".join(proxy.log)


def test_where_nobody_serves_them_there_are_none(proxy: Proxy, start_proxy: StartProxy) -> None:
    assert proxy.http.get(f"{proxy.url}/approve/t").status_code == 404
    with start_proxy("local.origin", PAGES_URL=f"http://127.0.0.1:{free_port()}") as alone:
        answer = alone.http.get(f"{alone.url}/approve/t")
        assert (answer.status_code, "try again" in answer.text) == (502, True)
