"""quote_list: filters, order, and pages that neither skip nor repeat while others write."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from cpq import quote_create, quote_list
from tests.deployment import Deployment, as_tenant, invoke

YEAR = datetime.now(UTC).year
LINE = {"product_id": "prod_sso", "quantity": 10}


@pytest.fixture(scope="module", autouse=True)
def served(deployment: Deployment) -> Iterator[None]:
    with deployment.serving("quarry_write"):
        for account in ("acct_acme_001", "acct_birch_002", "acct_keystone_tool") * 4:
            create(account)
        yield


def create(account_id: str = "acct_acme_001") -> str:
    event = {"account_id": account_id, "term_months": 12, "line_items": [LINE]}
    quote_id: str = invoke(quote_create.handler, event)["quote"]["id"]
    return quote_id


def listed(**arguments: object) -> dict[str, Any]:
    answer = invoke(quote_list.handler, arguments)
    assert "error" not in answer, answer
    return answer


def ids(answer: dict[str, Any]) -> list[str]:
    return [item["id"] for item in answer["items"]]


def set_version(deployment: Deployment, quote_id: str, column: bytes, value: object) -> None:
    with deployment.connect("quarry_owner") as connection, as_tenant(connection, "acme"):
        query = b"UPDATE cpq.quote_versions SET " + column + b" = %s WHERE quote_id = %s"
        connection.execute(query, [value, quote_id])


def test_the_newest_come_first() -> None:
    newest = create()
    answer = listed(limit=3)
    assert ids(answer)[0] == newest
    assert ids(answer) == sorted(ids(answer), reverse=True)
    assert answer["pagination"]["has_more"] is True
    assert answer["items"][0]["account_name"] == "Acme Corp"
    assert answer["items"][0]["total"] is None


def test_a_filter_leaves_only_what_satisfies_it() -> None:
    answer = listed(account_id="acct_birch_002")
    assert answer["pagination"]["total"] == 4
    assert {item["account_id"] for item in answer["items"]} == {"acct_birch_002"}


def test_pages_up_to_the_moment_of_the_first_neither_skip_nor_repeat_while_quotes_are_created() -> None:
    first = listed(limit=5)
    whole = ids(listed(limit=100))
    seen = ids(first)
    page = 2
    while True:
        create()
        answer = listed(limit=5, page=page, created_before=first["as_of"])
        seen += ids(answer)
        assert answer["pagination"]["total"] == len(whole)
        if not answer["pagination"]["has_more"]:
            break
        page += 1
    assert seen == whole


def test_a_page_beyond_the_end_is_empty_and_still_counts() -> None:
    answer = listed(page=999)
    assert answer["items"] == []
    assert answer["pagination"]["total"] > 10
    assert answer["pagination"]["has_more"] is False


@pytest.mark.parametrize("sort_by", ["created_at", "updated_at", "total", "valid_until", "account_name", "id"])
@pytest.mark.parametrize("sort_order", ["asc", "desc"])
def test_every_order_is_total(sort_by: str, sort_order: str) -> None:
    whole = ids(listed(sort_by=sort_by, sort_order=sort_order, limit=100))
    first = listed(sort_by=sort_by, sort_order=sort_order, limit=4)
    paged = ids(first)
    for page in range(2, 12):
        paged += ids(listed(sort_by=sort_by, sort_order=sort_order, limit=4, page=page))
    assert paged == whole
    assert len(set(whole)) == len(whole)


def test_totals_are_ordered_as_numbers_and_unpriced_quotes_come_last(deployment: Deployment) -> None:
    dear, cheap = create("acct_keystone_tool"), create("acct_keystone_tool")
    set_version(deployment, dear, b"total", "1000.00")
    set_version(deployment, cheap, b"total", "99.00")
    for order, expected in (("desc", [dear, cheap]), ("asc", [cheap, dear])):
        found = listed(sort_by="total", sort_order=order, account_id="acct_keystone_tool")["items"]
        assert [item["id"] for item in found[:2]] == expected
        assert found[-1]["total"] is None


def test_approval_is_short_for_pending_approval(deployment: Deployment) -> None:
    quote_id = create()
    set_version(deployment, quote_id, b"status", "pending_approval")
    for status in ("approval", "pending_approval"):
        assert ids(listed(status=status)) == [quote_id]


def test_an_offer_that_has_ended_is_listed_as_expired(deployment: Deployment) -> None:
    quote_id = create()
    set_version(deployment, quote_id, b"valid_until", "2026-01-01")
    assert quote_id in ids(listed(status="expired"))
    assert quote_id not in ids(listed(status="draft", limit=100))


def test_ranges_of_days_tile(deployment: Deployment) -> None:
    quote_id = create()
    with deployment.connect("quarry_write") as connection, as_tenant(connection, "acme"):
        connection.execute("UPDATE cpq.quotes SET created_at = '2026-02-01T00:00:00Z' WHERE id = %s", [quote_id])
    assert ids(listed(created_after="2026-01-01", created_before="2026-02-01")) == []
    assert ids(listed(created_after="2026-02-01", created_before="2026-03-01")) == [quote_id]
    assert ids(listed(created_after="2026-01-31T23:30:00-01:00", created_before="2026-02-01T00:00:01Z")) == []


def test_an_unknown_account_is_remarked() -> None:
    answer = listed(account_id="acct_nobody")
    assert (answer["items"], answer["notice"]) == (
        [],
        "There is no account 'acct_nobody'; account_search finds an id by a name.",
    )


@pytest.mark.parametrize(
    "arguments",
    [
        {"sort_by": "tenant"},
        {"created_after": "yesterday"},
        {"created_after": "2026-02-30"},
        {"limit": 101},
        {"page": 0},
    ],
)
def test_nonsense_is_refused(arguments: dict[str, object]) -> None:
    assert invoke(quote_list.handler, arguments)["code"] == "VALIDATION_ERROR"
