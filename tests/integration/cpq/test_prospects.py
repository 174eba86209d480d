"""Who is no customer yet can be quoted, under a policy that nobody chose, and becomes one by an ingest."""

from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from cpq import quote_create, quote_price
from operations.ingest import KINDS
from tests.deployment import TENANT, Deployment, as_tenant, invoke
from tests.integration.cpq.drafts import rows

NEW = {"country": "US", "region": "MI", "contact_name": "Dale Ferris"}
STARTER = {"product_id": "prod_starter", "quantity": 5, "attributes": {"billing": "annual"}}


pytestmark = pytest.mark.usefixtures("writing")


def create(account_id: str, **arguments: object) -> dict[str, Any]:
    new = {**NEW, "name": f"{account_id.removeprefix('acct_').title()} Creamery"}
    event = {"account_id": account_id, "prospect": new, "term_months": 12, "line_items": [STARTER], **arguments}
    return invoke(quote_create.handler, event)


def account(deployment: Deployment, account_id: str) -> dict[str, Any]:
    [row] = rows(deployment, "SELECT name, segment, prospect FROM cpq.accounts WHERE id = %s", account_id)
    return row


def test_a_prospect_is_quoted_and_priced_under_the_prospects_policy(deployment: Deployment) -> None:
    answer = create("acct_ferndale")
    assert answer["quote"]["account_name"] == "Ferndale Creamery"
    assert "entered as a prospect" in answer["notice"]
    assert account(deployment, "acct_ferndale") == {
        "name": "Ferndale Creamery",
        "segment": "prospect",
        "prospect": True,
    }
    listed = invoke(quote_price.handler, {"quote_id": answer["quote"]["id"]})
    assert listed["approval_required"] is False
    again = {"quote_id": answer["quote"]["id"], "account_id": answer["quote"]["account_id"]}
    priced = invoke(quote_price.handler, {**again, "requested_discount_pct": 5})
    assert priced["policy_evaluation"]["violations"][0]["policy_id"] == "pol_discount_cap_prospect"


def test_a_quote_at_list_that_a_person_has_to_look_at_says_who_looks_at_what(deployment: Deployment) -> None:
    quote_id = create("acct_looked_at")["quote"]["id"]
    [policy] = rows(deployment, "SELECT rules FROM cpq.discount_policies WHERE segment = 'prospect'")
    put = "UPDATE cpq.discount_policies SET rules = %s WHERE segment = 'prospect' RETURNING id"
    rows(deployment, put, Jsonb([{**rule, "below_list_only": False} for rule in policy["rules"]]))
    listed = invoke(quote_price.handler, {"quote_id": quote_id})
    rows(deployment, put, Jsonb(policy["rules"]))
    assert (listed["approval_required"], listed["policy_evaluation"]["violations"]) == (True, [])
    assert "sales_manager looks at margin of the quote, loss below cost of each line" in listed["notice"]


def test_a_prospect_that_says_so_pays_no_tax_and_somebody_has_to_see_the_certificate() -> None:
    answer = create("acct_exempt", prospect={**NEW, "name": "Ferndale College", "tax_exempt": True})
    assert "certificate" in answer["notice"]
    priced = invoke(quote_price.handler, {"quote_id": answer["quote"]["id"]})
    assert priced["pricing"]["tax_total"] == "0.00"


def test_an_ingest_of_the_account_makes_a_customer_of_it(deployment: Deployment) -> None:
    create("acct_soon")
    row = {"id": "acct_soon", "name": "Soon Creamery Inc.", "segment": "smb", "currency": "USD", "country": "US"}
    given = KINDS["accounts"].row.model_validate(row).model_dump(mode="json")
    deployment.put(KINDS["accounts"], [given], tenant=TENANT)
    assert account(deployment, "acct_soon") == {
        "name": "Soon Creamery Inc.",
        "segment": "smb",
        "prospect": False,
    }


def test_a_customer_that_is_there_is_not_entered_again(deployment: Deployment) -> None:
    refused = create("acct_acme_001")
    assert (refused["code"], refused["details"]["problems"][0]["code"]) == ("VALIDATION_ERROR", "EXISTS")
    assert account(deployment, "acct_acme_001")["name"] == "Acme Corp"


def test_a_prospect_that_is_called_as_a_customer_is_refused_with_his_account(deployment: Deployment) -> None:
    called = {**NEW, "name": "ACME corp."}
    [known] = create("acct_acme_anew", prospect=called)["details"]["problems"]
    assert (known["code"], "acct_acme_001 already: give that account_id" in known["message"]) == ("EXISTS", True)
    close = "UPDATE cpq.accounts SET active = %s WHERE id = 'acct_acme_001' RETURNING id"
    rows(deployment, close, False)
    closed = create("acct_acme_anew", prospect=called)
    rows(deployment, close, True)
    assert (closed["code"], "acct_acme_001 already, which is closed" in closed["message"]) == ("CONFLICT", True)


def test_the_same_prospect_has_a_second_quote_and_another_of_its_id_none(deployment: Deployment) -> None:
    first, second = create("acct_twice")["quote"], create("acct_twice")["quote"]
    assert first["id"] != second["id"]
    other = create("acct_twice", prospect={**NEW, "name": "Fernhill Creamery"})
    assert other["details"]["problems"][0]["code"] == "EXISTS"
    assert account(deployment, "acct_twice")["name"] == "Twice Creamery"


def test_a_company_by_its_name_is_the_one_account_that_is_called_so() -> None:
    event = {"account_id": "ACME corp.", "term_months": 12, "line_items": [{"product_id": "prod_sso", "quantity": 1}]}
    assert invoke(quote_create.handler, event)["quote"]["account_id"] == "acct_acme_001"


def test_a_refused_draft_enters_nobody(deployment: Deployment) -> None:
    assert create("acct_never", line_items=[{"product_id": "prod_no", "quantity": 1}])["code"] == "NOT_FOUND"
    assert rows(deployment, "SELECT id FROM cpq.accounts WHERE id = 'acct_never'") == []


def test_without_a_policy_for_prospects_none_is_quoted(deployment: Deployment) -> None:
    away = "UPDATE cpq.discount_policies SET segment = %s WHERE id = 'pol_discount_cap_prospect' RETURNING id"
    rows(deployment, away, "later")
    refused = create("acct_too_early")
    rows(deployment, away, "prospect")
    assert "NO_POLICY" in {problem["code"] for problem in refused["details"]["problems"]}


def test_no_tool_can_enter_a_customer_that_is_no_prospect(deployment: Deployment) -> None:
    customer = """INSERT INTO cpq.accounts (tenant, id, name, segment, currency, country, prospect)
                  VALUES ('acme', 'acct_forged', 'F', 'smb', 'USD', 'US', false)"""
    with (
        pytest.raises(psycopg.errors.InsufficientPrivilege),
        deployment.connect("quarry_write") as connection,
        as_tenant(connection, TENANT),
    ):
        connection.execute(customer)
