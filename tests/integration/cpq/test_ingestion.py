"""Ingestion of the catalogue: what is rejected and why, and that loading twice changes nothing."""

import io
import json
from collections.abc import Iterator, Sequence
from datetime import date, time
from typing import Any

import pytest

from local.corpus_loader import CORPUS
from operations import ingest_account
from operations.ingest import KINDS
from operations.reading import read
from tests.deployment import Deployment
from tests.sample_catalogue import FILES

APPROVER = {"id": "apr_x", "role": "boss", "name": "B", "email": "b@quarry.example"}
PRODUCT = {"sku": "X-1", "name": "X", "description": "", "product_type": "simple", "category": "x"}
ACCOUNT = {"name": "A", "segment": "smb", "currency": "USD", "country": "US"}
POLICY = {"name": "P", "segment": "gov", "segment_name": "Gov", "auto_approve_pct": "5", "hard_max_pct": "20",
          "escalation_chain": ["boss"], "bands": [{"max_pct": "20", "approver_role": "boss"}]}  # fmt: skip
RATE = {"from_currency": "USD", "to_currency": "EUR", "rate": "0.9", "as_of": "2026-01-02", "source": "a test"}
PRICE = {"price_book_id": "pb_list_usd", "product_id": "prod_sso"}


NOBODY = {"auto_approve_pct": "10", "bands": [], "hard_max_pct": "10", "escalation_chain": []}


def with_rule(*limits: str | None, **rule: Any) -> dict[str, Any]:
    bands = [{"limit": limit, "approver_role": "boss"} for limit in limits]
    return {**POLICY, "id": "pol_new", "rules": [{**rule, "bands": bands}]}


@pytest.fixture(scope="module", autouse=True)
def served(deployment: Deployment) -> Iterator[None]:
    with deployment.serving("quarry_ingest"):
        yield


def ingest(kind: str, content: bytes, *, name: str = "rows.jsonl") -> ingest_account.IngestReport:
    rows = read(io.BytesIO(content), KINDS[kind], file_name=name)
    return ingest_account.write(rows, KINDS[kind], ingest_account.begin(kind, tenant="acme", source="a test"))


def rejects(kind: str, *rows: dict[str, Any]) -> list[str]:
    report = ingest(kind, "\n".join(json.dumps(row) for row in rows).encode())
    assert report.inserted + report.updated + report.unchanged + report.rejected == len(rows)
    return [reject["reason"] for reject in report.rejects]


def test_an_account_has_its_own_currency_and_country_or_the_houses(deployment: Deployment) -> None:
    unsaid = {"id": "acct_unsaid", "name": "Unsaid", "segment": "smb"}
    house = "UPDATE quarry.house SET currency = %(currency)s, country = %(country)s"
    stored = "SELECT currency, country, language FROM cpq.accounts WHERE id = 'acct_unsaid'"
    deployment.rows(house, {"currency": None, "country": None}, tenant="acme")
    (reason,) = rejects("accounts", {**unsaid, "country": "FR"})
    assert reason.startswith("currency: neither the row nor the house says one")
    deployment.rows(house, {"currency": "CHF", "country": "CH"}, tenant="acme")
    assert rejects("accounts", unsaid) == []
    assert deployment.rows(stored, tenant="acme") == [{"currency": "CHF", "country": "CH", "language": None}]
    assert rejects("accounts", {**unsaid, "currency": "EUR", "country": "FR", "language": "fr"}) == []
    assert deployment.rows(stored, tenant="acme") == [{"currency": "EUR", "country": "FR", "language": "fr"}]
    deployment.rows(house, {"currency": "USD", "country": None}, tenant="acme")
    (reason,) = rejects("accounts", {"id": "acct_new", "name": "A", "segment": "smb"})
    assert reason.startswith("country: neither the row")
    deployment.rows(house, {"currency": "USD", "country": "US"}, tenant="acme")


def test_a_cost_is_in_the_houses_currency_unless_the_file_says_another(deployment: Deployment) -> None:
    house, costs = "UPDATE quarry.house SET currency = %(currency)s", ({"cost": "5"}, {"cost_currency": "EUR"})
    new = [{**PRODUCT, "id": f"prod_cost_{at}", "sku": f"COST-{at}", **said} for at, said in enumerate(costs)]
    deployment.rows(house, {"currency": None}, tenant="acme")
    (reason,) = rejects("products_for_sale", *new)
    assert reason.startswith("cost_currency: neither the row nor the house says one")
    deployment.rows(house, {"currency": "USD"}, tenant="acme")
    assert rejects("products_for_sale", *new, {**new[0], "id": "prod_cost_2", "sku": "C", **costs[1]}) == []
    stored = "SELECT cost, cost_currency FROM cpq.products WHERE id LIKE 'prod_cost_%' ORDER BY id"
    found = [(row["cost"], row["cost_currency"]) for row in deployment.rows(stored, tenant="acme")]
    assert found == [(5, "USD"), (None, None), (5, "EUR")]


