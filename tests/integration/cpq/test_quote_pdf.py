"""quote_pdf through the handler: real rows, real layouts out of a bucket, and the link really followed."""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from cpq.documents import printing, queries, typesetting
from cpq.documents.composition import Edition
from cpq.documents.printing import edition_of
from cpq.documents.queries import StoredDocument
from cpq.quote_price import handler as pricing
from quarry.data import database
from quarry.data.settings import settings
from quarry.tool.errors import Conflict
from quarry.tool.identity import Caller
from tests.deployment import TENANT, Deployment, invoke
from tests.integration.cpq.approving import ask, status
from tests.integration.cpq.drafts import Line, rows
from tests.integration.cpq.printing import approve, downloaded, priced, print_quote, printer, text_of

AGENT = Caller(tenant=TENANT, request_id="r-1", subject="agent:test")


@pytest.fixture(scope="module", autouse=True)
def s3(deployment: Deployment, aws_url: str, aws_variables: dict[str, str]) -> Iterator[Any]:
    with printer(deployment, aws_url, aws_variables) as client:
        yield client


def test_the_seeds_quote_comes_out_with_its_numbers(deployment: Deployment) -> None:
    answer = print_quote(priced(deployment, discount=10))
    text = text_of(answer)
    for expected in ("Acme Corp", "1 Anvil Square", "Portland, OR 97209", "Pro Plan", "PLAN-PRO-001", "SSO Add-on"):
        assert expected in text
    for expected in ("14,400.00", "−1,440.00", "USD 12,960.00", "per seat per month × 12", "Net 30 days"):
        assert expected in text
    assert (answer["template_used"], answer["version"], answer["pdf_generated"]) == ("standard", 1, True)
    bucket, _, key = answer["file_path"].removeprefix("s3://").partition("/")
    assert bucket.startswith("documents-")
    digest = answer["checksum"].removeprefix("sha256:")
    assert key == f"acme/quotes/{answer['quote_id']}/v1/standard-draft-{digest[:8]}.pdf"


def test_a_part_of_a_unit_is_printed_in_the_marks_of_the_language(deployment: Deployment) -> None:
    rows(deployment, "UPDATE cpq.accounts SET language = 'de' WHERE id = 'acct_st_brendans' RETURNING id")
    hourly = "UPDATE cpq.price_book_entries SET unit = 'per_hour' WHERE product_id = 'prod_starter' RETURNING unit"
    rows(deployment, hourly)
    hours = ("prod_starter", Decimal("7.125"))
    assert "7,125" in text_of(print_quote(priced(deployment, hours, account="acct_st_brendans")))


def test_a_document_is_whole_in_its_language_or_says_what_is_not(deployment: Deployment) -> None:
    rows(deployment, "UPDATE cpq.accounts SET language = 'de' WHERE id = 'acct_st_brendans' RETURNING id")
    starter, seats = ("prod_starter", 5), ("prod_sso", 5)
    both = priced(deployment, starter, seats, account="acct_st_brendans")
    named = """UPDATE cpq.products SET names = '{"de": "Einstiegspaket"}' WHERE id = 'prod_starter' RETURNING id"""
    rows(deployment, named)
    answer = print_quote(both, include_pricing_trace=True)
    assert "Einstiegspaket" in text_of(answer)
    assert "'SSO Add-on'" in answer["notice"]
    assert "how each line was priced" in answer["notice"]
    assert "Einstiegspaket" not in answer["notice"]
    assert print_quote(priced(deployment, seats))["notice"] is None
    assert "Einstiegspaket" not in text_of(print_quote(priced(deployment, starter)))


def test_terms_that_are_printed_in_the_language_are_told_to_be_in_no_other(deployment: Deployment) -> None:
    [before] = rows(deployment, "SELECT language FROM quarry.house")
    rows(deployment, "UPDATE cpq.accounts SET language = 'en' WHERE id = 'acct_acme_001' RETURNING id")
    deployment.rows("UPDATE quarry.house SET language = 'de'")
    try:
        notice = print_quote(priced(deployment, payment_terms="Net 30 days"))["notice"]
    finally:
        deployment.rows("UPDATE quarry.house SET language = %(language)s", before)
    assert "'Pro Plan'" in notice
    assert "Net 30 days" not in notice


