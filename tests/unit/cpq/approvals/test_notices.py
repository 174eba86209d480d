"""What a notice of an approval says, and what of others' words a mail program could make a link of."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from cpq.approvals.notices import body, subject, unlinked
from cpq.approvals.queries import NoticeFacts

EVIL = ("http://evil.example/a", "evil.com", "HTTPS:/evil", "a@evil.example", "www.evil.wtf")


def facts(**others: Any) -> NoticeFacts:
    given = {
        "id": "apr_1", "quote_id": "Q-1", "version": 1, "approver_role": "sales_manager", "requested_by": "agent",
        "justification": "Three years.", "expires_at": datetime(2026, 1, 1, tzinfo=UTC), "total": Decimal("12.50"),
        "context": {"requested_discount": "10%"}, "currency": "USD", "account_name": "Acme", "trace": {"lines": []},
        "policy_evaluation": {"violations": []}, "approver_id": None, "approver_name": None, "approver_email": None,
        "slack_user_id": None,
    }  # fmt: skip
    return NoticeFacts(**{**given, **others})


@pytest.mark.parametrize("address", EVIL)
@pytest.mark.parametrize("place", ["justification", "account_name", "requested_by"])
def test_no_address_that_others_wrote_is_a_link(place: str, address: str) -> None:
    told = facts(**{place: f"Decide here: {address} (today)"})
    assert address not in body(told, link=None) + subject(told)
    assert "(today)" in body(told, link=None)


@pytest.mark.parametrize("words", ["Acme Inc. & Co. KG, St. Gallen", "12.5% off, net_30; and/or 1/2 of Q-2024.10"])
def test_words_stay_as_they_are(words: str) -> None:
    assert unlinked(words) == words
