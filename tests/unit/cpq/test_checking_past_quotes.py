"""What a draft may say of the past quotes to its own customer, and where its corrections come from."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from cpq.drafts.evidence import Evidence, Machine, PastQuote, SourceText
from tests.drafting.composing import Drafted, products
from tests.drafting.letters import report
from tests.unit.cpq.checked_drafts import PAIR, letter, of_models

BEFORE = "### Exclusions"
USUAL = {"Q25-0150": "Net 45, FOB Destination, freight prepaid, valid 60 days", "Q26-0298": "DAP site, valid 60 days"}


def _with_a_past(drafted: Drafted, customer: str) -> Evidence:
    row = products()["KC-450HL"]
    past = PastQuote("Q22-0518", customer, (), date(2022, 5, 11), "Net 30", total=Decimal("306265.00"))
    line = SourceText("Q22-0518 line 2", "past quote", "Heatless dryer KC-450HL, tank of 1060 gal.", "KC-450HL",
                      "Q22-0518", 2)  # fmt: skip
    return replace(
        drafted.evidence, past_quotes={**drafted.evidence.past_quotes, "Q22-0518": past},
        lines=[*drafted.evidence.lines, line],
        had=[Machine(row["manufacturer"], "KC-450HL", row["family"], row)],
    )  # fmt: skip


def _said(drafted: Drafted, evidence: Evidence, sentence: str) -> list[tuple[str, str]]:
    faults = report(drafted.text.replace(BEFORE, f"{sentence}\n\n{BEFORE}", 1), evidence).faults
    return [(each.kind, each.text) for each in faults]


@pytest.mark.parametrize(
    "sentence",
    [
        "It was our quote Q22-0518 of 2022-05-11.",
        "It was our quote Q22-0518 of May 11, 2022.",
        "The dryer of Q22-0518, KC-450HL, has -40 °F.",
        "The tank of 2022 holds 1060 gal.",
        "Our quote Q22-0518 came to $306,265.00.",
    ],
)
def test_a_customers_own_past_quote_may_be_told_to_him_and_to_no_other(priced: Drafted, sentence: str) -> None:
    drafted = letter("priced small screw with receiver")
    text = f"### More\n\n{sentence}"
    assert _said(drafted, _with_a_past(drafted, drafted.letter.customer), text) == []
    assert _said(drafted, _with_a_past(drafted, "Elm Works"), text) != []


@pytest.mark.parametrize(
    "sentence",
    [
        "It was our quote Q22-0518 of 2022-05-12.",
        "The dryer of Q22-0518, KC-450HL, has -70 °F.",
        "The tank of 2022 holds 1600 gal.",
        "Our quote Q22-0518 came to $260,000.00.",
        "This one comes to $306,265.00.",
    ],
)
def test_what_a_past_quote_does_not_say_is_a_fault(sentence: str) -> None:
    drafted = letter("priced small screw with receiver")
    assert _said(drafted, _with_a_past(drafted, drafted.letter.customer), f"### More\n\n{sentence}") != []


def test_a_figure_is_of_the_item_that_its_sentence_numbers() -> None:
    drafted = letter("screw, dryer and receiver")
    text = "### More\n\nItem {} measures {}."
    sizes = {}
    for number, item in enumerate(drafted.letter.items[:2], start=1):
        row = products()[item.model]
        sizes[number] = f"{row['length_in']:g} x {row['width_in']:g} x {row['height_in']:g} in"
    assert _said(drafted, drafted.evidence, text.format(1, sizes[1])) == []
    faults = report(
        drafted.text.replace(BEFORE, f"{text.format(1, sizes[2])}\n\n{BEFORE}", 1), drafted.evidence
    ).faults
    assert [(each.text.strip("."), each.right) for each in faults] == [(sizes[2], sizes[1])]


def test_no_correction_is_offered_where_no_machine_is_in_question() -> None:
    assert of_models("### More\n\nThe plant gives 153 cfm.", *PAIR) == [("specification", "153 cfm", "")]


def test_a_panel_is_the_voltage_of_the_machine_that_is_fed_from_it() -> None:
    drafted = letter("screw, dryer and receiver")
    evidence = replace(drafted.evidence, request=f"{drafted.evidence.request} There is a 208 panel and a 480 panel.")
    assert _said(drafted, evidence, "### More\n\nItem 1 goes on the 480 panel.") == []
    assert _said(drafted, evidence, "### More\n\nItem 1 goes on the 208 panel.") == [("specification", "208")]


@pytest.mark.parametrize(("sum_", "kinds"), [("24,840.00", []), ("25,105.00", []), ("25,106.00", ["price"])])
def test_a_sum_is_right_where_lines_of_the_quote_come_to_it(priced: Drafted, sum_: str, kinds: list[str]) -> None:
    assert priced.evidence.offer is not None
    lines = [line.total for line in priced.evidence.offer.lines if line.total is not None]
    sums = {"24,840.00": lines[0], "25,105.00": lines[0] + lines[1], "25,106.00": lines[0] + lines[1] + 1}
    faults = _said(priced, priced.evidence, f"### More\n\nTogether they come to ${sums[sum_]:,.2f}.")
    assert [kind for kind, _ in faults] == kinds


def test_the_total_is_the_sum_of_the_rows_above_it(priced: Drafted) -> None:
    offer = priced.evidence.offer
    assert offer is not None
    assert offer.total is not None
    more = replace(offer, lines=[*offer.lines, replace(offer.lines[0], model="", name="Option", total=offer.total)],
                   total=offer.total * 2)  # fmt: skip
    evidence = replace(priced.evidence, offer=more)
    assert report(priced.text, evidence).faults == []
    wrong = priced.text.replace(f"{offer.total:,.2f}", f"{offer.total * 2:,.2f}")
    assert [(each.kind, each.right) for each in report(wrong, evidence).faults] == [
        ("price", f"{offer.total:,.2f} USD")
    ]


def test_the_quotes_own_validity_stands_beside_the_houses(priced: Drafted) -> None:
    was = "- Validity: 30 days from the date above"
    assert was in priced.text
    assert report(priced.text.replace(was, "- Validity: until 2026-12-22"), priced.evidence).faults == []
    (found,) = report(priced.text.replace(was, "- Validity: until 2026-12-23"), priced.evidence).faults
    assert found.kind == "house fact"


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("- Payment: Net 30 days", "- Payment: Net 45 days"),
        ("- Payment: Net 30 days", "- Payment: Net 45"),
        ("- Freight: FOB Factory, freight prepaid and added unless stated otherwise",
         "- Freight: FOB Destination, freight prepaid"),
        ("- Freight: FOB Factory, freight prepaid and added unless stated otherwise", "- Freight: DAP Toledo, Ohio"),
    ],
)  # fmt: skip
def test_terms_that_the_house_granted_this_customer_or_his_market_are_no_slip(was: str, now: str) -> None:
    drafted = letter("priced small screw with receiver")
    was = next(line for line in drafted.text.splitlines() if line.startswith(was.partition(":")[0]))
    text = drafted.text.replace(was, now, 1)
    assert report(text, replace(drafted.evidence, granted=USUAL)).faults == []
    assert report(text, drafted.evidence).faults != []


@pytest.mark.parametrize("sentence", ["Our prices are valid for 60 days.", "Unsere Preise gelten DAP Baustelle."])
def test_a_sentence_may_tell_the_terms_that_the_house_granted(sentence: str) -> None:
    drafted = letter("priced small screw with receiver")
    usual = {"Q26-0298": "30 days net, DAP site (Incoterms 2020), valid 60 days"}
    assert _said(drafted, replace(drafted.evidence, granted=usual), f"### More\n\n{sentence}") == []
    assert _said(drafted, drafted.evidence, f"### More\n\n{sentence}") != []


@pytest.mark.parametrize(
    ("answer", "wrong"),
    [("You had Net 45, FOB Destination, freight prepaid, valid 60 days.", False),
     ("Freight: FOB Destination, freight prepaid, as last time. Validity: 60 days, as last time.", False),
     ("Freight: FOB Jobsite, freight prepaid, as last time. Validity: 60 days, as last time.", True),
     ("Freight: FOB Destination, freight prepaid, as last time. Validity: 75 days, as last time.", True)],
)  # fmt: skip
def test_an_answer_may_repeat_the_granted_terms(answer: str, wrong: bool) -> None:
    drafted = letter("priced small screw with receiver")
    terms = {"Q24-0875": "Net 45, FOB Destination, freight prepaid, valid 60 days"}
    asked = f"### Your questions\n\n**The same terms as last time?**\n\n{answer}"
    assert bool(_said(drafted, replace(drafted.evidence, granted=terms), asked)) is wrong


@pytest.mark.parametrize("line", ["- Payment: Net 90 days", "- Freight: FOB Jobsite", "- Freight: DDP site"])
def test_no_other_terms_follow_from_those(line: str) -> None:
    drafted = letter("priced small screw with receiver")
    was = next(each for each in drafted.text.splitlines() if each.startswith(line.partition(":")[0]))
    assert report(drafted.text.replace(was, line, 1), replace(drafted.evidence, granted=USUAL)).faults != []


SHORT = """November 22, 2026

