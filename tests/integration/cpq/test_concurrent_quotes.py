"""Agents that create and revise quotes at the same moment: no gap, no duplicate, no lost update."""

from collections import Counter
from datetime import UTC, datetime

from tests.deployment import Deployment
from tests.integration.cpq.processes import Calls

YEAR = datetime.now(UTC).year
DRAFT = {"account_id": "acct_acme_001", "term_months": 12, "line_items": [{"product_id": "prod_sso", "quantity": 1}]}


def test_numbers_have_no_gap_and_no_duplicate_though_some_calls_fail(in_processes: Calls) -> None:
    events = [DRAFT if number % 4 else {**DRAFT, "account_id": "acct_nobody"} for number in range(80)]
    answers = in_processes([("quote_create", event) for event in events])
    assert Counter(answer.get("code") for answer in answers) == {None: 60, "NOT_FOUND": 20}
    created = sorted(answer["quote"]["id"] for answer in answers if "quote" in answer)
    assert created == [f"Q-{YEAR}-{number:04}" for number in range(1, 61)]


def test_one_key_sent_by_all_at_once_makes_one_quote(deployment: Deployment, in_processes: Calls) -> None:
    answers = in_processes([("quote_create", {**DRAFT, "idempotency_key": "same"})] * 24)
    assert all(answer == answers[0] for answer in answers)
    rows = deployment.connect("quarry_write")
    with rows as connection:
        connection.execute("SELECT set_config('quarry.tenant', 'acme', false)")
        found = connection.execute(
            "SELECT count(*) AS quotes FROM cpq.audit WHERE subject_id = %s", [answers[0]["quote"]["id"]]
        ).fetchone()
    assert found == {"quotes": 1}


def test_of_several_revisions_of_one_version_one_wins(in_processes: Calls) -> None:
    (draft,) = in_processes([("quote_create", DRAFT)])
    revision = {**DRAFT, "revises": draft["quote"]["id"], "expected_version": 1}
    answers = in_processes([("quote_create", {**revision, "notes": str(number)}) for number in range(12)])
    assert Counter(answer.get("code") for answer in answers) == {None: 1, "CONFLICT": 11}


def test_nobody_replaces_a_version_that_he_has_not_read(in_processes: Calls) -> None:
    (draft,) = in_processes([("quote_create", DRAFT)])
    revision = {**DRAFT, "revises": draft["quote"]["id"]}
    answers = in_processes([("quote_create", {**revision, "notes": str(number)}) for number in range(12)])
    assert {answer["code"] for answer in answers} == {"VALIDATION_ERROR"}
    assert all("expected_version: required with revises" in answer["message"] for answer in answers)
