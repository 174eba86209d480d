"""quote_create: a draft with all it lacks, every violation at once, revisions, retries, concurrency."""

from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from cpq import quote_create, quote_get, quote_price
from tests.deployment import TENANT, ClientContext, Context, Deployment, invoke
from tests.integration.cpq.drafts import rows
from tests.sample_catalogue import put_catalogue

YEAR = datetime.now(UTC).year
PRO = {"product_id": "prod_pro_v2", "quantity": 150, "attributes": {"billing": "annual"}, "notes": "Primary license"}
SSO = {"product_id": "prod_sso", "quantity": 150}


def day(offset: int) -> str:
    return (datetime.now(UTC).date() + timedelta(days=offset)).isoformat()


pytestmark = pytest.mark.usefixtures("writing")


def create(**arguments: object) -> dict[str, Any]:
    event = {"account_id": "acct_acme_001", "line_items": [PRO, SSO], "term_months": 12, **arguments}
    return invoke(quote_create.handler, {name: value for name, value in event.items() if value is not None})


def problems(answer: dict[str, Any]) -> set[tuple[str, str]]:
    return {(problem["path"], problem["code"]) for problem in answer["details"]["problems"]}


def test_the_seeds_example_becomes_the_seeds_draft() -> None:
    answer = create(
        deal_id="deal_123",
        start_date="2027-03-01",
        valid_until=day(60),
        notes="Initial quote for Q1",
        line_items=[PRO, SSO],
    )
    quote = answer["quote"]
    assert quote["id"].startswith(f"Q-{YEAR}-")
    assert (quote["version"], quote["status"], quote["currency"]) == (1, "draft", "USD")
    assert (quote["start_date"], quote["end_date"]) == ("2027-03-01", "2028-02-29")
    assert (quote["billing_frequency"], quote["payment_terms"]) == ("monthly", "net_30")
    assert quote["account_name"] == "Acme Corp"
    first, second = answer["line_items"]
    assert (first["id"], first["quote_id"], first["product_name"]) == ("ql_001", quote["id"], "Pro Plan")
    assert not {"unit_price", "subtotal", "discount_amount"} & first.keys()
    assert first["discount_pct"] == 0
    assert first["attributes"] == {"billing": "annual"}
    assert (second["id"], second["sort_order"], "attributes" in second) == ("ql_002", 2, False)
    assert answer["validation"] == {"valid": True, "missing_fields": [], "constraint_violations": []}
    assert answer["notice"] == "No tax is added: no tax rule is on record for OR, US. Check that none is due."


def test_priced_at_once_it_answers_what_pricing_it_afterwards_does(deployment: Deployment) -> None:
    made = create(price=True, requested_discount_pct=10, idempotency_key="at-once")
    assert create(price=True, requested_discount_pct=10, idempotency_key="at-once") == made
    quote = made["quote"]
    assert (quote["version"], quote["status"], made["approval_required"]) == (1, "priced", True)
    assert not {"line_items", "validation"} & made.keys()
    again = {"quote_id": quote["id"], "requested_discount_pct": 10}
    priced = invoke(quote_price.handler, again)
    for answer in (made, priced):
        del answer["pricing"]["priced_at"], answer["pricing"]["pricing_trace_id"]
    assert {name: made[name] for name in made.keys() & priced.keys()} == {
        name: priced[name] for name in priced.keys() - {"quote_id", "account_name", "version", "status"}
    }
    trail = rows(deployment, "SELECT action FROM cpq.audit WHERE subject_id = %s ORDER BY seq", quote["id"])
    assert [row["action"] for row in trail] == ["quote.created", "quote.priced", "quote.priced"]


def test_an_amount_in_a_note_that_the_quote_does_not_come_to_is_told() -> None:
    line = {"product_id": "prod_sso", "quantity": 2, "notes": "Cena po rabacie 1,00 EUR, długość 2,50 m, list $2.00"}
    assert "does not come to: 1,00 EUR (ql_001). Policy" in create(price=True, line_items=[line])["notice"]