**Danville Tool Co.**

Thank you for writing. This is a plain answer and not yet a quote.

### What we have on file

- 2020 (Q20-0605): a machine of 227 CFM with a Hankison HPR 400 dryer; the tank is shared.
- Our file of 2020 says: "The test bay takes a twin of its first machine."

### Budget

| Stage | What it contains | Budget |
|---|---|---|
| 1 | Visit and measurement | $[PRICE] |
| 2 | Leaks, as found after stage 1 | $[PRICE] |

Sincerely,
"""


def _short(text: str) -> list[tuple[str, str]]:
    summary = "The test bay takes a twin of its first machine. The tank is shared."
    past = PastQuote("Q20-0605", "Danville Tool Co.", (), date(2020, 8, 20), "Net 30", summary=summary)
    machine = SourceText(
        "Q20-0605 line 1", "past quote", "Screw machine for the test bay, 227 CFM.", "QMB50", "Q20-0605"
    )
    dryer = SourceText("Q20-0605 line 2", "past quote", "Plug-in dryer.", "HPR 400", "Q20-0605", 2, "Hankison")
    evidence = replace(letter("priced small screw with receiver").evidence, machines=(), request="", offer=None,
                       lines=[machine, dryer], past_quotes={"Q20-0605": past})  # fmt: skip
    faults = report(text, evidence).faults
    return [(each.kind, each.text) for each in faults if (each.kind, each.text) not in HOUSE_PARTS]


HOUSE_PARTS = (("section", "header"), ("section", "signature"), ("section", "footer"))


def test_a_short_letter_may_tell_what_is_on_file_of_its_customer() -> None:
    assert _short(SHORT) == []


@pytest.mark.parametrize(
    ("was", "now", "fault"),
    [
        ("227 CFM", "272 CFM", ("specification", "272 CFM")),
        ("the tank is shared", "the tank is stainless", ("promise", "the tank is stainless.")),
        ("takes a twin of its first machine", "has a twin of its second machine", None),
        ("Hankison HPR 400", "Zeks HPR 400", ("maker", "Zeks")),
    ],
)
def test_what_is_not_on_file_is_found_in_a_short_letter(was: str, now: str, fault: tuple[str, str] | None) -> None:
    found = _short(SHORT.replace(was, now))
    assert found
    assert fault is None or fault in found