def test_fixed_words_that_are_english_for_want_of_labels_are_told(deployment: Deployment, s3: Any) -> None:
    deployment.rows("""UPDATE cpq.accounts SET language = NULL, country = 'NO', billing_address = NULL,
                       tax_exempt = true WHERE id = 'acct_st_brendans'""")
    [before] = rows(deployment, "SELECT language FROM quarry.house")
    deployment.rows("UPDATE quarry.house SET language = 'nb'")
    try:
        quote_id = priced(deployment, ("prod_starter", 5), account="acct_st_brendans")
        none = print_quote(quote_id)["notice"]
        place = {"Bucket": settings().template_bucket, "Key": "templates/pdf/labels/nb.toml"}
        s3.put_object(**place, Body=b'[composed]\nspoken_in = ["NO"]\n')
        some = print_quote(quote_id)["notice"]
        s3.delete_object(**place)
    finally:
        deployment.rows("UPDATE quarry.house SET language = %(language)s", before)
    assert none == "Its fixed words, figures and days are English until there is a file labels/nb.toml."
    assert re.fullmatch(r"In nb, but for \d+ fixed words, which are English \(put into labels/nb.toml\): .*", some)


def test_a_description_that_is_the_name_is_printed_once(deployment: Deployment) -> None:
    alike = "UPDATE cpq.products SET description = name WHERE id = 'prod_support_basic' RETURNING name"
    [row] = rows(deployment, alike)
    assert text_of(print_quote(priced(deployment, ("prod_support_basic", 1)))).count(row["name"]) == 1


def test_a_number_with_slashes_names_a_file_and_no_folders(deployment: Deployment) -> None:
    answer = print_quote(priced(deployment, number="КП/2020/017"))
    assert "КП/2020/017" in text_of(answer)
    assert answer["_mcp"]["content"][0]["name"] == "Acme_Corp_КП-2020-017_v1.pdf"
    assert "/quotes/=D0=9A=D0=9F=2F2020=2F017/v1/" in answer["file_path"]


def test_an_mcp_client_gets_a_link_to_the_file(deployment: Deployment) -> None:
    answer = print_quote(priced(deployment))
    [link] = answer["_mcp"]["content"]
    assert link == {
        "type": "resource_link",
        "uri": answer["download_url"],
        "name": f"Acme_Corp_{answer['quote_id']}_v1.pdf",
        "title": f"Quotation {answer['quote_id']}, version 1, for Acme Corp",
        "mimeType": "application/pdf",
        "size": answer["file_size_bytes"],
    }


def test_the_same_request_again_is_the_same_stored_object(deployment: Deployment, s3: Any) -> None:
    quote = priced(deployment)
    first, again = print_quote(quote), print_quote(quote)
    told = ("file_path", "checksum", "generated_at", "file_size_bytes")
    assert [again[name] for name in told] == [first[name] for name in told]
    bucket, _, key = first["file_path"].removeprefix("s3://").partition("/")
    head = s3.head_object(Bucket=bucket, Key=key)
    assert head["Metadata"] == {"sha256": first["checksum"][7:], "quote": quote, "version": "1"}
    assert len(rows(deployment, "SELECT 1 FROM cpq.documents WHERE quote_id = %s", quote)) == 1
    audited = "SELECT after FROM cpq.audit WHERE subject_id = %s AND action = 'quote.document_generated'"
    [entry] = rows(deployment, audited, quote)
    assert entry["after"]["sha256"] == first["checksum"][7:]


def test_a_lost_object_is_made_again_byte_for_byte(deployment: Deployment, s3: Any) -> None:
    quote = priced(deployment)
    first = print_quote(quote)
    bucket, _, key = first["file_path"].removeprefix("s3://").partition("/")
    s3.delete_object(Bucket=bucket, Key=key)
    again = print_quote(quote)
    assert (again["checksum"], again["generated_at"]) == (first["checksum"], first["generated_at"])
    assert downloaded(again)


def test_each_layout_and_option_is_a_document_of_its_own(deployment: Deployment) -> None:
    quote = priced(deployment)
    options: list[dict[str, Any]] = [
        {},
        {"template": "executive"},
        {"template": "detailed"},
        {"include_pricing_trace": True},
        {"watermark": "DRAFT"},
    ]
    answers = [print_quote(quote, **each) for each in options]
    assert len({answer["checksum"] for answer in answers}) == len(options)
    assert "150 × 6.00 × 12 months" in text_of(answers[3])
    assert "DRAFT" in text_of(answers[4])


