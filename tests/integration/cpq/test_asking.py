"""What the client's user is asked before a quote is written, each round as our proxy passes it on."""

from typing import Any

import pytest

from cpq import quote_create
from tests.deployment import Deployment, Handler, invoke
from tests.integration.cpq.drafts import rows

pytestmark = pytest.mark.usefixtures("served")

FORMS: dict[str, Any] = {"clientCapabilities": {"elicitation": {}}}
WITHOUT_FORMS: list[dict[str, Any]] = [
    {},
    {"clientCapabilities": {}},
    {"clientCapabilities": {"elicitation": {"url": {}}}},
]


def accepted(**content: object) -> dict[str, Any]:
    return {"action": "accept", "content": content}


def rounds(handler: Handler, event: dict[str, Any], said: dict[str, Any], **answers: object) -> dict[str, Any]:
    given = {**event, "_mcp": {**said, **({"inputResponses": answers} if answers else {})}}
    return invoke(handler, given, tool="quote_create", scopes=["cpq:write"])


def order(account: str, **fields: object) -> dict[str, Any]:
    line = {"product_id": "prod_sso", "quantity": 1}
    return {"account_id": account, "term_months": 12, "line_items": [line], **fields}


def test_a_name_that_is_no_id_is_asked_about_with_the_customers_it_may_mean(deployment: Deployment) -> None:
    event = order("Acm", idempotency_key="who")
    asked = rounds(quote_create.handler, event, FORMS)["_mcp"]["inputRequired"]
    assert "requestState" not in asked
    question = asked["inputRequests"]["account_id"]["params"]
    assert question["message"] == "There is no account 'Acm'. Which customer is the quote for?"
    [choice] = question["requestedSchema"]["properties"]["account_id"]["oneOf"]
    assert (choice["const"], choice["title"].startswith("Acme Corp, ")) == ("acct_acme_001", True)
    assert rows(deployment, "SELECT id FROM cpq.quotes WHERE created_by = 'anonymous'") == []
    created = rounds(quote_create.handler, event, FORMS, account_id=accepted(account_id="acct_acme_001"))
    assert created["quote"]["account_id"] == "acct_acme_001"
    assert rounds(quote_create.handler, event, FORMS) == created


@pytest.mark.parametrize(
    "answer", [{"action": "decline"}, accepted(account_id="acct_midori"), accepted(account_id=5), "acct_acme_001"]
)
def test_what_was_not_among_the_choices_chooses_nothing(answer: object) -> None:
    refused = rounds(quote_create.handler, order("Acm"), FORMS, account_id=answer)
    assert (refused["code"], "No account 'Acm'." in refused["message"]) == ("NOT_FOUND", True)


def test_nobody_is_asked_about_what_resembles_nothing_or_is_known() -> None:
    assert rounds(quote_create.handler, order("zzzz qqqq"), FORMS)["code"] == "NOT_FOUND"
    assert "quote" in rounds(quote_create.handler, order("acct_acme_001"), FORMS)


@pytest.mark.parametrize("can", WITHOUT_FORMS)
def test_a_client_that_shows_no_forms_gets_its_answer_without(can: dict[str, Any]) -> None:
    assert rounds(quote_create.handler, order("Acm"), can)["code"] == "NOT_FOUND"


def test_whoever_calls_past_the_proxy_answers_no_question() -> None:
    refused = invoke(quote_create.handler, {**order("Acm"), "_mcp": FORMS})
    assert refused["code"] == "VALIDATION_ERROR"
