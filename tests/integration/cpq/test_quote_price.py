"""quote_price on the sample catalogue: the worked example's numbers, other currencies, policy, and what is kept."""

import re
from dataclasses import replace
from decimal import Decimal
from typing import Any
from unittest.mock import patch

import pytest

from cpq.pricing.trace import Trace
from cpq.quote_price import handler
from cpq.quotes import queries, versions
from quarry.data import database
from tests.deployment import TENANT, Deployment, invoke
from tests.integration.cpq.drafts import Line, draft, owner, rows
from tests.unit.cpq.pricing.replaying import replay

TOTALS = ("subtotal", "discount_total", "tax_total", "total", "currency", "price_book_id")


pytestmark = pytest.mark.usefixtures("writing")


def price(quote_id: str, **arguments: object) -> dict[str, Any]:
    return invoke(handler, {"quote_id": quote_id, "account_id": owner(quote_id), **arguments})


def totals(answer: dict[str, Any]) -> list[str]:
    return [answer["pricing"][name] for name in TOTALS]


def test_the_seeds_example_comes_to_its_numbers_and_words(deployment: Deployment) -> None:
    answer = price(draft(deployment), requested_discount_pct=10)
    assert totals(answer) == ["14400.00", "1440.00", "0.00", "12960.00", "USD", "pb_enterprise_us"]
    assert answer["pricing"]["price_book_name"] == "Enterprise US 2026"
    assert (answer["version"], answer["status"], answer["approval_required"]) == (1, "priced", True)
    assert answer["policy_evaluation"]["status"] == "APPROVAL_REQUIRED"
    [violation] = answer["policy_evaluation"]["violations"]
    assert violation["description"] == "10% discount exceeds 0% auto-approval cap for Enterprise segment"
    assert violation["required_approver_role"] == "sales_manager"


def test_each_line_shows_tier_discount_and_total(deployment: Deployment) -> None:
    seats, sign_on = price(draft(deployment), requested_discount_pct=10)["line_pricing"]
    assert seats["volume_tier_applied"] == {"min": 100, "price": "6.00"}
    assert (seats["base_unit_price"], seats["unit_price"]) == ("10.00", "6.00")
    assert (seats["subtotal_before_discount"], seats["discount_amount"]) == ("10800.00", "1080.00")
    assert (seats["line_total"], seats["discount_pct"]) == ("9720.00", 10.0)
    assert sign_on["line_total"] == "3240.00"
    assert not {"steps", "volume_tier_applied", "price_book_id", "base_unit_price", "product_name"} & sign_on.keys()


def test_the_seeds_other_policy_is_the_small_customers(deployment: Deployment) -> None:
    quote = draft(deployment, ("prod_sso", 10), account="acct_birch_002")
    [violation] = price(quote, requested_discount_pct=15)["policy_evaluation"]["violations"]
    assert violation["policy_id"] == "pol_discount_cap_smb"
    assert violation["description"] == "15% discount exceeds 10% auto-approval cap for SMB segment"
    assert (violation["threshold"], violation["actual"], violation["severity"]) == (10.0, 15.0, "approval_required")


def test_one_discount_is_one_number_wherever_it_stands(deployment: Deployment) -> None:
    quote = draft(deployment, ("prod_sso", 7, {"discount_pct": 12}), ("prod_starter", 13, {"discount_pct": 15}))
    answer = price(quote)
    [violation] = [item for item in answer["policy_evaluation"]["violations"] if "line_id" not in item]
    assert answer["pricing"]["discount_pct"] == violation["actual"]
    assert violation["description"].startswith(f"{violation['actual']}% discount")


def test_within_the_cap_nobody_is_asked_and_the_quote_is_final(deployment: Deployment) -> None:
    quote = draft(deployment, ("prod_sso", 10), account="acct_birch_002")
    answer = price(quote, requested_discount_pct=10)
    assert answer["policy_evaluation"] == {"status": "AUTO_APPROVED", "violations": [], "auto_approved": True}
    assert answer["approval_required"] is False
    [row] = rows(deployment, "SELECT status, finalized_at FROM cpq.quote_versions WHERE quote_id = %s", quote)
    assert row["status"] == "priced"
    assert row["finalized_at"] is not None