def test_what_cannot_be_priced_at_once_is_not_there_at_all(deployment: Deployment) -> None:
    count = "SELECT count(*) FROM cpq.quotes"
    before = rows(deployment, count)
    untermed, too_deep = create(term_months=None, price=True), create(requested_discount_pct=99)
    assert (untermed["code"], problems(untermed)) == ("VALIDATION_ERROR", {("term_months", "MISSING")})
    assert too_deep["code"] == "POLICY_VIOLATION"
    assert all(each["message"].startswith("Nothing was written: ") for each in (untermed, too_deep))
    assert rows(deployment, count) == before


def test_what_is_not_said_takes_the_defaults() -> None:
    quote = create()["quote"]
    assert quote["valid_until"] == day(30)
    assert not {"start_date", "end_date", "deal_id", "notes"} & quote.keys()


def test_a_machine_found_by_search_can_be_quoted() -> None:
    line = {"product_id": "prod_powerex_sehx10008_100", "quantity": 1, "attributes": {"voltage": "460/3/60"}}
    answer = create(account_id="acct_groeb_farms", term_months=None, line_items=[line])
    assert answer["line_items"][0]["sku"] == "SEHX10008-100"
    assert answer["validation"]["missing_fields"] == []


def test_every_violation_is_reported_at_once_with_its_path() -> None:
    lines = [
        {"product_id": "prod_nope", "quantity": 0},
        {"product_id": "prod_pro_v1", "quantity": 5},
        {"product_id": "prod_enterprise", "quantity": 7, "discount_pct": 101,
         "attributes": {"region": "mars", "retention_years": 11, "billing": 3, "colour": "red", "seats": 1.5}},
    ]  # fmt: skip
    answer = create(
        account_id="acct_akme_001", term_months=0, start_date="2026-02-30", valid_until="2020-01-01", line_items=lines
    )
    assert answer["code"] == "NOT_FOUND"
    assert problems(answer) == {
        ("account_id", "NOT_FOUND"),
        ("term_months", "OUT_OF_RANGE"),
        ("start_date", "INVALID_DATE"),
        ("valid_until", "OUT_OF_RANGE"),
        ("line_items[0].product_id", "NOT_FOUND"),
        ("line_items[0].quantity", "OUT_OF_RANGE"),
        ("line_items[1].product_id", "INACTIVE"),
        ("line_items[2].quantity", "OUT_OF_RANGE"),
        ("line_items[2].discount_pct", "OUT_OF_RANGE"),
        ("line_items[2].attributes.region", "NOT_ALLOWED"),
        ("line_items[2].attributes.retention_years", "OUT_OF_RANGE"),
        ("line_items[2].attributes.billing", "NOT_ALLOWED"),
        ("line_items[2].attributes.colour", "UNKNOWN_ATTRIBUTE"),
        ("line_items[2].attributes.seats", "WRONG_TYPE"),
    }
    assert "acct_acme_001" in answer["message"]


@pytest.mark.parametrize(
    ("change", "code", "path"),
    [
        ({"account_id": "acct_nobody"}, "NOT_FOUND", "account_id"),
        ({"account_id": "acct_defunct_99"}, "CONFLICT", "account_id"),
        ({"line_items": [{"product_id": "prod_pro_v1", "quantity": 1}]}, "CONFLICT", "line_items[0].product_id"),
        (
            {"line_items": [{"product_id": "prod_pro_v2", "quantity": -1}]},
            "VALIDATION_ERROR",
            "line_items[0].quantity",
        ),
        ({"line_items": []}, "VALIDATION_ERROR", "line_items"),
        ({"currency": "XXX"}, "VALIDATION_ERROR", "currency"),
        ({"currency": "CHF"}, "VALIDATION_ERROR", "currency"),
        ({"currency": "JPY"}, "VALIDATION_ERROR", "currency"),
        ({"start_date": "9999-12-31"}, "VALIDATION_ERROR", "start_date"),
        ({"term_months": 601}, "VALIDATION_ERROR", "term_months"),
    ],
)
def test_one_fault_has_its_own_code(change: dict[str, Any], code: str, path: str) -> None:
    answer = create(**change)
    assert answer["code"] == code
    assert [problem["path"] for problem in answer["details"]["problems"]] == [path]