def test_a_discount_that_waits_for_approval_is_a_draft_until_it_has_it(deployment: Deployment) -> None:
    quote = priced(deployment, discount=10)
    waiting = print_quote(quote)
    assert waiting["watermark"] == "DRAFT"
    assert "DRAFT" in text_of(waiting)
    approve(deployment, quote)
    approved = print_quote(quote)
    assert (approved["watermark"], approved["version"]) == (None, 1)
    assert "DRAFT" not in text_of(approved)
    assert "Approved by" in text_of(approved)
    assert "Sales manager" in text_of(print_quote(quote, watermark="APPROVED"))


def test_a_quote_within_policy_goes_out_unmarked(deployment: Deployment) -> None:
    assert print_quote(priced(deployment))["watermark"] is None


def test_what_policy_passed_and_would_not_today_is_refused_until_somebody_relies_on_it(
    deployment: Deployment,
) -> None:
    machine = ("prod_quincy_qmb30", 1)
    quote_id, printed_id = (priced(deployment, machine, discount=10, account="acct_birch_002") for _ in range(2))
    print_quote(printed_id)
    cap = "UPDATE cpq.discount_policies SET auto_approve_pct = %s WHERE segment = 'smb' RETURNING id"
    rows(deployment, cap, 2)
    made, asked, seen, relied_on = print_quote(quote_id), ask(quote_id), status(quote_id), status(printed_id)
    rows(deployment, cap, 10)
    assert "when it was priced; today it would need approval: quote_price it again" in seen["reason"]
    assert seen["can_proceed"] is False
    assert [answer["code"] for answer in (made, asked)] == ["CONFLICT", "CONFLICT"]
    assert seen["reason"] in made["message"]
    assert "needs no approval" in relied_on["reason"]


@pytest.mark.parametrize("status", ["draft", "rejected", "expired", "superseded", "discarded"])
def test_a_quote_that_nobody_stands_behind_is_not_printed(deployment: Deployment, status: str) -> None:
    quote = priced(deployment)
    rows(deployment, f"UPDATE cpq.quote_versions SET status = '{status}' WHERE quote_id = %s RETURNING 1", quote)  # noqa: S608
    answer = print_quote(quote)
    assert (answer["code"], answer["details"]) == ("VALIDATION_ERROR", {"status": status})
    assert "quote_price" in answer["message"] or "price it" in answer["message"]


@pytest.mark.parametrize("approved", [False, True])
def test_an_offer_that_has_expired_is_not_printed(deployment: Deployment, *, approved: bool) -> None:
    quote = priced(deployment, discount=10)
    if approved:
        approve(deployment, quote)
        print_quote(quote)
    change = "UPDATE cpq.quote_versions SET valid_until = current_date - 2 WHERE quote_id = %s RETURNING 1"
    rows(deployment, change, quote)
    answer = print_quote(quote)
    assert (answer["code"], answer["details"]) == ("VALIDATION_ERROR", {"status": "expired"})
    assert "quote_create" in answer["message"]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE cpq.quote_lines SET unit_price = 1 WHERE quote_id = %s RETURNING 1",
        "UPDATE cpq.quote_versions SET payment_terms = 'net_90' WHERE quote_id = %s RETURNING 1",
        "UPDATE cpq.approval_requests SET content_hash = 'of something else' WHERE quote_id = %s RETURNING 1",
    ],
)
def test_rows_that_are_not_what_was_approved_are_not_printed(deployment: Deployment, change: str) -> None:
    quote = priced(deployment, discount=10)
    approve(deployment, quote)
    assert print_quote(quote, watermark="APPROVED")["watermark"] == "APPROVED"
    rows(deployment, change, quote)
    answer = print_quote(quote, watermark="APPROVED")
    assert answer["code"] == "CONFLICT"
    assert "not what was priced and approved" in answer["message"]


def test_approved_is_not_printed_on_what_is_not(deployment: Deployment) -> None:
    answer = print_quote(priced(deployment), watermark="APPROVED")
    assert answer["code"] == "VALIDATION_ERROR"
    assert "priced, not approved" in answer["message"]


