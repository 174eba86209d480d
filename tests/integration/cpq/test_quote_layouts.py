"""Layouts and company profiles as a house publishes them, and what an agent is told when they are not in order."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from local.files import ROOT
from quarry.data.settings import settings
from tests.deployment import Deployment
from tests.integration.cpq.drafts import rows
from tests.integration.cpq.printing import PROFILE, approve, priced, print_quote, printer, text_of


@pytest.fixture
def s3(deployment: Deployment, aws_url: str, aws_variables: dict[str, str]) -> Iterator[Any]:
    with printer(deployment, aws_url, aws_variables) as client:
        yield client


def put(s3: Any, name: str, text: str) -> None:
    s3.put_object(Bucket=settings().template_bucket, Key=f"templates/pdf/{name}", Body=text.encode())


def test_a_changed_letterhead_is_on_the_next_document_of_a_quote_that_nobody_has_sent(
    deployment: Deployment, s3: Any
) -> None:
    quote = priced(deployment)
    before = print_quote(quote)
    put(s3, "standard.typ", (ROOT / "templates/pdf/standard.typ").read_text("utf-8") + "// another release\n")
    assert print_quote(quote)["checksum"] == before["checksum"]
    put(s3, "company.toml", PROFILE.replace("100 Example Parkway", "7 New Street"))
    after = print_quote(quote)
    assert "7 New Street" in text_of(after)
    assert "100 Example Parkway" in text_of(before)
    assert print_quote(quote)["generated_at"] == after["generated_at"]


def test_another_logo_under_the_same_name_is_a_changed_letterhead(deployment: Deployment, s3: Any) -> None:
    quote = priced(deployment)
    before = print_quote(quote)
    logo = (ROOT / "templates/pdf/logo.svg").read_text("utf-8")
    put(s3, "logo.svg", logo.replace("Great Lakes", "Lakes"))
    assert print_quote(quote)["checksum"] != before["checksum"]


def test_a_quote_that_was_sent_keeps_the_letterhead_that_the_customer_has(deployment: Deployment, s3: Any) -> None:
    quote = priced(deployment)
    approve(deployment, quote)
    print_quote(quote)
    put(s3, "company.toml", PROFILE.replace("100 Example Parkway", "7 New Street"))
    sent = print_quote(quote)
    rows(deployment, "UPDATE cpq.quote_versions SET status = 'sent' WHERE quote_id = %s RETURNING status", quote)
    put(s3, "company.toml", PROFILE.replace("100 Example Parkway", "9 Newer Street"))
    assert print_quote(quote)["checksum"] == sent["checksum"]
    assert "9 Newer Street" in text_of(print_quote(quote, template="detailed"))


def test_a_tenant_that_sells_under_another_name_has_a_profile_of_its_own(deployment: Deployment, s3: Any) -> None:
    put(s3, "companies/acme.toml", PROFILE.replace("Great Lakes Air & Vacuum", "Acme Pneumatics"))
    text = text_of(print_quote(priced(deployment)))
    assert "For Acme Pneumatics" in text
    assert "Great Lakes Air & Vacuum" not in text


def test_without_a_profile_no_other_houses_letterhead_is_printed_and_the_answer_says_what_to_do(
    deployment: Deployment, s3: Any
) -> None:
    quote = priced(deployment)
    assert print_quote(quote).get("notice") is None
    s3.delete_object(Bucket=settings().template_bucket, Key="templates/pdf/company.toml")
    bare = print_quote(quote)
    assert "companies/acme.toml" in bare["notice"]
    assert "Great Lakes" not in text_of(bare)


def test_numbers_dates_and_paper_follow_the_profile(deployment: Deployment, s3: Any) -> None:
    european = PROFILE.replace('# group_mark = ","', 'group_mark = "."').replace(
        '# decimal_mark = "."', 'decimal_mark = ","'
    )
    european = european.replace('"us-letter"', '"a4"').replace(
        '# date_format = "[month repr:long] [day padding:none], [year]"', 'date_format = "[day].[month].[year]"'
    )
    put(s3, "company.toml", european)
    text = text_of(print_quote(priced(deployment, valid_until="2031-05-09")))
    assert "USD 14.400,00" in text
    assert "09.05.2031" in text


@pytest.mark.usefixtures("s3")
def test_a_document_is_in_the_accounts_language_else_in_the_houses(deployment: Deployment) -> None:
    house = "UPDATE quarry.house SET language = %(language)s"
    account = "UPDATE cpq.accounts SET language = %(language)s WHERE id = 'acct_acme_001'"
    english = print_quote(priced(deployment))
    assert "Quotation" in text_of(english)
    deployment.rows(house, {"language": "de"}, tenant="acme")
    try:
        quote = priced(deployment)
        german = text_of(print_quote(quote))
        assert "Gesamtbetrag" in german
        assert "14.400,00 USD" in german
        assert not re.search("[A-Z][a-z]+ [0-9]+, 2", german)  # no day as the Americans write it
        deployment.rows(account, {"language": "fr"}, tenant="acme")
        french = " ".join(text_of(print_quote(priced(deployment))).split())
        assert "Sous-total" in french
        assert "14 400,00 USD" in french
    finally:
        deployment.rows(house, {"language": None}, tenant="acme")
        deployment.rows(account, {"language": None}, tenant="acme")


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("company.toml", "name = 3", "company.toml has to change"),
        ("standard.typ", None, "no layout file standard.typ"),
    ],
)
def test_a_broken_or_missing_file_is_named(
    deployment: Deployment, s3: Any, name: str, content: str | None, told: str
) -> None:
    if content is None:
        s3.delete_object(Bucket=settings().template_bucket, Key=f"templates/pdf/{name}")
    else:
        put(s3, name, content)
    answer = print_quote(priced(deployment))
    assert (answer["code"], answer["retryable"]) == ("UNAVAILABLE", False)
    assert told in answer["message"]


def test_a_store_that_cannot_be_reached_is_worth_another_try(deployment: Deployment, s3: Any) -> None:
    quote = priced(deployment)
    s3.delete_bucket(Bucket=settings().document_bucket)
    answer = print_quote(quote)
    assert (answer["code"], answer["retryable"]) == ("UNAVAILABLE", True)


def test_a_letter_without_a_font_stops_the_document_and_nothing_is_recorded(deployment: Deployment, s3: Any) -> None:
    put(s3, "company.toml", PROFILE.replace("Questions about", "შეკითხვა"))
    answer = print_quote(priced(deployment))
    assert answer["code"] == "VALIDATION_ERROR"
    assert any("შ" in each for each in answer["details"]["characters"])


def test_without_a_bucket_the_variable_is_named(deployment: Deployment) -> None:
    with deployment.serving("quarry_write"):
        assert "DOCUMENT_BUCKET is not set" in print_quote("Q-2026-0001")["message"]
