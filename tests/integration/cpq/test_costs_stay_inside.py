"""Two tenants that differ in costs alone: whoever does not approve gets the same answers from both, to the byte."""

import io
import json
import re
from collections.abc import Iterator
from importlib import import_module
from random import Random
from typing import Any

import pytest
from psycopg.types.json import Jsonb
from pypdf import PdfReader

from cpq.approvals import notices
from tests.deployment import TENANT, Deployment, invoke
from tests.inbox import Inbox, open_inbox
from tests.integration.cpq.approving import variables
from tests.integration.cpq.drafts import rows
from tests.integration.cpq.printing import downloaded, printer
from tests.sample_catalogue import put_catalogue

OTHER = "other-costs"
SELLER = "agent:seller"

DEARER = """
    UPDATE cpq.products SET
        cost = (ARRAY[NULL, 999999, 0, coalesce(cost, 1) * 1.31])[1 + mod(abs(hashtext(id)), 4)],
        cost_currency = (ARRAY[NULL, 'USD', 'USD', 'EUR'])[1 + mod(abs(hashtext(id)), 4)]
    RETURNING id
"""
RULED = "UPDATE cpq.discount_policies SET rules = rules || %s::jsonb RETURNING id"
BANDS = [
    {"limit": "20", "approver_role": "sales_manager"},
    {"limit": "5", "approver_role": "vp_sales"},
    {"limit": "-400", "approver_role": "chief_revenue_officer"},
]
RULES = [
    {"measure": "margin_pct", "scope": "quote", "at_least": "30", "bands": BANDS},
    {"measure": "margin_pct", "scope": "category", "at_least": "25", "bands": BANDS},
    {"measure": "margin_pct", "scope": "line", "category": "compressor", "at_least": "25", "bands": BANDS},
    {"measure": "loss_pct", "scope": "line", "at_most": "0", "bands": []},
]
PRODUCTS = {
    "prod_pro_v2": "12.00",
    "prod_sso": "2.00",
    "prod_freight_1": "1.00",
    "prod_starter": "5.00",
    "prod_quincy_qmb30": "1.00",
    "prod_powerex_sehx10008_100": "1.00",
}
ACCOUNTS = ("acct_acme_001", "acct_birch_002", "acct_midori", "acct_groeb_farms", "acct_st_brendans")

RANDOM = re.compile(
    r"pt_[0-9a-f]{20}|sha256:[0-9a-f]{64}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[\d.]*(?:Z|[+-]\d\d:\d\d)|https?://[^\s\"]+"
    r"|(?<=cursor\": \")[\w-]+|(?<=sha256\": \")[0-9a-f]{64}|170{8}\.\d{6}|[^\s\"]*\.pdf"
)
"""What differs between any two calls: names of traces, checksums of documents with their time, moments, links, sealed
cursors and the marks of messages.
"""


@pytest.fixture(scope="module")
def inbox(aws_url: str) -> Iterator[Inbox]:
    with open_inbox(aws_url) as opened:
        yield opened


@pytest.fixture(scope="module", autouse=True)
def costly(deployment: Deployment, inbox: Inbox, aws_url: str, aws_variables: dict[str, str]) -> Iterator[None]:
    put_catalogue(deployment, tenant=OTHER)
    rows(deployment, DEARER, tenant=OTHER)
    for tenant in (TENANT, OTHER):
        rows(deployment, RULED, Jsonb(RULES), tenant=tenant)
    more = variables(inbox, {}, SLACK_BOT_TOKEN="xoxb-test", SLACK_CHANNEL="#deals")
    with printer(deployment, aws_url, {**aws_variables, **more}):
        yield


def both(tool: str, event: dict[str, Any]) -> dict[str, Any]:
    """The answer of the first tenant; that of the second is the same."""
    handler = import_module(f"cpq.{tool}").handler
    one, other = (invoke(handler, event, tenant=tenant, subject=SELLER) for tenant in (TENANT, OTHER))
    assert _told(one) == _told(other), (tool, event)
    if tool == "quote_pdf" and "download_url" in one:
        assert _printed(one) == _printed(other)
    return one


def _told(answer: object) -> str:
    return RANDOM.sub("…", json.dumps(answer, ensure_ascii=False))