def test_a_customers_own_discount_holds_for_lines_without_one_and_is_asked_about_as_any(
    deployment: Deployment,
) -> None:
    has = "UPDATE cpq.accounts SET discount_pct = %s WHERE id = 'acct_birch_002' RETURNING id"
    rows(deployment, has, 12)
    try:
        quote = draft(
            deployment, ("prod_sso", 10), ("prod_starter", 10, {"discount_pct": 5}), account="acct_birch_002"
        )
        answer = price(quote)
        larger = price(quote, requested_discount_pct=10)
    finally:
        rows(deployment, has, None)
    assert [line["discount_pct"] for line in answer["line_pricing"]] == [12.0, 5.0]
    assert [line["discount_pct"] for line in larger["line_pricing"]] == [20.8, 14.5]
    for priced in answer["line_pricing"]:
        before, off = Decimal(priced["subtotal_before_discount"]), Decimal(str(priced["discount_pct"]))
        assert Decimal(priced["line_total"]) == round(before * (100 - off) / 100, 2)
    asked = [violation["description"] for violation in answer["policy_evaluation"]["violations"]]
    assert any("12% discount exceeds 10% auto-approval cap" in each for each in asked)
    [first, second] = rows(
        deployment, "SELECT trace -> 'lines' AS lines FROM cpq.pricing_traces WHERE quote_id = %s ORDER BY id", quote
    )
    steps = [" ".join(trace["lines"][0]["steps"]) for trace in (first, second)]
    assert sum("the customer's discount: 12% of" in each for each in steps) == 1
    assert sum("the customer's discount 12%, then the quote's 10% of the rest" in each for each in steps) == 1
    again = price(draft(deployment, ("prod_sso", 10), account="acct_birch_002"))
    assert again["pricing"]["discount_total"] == "0.00"


@pytest.mark.parametrize(
    ("account", "lines", "expected"),
    [
        # 23 800 for one; Michigan taxes equipment at 6 %
        ("acct_groeb_farms", [("prod_quincy_qmb30", 1)], ["23800.00", "1190.00", "1356.60", "23966.60", "USD"]),
        # 100 x 5.50 x 12 + 21 900; 19 % on each line: 1 191.30 and 3 952.95
        (
            "acct_lindqvist",
            [("prod_support_basic", 1), ("prod_pro_v2", 100), ("prod_quincy_qmb30", 1)],
            None,
        ),
        # 3 x 1 500 x 12 = 54 000; 5 % off; 10 % tax
        ("acct_midori", [("prod_sso", 3)], ["10800", "540", "1026", "11286", "JPY"]),
        # 7 x 0.615 x 12 = 51.660; 5 % = 2.583; no tax in Kuwait
        ("acct_al_waha", [("prod_sso", 7)], ["51.660", "2.583", "0.000", "49.077", "KWD"]),
        # a hospital that is exempt
        ("acct_st_brendans", [("prod_quincy_qmb30", 1)], ["23086.00", "1154.30", "0.00", "21931.70", "USD"]),
    ],
)
def test_other_currencies_and_places(
    deployment: Deployment, account: str, lines: list[Line], expected: list[str] | None
) -> None:
    answer = price(draft(deployment, *lines, account=account), requested_discount_pct=5)
    if expected is not None:
        assert totals(answer)[:5] == expected
    digits = {"USD": 2, "EUR": 2, "JPY": 0, "KWD": 3}[answer["pricing"]["currency"]]
    sums = {name: Decimal(answer["pricing"][name]) for name in TOTALS[:4]}
    assert all(-(amount.as_tuple().exponent or 0) == digits for amount in sums.values())  # type: ignore[operator]
    of_lines = answer["line_pricing"]
    assert sums["total"] == sum(Decimal(line["line_total"]) + Decimal(line["tax_amount"]) for line in of_lines)


