"""What a product costs the house, and the margin that would tell it, is in no tool's answer and on no document."""

import json
import re
from collections.abc import Iterator
from fractions import Fraction
from importlib import import_module
from typing import Any, get_args

import pytest
from psycopg.types.json import Jsonb

from cpq.documents.content import Template
from local.files import ROOT
from tests.deployment import Deployment, invoke
from tests.integration.cpq.drafts import draft, rows
from tests.integration.cpq.printing import print_quote, printer, text_of

COST = Fraction("0.7361239")
QUANTITY, MONTHS, YEN = 7, 12, 150
COSTLY = "UPDATE cpq.products SET cost = 0.7361239 WHERE id = 'prod_sso' RETURNING id"
RULED = "UPDATE cpq.discount_policies SET rules = %s RETURNING id"
READ = "SELECT trace FROM cpq.pricing_traces WHERE quote_id = %s"
TOOLS = [
    tool for tool in json.loads((ROOT / "proxy" / "manifest.json").read_text())["tools"] if tool["toolset"] == "cpq"
]


@pytest.fixture(scope="module", autouse=True)
def costly(deployment: Deployment, aws_url: str, aws_variables: dict[str, str]) -> Iterator[None]:
    rows(deployment, COSTLY)
    rows(deployment, RULED, floors({"approver_role": "vp_sales", "limit": None}))
    more = {"APPROVAL_KEY": "a key of the tests, long enough to sign with"}
    with printer(deployment, aws_url, aws_variables, **more):
        yield


def floors(*bands: dict[str, Any]) -> Jsonb:
    """Rules that every margin here breaks, so that every answer has breaches to word."""
    scopes = ("quote", "category", "line")
    return Jsonb([{"measure": "margin_pct", "scope": each, "at_least": "99", "bands": bands} for each in scopes])


def margins(deployment: Deployment, quote_id: str) -> set[str]:
    """Margins of the whole and of lines, at list, and as rules read them, in the forms that an answer might show."""
    found = set()
    for row in rows(deployment, READ, quote_id):
        trace = row["trace"]
        readings = [each[name] for each in (trace, *trace["lines"]) for name in ("margin_pct", "list_margin_pct")]
        readings += [check["actual"] for check in trace["rule_checks"]]
        found |= {f"{float(each):{style}}" for each in readings for style in (".1f", ".2f", "g")} | set(readings)
    return found


def figures(currency: str) -> set[str]:
    """The cost of a unit, of a month of all units and of the term, as digits that an answer might hold."""
    factor = 1 if currency == "USD" else YEN
    costs = [COST * factor * times for times in (1, MONTHS, QUANTITY, QUANTITY * MONTHS)]
    shown = {f"{float(cost):.{digits}f}" for cost in costs for digits in (2, 3, 4, 7)}
    return {digits.rstrip("0").rstrip(".") for digits in shown} | {"0.7361239"}


def call(tool: str, quote_id: str, *, other: str = "") -> dict[str, Any]:
    """The tool's answer about the quote, with all that it tells when it is asked for everything."""
    given: dict[str, dict[str, Any]] = {
        "catalog_search": {"query": "SSO"},
        "catalog_get": {"product_id": "prod_sso"},
        "quote_create": {
            "account_id": "acct_acme_001",
            "term_months": MONTHS,
            "line_items": [{"product_id": "prod_sso", "quantity": QUANTITY}],
        },
        "quote_price": {"quote_id": quote_id, "requested_discount_pct": 10, "explain": True},
        "quote_get": {"quote_id": quote_id, "include_trace": True, "include_audit": True},
        "quote_pdf": {"quote_id": quote_id, "include_pricing_trace": True},
        "quote_compare": {"quote_id": quote_id, "with_quote_id": other},
        "quote_what_if": {"quote_id": quote_id, "variants": [{}, {"requested_discount_pct": 12.5}]},
        "approval_request": {"quote_id": quote_id, "justification": "A customer for two years."},
    }
    event = given.get(tool)
    if event is None:
        event = json.loads((ROOT / "events" / f"{tool}.json").read_text())
        event |= {"quote_id": quote_id} if "quote_id" in event else {}
    return invoke(import_module(f"cpq.{tool}").handler, event)


@pytest.mark.parametrize(("account", "currency"), [("acct_acme_001", "USD"), ("acct_midori", "JPY")])
def test_no_answer_holds_a_cost_or_a_margin(deployment: Deployment, account: str, currency: str) -> None:
    quote_id = draft(deployment, ("prod_sso", QUANTITY), account=account)
    other = draft(deployment, ("prod_sso", QUANTITY + 1), account=account)
    call("quote_price", other)
    order = ["quote_price", "approval_request", *(tool["name"] for tool in TOOLS)]
    for tool in dict.fromkeys(order):
        answer = json.dumps(call(tool, quote_id, other=other))
        assert '"error": true' not in answer, (tool, answer)
        told = {*figures(currency), *margins(deployment, quote_id)}
        assert {figure for figure in told if re.search(rf"(?<![\d.]){re.escape(figure)}(?!\d)", answer)} == set(), (
            tool
        )
        assert '"cost' not in answer, tool


def test_what_nobody_can_approve_is_refused_without_its_margin(deployment: Deployment) -> None:
    quote_id = draft(deployment, ("prod_sso", QUANTITY))
    call("quote_price", quote_id)
    rows(deployment, RULED, floors())
    try:
        refused = call("quote_price", quote_id)
        assert refused["code"] == "POLICY_VIOLATION"
        assert "margin is below the floor of 99%" in refused["message"]
        told = json.dumps(refused) + json.dumps(call("quote_what_if", quote_id))
        assert {figure for figure in margins(deployment, quote_id) if figure in told} == set()
    finally:
        rows(deployment, RULED, floors({"approver_role": "vp_sales", "limit": None}))


@pytest.mark.parametrize("template", get_args(Template))
def test_no_document_holds_a_cost_or_a_margin(deployment: Deployment, template: Template) -> None:
    quote_id = draft(deployment, ("prod_sso", QUANTITY))
    call("quote_price", quote_id)
    text = text_of(print_quote(quote_id, template=template, include_pricing_trace=True))
    assert {figure for figure in {*figures("USD"), *margins(deployment, quote_id)} if figure in text} == set()
    assert "margin" not in text.casefold()