def test_a_house_says_texts_by_names_that_a_letter_can_write() -> None:
    (reason,) = rejects("house", {"currency": "USD", "facts": {"Lead times": "Tina Vance"}})
    assert "facts" in reason


@pytest.mark.parametrize(("kind", "name"), FILES)
def test_loading_the_sample_again_changes_nothing(kind: str, name: str) -> None:
    report = ingest(kind, (CORPUS / name).read_bytes(), name=name)
    assert (report.inserted, report.updated, report.rejected) == (0, 0, 0)
    assert report.unchanged == report.rows_read > 0


@pytest.mark.parametrize(
    ("kind", "row", "reason"),
    [
        ("products_for_sale", {**PRODUCT, "id": "prod_new", "sku": "PLAN-PRO-001"}, "belongs to another product"),
        ("products_for_sale", {**PRODUCT, "id": "new"}, "id: "),
        ("products_for_sale", {**PRODUCT, "id": "prod_new", "cost": "1", "cost_currency": "XXX"}, "ISO 4217"),
        ("products_for_sale", {**PRODUCT, "id": "prod_new", "attributes": {"a": {"type": "enum"}}}, "needs values"),
        ("product_relationships", {"product_id": "prod_no", "kind": "excludes", "related_id": "prod_sso"}, "no prod"),
        ("product_relationships", {"product_id": "prod_sso", "kind": "needs", "related_id": "prod_no"}, "kind"),
        ("product_relationships", {"product_id": "prod_sso", "kind": "requires", "related_id": "prod_sso"}, "itself"),
        ("accounts", {**ACCOUNT, "id": "acct_new", "segment": "moon"}, "no discount policy"),
        ("accounts", {**ACCOUNT, "id": "acct_new", "currency": "XXX"}, "ISO 4217"),
        ("accounts", {**ACCOUNT, "id": "acct_new", "invoices_paid": 1, "invoices_paid_on_time": 2}, "above"),
        ("accounts", {**ACCOUNT, "id": "acct_new", "language": "dutch"}, "language"),
        ("discount_policies", {**POLICY, "id": "pol_new", "segment": "smb"}, "another policy"),
        ("discount_policies", {**POLICY, "id": "pol_new", "hard_max_pct": "30"}, "highest band"),
        ("discount_policies", {**POLICY, "id": "pol_new", "auto_approve_pct": "20"}, "rise"),
        ("discount_policies", {**POLICY, "id": "pol_new", "escalation_chain": []}, "lacks boss"),
        ("discount_policies", with_rule(measure="margin"), "measure"),
        (
            "discount_policies",
            {**with_rule(measure="loss_pct", at_most="0"), **NOBODY},
            "needs a role",
        ),
        ("discount_policies", with_rule(measure="margin_pct"), "give at_most or at_least"),
        ("discount_policies", with_rule(measure="net_amount", at_most="5"), "an amount has a currency"),
        ("discount_policies", with_rule(measure="net_amount", at_most="5", currency="XXX"), "ISO 4217 has no 'XXX'"),
        ("discount_policies", with_rule(measure="term_months", scope="line", at_most="5"), "measured by line"),
        ("discount_policies", with_rule(measure="margin_pct", category="saas", at_least="5"), "has no category"),
        ("discount_policies", with_rule("60", "36", measure="term_months", at_most="24"), "lead away from 24"),
        ("discount_policies", with_rule("5", "10", measure="margin_pct", at_least="20"), "lead away from 20"),
        ("discount_policies", with_rule(None, "36", measure="term_months", at_most="24"), "without a limit"),
        ("discount_policies", {**with_rule("5", measure="loss_pct", at_most="0"), "escalation_chain": []}, "lacks"),
        ("discount_policies", {**POLICY, "id": "pol_new", "routing": "any"}, "routing"),
        ("exchange_rates", {**RATE, "to_currency": "USD"}, "no rate to itself"),
        ("exchange_rates", {**RATE, "to_currency": "XXX"}, "ISO 4217 has no 'XXX'"),
        ("exchange_rates", {**RATE, "rate": "0"}, "rate"),
        ("price_books", {"id": "pb_list_usd", "name": "List", "currency": "EUR"}, "prices are in USD"),
        ("price_books", {"id": "pb_new", "name": "New", "currency": "XXX"}, "ISO 4217"),
        ("prices", {**PRICE, "product_id": "prod_no", "price": "1"}, "no product"),
        ("prices", {**PRICE, "price_book_id": "pb_no", "price": "1"}, "no price book"),
        ("prices", {**PRICE, "price": "1", "currency": "EUR"}, "is in EUR, and price book 'pb_list_usd' in USD"),
        ("prices", {**PRICE, "price": "-1"}, "price"),
        ("prices", {**PRICE, "price": "1", "unit": "monthly"}, "unit"),
        ("prices", {**PRICE, "price": "1", "tiers": [{"min": 2, "max": None, "price": "1"}]}, "start at 1"),
        ("prices", {**PRICE, "price": "1", "tiers": [{"min": 1, "max": 5, "price": "2"}, {"min": 7, "price": "1"}]},
         "right after"),
        ("tax_rules", {"id": "tax_x", "name": "T", "country": "us", "rate_pct": "5"}, "country"),
        ("approvers", {"id": "apr_x", "role": "boss", "name": "B", "email": "nobody"}, "email"),
        ("approvers", {**APPROVER, "work_from": "09:00"}, "give work_from and work_until, or neither"),
        ("approvers", {**APPROVER, "work_from": "17:00", "work_until": "09:00"}, "work_from has to be before"),
        ("approvers", {**APPROVER, "work_from": "9", "work_until": "17:00"}, "work_from"),
        ("approvers", {**APPROVER, "work_days": "1;8"}, "work_days"),
    ],
)  # fmt: skip
def test_a_row_that_makes_no_sense_is_rejected_with_its_reason(kind: str, row: dict[str, Any], reason: str) -> None:
    (found,) = rejects(kind, row)
    assert reason in found


