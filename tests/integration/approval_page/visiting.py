"""A browser without a screen, as far as the page needs one: visits a link, keeps cookies, sends the form."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import unescape
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest

from approval_page.page import handler
from tests.deployment import Context, fresh_environment
from tests.inbox import Inbox
from tests.integration.cpq.approving import asked


@contextmanager
def in_the_pages_role() -> Iterator[None]:
    """The page's own execution environment, beside that of the tools."""
    with fresh_environment(), pytest.MonkeyPatch.context() as patch:
        patch.setenv("DB_USER", "quarry_approve")
        yield


@dataclass
class Answer:
    status: int
    body: str
    headers: dict[str, str]

    @property
    def text(self) -> str:
        """What a reader sees, in one line."""
        without_style = re.sub(r"<style>.*?</style>", "", self.body, flags=re.DOTALL)
        return " ".join(unescape(re.sub(r"<[^>]+>", " ", without_style)).split())

    @property
    def form_token(self) -> str:
        found = re.search(r'name="form_token" value="([^"]+)"', self.body)
        assert found, self.text
        return found[1]


@dataclass
class Browser:
    cookies: list[str] = field(default_factory=list)

    def open(self, link: str, *, method: str = "GET", **headers: str) -> Answer:
        return self._send(link, method=method, headers=headers, body=None)

    def send(self, link: str, *, headers: dict[str, str] | None = None, **fields: str) -> Answer:
        given = {
            "content-type": "application/x-www-form-urlencoded",
            "origin": "https://approve.example",
            "sec-fetch-site": "same-origin",
        }
        kept = {name: value for name, value in {**given, **(headers or {})}.items() if value}
        return self._send(link, method="POST", headers=kept, body=urlencode(fields))

    def decide(self, link: str, decision: str, *, comment: str = "") -> Answer:
        """Opens the link, fills in the form, sends it, and follows the redirect."""
        page = self.open(link)
        sent = self.send(link, form_token=page.form_token, decision=decision, comment=comment)
        return self.open(link) if sent.status == 303 else sent

    def _send(self, link: str, *, method: str, headers: dict[str, str], body: str | None) -> Answer:
        parts = urlsplit(link)
        event: dict[str, Any] = {
            "version": "2.0",
            "rawPath": parts.path,
            "rawQueryString": "",
            "headers": {"x-forwarded-proto": "https", **headers},
            "requestContext": {"domainName": parts.netloc, "http": {"method": method, "path": parts.path}},
            "isBase64Encoded": False,
        }
        if body is not None:
            event["body"] = body
        if self.cookies:
            event["cookies"] = self.cookies
        with in_the_pages_role():
            answer = handler(event, Context())
        self.cookies = [cookie.partition(";")[0] for cookie in answer["cookies"]] or self.cookies
        return Answer(answer["statusCode"], answer["body"], answer["headers"])


def link_for(quote_id: str, inbox: Inbox, *, justification: str = "A customer for two years.") -> str:
    inbox.empty()
    asked(quote_id, justification=justification)
    return inbox.links()[0]
