"""What a product costs the house is in no tool's answer and on no document."""

import json
from collections.abc import Iterator
from fractions import Fraction
from importlib import import_module
from typing import Any, get_args

import pytest

from cpq.documents.content import Template
from local.files import ROOT
from tests.deployment import Deployment, invoke
from tests.integration.cpq.drafts import draft, rows
from tests.integration.cpq.printing import print_quote, printer, text_of
from tests.sample_catalogue import put_catalogue

COST = Fraction("0.7361239")
QUANTITY, MONTHS, YEN = 7, 12, 150
COSTLY = "UPDATE cpq.products SET cost = 0.7361239 WHERE id = 'prod_sso' RETURNING id"
TOOLS = [
    tool for tool in json.loads((ROOT / "proxy" / "manifest.json").read_text())["tools"] if tool["toolset"] == "cpq"
]


@pytest.fixture(scope="module", autouse=True)
def costly(deployment: Deployment, aws_url: str, aws_variables: dict[str, str]) -> Iterator[None]:
    put_catalogue(deployment)
    rows(deployment, COSTLY)
    more = {"APPROVAL_KEY": "a key of the tests, long enough to sign with"}
    with printer(deployment, aws_url, aws_variables, **more):
        yield


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
        "approval_request": {"quote_id": quote_id, "justification": "A customer for two years."},
    }
    event = given.get(tool)
    if event is None:
        event = json.loads((ROOT / "events" / f"{tool}.json").read_text())
        event |= {"quote_id": quote_id} if "quote_id" in event else {}
    return invoke(import_module(f"cpq.{tool}").handler, event)


@pytest.mark.parametrize(("account", "currency"), [("acct_acme_001", "USD"), ("acct_midori", "JPY")])
def test_no_answer_holds_a_cost(deployment: Deployment, account: str, currency: str) -> None:
    quote_id = draft(deployment, ("prod_sso", QUANTITY), account=account)
    other = draft(deployment, ("prod_sso", QUANTITY + 1), account=account)
    call("quote_price", other)
    order = ["quote_price", "approval_request", *(tool["name"] for tool in TOOLS)]
    for tool in dict.fromkeys(order):
        answer = json.dumps(call(tool, quote_id, other=other))
        assert '"error": true' not in answer, (tool, answer)
        assert {figure for figure in figures(currency) if figure in answer} == set(), tool
        assert '"cost' not in answer, tool


@pytest.mark.parametrize("template", get_args(Template))
def test_no_document_holds_a_cost_or_a_margin(deployment: Deployment, template: Template) -> None:
    quote_id = draft(deployment, ("prod_sso", QUANTITY))
    margin = str(call("quote_price", quote_id)["pricing"]["margin_pct"])
    text = text_of(print_quote(quote_id, template=template, include_pricing_trace=True))
    assert {figure for figure in {*figures("USD"), margin} if figure in text} == set()
    assert "margin" not in text.casefold()
