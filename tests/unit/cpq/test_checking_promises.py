"""What a draft promises, grants and complies with, and the questions that it has to answer."""

from dataclasses import replace
from datetime import date
from typing import Literal

import pytest

from cpq.drafts.evidence import PastQuote
from tests.drafting.composing import Drafted
from tests.drafting.letters import report
from tests.drafting.promises import doubted, placed, share
from tests.unit.cpq.checked_drafts import PAIR, letter, of_models, said

PROMISES_TOLD = 0.95


def test_what_the_customer_wrote_is_a_source_but_of_no_price(priced: Drafted) -> None:
    mail = " The auditor wants ISO 8573-1 Class 0 on paper, and 19\ninHg. Your competitor asks $31,500 for it."
    asked = replace(priced.evidence, request=priced.evidence.request + mail)
    wishes = "You ask for ISO 8573-1 Class 0, and for 19 inHg.\n\n### Totals"
    text = priced.text.replace("### Totals", wishes)
    told = report(text, asked)
    assert told.faults == []
    assert {"request"} <= {each.source for each in told.findings}
    assert {each.kind for each in report(text, priced.evidence).faults} == {"specification"}
    for costs in ("It costs $31,500.", "Your competitor asks $31,500 for it."):
        paid = report(priced.text.replace("### Totals", f"{costs}\n\n### Totals"), asked).faults
        assert [(each.verdict, each.kind, each.text) for each in paid] == [("contradicted", "price", "$31,500")]


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("The delivery of every item is open: [ANSWER]", "Yes, it will be on site by the end of October."),
        ("The catalogue has 72 dBA for the QGV-75.", "The catalogue has 72 dBA, and it keeps 330 cfm at 95F."),
        ("Please see the end of this letter.", "All goods are BABA compliant."),
        ("The 2% that you wish: [ANSWER]", "2% discount at 10 days."),
        ("The 2% that you wish: [ANSWER]", "We grant 2% at 10 days."),
        ("Please see the end of this letter.", "Your existing breaker and wire are large enough."),
        ("Please see the end of this letter.", "No need to change the breaker."),
    ],
)
def test_a_promise_or_a_concession_needs_a_source(was: str, now: str) -> None:
    found = said(letter("questions, wishes and references"), was, now)
    assert [each.kind for each in found] == ["promise"]


def test_a_promise_that_the_catalogue_or_the_house_holds_is_none() -> None:
    drafted = letter("questions, wishes and references")
    kept = "Yes, it runs on 460/3/60. Factory-trained technicians from five offices will answer your emergency calls."
    assert said(drafted, "Please see the end of this letter.", kept) == []


def test_what_a_row_complies_with_is_held_by_its_machine() -> None:
    drafted = letter("a tender with its table")
    row = "| VR-400, vertical, ASME, 200 psi; lining [NOT IN CATALOGUE – confirm] | exception |"
    found = said(drafted, row, "| VR-400, epoxy lined | yes |")
    assert {(each.kind, each.right) for each in found} == {("compliance", "to be confirmed")}


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("| Controller with BACnet/IP | BACnet/IP | yes |", '"BACnet"'),
        ("| Desiccant dryer, 500 scfm | QHD-325 | yes |", "QHD-325 has 325 cfm where 500 scfm is required"),
        ("| Drain of the receiver 1-1/2 NPT | 1-1/2 NPT | yes |", 'VR-400 says "1-1/2 NPT"'),
        ("| Compressor, oil-free | QGV-50 | yes |", "QGV-50 has oil-flooded where oil-free is required"),
        ("| Epoxy lined receiver, heated | VR-400, epoxy lined, heated | yes |", 'VR-400 says "epoxy lined"'),
    ],
)
def test_a_yes_rests_on_the_item_it_speaks_of_and_never_on_the_request_or_another_machine(
    row: str, says: str
) -> None:
    drafted = letter("a tender with its table")
    asked = replace(
        drafted.evidence, request=f"{drafted.evidence.request}\n\n{row.partition('|')[2].partition('|')[0]}"
    )
    text = drafted.text.replace("| American Iron", f"{row}\n| American Iron", 1)
    (found,) = [each for each in report(text, asked).faults if each.kind == "compliance"]
    assert says in found.why
    assert 'write "to be confirmed"' in found.why


@pytest.mark.parametrize(
    ("sentence", "doubted"),
    [
        ("We collect the remarks of your team.", False),
        ("We note the readings of your meter.", False),
        ("Wir nehmen Ihre Anmerkungen auf.", False),
        ("We collect the old machine.", True),
        ("We collect your data and the old machine too.", True),
        ("We list the drawings and it fits your door.", True),
    ],
)
def test_what_the_house_takes_down_is_nothing_that_it_takes_away(
    priced: Drafted, sentence: str, doubted: bool
) -> None:
    found = said(priced, "### Totals", f"{sentence}\n\n### Totals")
    assert [each.kind for each in found] == ["promise"] * doubted


def test_a_yes_that_its_item_holds_is_no_fault() -> None:
    drafted = letter("a tender with its table")
    rows = "| Desiccant dryer, 300 scfm | QHD-325 | yes |\n| 460 V three phase | item 1, 460/3/60 | yes |\n"
    text = drafted.text.replace("| American Iron", f"{rows}| American Iron", 1)
    asked = replace(drafted.evidence, request=f"{drafted.evidence.request} The dryer may be of 300 scfm.")
    assert report(text, asked).faults == []


