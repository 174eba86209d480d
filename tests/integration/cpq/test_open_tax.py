"""A country without a tax rule: net prices are told and decided on, tax is not determined, and no quote goes out."""

from collections.abc import Iterator
from typing import Any

import pytest

from cpq import approval_request, approval_status, quote_create, quote_get, quote_price, quote_what_if
from operations.ingest import KINDS
from tests.deployment import TENANT, Deployment, invoke
from tests.integration.cpq.drafts import owner
from tests.integration.cpq.printing import print_quote, printer

MACHINE = {"product_id": "prod_birkhagen_brk_800", "quantity": 1}
KENYA = {"name": "Rift Lakes Tannery", "country": "KE"}


@pytest.fixture(scope="module", autouse=True)
def served(deployment: Deployment, aws_url: str, aws_variables: dict[str, str]) -> Iterator[None]:
    with printer(deployment, aws_url, aws_variables):
        yield


def create(account_id: str, prospect: dict[str, str], **arguments: object) -> dict[str, Any]:
    event = {"account_id": account_id, "prospect": prospect, "currency": "USD", "line_items": [MACHINE], **arguments}
    answer = invoke(quote_create.handler, event)
    assert "error" not in answer, answer
    return answer


def price(quote_id: str, **arguments: object) -> dict[str, Any]:
    return invoke(quote_price.handler, {"quote_id": quote_id, "account_id": owner(quote_id), **arguments})


def test_net_prices_are_told_with_the_tax_left_open(deployment: Deployment) -> None:
    drafted = create("acct_rift_lakes", KENYA)
    assert drafted["notice"].startswith("Tax is not determined: no tax rule is on record for KE.")
    quote_id = drafted["quote"]["id"]
    answer = price(quote_id)
    assert answer["pricing"]["net_total"] == answer["pricing"]["total"] == "56050.00"
    assert "tax_total" not in answer["pricing"]
    assert not {"tax_amount", "tax_rate_pct"} & answer["line_pricing"][0].keys()
    assert answer["notice"].startswith("Tax is not determined: no tax rule is on record for KE.")
    assert "tax_total" not in invoke(quote_get.handler, {"quote_id": quote_id})["pricing"]
    [variant] = invoke(quote_what_if.handler, {"quote_id": quote_id, "variants": [{}]})["variants"]
    assert (variant["total"], "tax_total" in variant) == ("56050.00", False)


def test_its_discount_may_be_decided_on_but_it_is_neither_released_nor_printed_until_a_rule_is_loaded(
    deployment: Deployment,
) -> None:
    quote_id = create("acct_zambezi", {"name": "Zambezi Works", "country": "ZM"})["quote"]["id"]
    price(quote_id)
    stands = invoke(approval_status.handler, {"quote_id": quote_id})
    assert (stands["can_proceed"], "no tax rule is on record for ZM" in stands["reason"]) == (False, True)
    assert "no tax rule is on record for ZM" in print_quote(quote_id)["message"]
    price(quote_id, requested_discount_pct=5)
    asked = invoke(approval_request.handler, {"quote_id": quote_id, "justification": "A new customer."})
    assert (asked["approval_request"]["status"], asked["approval_request"]["total"]) == ("pending", "53247.50")
    waits = invoke(approval_status.handler, {"quote_id": quote_id})["reason"]
    assert "waits for sales_manager" in waits
    assert "no tax rule is on record for ZM" in waits
    rule = {"id": "tax_zm", "name": "VAT", "country": "ZM", "rate_pct": "16"}
    deployment.put(
        KINDS["tax_rules"], [KINDS["tax_rules"].row.model_validate(rule).model_dump(mode="json")], tenant=TENANT
    )
    assert price(quote_id)["pricing"]["tax_total"] == "8968.00"
    assert print_quote(quote_id)["pdf_generated"] is True


def test_an_export_is_free_of_tax_by_a_rule_that_says_why() -> None:
    quote_id = create("acct_lecheria", {"name": "Lechería del Norte", "country": "MX"})["quote"]["id"]
    priced = price(quote_id, explain=True)
    assert priced["pricing"]["tax_total"] == "0.00"
    assert "Exportación, IVA a cargo del importador" in " ".join(priced["line_pricing"][0]["steps"])


@pytest.mark.parametrize(
    ("account_id", "region", "said"),
    [
        (
            "acct_iowan",
            {"region": "IA"},
            "No tax is added: no tax rule is on record for IA, US. Check that none is due.",
        ),
        ("acct_nowhere", {}, "No tax is added: the customer's region is unknown, and tax in US depends on it."),
        ("acct_ohioan", {"region": "OH"}, None),
    ],
)
def test_a_region_without_a_rule_is_not_passed_over_in_silence(
    account_id: str, region: dict[str, str], said: str | None
) -> None:
    drafted = create(account_id, {"name": account_id, "country": "US", **region})
    answer = price(drafted["quote"]["id"])
    assert answer.get("notice") == said
    assert (said or "entered as a prospect") in drafted["notice"]
    assert "tax_total" in answer["pricing"]


def test_a_state_by_its_name_is_asked_for_by_the_code_that_tax_rules_have() -> None:
    event = {"account_id": "acct_ohio_by_name", "line_items": [MACHINE]}
    refused = invoke(quote_create.handler, {**event, "prospect": {"name": "Ohio", "country": "US", "region": "Ohio"}})
    assert "prospect.region" in refused["message"]
    assert "they have AK, IL, IN, MI, OH, PA, WI" in refused["message"]
    assert "id" in create("acct_ohio_by_name", {"name": "Ohio", "country": "US", "region": "OH"})["quote"]