def test_a_mistyped_id_is_answered_with_the_nearest(deployment: Deployment) -> None:
    quote = priced(deployment)
    answer = print_quote(quote.lower() + "7")
    assert answer["code"] == "NOT_FOUND"
    assert quote in answer["details"]["nearest"]


def test_what_is_internal_is_not_printed(deployment: Deployment) -> None:
    quote = priced(deployment, discount=10, notes="Margin is thin, go no lower")
    approve(deployment, quote)
    for template in ("standard", "executive", "detailed", "renewal"):
        text = text_of(print_quote(quote, template=template, include_pricing_trace=True)).lower()
        for secret in ("margin", "for our eyes only", "cap", "agent:"):
            assert secret not in text


def test_a_change_after_printing_is_a_new_version_and_a_new_document(deployment: Deployment) -> None:
    quote = priced(deployment)
    first = print_quote(quote)
    invoke(pricing, {"quote_id": quote, "requested_discount_pct": 5, "account_id": "acct_acme_001"})
    second = print_quote(quote)
    assert (first["version"], second["version"]) == (1, 2)
    assert first["checksum"] != second["checksum"]
    assert downloaded(first)


def test_of_two_calls_that_both_found_nothing_the_first_one_is_on_record(deployment: Deployment) -> None:
    quote = priced(deployment)
    edition = edition_before(quote)
    first, second = (made(edition) for _ in range(2))
    assert first == second
    assert len(rows(deployment, "SELECT 1 FROM cpq.documents WHERE quote_id = %s", quote)) == 1


def test_a_quote_that_changed_while_it_was_printed_is_not_recorded(deployment: Deployment) -> None:
    quote = priced(deployment)
    edition = edition_before(quote)
    invoke(pricing, {"quote_id": quote, "requested_discount_pct": 5, "account_id": "acct_acme_001"})
    with pytest.raises(Conflict) as failure:
        made(edition)
    assert failure.value.retryable
    assert rows(deployment, "SELECT 1 FROM cpq.documents WHERE quote_id = %s", quote) == []


def edition_before(quote: str) -> Edition:
    """As a call holds it between reading the quote and printing it."""
    with database.transaction(TENANT) as connection:
        header = queries.current(connection, quote_id=quote)
        assert header is not None
        published = typesetting.published()
        return edition_of(
            connection,
            header,
            template="standard",
            watermark=None,
            with_trace=False,
            letterhead=published.letterhead(TENANT),
            layouts=published.folder,
        )


def made(edition: Edition) -> StoredDocument:
    return printing.make(edition, AGENT, layout=typesetting.published(), bucket=str(settings().document_bucket))


def test_a_renewal_is_compared_with_what_the_customer_agreed_to(deployment: Deployment) -> None:
    before = priced(deployment, ("prod_support_basic", 1), ("prod_pro_v2", 100), account="acct_groeb_farms")
    approve(deployment, before)
    lines: tuple[Line, ...] = (("prod_support_basic", 1), ("prod_pro_v2", 150), ("prod_sso", 150))
    now = priced(deployment, *lines, account="acct_groeb_farms")
    text = text_of(print_quote(now, template="renewal"))
    assert f"Before: {before}, version 1" in text
    assert "was 100" in text
    assert "NEW" in text


def test_a_first_quote_has_no_renewal_to_compare(deployment: Deployment) -> None:
    text = text_of(print_quote(priced(deployment, ("prod_sso", 3), account="acct_keystone_tool"), template="renewal"))
    assert "earlier" not in text


@pytest.mark.parametrize(
    ("account", "name", "total"),
    [
        ("acct_midori", "株式会社みどり製作所", "JPY 11,880"),
        ("acct_lindqvist", "Lindqvist & Söhne Apparatebau GmbH", "EUR"),
        ("acct_al_waha", "Shuwaikh Industrial Area, Block 2", "KWD"),
    ],
)
def test_customers_elsewhere_get_their_name_and_currency(
    deployment: Deployment, account: str, name: str, total: str
) -> None:
    text = text_of(print_quote(priced(deployment, ("prod_sso", 3), account=account)))
    assert name in text.replace(" ", "") or name in text
    assert total in text