def test_a_question_and_a_position_of_the_request_are_looked_for() -> None:
    drafted = letter("questions, wishes and references")
    question = "**Can I reuse my existing 125A breaker and #1 wire?**\n\n"
    assert [each.kind for each in said(drafted, question, "")] == ["question"]
    tender = letter("a tender with its table")
    row = "| 4. Oil/water separator, 400 cfm, 10 ppm | OWS-500, 500 cfm, effluent under 10 ppm | yes |\n"
    (found,) = said(tender, row, "")
    assert (found.verdict, found.kind) == ("missing", "position")
    assert found.text.startswith("Oil/water separator")


@pytest.mark.parametrize(
    ("wish", "answer"),
    [
        (
            "Gewähren Sie 5 Jahre auf die Verdichterstufe?",
            "Ja, wir gewähren 5 Jahre auf die Verdichterstufe, wenn Sie Originalfilter verwenden.",
        ),
        ("Will you give 5 years on the airend?", "Yes, we give 5 years on the airend if you use genuine filters."),
    ],
)
def test_a_yes_to_a_wish_is_a_promise_though_a_condition_follows(priced: Drafted, wish: str, answer: str) -> None:
    asked = replace(priced.evidence, request=f"{priced.evidence.request} {wish}")
    text = priced.text.replace("### Totals", f"### Answers\n\n**{wish}**\n\n{answer}\n\n### Totals", 1)
    assert [each for each in report(text, asked).faults if answer[:12] in each.text or "5" in each.text]


@pytest.mark.parametrize(
    "sentence",
    [
        "It fits through your door.",
        "The compressor is whisper quiet.",
        "It needs no maintenance.",
        "The machine will pay for itself within a year.",
        "It complies with all local codes.",
        "The unit fits your existing piping.",
        "We are happy to confirm that it fits through your door.",
        "As you requested, the price includes freight.",
        "It delivers 505 cfm at 100 psi, and it fits through your door.",
        "The 505 cfm machine fits through your door.",
        "Ein Fundament ist nicht erforderlich.",
    ],
)
def test_a_claim_that_no_source_tells_is_unsupported_wherever_it_stands(sentence: str) -> None:
    drafted = letter("screw and dryer for a hot foundry")
    assert doubted(drafted, sentence)
    assert doubted(drafted, sentence, item=False)


@pytest.mark.parametrize(
    "sentence",
    [
        "Your room reaches 110 F in July.",
        "The QSI-500 is oil-flooded and has a 100 HP motor.",
        "We have chosen the QSI-500 because it is near your 500 cfm.",
        "The noise of the dryer is not in the catalogue.",
        "Freight is not included.",
    ],
)
def test_what_a_source_tells_and_what_the_letter_says_of_itself_is_no_promise(sentence: str) -> None:
    drafted = letter("screw and dryer for a hot foundry")
    assert not doubted(drafted, sentence)
    assert not doubted(drafted, sentence, item=False)


@pytest.mark.parametrize("half", ["seen", "held back"])
def test_promises_are_told_from_courtesy_in_four_languages(half: Literal["seen", "held back"]) -> None:
    found = list(placed(half))
    for promise in (True, False):
        right, made = share(found, promise=promise, half=half)
        assert right >= PROMISES_TOLD * made


def test_a_delivery_term_is_the_houses_or_what_was_asked_for(priced: Drafted) -> None:
    for term in ("Freight: FOB Factory", "Freight: FOB Factory, Incoterms 2020", "Delivery terms are FOB Factory."):
        assert said(priced, "### Totals", f"{term}\n\n### Totals") == []
    (found,) = said(priced, "### Totals", "Delivery: EXW Quincy, Incoterms 2020\n\n### Totals")
    assert (found.verdict, found.text) == ("contradicted", "EXW")
    past = PastQuote("Q25-0150", "Elm", (), date(2025, 3, 9), "Net 45. EXW Quincy.")
    had = replace(
        priced, evidence=replace(priced.evidence, past_quotes={**priced.evidence.past_quotes, "Q25-0150": past})
    )
    assert said(had, "### Totals", "Delivery: EXW Quincy, Incoterms 2020\n\n### Totals") == []


@pytest.mark.parametrize(
    "sentence",
    [
        "You get 5% if you order all four together.",
        "You may pay in three instalments.",
        "Payment in three instalments is possible.",
        "Sie können in drei Raten zahlen.",
        "The freight is on us.",
        "We match any competitor's offer.",
        "You may return it.",
        "If your neighbours still hear it, you may send it back.",
        "Your old machine is collected at no cost.",
        "Our technician comes to you.",
        "Our mechanic speaks German.",
        "Unser Monteur spricht Deutsch.",
        "Wir haben schon viele Pharmabetriebe in Baden-Württemberg ausgerüstet.",
        "Usted puede pagar en tres plazos.",
        "Vous pouvez payer en trois fois.",
        "[ANSWER] We match any competitor's offer.",
        "The delivery is open: [ANSWER] It needs no maintenance.",
        "The machine fits through your door, see [ANSWER].",
    ],
)
def test_an_offer_to_the_customer_needs_a_source_wherever_it_stands(sentence: str) -> None:
    for place in ("### More\n\n{}", "### Your questions\n\n**And then?**\n\n{}", "### Item 1\n\nQR-325\n\n{}"):
        assert "promise" in [kind for kind, _, _ in of_models(place.format(sentence), *PAIR)]
