"""Who comes from outside to the stack on the emulator: an MCP client, an approver, a viewer of the edge."""

import json
import re
import time
from dataclasses import dataclass, field

import httpx2
from mcp_types import ResourceTemplateReference

from operations.golden.asking import connected
from tests.emulated.emulator import ACCOUNT, REGION, Emulator
from tests.emulated.reporting import require
from tests.emulated.stack import PATIENCE_S, Unexpected
from tests.inbox import link_in

INBOX = "inbox"
HIGHLIGHT = "kxhub://chunk/{chunk_id}"
ACCEPTED = "application/json, text/event-stream"
_FORM_TOKEN = re.compile(r'name="form_token" value="([^"]+)"')
_DOCUMENT = re.compile(r'href="([^"]+)"[^>]*>Open the PDF')


async def read_resources(url: str, *, key: str) -> list[str]:
    """The URIs that were read: all that are listed, a highlight that is completed, and the attributes of goods."""
    async with connected(url, key=key) as client:
        page = await client.list_resources()
        uris = [str(each.uri) for each in page.resources]
        while page.next_cursor:
            page = await client.list_resources(cursor=page.next_cursor)
            uris += [str(each.uri) for each in page.resources]
        found = await client.complete(ResourceTemplateReference(uri=HIGHLIGHT), {"name": "chunk_id", "value": ""})
        uris += [HIGHLIGHT.replace("{chunk_id}", found.completion.values[0]), "schema://attributes"]
        for uri in uris:
            require((await client.read_resource(uri)).contents, f"{uri} is empty")
    return uris


@dataclass
class Approver:
    """Whose mail comes in by a queue that has subscribed to the topic."""

    emulator: Emulator
    http: httpx2.Client = field(default_factory=lambda: httpx2.Client(trust_env=False, timeout=PATIENCE_S))

    def subscribe(self, topic: str) -> None:
        statement = {"Effect": "Allow", "Principal": "*", "Action": "sqs:SendMessage", "Resource": "*"}
        policy = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
        self.emulator.client("sqs").create_queue(QueueName=INBOX, Attributes={"Policy": policy})
        self.emulator.client("sns").subscribe(
            TopicArn=topic, Protocol="sqs", Endpoint=f"arn:aws:sqs:{REGION}:{ACCOUNT}:{INBOX}"
        )

    def link(self, quote_id: str) -> str:
        """That of a mail about the quote, which has to arrive; mail about others is lost."""
        queues = self.emulator.client("sqs")
        url = queues.get_queue_url(QueueName=INBOX)["QueueUrl"]
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            for message in queues.receive_message(QueueUrl=url, WaitTimeSeconds=5).get("Messages", ()):
                text = json.loads(message["Body"])["Message"]
                if f"quote {quote_id}," in text:
                    return link_in(text)
        raise Unexpected(f"no mail about {quote_id} came")

    def approve(self, link: str) -> bytes:
        """Opens the link, reads the PDF that it shows, and approves. Returns the PDF."""
        page = self.http.get(link)
        token, document = _FORM_TOKEN.search(page.text), _DOCUMENT.search(page.text)
        require(page.status_code == 200 and token and document, f"{page.status_code}: {page.text[-2000:]}")
        assert token is not None
        assert document is not None
        pdf = self.http.get(document[1].replace("&amp;", "&"))
        # The emulator's path is not that of the cookie.
        cookie = page.headers["set-cookie"].partition(";")[0]
        sent = self.http.post(link, data={"form_token": token[1], "decision": "approve"}, headers={"Cookie": cookie})
        require(sent.status_code == 303, f"{sent.status_code}: {sent.text[-2000:]}")
        return pdf.content


@dataclass(frozen=True)
class Viewer:
    """Who comes by CloudFront, which the emulator is to whoever names the distribution as the host."""

    emulator: Emulator
    distribution: str

    def asks(self, *, key: str, past: str = "") -> int:
        """The status of a tool's call, through the edge or ``past`` it."""
        call = {"method": "tools/call", "params": {"name": "get_stats", "arguments": {}}}
        return httpx2.post(
            past or f"{self.emulator.url}/mcp",
            json={"jsonrpc": "2.0", "id": 1, **call},
            headers={"Authorization": f"Bearer {key}", "Accept": ACCEPTED, **self._headers(past)},
            timeout=PATIENCE_S,
            trust_env=False,
        ).status_code

    def opens(self, path: str, *, past: str = "") -> int:
        """The status of a page."""
        address = past or f"{self.emulator.url}/approve"
        return httpx2.get(
            f"{address}/{path}", headers=self._headers(past), timeout=PATIENCE_S, trust_env=False
        ).status_code

    def _headers(self, past: str) -> dict[str, str]:
        return {} if past else {"Host": self.distribution, "X-Forwarded-Proto": "https"}
