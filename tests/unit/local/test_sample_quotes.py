"""The sample's quotes in a data directory that an earlier release has written: they stay, and the start goes on."""

import json
from pathlib import Path
from typing import Any

import pytest

from local.corpus_loader import write_quotes
from local.failure import LocalError, Refused

LINES = [{"create": {"account_id": f"acct_{number}"}, "price": {"requested_discount_pct": 5}} for number in range(3)]


@pytest.fixture
def quotes(tmp_path: Path) -> Path:
    file = tmp_path / "quotes.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in LINES), "utf-8")
    return file


def test_a_quote_that_an_earlier_release_wrote_otherwise_is_left_alone(quotes: Path) -> None:
    called: list[tuple[str, str]] = []

    def call(function: str, event: dict[str, Any]) -> dict[str, Any]:
        about = event.get("account_id") or event["quote_id"]
        called.append((function, about))
        if about == "acct_1":
            raise Refused(function, code="CONFLICT", message="The idempotency_key was used with other arguments.")
        return {"quote": {"id": f"Q-{about}"}}

    assert write_quotes(call, quotes) == 3
    assert called == [
        ("quote_create", "acct_0"),
        ("quote_price", "Q-acct_0"),
        ("quote_create", "acct_1"),
        ("quote_create", "acct_2"),
        ("quote_price", "Q-acct_2"),
    ]


def test_any_other_refusal_ends_the_start(quotes: Path) -> None:
    def call(function: str, event: dict[str, Any]) -> dict[str, Any]:
        raise Refused(function, code="NOT_FOUND", message=f"No account {event['account_id']}.")

    with pytest.raises(LocalError, match="quote_create: No account acct_0"):
        write_quotes(call, quotes)