def test_nothing_is_written_and_no_number_is_used_up_by_a_refusal() -> None:
    before = int(create()["quote"]["id"].rpartition("-")[2])
    assert create(account_id="acct_nobody")["error"]
    assert int(create()["quote"]["id"].rpartition("-")[2]) == before + 1


def test_what_a_product_requires_and_excludes_is_said_of_the_draft() -> None:
    lines = [{**PRO, "quantity": 5}, {"product_id": "prod_starter", "quantity": 5}]
    validation = create(account_id="acct_groeb_farms", line_items=lines)["validation"]
    found = {(problem["path"], problem["code"]) for problem in validation["constraint_violations"]}
    assert found == {("line_items[0].product_id", "REQUIRES"), ("line_items[1].product_id", "EXCLUDES")}
    assert validation["valid"] is False


def test_a_missing_product_is_named_with_the_repair_that_makes_the_draft_valid() -> None:
    seats = {**PRO, "quantity": 5}
    validation = create(account_id="acct_groeb_farms", line_items=[seats])["validation"]
    assert [problem["repair"] for problem in validation["constraint_violations"]] == ["add prod_support_basic"]
    mended = [seats, {"product_id": "prod_support_basic", "quantity": 1}]
    assert create(account_id="acct_groeb_farms", line_items=mended)["validation"]["valid"] is True


def test_an_attribute_that_contradicts_the_quantity_is_refused() -> None:
    line = {"product_id": "prod_enterprise", "quantity": 150, "attributes": {"region": "us", "seats": 120}}
    assert problems(create(line_items=[line])) == {("line_items[0].attributes.seats", "CONTRADICTION")}
    agreeing = {**line, "attributes": {"region": "us", "seats": 150}}
    assert "error" not in create(line_items=[agreeing])


def test_a_start_in_the_past_is_remarked() -> None:
    assert "start_date 2020-01-01 is in the past" in create(start_date="2020-01-01")["notice"]


def test_the_default_of_a_percentage_is_a_number() -> None:
    schema = quote_create.QuoteCreateArgs.model_json_schema()
    assert schema["$defs"]["LineArgs"]["properties"]["discount_pct"]["default"] == 0


def test_what_the_customer_has_already_satisfies_a_requirement() -> None:
    assert create(line_items=[PRO])["validation"]["constraint_violations"] == []


def test_what_pricing_needs_and_the_draft_lacks_is_named() -> None:
    lines = [
        {"product_id": "prod_enterprise", "quantity": 100},
        {"product_id": "prod_support_premium", "quantity": 1},
    ]
    validation = create(term_months=None, line_items=lines)["validation"]
    assert validation["missing_fields"] == ["term_months", "line_items[0].attributes.region"]
    assert validation["valid"] is False


def test_a_quote_in_another_currency_than_usual_is_remarked() -> None:
    foreign = create(account_id="acct_fromagerie", line_items=[SSO], currency="USD")
    assert "usually quoted in EUR" in foreign["notice"]
    usual = create(account_id="acct_fromagerie", line_items=[SSO])
    assert usual["quote"]["currency"] == "EUR"
    assert usual.get("notice") is None


def create_for(tenant: str, **arguments: object) -> dict[str, Any]:
    event = {"account_id": "acct_acme_001", "line_items": [SSO], "term_months": 12, **arguments}
    return invoke(quote_create.handler, event, tenant=tenant)


