"""Sentences that judge for the customer, and those that quote, tell the past or say where a thing stands."""

from dataclasses import replace
from datetime import date, timedelta

import pytest

from cpq.drafts.evidence import PastQuote
from cpq.drafts.judgements import judges
from tests.drafting.composing import TODAY, Drafted
from tests.drafting.judgements import BEFORE, judged, with_a_past
from tests.drafting.letters import report
from tests.drafting.promises import LETTERS, share

TOLD = 0.95


def _said(drafted: Drafted, sentence: str) -> list[tuple[str, str, str]]:
    text = drafted.text.replace("### ", f"{sentence}\n\n### ", 1)
    return [(each.verdict, each.kind, each.right) for each in report(text, drafted.evidence).faults]


@pytest.fixture
def english() -> Drafted:
    return with_a_past(LETTERS["en"])


@pytest.mark.parametrize("promise", [True, False])
def test_judgements_are_doubted_and_sentences_that_bind_nobody_are_not(*, promise: bool) -> None:
    right, every = share(list(judged("seen")), promise=promise, half="seen")
    assert right >= TOLD * every


@pytest.mark.parametrize(
    "sentence",
    [
        "As we wrote in 2024: Tip seals & belts are wear parts.",
        "“Tip seals & belts are wear parts.”",
        "Tip seals are wear parts.",
        "In 2024 the package came with the dryer; the tank was a part of it.",
        "We ask before and behind the dryer.",
    ],
)
def test_a_clause_of_a_past_quote_to_the_customer_may_be_quoted_and_told(english: Drafted, sentence: str) -> None:
    assert _said(english, sentence) == []


def test_a_changed_clause_in_quotation_marks_is_none_of_the_past_quote(english: Drafted) -> None:
    assert _said(english, "As we wrote in 2024: “Tip seals & belts are covered parts.”") != []


def test_an_offer_of_before_holds_as_long_as_its_terms_say(english: Drafted) -> None:
    sentence = f"Our offer {BEFORE} is still valid."
    assert _said(english, sentence) == [("contradicted", "validity", "it ended on 2024-10-05")]
    newer = PastQuote(BEFORE, english.letter.customer, (), TODAY - timedelta(days=9), "Net 30, valid 30 days")
    past = {**english.evidence.past_quotes, BEFORE: newer}
    fresh = replace(english, evidence=replace(english.evidence, past_quotes=past))
    assert _said(fresh, sentence) == []
    assert newer.valid_until == date(2026, 12, 13)


def test_a_figure_beside_the_customers_own_may_be_enough_for_him(english: Drafted) -> None:
    assert _said(english, "The QSI-500 with 505 cfm is enough for your 500 cfm.") == []
    assert [kind for _, kind, _ in _said(english, "The QSI-500 is enough for your 500 cfm.")] == ["promise"]


@pytest.mark.parametrize(
    ("language", "sentence", "doubted"),
    [
        ("en", "No oil anywhere in the machine, gear case included, is hereby certified.", True),
        ("en", "The machine has no oil in it, gear case included; we certify this in writing.", True),
        ("en", "We do not certify this.", False),
        ("en", "None of this is hereby certified.", False),
        ("en", "All requirements are met.", True),
        ("en", "Not all requirements are met.", False),
        ("en", "Whether all requirements are met is for you to say.", False),
        ("en", "The module passes your 60 inch door.", True),
        ("en", "It does no harm if the dryer is off for two weeks.", True),
        ("en", "A call is enough.", False),
        ("de", "Der BRT-50 reicht völlig: 5,0 m³/min.", True),
        ("de", "Der Bereich reicht bis zur Tür, bitte prüfen Sie das.", False),
        ("fr", "Oui, le BRT-50 suffit, la conduite ne gèlera pas.", True),
        ("fr", "Il reste assez d'air sec.", True),
        ("fr", "Il reste une question ouverte.", False),
        ("fr", "Une conduite froide peut geler.", False),
    ],
)
def test_what_is_pledged_met_or_enough_is_doubted(language: str, sentence: str, *, doubted: bool) -> None:
    found = _said(with_a_past(LETTERS[language]), sentence)
    assert ("promise" in [kind for _, kind, _ in found]) == doubted


def test_all_but_one_thing_is_not_all() -> None:
    assert judges("the pump meets everything")
    assert not judges("the pump meets everything except the weight")


def test_what_a_standard_forbids_needs_a_source(english: Drafted) -> None:
    sentence = "The fire code forbids a receiver in the corridor."
    assert [kind for _, kind, _ in _said(english, sentence)] == ["promise"]
    assert _said(english, "Which fire code forbids a receiver in the corridor?") == []
    assert _said(english, "You write that the fire code forbids a receiver in the corridor.") == []


def test_a_thing_that_the_customer_did_not_write_of_is_not_called_his(english: Drafted) -> None:
    sentence = "The controller is read by your SCADA."
    assert ("unsupported", "customer", "") in _said(english, sentence)
    told = replace(english.evidence, request=f"{english.evidence.request} Our SCADA reads Modbus.")
    assert not [each for each in _said(replace(english, evidence=told), sentence) if each[1] == "customer"]


def test_a_kind_of_goods_has_no_figure_of_another_kind(english: Drafted) -> None:
    asked = replace(english.evidence, request=f"{english.evidence.request} We want -40 °F.")
    found = _said(replace(english, evidence=asked), "A refrigerated dryer turned down reaches -40 °F.")
    assert [kind for _, kind, _ in found] == ["promise"]