def test_a_price_is_explained_step_by_step_when_asked(deployment: Deployment) -> None:
    [line] = price(draft(deployment, ("prod_sso", 10), account="acct_birch_002"), explain=True)["line_pricing"]
    assert line["steps"] == [
        "List USD 2026, version 1: 2.00 USD per seat per month.",
        "10 × 2.00 × 12 months = 240.00.",
        "No tax: no rule holds for software in US, OR on " + line["steps"][-1].rpartition(" ")[2],
    ]


def test_what_is_stored_is_what_was_answered_and_replays(deployment: Deployment) -> None:
    quote = draft(deployment)
    answer = price(quote, requested_discount_pct=12.5)
    [version] = rows(deployment, "SELECT * FROM cpq.quote_versions WHERE quote_id = %s", quote)
    assert [f"{version[name]:f}" for name in TOTALS[:4]] == totals(answer)[:4]
    assert version["policy_evaluation"]["status"] == answer["policy_evaluation"]["status"]
    lines = rows(deployment, "SELECT * FROM cpq.quote_lines WHERE quote_id = %s ORDER BY sort_order", quote)
    assert [f"{line['line_total']:f}" for line in lines] == [line["line_total"] for line in answer["line_pricing"]]
    assert version["content_hash"] == hash_now(quote)
    [kept] = rows(
        deployment, "SELECT trace FROM cpq.pricing_traces WHERE id = %s", answer["pricing"]["pricing_trace_id"]
    )
    trace = Trace.model_validate(kept["trace"])
    assert replay(trace).confirms(trace)
    assert f"{trace.total:f}" == answer["pricing"]["total"]


def hash_now(quote: str) -> str:
    with database.transaction(TENANT) as connection:
        return versions.hash_of_stored(connection, versions.find(connection, quote_id=quote, version=1))


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE cpq.quote_lines SET quantity = quantity + 1 WHERE quote_id = %s RETURNING 1",
        "UPDATE cpq.quote_lines SET line_total = line_total - 1 WHERE quote_id = %s RETURNING 1",
        "UPDATE cpq.quote_versions SET payment_terms = 'net_90' WHERE quote_id = %s RETURNING 1",
        "UPDATE cpq.quote_versions SET total = 1 WHERE quote_id = %s RETURNING 1",
    ],
)
def test_the_content_hash_knows_every_change(deployment: Deployment, change: str) -> None:
    quote = draft(deployment)
    price(quote)
    rows(deployment, change, quote)
    [version] = rows(deployment, "SELECT * FROM cpq.quote_versions WHERE quote_id = %s", quote)
    assert version["content_hash"] != hash_now(quote)


def test_the_same_content_priced_again_has_the_same_hash(deployment: Deployment) -> None:
    quote = draft(deployment)
    query = "SELECT content_hash FROM cpq.quote_versions WHERE quote_id = %s"
    hashes: list[str] = []
    for discount in (5, 7, 5):
        price(quote, requested_discount_pct=discount)
        hashes.extend(row["content_hash"] for row in rows(deployment, query, quote))
    assert hashes[0] == hashes[2] != hashes[1]


def test_what_was_approved_when_all_quantities_were_whole_is_still_what_was_approved(deployment: Deployment) -> None:
    quote = draft(deployment)
    price(quote)
    [version] = rows(deployment, "SELECT * FROM cpq.quote_versions WHERE quote_id = %s", quote)
    with database.transaction(TENANT) as connection:
        lines = queries.lines(connection, quote_id=quote, version=1)
        stored = queries.version(connection, quote_id=quote, version=1)
    assert stored is not None
    as_before = [replace(line, quantity=int(line.quantity)) for line in lines]
    with patch.object(versions, "_whole", return_value={}):
        assert versions.content_hash(stored, as_before) == version["content_hash"]
    assert (
        versions.content_hash(stored, [replace(lines[0], quantity=Decimal("150.5")), lines[1]])
        != version["content_hash"]
    )