def test_goods_without_a_price_in_the_currency_are_said_with_the_currencies_that_have_books() -> None:
    answer = create(account_id="acct_fromagerie", line_items=[{"product_id": "prod_freight_1", "quantity": 1}])
    [problem] = answer["details"]["problems"]
    assert "has no price in EUR" in problem["message"]
    assert "Exchange rates convert no price: quote in JPY, KWD, USD if it has one there" in problem["message"]


def test_terms_that_the_call_leaves_out_are_the_accounts_else_the_houses(deployment: Deployment) -> None:
    tenant, terms = "its-terms", "14 Tage netto, 2 % Skonto 7 Tage"
    put_catalogue(deployment, tenant=tenant)
    changed = "UPDATE cpq.accounts SET payment_terms = %(terms)s WHERE id = 'acct_fromagerie'"
    deployment.rows(changed, {"terms": terms}, tenant=tenant)
    usual = create_for(tenant, account_id="acct_fromagerie")["quote"]
    assert (usual["currency"], usual["payment_terms"]) == ("EUR", terms)
    other = create_for(tenant)["quote"]
    assert (other["currency"], other["payment_terms"], other["billing_frequency"]) == ("USD", "net_30", "monthly")


def test_without_a_house_nothing_is_assumed(deployment: Deployment) -> None:
    tenant = "no-house"
    put_catalogue(deployment, tenant=tenant)
    with psycopg.connect(deployment.superuser_dsn) as connection:
        connection.execute("DELETE FROM quarry.house WHERE tenant = %s", [tenant])
    answer = create_for(tenant)
    assert answer["code"] == "VALIDATION_ERROR"
    assert problems(answer) == {("payment_terms", "MISSING"), ("billing_frequency", "MISSING")}
    once = [{"product_id": "prod_quincy_qmb30", "quantity": 1}]
    sold = create_for(tenant, line_items=once, payment_terms="30 days net, 2% within 10 days")["quote"]
    assert (sold["billing_frequency"], sold["payment_terms"]) == ("one_time", "30 days net, 2% within 10 days")


def test_quotes_are_numbered_by_the_houses_pattern_on_from_its_past_quotes(deployment: Deployment) -> None:
    tenant = "own-numbers"
    put_catalogue(deployment, tenant=tenant)

    def number_by(pattern: str | None) -> None:
        deployment.rows("UPDATE quarry.house SET quote_numbers = %(pattern)s", {"pattern": pattern}, tenant=tenant)

    number_by("AN{yy}-{number:03}")
    past = """INSERT INTO quotes.past_quotes (
            tenant, quote_number, customer, quote_date, project, summary, status, currency)
        VALUES (quarry.current_tenant(), %(number)s, 'A', '2020-01-01', 'P', 'S', 'won', 'EUR')"""
    year = datetime.now(UTC).year
    for number in (f"AN{year % 100:02}-0041", f"AN{year % 100 - 1:02}-977", f"AN{year % 100:02}-x"):
        deployment.rows(past, {"number": number}, tenant=tenant)
    create_for(tenant, account_id="acct_nobody")
    made = [create_for(tenant)["quote"]["id"] for _ in range(2)]
    assert made == [f"AN{year % 100:02}-042", f"AN{year % 100:02}-043"]
    assert invoke(quote_get.handler, {"quote_id": made[0].lower()}, tenant=tenant)["quote"]["id"] == made[0]
    number_by("{number:05}")
    assert create_for(tenant)["quote"]["id"] == "00001"
    number_by("AN{yy}-{number:04}")
    assert create_for(tenant)["quote"]["id"] == f"AN{year % 100:02}-0044"
    number_by(f"AN{year % 100:02}-{{number:03}}")  # a counter of its own: 042 and 043 are taken
    assert create_for(tenant)["quote"]["id"] == f"AN{year % 100:02}-044"
    number_by("OF {year} / {number:03}")
    slashed = create_for(tenant)["quote"]["id"]
    assert slashed == f"OF {year} / 001"
    assert invoke(quote_get.handler, {"quote_id": slashed}, tenant=tenant)["quote"]["id"] == slashed
    deployment.rows(past, {"number": f"КП-{year}/036"}, tenant=tenant)
    number_by("КП-{year}/{number:03}")
    own = create_for(tenant)["quote"]["id"]
    assert own == f"КП-{year}/037"
    assert invoke(quote_get.handler, {"quote_id": own.lower()}, tenant=tenant)["quote"]["id"] == own
    number_by(None)
    assert create_for(tenant)["quote"]["id"] == f"Q-{year}-0001"


