"""Quoting goes on where every session was ended between two calls, as a failover and a rest of minutes do."""

from cpq import quote_create, quote_price, quote_withdraw
from tests.deployment import Deployment, end_sessions, invoke

DRAFT = {"account_id": "acct_acme_001", "term_months": 12, "line_items": [{"product_id": "prod_sso", "quantity": 1}]}


def test_a_quote_is_made_priced_and_withdrawn_though_no_session_lasts_from_one_call_to_the_next(
    deployment: Deployment,
) -> None:
    with deployment.serving("quarry_write"):
        invoke(quote_create.handler, DRAFT)
        end_sessions(deployment.superuser_dsn)
        created = invoke(quote_create.handler, DRAFT)
        end_sessions(deployment.superuser_dsn)
        priced = invoke(quote_price.handler, {"quote_id": created["quote"]["id"]})
        end_sessions(deployment.superuser_dsn)
        withdrawn = invoke(
            quote_withdraw.handler, {"quote_id": created["quote"]["id"], "reason": "The customer left."}
        )
    assert "error" not in priced, priced
    assert "error" not in withdrawn, withdrawn