@pytest.mark.parametrize("unit", ["per_täyttö", "per_個", "per_łyk_per_year"])
def test_a_price_is_per_a_word_in_any_script(unit: str) -> None:
    assert rejects("prices", {**PRICE, "price": "1", "unit": unit}) == []
    [capital] = rejects("prices", {**PRICE, "price": "1", "unit": "per_A"})
    assert "is no unit of a price: write per_ and a word of small letters" in capital


def test_an_approvers_calendar_comes_as_a_spreadsheet_has_it(deployment: Deployment) -> None:
    hours = {"work_days": "1;2;3;4", "work_from": "08:30", "work_until": "16:00", "days_off": "2026-12-24;2026-12-25"}
    assert rejects("approvers", {**APPROVER, **hours}) == []
    query = "SELECT work_days, work_from, work_until, days_off FROM cpq.approvers WHERE id = 'apr_x'"
    assert list(deployment.rows(query, {})[0].values()) == [
        [1, 2, 3, 4],
        time(8, 30),
        time(16),
        [date(2026, 12, 24), date(2026, 12, 25)],
    ]


def test_of_two_new_products_with_one_sku_the_first_is_taken() -> None:
    rows = [{**PRODUCT, "id": "prod_one", "sku": "DUP"}, {**PRODUCT, "id": "prod_two", "sku": "DUP"}]
    assert len(rejects("products_for_sale", *rows)) == 1


def test_a_new_product_without_a_description_has_its_name_and_a_stored_one_keeps_its_own(
    deployment: Deployment,
) -> None:
    described = {**PRODUCT, "id": "prod_told", "sku": "T-1", "description": "Told."}
    assert rejects("products_for_sale", described) == []
    bare = {name: value for name, value in PRODUCT.items() if name != "description"}
    rows = [{**bare, "id": "prod_bare", "sku": "B-1", "name": "Bare"}, {**bare, "id": "prod_told", "sku": "T-1"}]
    assert rejects("products_for_sale", *rows) == []
    stored = deployment.rows("SELECT description FROM cpq.products WHERE sku IN ('B-1', 'T-1') ORDER BY sku")
    assert [row["description"] for row in stored] == ["Bare", "Told."]


def test_a_csv_cell_may_hold_a_structure() -> None:
    header = b"price_book_id,product_id,price,unit,tiers\n"
    tiers = b'"[{""min"": 1, ""max"": 9, ""price"": ""3.00""}, {""min"": 10, ""max"": null, ""price"": ""2.00""}]"'
    report = ingest("prices", header + b"pb_list_usd,prod_onboarding,3.00,per_unit," + tiers, name="p.csv")
    assert (report.updated, report.rejects) == (1, [])
    assert ingest("prices", header + b"pb_list_usd,prod_sso,3.00,per_unit,[oops", name="p.csv").rejected == 1


def test_a_changed_name_is_found_by_its_new_words(deployment: Deployment) -> None:
    late = {**PRODUCT, "id": "prod_late", "sku": "L-1"}
    assert rejects("products_for_sale", {**late, "name": "Zeppelin mooring"}) == []
    assert words(deployment) >= {"zeppelin", "moor"}
    assert rejects("products_for_sale", {**late, "name": "Airship mooring"}) == []
    assert words(deployment) & {"zeppelin", "airship"} == {"airship"}


def words(deployment: Deployment) -> set[str]:
    query = "SELECT word FROM cpq.product_words WHERE product_id = 'prod_late'"
    found: Sequence[dict[str, Any]] = deployment.rows(query)
    return {row["word"] for row in found}