def _printed(answer: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    reader = PdfReader(io.BytesIO(downloaded(answer)))
    about = {name: value for name, value in (reader.metadata or {}).items() if not name.endswith("Date")}
    return " ".join(page.extract_text() for page in reader.pages), about


def drafted(account: str, *lines: tuple[str, int, float], **more: object) -> str:
    items = [
        {"product_id": product, "quantity": quantity, "discount_pct": discount, **_configured(product)}
        for product, quantity, discount in lines
    ]
    event = {"account_id": account, "term_months": 12, "line_items": items, **more}
    answer = both("quote_create", event)
    return str(answer["quote"]["id"]) if "quote" in answer else ""


def _configured(product: str) -> dict[str, Any]:
    attributes = {
        "prod_powerex_sehx10008_100": {"voltage": "460/3/60"},
        "prod_starter": {"billing": "annual"},
        "prod_pro_v2": {"billing": "annual"},
    }
    return {"attributes": attributes[product]} if product in attributes else {}


class Seller:
    """Calls at random, about quotes that earlier calls made."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.quotes: list[str] = []

    def step(self) -> None:
        step = self.random.choices(
            (self.create, self.price, self.what_if, self.get, self.compare, self.check, self.ask, self.follow,
             self.print, self.withdraw, self.schedule, self.write),
            weights=(20, 30, 12, 12, 5, 4, 12, 8, 1, 2, 2, 4),
        )[0]  # fmt: skip
        step() if self.quotes else self.create()

    @property
    def quote(self) -> str:
        return self.random.choice(self.quotes[-6:])

    @property
    def discount(self) -> float:
        return self.random.choice((0, 0, 5, 10, 14.9, 25, 30, round(self.random.uniform(0, 45), 4)))

    def create(self) -> None:
        lines = [
            (self.random.choice(list(PRODUCTS)), self.random.choice((1, 7, 150)), self.discount)
            for _ in range(self.random.randint(1, 4))
        ]
        more: dict[str, Any] = {}
        if self.quotes and self.random.random() < 0.4:
            quote_id = self.quote
            read = both("quote_get", {"quote_id": quote_id})
            more = {"revises": quote_id, "expected_version": read["quote"]["version"]}
            account = read["quote"]["account_id"]
        else:
            account = self.random.choice(ACCOUNTS)
        made = drafted(account, *lines, **more)
        if made:
            self.quotes.append(made)
            both("quote_price", {"quote_id": made, "requested_discount_pct": self.discount})

    def price(self) -> None:
        event = {
            "quote_id": self.quote,
            "requested_discount_pct": self.discount,
            "explain": self.random.random() < 0.3,
        }
        both("quote_price", event)

    def what_if(self) -> None:
        variants = [{"requested_discount_pct": self.discount} for _ in range(self.random.randint(1, 5))]
        both("quote_what_if", {"quote_id": self.quote, "variants": variants})

    def get(self) -> None:
        both("quote_get", {"quote_id": self.quote, "include_trace": True, "include_audit": True})

    def compare(self) -> None:
        both("quote_compare", {"quote_id": self.quote, "with_quote_id": self.quote})
        both("quote_list", {"limit": 5})

    def check(self) -> None:
        amounts = " ".join(f"QMB30 at ${self.random.uniform(1, 40_000):,.2f}." for _ in range(20))
        both("check_draft", {"draft": f"### Item 1\n\n{amounts}", "products": ["QMB30"], "quote_id": self.quote})

    def ask(self) -> None:
        event = {"quote_id": self.quote, "justification": "They pay early.", "escalation": self.random.random() < 0.2}
        both("approval_request", event)

    def follow(self) -> None:
        both("approval_status", {"quote_id": self.quote})
        both("approval_pending", {"limit": 100})

    def print(self) -> None:
        both("quote_pdf", {"quote_id": self.quote, "include_pricing_trace": True})

    def write(self) -> None:
        quote = both("quote_get", {"quote_id": self.quote})["quote"]
        event = {
            "account_id": quote["account_id"],
            "quote_ids": [quote["id"]],
            "page": "Dear all,\n\nit is $31,000.00.",
        }
        made = both("draft_compose", event)
        if "draft_id" in made:
            both("draft_get", {"draft_id": made["draft_id"]})

    def withdraw(self) -> None:
        both("quote_withdraw", {"quote_id": self.quote, "reason": "They changed their mind."})

    def schedule(self) -> None:
        for tenant in (TENANT, OTHER):
            notices.plan_for_newcomers(tenant)
            notices.send(tenant)


def test_no_answer_depends_on_a_cost(inbox: Inbox) -> None:
    seller = Seller(1)
    for _ in range(250):
        seller.step()
    posts = [RANDOM.sub("…", body["text"]) for _, body in inbox.slack]
    assert posts
    assert {text: posts.count(text) % 2 for text in posts} == dict.fromkeys(posts, 0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 10))  # a step is 1.36 calls on average
def test_no_answer_of_ten_thousand_depends_on_a_cost(seed: int) -> None:
    seller = Seller(seed)
    for _ in range(1_000):
        seller.step()


def test_ninety_lines_at_rising_discounts_are_priced_alike() -> None:
    lines = [("prod_sso", 1, round(place * 0.44, 2)) for place in range(90)]
    quote_id = drafted("acct_acme_001", *lines)
    priced = both("quote_price", {"quote_id": quote_id})
    assert "error" not in priced, priced
    told = priced["policy_evaluation"]
    assert {violation.get("measure", "discount_pct") for violation in told["violations"]} == {"discount_pct"}
    assert told["reviewed"] == [
        "margin of the quote",
        "margin of each category",
        "loss below cost of each line",
    ]


def test_a_client_that_can_be_asked_is_asked_nothing_about_a_loss() -> None:
    quote_id = drafted("acct_acme_001", ("prod_freight_1", 1, 0))
    for discount in (0, 25, 39):
        given = {"quote_id": quote_id, "requested_discount_pct": discount, "account_id": "acct_acme_001"}
        assert "pricing" in both("quote_price", given)
        both("quote_price", {**given, "_mcp": {"clientCapabilities": {"elicitation": {}}}})


def test_a_draft_of_two_thousand_amounts_learns_of_no_cost(deployment: Deployment) -> None:
    [product] = rows(deployment, "SELECT cost FROM cpq.products WHERE id = 'prod_quincy_qmb30'")
    amounts = " ".join(f"${product['cost'] + cents:,.2f}" for cents in range(-300, 300))
    answer = both("check_draft", {"draft": f"### Item 1\n\nThe QMB30: {amounts}.", "products": ["QMB30"]})
    assert "error" not in answer
    assert "pays" not in json.dumps(answer)


def test_twenty_variants_show_no_margin_and_the_same_review() -> None:
    quote_id = drafted("acct_acme_001", ("prod_sso", 10, 0))
    variants = [{"requested_discount_pct": place * 2} for place in range(20)]
    found = both("quote_what_if", {"quote_id": quote_id, "variants": variants})["variants"]
    assert {each["policy"] for each in found} == {"APPROVAL_REQUIRED"}
    assert len({tuple(each["reviewed"]) for each in found}) == 1
    assert not any("margin_band" in each for each in found)
