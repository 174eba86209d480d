"""The other ends of the notices, on one real HTTP server: the SNS topic's subscriber and Slack's API."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any

from tests.aws import client


@dataclass
class Inbox:
    """What arrived. Set ``slack_says`` to have Slack refuse."""

    url: str = ""
    topic: str = ""
    mail: list[dict[str, Any]] = field(default_factory=list)
    slack: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    slack_says: tuple[int, dict[str, Any]] = (200, {"ok": True})

    def links(self) -> list[str]:
        """Of all mail, oldest first."""
        return [link_in(message["Message"]) for message in self.mail]

    def empty(self) -> None:
        self.mail.clear()
        self.slack.clear()


def link_in(text: str) -> str:
    return next(word for word in text.split() if word.startswith("http"))


@contextmanager
def open_inbox(aws_url: str) -> Iterator[Inbox]:
    inbox, stamps = Inbox(), count(1)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, answer = 200, dict[str, Any]()
            if self.path == "/sns":
                inbox.mail.append(body)
            else:
                inbox.slack.append((self.headers["Authorization"], body))
                status, answer = inbox.slack_says
                answer = {**answer, "ts": f"1700000000.{next(stamps):06}"}
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    inbox.url = f"http://127.0.0.1:{server.server_port}"
    sns = client("sns", aws_url)
    inbox.topic = sns.create_topic(Name=f"approvals-{server.server_port}")["TopicArn"]
    sns.subscribe(TopicArn=inbox.topic, Protocol="http", Endpoint=f"{inbox.url}/sns")
    try:
        yield inbox
    finally:
        server.shutdown()
        server.server_close()
