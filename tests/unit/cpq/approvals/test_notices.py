"""What a notice of an approval says, in which language, and what of others' words a mail program could link."""

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from email.header import decode_header, make_header
from typing import Any

import pytest

from cpq.approvals.model import Approval
from cpq.approvals.notices import LONGEST_SUBJECT, body, subject, unlinked
from cpq.approvals.queries import Recipient
from cpq.approvals.wording import ApproverWording, in_language
from cpq.model import QuoteVersion
from cpq.pricing.trace import trace_of
from local.files import ROOT
from tests.deployment import fresh_environment
from tests.unit.cpq.pricing.orders import SEATS, order, priced
from tests.unit.cpq.stored_quotes import quote_version

EVIL = ("http://evil.example/a", "evil.com", "HTTPS:/evil", "a@evil.example", "www.evil.wtf")
SALE = trace_of(priced(order(SEATS, discount="12.5")))


@pytest.fixture(autouse=True)
def labels(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TEMPLATES_DIR", str(ROOT / "templates"))
    with fresh_environment():
        yield


def spoken(language: str = "en") -> ApproverWording:
    return in_language(language)


UTE = Recipient(
    id=None, name="Ute", email=None, slack_user_id=None, time_zone="Europe/Berlin", until=datetime(2026, 1, 1, 12)
)


def asked(**others: Any) -> Approval:
    given = dict.fromkeys(Approval.__slots__) | {
        "id": "APR-2026-0001", "quote_id": "Q-2026-0042", "version": 1, "approver_role": "sales_manager",
        "requested_by": "agent", "justification": "Three years.", "context": {"requested_discount": "12.5%"},
    }  # fmt: skip
    return Approval(**{**given, **others})


def version(customer: str = "Acme", trace: dict[str, Any] | None = None) -> QuoteVersion:
    violation = {
        "policy_id": "p",
        "policy_name": "SMB",
        "severity": "approval_required",
        "description": "In English.",
        "threshold": "10",
        "actual": "12.5",
        "required_approver_role": "sales_manager",
    }
    evaluation = {"status": "APPROVAL_REQUIRED", "auto_approved": False, "violations": [violation]}
    return quote_version(
        account={"name": customer}, currency="EUR", total=Decimal("1250.5"), policy_evaluation=evaluation,
        trace=trace or SALE.model_dump(mode="json"),
    )  # fmt: skip


def message(*, link: str | None, language: str = "en", **of: Any) -> str:
    quoted = version(**{name: of.pop(name) for name in ("customer", "trace") if name in of})
    return body(asked(**of), spoken(language), version=quoted, to=UTE, link=link)


@pytest.mark.parametrize("address", EVIL)
@pytest.mark.parametrize("place", ["justification", "customer", "requested_by"])
def test_no_address_that_others_wrote_is_a_link(place: str, address: str) -> None:
    words = f"Decide here: {address} (today)"
    text = message(link=None, **{place: words})
    assert address not in text + subject(asked(), spoken(), customer=words)
    assert "(today)" in text


@pytest.mark.parametrize("words", ["Acme Inc. & Co. KG, St. Gallen", "12.5% off, net_30; and/or 1/2 of Q-2024.10"])
def test_words_stay_as_they_are(words: str) -> None:
    assert unlinked(words, spoken()) == words


@pytest.mark.parametrize(
    ("language", "shown"),
    [
        (
            "en",
            (
                "To Ute:",
                "Total with tax: EUR 1,250.50",
                "12.5% discount exceeds 10% auto-approval cap for SMB segment",
            ),
        ),
        (
            "de",
            (
                "An Ute:",
                "Gesamtbetrag mit Steuer: 1.250,50 EUR",
                "12,5\xa0% Rabatt überschreiten die Grenze von 10\xa0%",
            ),
        ),
        (
            "es",
            (
                "Para Ute:",
                "1.250,50 EUR",
                "El descuento del 12,5\xa0% supera",
                "hasta el 01/01/2026, 12:00 (Europe/Berlin)",
            ),
        ),
        ("pt", ("Para Ute:", "1\xa0250,50 EUR", "O desconto de 12,5% excede", "até 01/01/2026, 12:00")),
        ("it", ("A Ute:", "1.250,50 EUR", "Lo sconto del 12,5% supera", "fino al 01/01/2026, 12:00")),
        ("nl", ("Aan Ute:", "EUR 1.250,50", "De korting van 12,5% overschrijdt", "tot 01-01-2026, 12:00")),
        ("cs", ("Pro: Ute:", "1\xa0250,50 EUR", "Sleva 12,5\xa0% překračuje", "do 1.\xa01.\xa02026, 12:00")),
    ],
)
def test_a_notice_is_in_the_houses_language_with_its_figures(language: str, shown: tuple[str, ...]) -> None:
    text = message(link="https://approve.example/x", language=language)
    assert [words for words in shown if words not in text] == []
    assert ("In English." in text, "Three years." in text) == (False, True)


@pytest.mark.parametrize(
    "customer", ["Papierfabrik Schönau", "Złoty Kłos", "Завод «Прогресс»", "株式会社東京製作所" * 9, "A" * 200]
)
@pytest.mark.parametrize("language", ["en", "de", "pl"])
def test_a_subject_keeps_the_characters_of_a_name_within_what_sns_takes(customer: str, language: str) -> None:
    header = subject(asked(), spoken(language), customer=customer)
    assert header.isascii()
    assert header.isprintable()
    assert len(header) <= LONGEST_SUBJECT
    read = str(make_header(decode_header(header)))
    assert ("APR-2026-0001" in read, "?" in read) == (True, False)
    assert customer[:3] in read


def test_what_costs_say_stands_in_no_message_without_a_link() -> None:
    rule = {"measure": "margin_pct", "scope": "quote", "at_least": "99"}
    trace = SALE.model_dump(mode="json") | {"margin_pct": "62"}
    check = {"rule": rule, "subject": "quote", "actual": "62", "unknown": None, "threshold": "99"}
    trace["rule_checks"] = [{**check, "outcome": "BLOCKED", "approver_role": None}]
    assert "margin of 62% is below the floor of 99%" in message(link="https://approve.example/x", trace=trace)
    assert "margin" not in message(link=None, trace=trace).lower()