def test_a_revision_is_the_next_version_and_the_old_one_stays_readable() -> None:
    quote_id = create()["quote"]["id"]
    revised = create(revises=quote_id.lower(), expected_version=1, line_items=[{**PRO, "quantity": 40}])
    assert (revised["quote"]["id"], revised["quote"]["version"]) == (quote_id, 2)
    assert "Version 1 was draft" in revised["notice"]
    old = invoke(quote_get.handler, {"quote_id": quote_id, "version": 1})
    assert (old["quote"]["status"], old["quote"]["current_version"]) == ("superseded", 2)
    assert [line["quantity"] for line in old["line_items"]] == [150, 150]


def test_a_revision_voids_an_approval(deployment: Deployment) -> None:
    quote_id = create()["quote"]["id"]
    with psycopg.connect(deployment.superuser_dsn, autocommit=True) as connection:
        connection.execute(
            "INSERT INTO cpq.approval_requests (tenant, id, quote_id, version, content_hash, status, approver_role,"
            " justification, context, requested_by, expires_at)"
            " VALUES ('acme', 'APR-2026-9001', %s, 1, 'h', 'approved', 'sales_manager', 'j', '{}', 'me', now())",
            [quote_id],
        )
        assert "APR-2026-9001" in create(revises=quote_id, expected_version=1)["notice"]
        row = connection.execute("SELECT status FROM cpq.approval_requests WHERE id = 'APR-2026-9001'").fetchone()
    assert row == ("void",)


def test_a_revision_of_what_has_moved_on_is_a_conflict() -> None:
    quote_id = create()["quote"]["id"]
    create(revises=quote_id, expected_version=1)
    answer = create(revises=quote_id, expected_version=1)
    assert answer["code"] == "CONFLICT"
    assert answer["details"] == {"current_version": 2, "status": "draft"}


def test_a_quote_does_not_change_hands() -> None:
    quote_id = create()["quote"]["id"]
    answer = create(revises=quote_id, expected_version=1, account_id="acct_groeb_farms")
    assert problems(answer) == {("account_id", "NOT_ALLOWED")}


def test_a_revision_of_an_unknown_quote_is_not_found() -> None:
    assert create(revises="Q-2026-9999", expected_version=1)["code"] == "NOT_FOUND"


def test_a_retry_with_its_key_returns_the_same_quote() -> None:
    first, again = create(idempotency_key="k-1"), create(idempotency_key="k-1")
    assert again == first


def test_a_retry_whose_answer_an_earlier_release_gave_in_another_form_is_a_conflict(deployment: Deployment) -> None:
    create(idempotency_key="k-9")
    earlier = "UPDATE cpq.idempotency_keys SET response = jsonb_build_object('of_before', 1) WHERE key = 'k-9'"
    with psycopg.connect(deployment.superuser_dsn) as connection:
        connection.execute(earlier)
    answer = create(idempotency_key="k-9")
    assert (answer["code"], "an earlier release answered in another form" in answer["message"]) == ("CONFLICT", True)


def test_a_key_with_other_arguments_is_a_conflict() -> None:
    create(idempotency_key="k-2")
    assert create(idempotency_key="k-2", term_months=24)["code"] == "CONFLICT"


def test_a_refused_call_leaves_its_key_unused() -> None:
    assert create(idempotency_key="k-3", account_id="acct_nobody")["code"] == "NOT_FOUND"
    assert create(idempotency_key="k-3")["quote"]["status"] == "draft"