def test_what_was_hashed_before_a_column_existed_is_still_what_was_priced(deployment: Deployment) -> None:
    quote = draft(deployment)
    price(quote)
    before = [each for each in versions.HASHED_OF_LINE if each not in versions.HASHED_WITH_A_VALUE]
    with patch.object(versions, "HASHED_OF_LINE", before):
        hashed_then = hash_now(quote)
    assert hash_now(quote) == hashed_then
    rows(deployment, "UPDATE cpq.quote_lines SET allowance = '{1, 2}' WHERE quote_id = %s RETURNING 1", quote)
    assert hash_now(quote) != hashed_then


def test_a_discount_holds_for_its_own_run_only(deployment: Deployment) -> None:
    quote = draft(deployment)
    assert price(quote, requested_discount_pct=10)["pricing"]["total"] == "12960.00"
    assert price(quote)["pricing"]["total"] == "14400.00"


def test_a_new_price_holds_from_now_on_and_the_old_trace_keeps_the_old(deployment: Deployment) -> None:
    quote = draft(deployment, ("prod_quincy_qmb30", 1), account="acct_birch_002")
    before = price(quote)["pricing"]
    deployment.rows(
        "INSERT INTO cpq.price_book_entries (tenant, price_book_id, product_id, price, unit) VALUES "
        "('acme', 'pb_list_usd', 'prod_quincy_qmb30', 24000, 'per_unit') RETURNING version"
    )
    after = price(quote)["pricing"]
    assert (before["total"], after["total"]) == ("23800.00", "24000.00")
    versions = [
        kept["trace"]["lines"][0]["price_version"]
        for pricing in (before, after)
        for kept in rows(
            deployment, "SELECT trace FROM cpq.pricing_traces WHERE id = %s", pricing["pricing_trace_id"]
        )
    ]
    assert versions == [1, 2]


def test_it_says_what_passes_freely_and_who_decides_beyond_it(deployment: Deployment) -> None:
    answer = price(draft(deployment, ("prod_quincy_qmb30", 1), account="acct_birch_002", term_months=None))
    assert answer["account_name"] == "Birch & Barrow Bookkeeping"
    assert {
        "discount: free to 10%, to 20% sales_manager, to 25% vp_sales, beyond that nobody",
        "payment term: free to 30 days, to 60 days sales_manager, to 90 days vp_sales, beyond that nobody",
        "net amount: free to 150,000 USD, to 500,000 USD vp_sales, beyond that chief_revenue_officer",
    } <= set(answer["policy_limits"])
    assert not any("margin" in limit or "cost" in limit for limit in answer["policy_limits"])


def test_a_limit_in_another_currency_says_what_the_quote_comes_to_in_it(deployment: Deployment) -> None:
    lines: list[Line] = [("prod_support_basic", 1), ("prod_pro_v2", 100), ("prod_quincy_qmb30", 1)]
    answer = price(draft(deployment, *lines, account="acct_lindqvist"))
    [amount] = [limit for limit in answer["policy_limits"] if limit.startswith("net amount")]
    assert answer["pricing"]["currency"] == "EUR"
    assert re.search(r"; this quote: [\d,]+ USD$", amount)


def test_a_quote_of_another_customer_than_the_one_named_is_not_priced(deployment: Deployment) -> None:
    quote = draft(deployment)
    refused = price(quote, account_id="acct_birch_002")
    assert (refused["code"], refused["details"]["account_id"]) == ("CONFLICT", "acct_acme_001")
    assert rows(deployment, "SELECT status FROM cpq.quote_versions WHERE quote_id = %s", quote) == [
        {"status": "draft"}
    ]
    assert price(quote, account_id="acct_acme_001")["status"] == "priced"
