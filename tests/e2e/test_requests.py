"""Customers' mails, drafted at /mcp/sales by a stand-in of a chat model: what a draft costs and holds."""

import asyncio

import pytest

from local.stack import Stack
from tests.requests.__main__ import play_all
from tests.requests.mails import read_mails

pytestmark = pytest.mark.stack

SOME = ("several things at once", "German", "tender of forty positions", "impossible wish")
"""`make requests` plays them all."""


def test_a_draft_costs_few_calls_and_holds_what_was_asked_for(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CHAT_API_KEY", raising=False)
    mails = [mail for mail in read_mails() if mail.name in SOME]
    played = asyncio.run(play_all(mails, url=f"{stack.mcp}/sales"))
    assert len(played) == len(SOME)
    for one in played:
        assert one.faults == [], one.mail
        assert one.within, (one.mail, one.calls, one.characters)
        assert one.findings == 0, one.mail