def test_the_creation_is_on_record_with_its_author() -> None:
    context = Context(ClientContext({"tenant": TENANT, "subject": "agent:kimi"}))
    answer = quote_create.handler({"account_id": "acct_acme_001", "line_items": [SSO], "term_months": 1}, context)
    assert answer["quote"]["created_by"] == "agent:kimi"
    entry = invoke(quote_get.handler, {"quote_id": answer["quote"]["id"], "include_audit": True})["audit"][0]
    assert (entry["actor"], entry["action"], "before" in entry) == ("agent:kimi", "quote.created", False)


@pytest.mark.parametrize("text", ["a\x00b", "\ud800"])
@pytest.mark.parametrize("place", ["notes", "attributes"])
def test_text_that_cannot_be_stored_is_refused(text: str, place: str) -> None:
    value: object = {"billing": [{"x": text}]} if place == "attributes" else text
    answer = create(line_items=[{**PRO, place: value}])
    assert answer["code"] == "VALIDATION_ERROR"


def test_a_foreign_quote_cannot_be_revised() -> None:
    quote_id = create()["quote"]["id"]
    event = {"account_id": "acct_acme_001", "line_items": [SSO], "revises": quote_id, "expected_version": 1}
    assert invoke(quote_create.handler, event, tenant="rival")["code"] == "NOT_FOUND"


def test_a_sku_stands_for_the_products_id() -> None:
    answer = create(line_items=[{**PRO, "product_id": "PLAN-PRO-001"}, SSO])
    assert [line["product_id"] for line in answer["line_items"]] == ["prod_pro_v2", "prod_sso"]
    unknown = create(line_items=[{**PRO, "product_id": "PLAN-PRO-999"}, SSO])
    assert problems(unknown) == {("line_items[0].product_id", "NOT_FOUND")}


def test_a_model_stands_for_the_only_product_that_bears_it() -> None:
    answer = create(line_items=[{"product_id": "qmb 30", "quantity": 1}])
    assert [line["product_id"] for line in answer["line_items"]] == ["prod_quincy_qmb30"]


def test_a_model_of_several_products_names_them_all(deployment: Deployment) -> None:
    copied = """
        INSERT INTO cpq.products (tenant, id, sku, name, description, product_type, category, manufacturer, model)
        SELECT tenant, 'prod_rent_qmb30', 'RENT-QMB30', name, description, product_type, category, manufacturer, model
        FROM cpq.products WHERE id = 'prod_quincy_qmb30' RETURNING id"""
    rows(deployment, copied)
    answer = create(line_items=[{"product_id": "qmb 30", "quantity": 1}])
    rows(deployment, "DELETE FROM cpq.products WHERE id = 'prod_rent_qmb30' RETURNING id")
    assert "No single product 'qmb 30'. Nearest: prod_rent_qmb30, prod_quincy_qmb30" in answer["message"]


def test_a_model_that_is_no_longer_sold_names_its_successor(deployment: Deployment) -> None:
    gone = "UPDATE cpq.products SET active = false, successor = 'QMB30' WHERE id = 'prod_quincy_qmb25' RETURNING id"
    assert rows(deployment, gone)
    answer = create(line_items=[{"product_id": "qmb 25", "quantity": 1}])
    assert problems(answer) == {("line_items[0].product_id", "INACTIVE")}
    assert "its successor is prod_quincy_qmb30" in answer["message"]


def test_goods_that_are_sold_once_are_not_billed_by_the_month_of_the_house() -> None:
    machine = {"product_id": "prod_quincy_qmb30", "quantity": 1}
    once = create(term_months=None, line_items=[machine])["quote"]
    assert once["billing_frequency"] == "one_time"
    both = create(line_items=[machine, SSO])
    assert both["quote"]["billing_frequency"] == "monthly"
    assert "Billed monthly: SSO Add-on; the other lines once." in both["notice"]
    said = create(term_months=None, line_items=[machine], billing_frequency="quarterly")["quote"]
    assert said["billing_frequency"] == "quarterly"
