"""Pricing again: in place while nobody relies on a version, else as the next one, and never against what was read."""

from typing import Any

import pytest

from cpq.quote_price import handler
from tests.deployment import Deployment, invoke
from tests.integration.cpq.drafts import draft, owner, rows

VERSIONS = """
    SELECT version, status, total::text, (SELECT current_version FROM cpq.quotes WHERE id = quote_id) AS newest
    FROM cpq.quote_versions WHERE quote_id = %s ORDER BY version
"""
ASK = """
    INSERT INTO cpq.approval_requests (tenant, id, quote_id, version, content_hash, status, approver_role,
        justification, context, requested_by, expires_at)
    SELECT tenant, 'APR' || substr(quote_id, 2), quote_id, version, content_hash, %s, 'sales_manager', 'why', '{}',
        'agent:test', now() + interval '1 hour'
    FROM cpq.quote_versions WHERE quote_id = %s RETURNING id
"""
PRINT = """
    INSERT INTO cpq.documents (tenant, quote_id, version, template, options_sha256, options, bucket, key, sha256,
        bytes, generated_by)
    SELECT tenant, quote_id, version, 'standard', '', '{}', 'b', 'k', '', 1, 'agent:test'
    FROM cpq.quote_versions WHERE quote_id = %s RETURNING 1
"""


pytestmark = pytest.mark.usefixtures("writing")


def price(quote_id: str, **arguments: object) -> dict[str, Any]:
    return invoke(handler, {"quote_id": quote_id, "account_id": owner(quote_id), **arguments})


def history(deployment: Deployment, quote: str) -> list[tuple[int, str, str]]:
    found = rows(deployment, VERSIONS, quote)
    assert {row["newest"] for row in found} == {len(found)}
    return [(row["version"], row["status"], row["total"]) for row in found]


def test_a_draft_is_priced_again_in_place_and_both_traces_stay(deployment: Deployment) -> None:
    quote = draft(deployment)
    answers = [price(quote, requested_discount_pct=pct) for pct in (10, 5)]
    assert history(deployment, quote) == [(1, "priced", "13680.00")]
    kept = rows(deployment, "SELECT id FROM cpq.pricing_traces WHERE quote_id = %s", quote)
    assert {row["id"] for row in kept} == {answer["pricing"]["pricing_trace_id"] for answer in answers}


@pytest.mark.parametrize(
    ("request_status", "quote_status", "afterwards"),
    [
        ("pending", "pending_approval", "void"),
        ("approved", "approved", "void"),
        ("rejected", "rejected", "rejected"),
        ("expired", "priced", "expired"),
    ],
)
def test_what_somebody_was_asked_about_stays_and_the_next_version_is_priced(
    deployment: Deployment, request_status: str, quote_status: str, afterwards: str
) -> None:
    quote = draft(deployment)
    price(quote, requested_discount_pct=10)
    [asked] = rows(deployment, ASK, request_status, quote)
    rows(deployment, "UPDATE cpq.quote_versions SET status = %s WHERE quote_id = %s RETURNING 1", quote_status, quote)
    answer = price(quote, requested_discount_pct=20)
    assert history(deployment, quote) == [(1, "superseded", "12960.00"), (2, "priced", "11520.00")]
    assert f"Version 1 was {quote_status}" in answer["notice"]
    assert (asked["id"] in answer["notice"]) == (afterwards == "void")
    [request] = rows(deployment, "SELECT status FROM cpq.approval_requests WHERE id = %s", asked["id"])
    assert request["status"] == afterwards


def test_the_lines_of_an_old_version_stay_as_they_were(deployment: Deployment) -> None:
    quote = draft(deployment)
    price(quote, requested_discount_pct=10)
    query = "SELECT * FROM cpq.quote_lines WHERE quote_id = %s AND version = %s ORDER BY id"
    before = rows(deployment, query, quote, 1)
    rows(deployment, ASK, "approved", quote)
    price(quote)
    assert rows(deployment, query, quote, 1) == before
    copied = rows(deployment, query, quote, 2)
    assert [(line["id"], line["product_id"], line["quantity"]) for line in copied] == [
        (line["id"], line["product_id"], line["quantity"]) for line in before
    ]


def test_a_printed_version_keeps_its_numbers(deployment: Deployment) -> None:
    quote = draft(deployment)
    price(quote)
    rows(deployment, PRINT, quote)
    assert price(quote, requested_discount_pct=10)["version"] == 2
    assert history(deployment, quote)[0] == (1, "superseded", "14400.00")


def test_whoever_has_read_an_older_version_is_told_the_newer(deployment: Deployment) -> None:
    quote = draft(deployment)
    price(quote, expected_version=1)
    rows(deployment, ASK, "approved", quote)
    price(quote, expected_version=1)
    answer = price(quote, expected_version=1)
    assert answer["code"] == "CONFLICT"
    assert answer["details"] == {"current_version": 2, "status": "priced"}


def test_a_key_used_twice_prices_once(deployment: Deployment) -> None:
    quote = draft(deployment)
    first, second = (price(quote, requested_discount_pct=5, idempotency_key="k-1") for _ in range(2))
    assert first == second
    assert len(rows(deployment, "SELECT id FROM cpq.pricing_traces WHERE quote_id = %s", quote)) == 1
    other = price(quote, requested_discount_pct=6, idempotency_key="k-1")
    assert other["code"] == "CONFLICT"


def test_a_repeated_key_does_not_undo_what_came_after_it(deployment: Deployment) -> None:
    quote = draft(deployment)
    first = price(quote, requested_discount_pct=5, idempotency_key="k-2")
    rows(deployment, ASK, "approved", quote)
    assert price(quote, requested_discount_pct=5, idempotency_key="k-2") == first
    assert len(history(deployment, quote)) == 1


def test_every_run_is_in_the_audit_trail_with_before_and_after(deployment: Deployment) -> None:
    quote = draft(deployment)
    price(quote, requested_discount_pct=10)
    price(quote)
    trail = rows(deployment, "SELECT before, after FROM cpq.audit WHERE subject_id = %s ORDER BY seq", quote)
    assert [(row["before"]["total"], row["after"]["total"]) for row in trail] == [
        (None, "12960.00"),
        ("12960.00", "14400.00"),
    ]
    assert trail[0]["after"]["policy"] == "APPROVAL_REQUIRED"


def test_another_total_than_before_is_said(deployment: Deployment) -> None:
    quote = draft(deployment)
    first = price(quote)["notice"]
    assert price(quote)["notice"] == first
    answer = price(quote, requested_discount_pct=5)
    assert answer["notice"] == f"{first} This replaces the pricing of anonymous, which came to 14400.00."


def test_another_total_or_version_takes_the_account_or_version_because_an_id_may_be_guessed(
    deployment: Deployment,
) -> None:
    quote = draft(deployment)
    first = price(quote)["pricing"]["total"]
    guessed = invoke(handler, {"quote_id": quote, "requested_discount_pct": 5})
    assert guessed["code"] == "CONFLICT"
    assert f"came to {first} and would come to" in guessed["message"]
    assert history(deployment, quote) == [(1, "priced", first)]
    assert invoke(handler, {"quote_id": quote})["pricing"]["total"] == first
    rows(deployment, ASK, "pending", quote)
    asked = invoke(handler, {"quote_id": quote})
    assert asked["code"] == "CONFLICT"
    assert f"would come to {first}, as a new version" in asked["message"]
    read = invoke(handler, {"quote_id": quote, "requested_discount_pct": 5, "expected_version": 1})
    assert read["pricing"]["total"] < first
