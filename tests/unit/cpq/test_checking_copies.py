"""What a draft copies: to the letter, of another customer's quote, of a site that is not his, of who may be named."""

from dataclasses import replace

import pytest

from cpq.drafts.evidence import SourceText
from tests.drafting.composing import Drafted, Item, Letter, write
from tests.drafting.letters import report
from tests.unit.cpq.checked_drafts import SCROLL, letter, said


def test_a_copied_sentence_that_was_changed_is_answered_with_the_source(priced: Drafted) -> None:
    (found,) = said(priced, "measured at the flange", "measured at the inlet")
    assert found.why == "a copy that is not to the letter"
    assert "measured at the flange and not at the airend." in found.right


def test_payment_terms_of_another_quote_are_foreign(priced: Drafted) -> None:
    theirs = next(quote.terms for quote in priced.evidence.past_quotes.values() if quote.terms)
    other = theirs.split(",")[0] + " and 50% down"
    (found,) = said(priced, "Net 30 days from invoice, on approved credit", other)
    assert found.verdict in ("foreign", "contradicted")
    assert found.right


@pytest.mark.parametrize("term", ["net60", "Net-60", "net 60"])
def test_a_payment_term_is_one_however_it_is_written_and_no_part_number(priced: Drafted, term: str) -> None:
    found = said(priced, "### Totals", f"Our terms are {term}.\n\n### Totals")
    assert ("payment term", term, "Net 30 days") in [(each.kind, each.text, each.right) for each in found]
    assert "model" not in [each.kind for each in found]
    assert said(priced, "### Totals", f"Our terms are {term.replace('6', '3')}.\n\n### Totals") == []


@pytest.mark.parametrize(
    ("quote", "position", "sentence", "kind"),
    [
        ("Q21-0347", 1, "Delivery: 12-14 Weeks A.R.O.", "delivery"),
        ("Q24-0128", 1, "Delivery: one on floor in Quincy, 3 weeks, subject to prior sale", "delivery"),
        ("Q25-0292", 4, "Contact on site is Gordon Leith.", "person"),
        ("Q22-0483", 5, "Quote supposes clear access through door 8.", "place"),
        ("Q20-0667", 1, "that alone saved the last customer of this size $6,400.", "price"),
    ],
)
def test_what_another_site_was_told_is_foreign(quote: str, position: int, sentence: str, kind: str) -> None:
    item = Item(model="QMB30", copied=(quote, position, sentence))
    drafted = write(Letter(name="", customer="Elm", request="", project="air", requirements="air", items=[item]))
    faults = report(drafted.text, drafted.evidence).faults
    assert ("foreign", kind) in [(each.verdict, each.kind) for each in faults]


SUCTION_CUPS = "12 HP oil lubricated vane pumps for suction cup lifters."


def copied_for(sentence: str, *, request: str = "") -> list[tuple[str, str]]:
    """What is foreign in a letter to Elm that copies a sentence of another customer's line."""
    past = SourceText("Q9-1 line 1", "past quote", sentence, "QMB30", "Q9-1", 1)
    letter = Letter(
        name="", customer="Elm", request=request, project="", requirements="", items=[Item(model="QMB30")]
    )
    drafted = write(letter)
    evidence = replace(drafted.evidence, lines=[past])
    text = drafted.text.replace("### Item 1", f"### Item 1\n\n{sentence}", 1)
    return [(each.kind, each.text) for each in report(text, evidence).faults if each.verdict == "foreign"]


@pytest.mark.parametrize(
    ("sentence", "kind", "told"),
    [
        ("Control signal list is in appendix C of URS reply.", "site", None),
        ("Valve tags follow drawing list of your specification section 4.", "site", None),
        (SUCTION_CUPS, "use", "for suction cup lifters"),
        ("Oilless machine for dairy powder, with a spare belt.", "use", "for dairy powder"),
        ("Performance test is unwitnessed per ISO 1217 Annex E.", None, None),
        ("Bearings of the lower end are sized for base load.", None, None),
    ],
)
def test_what_only_another_customers_papers_or_trade_explain_is_foreign(
    sentence: str, kind: str | None, told: str | None
) -> None:
    assert copied_for(sentence) == ([(kind, told or sentence)] if kind else [])


def test_what_the_request_is_for_too_may_be_copied() -> None:
    assert copied_for(SUCTION_CUPS, request="Vacuum for our suction cups, please.") == []


@pytest.mark.parametrize(
    ("quote", "position", "sentence"),
    [
        ("Q19-0252", 2, "Millwrights are union, we hand over at the flange."),
        ("Q18-0318", 2, "Die vorhandene Rohrleitung DN 50 reicht aus."),
        ("Q18-0318", 2, "Einbringung durch das Rolltor, lichte Weite 2,40 m."),
    ],
)
def test_what_was_true_of_another_customers_site_is_foreign_and_of_his_own_it_is_not(
    quote: str, position: int, sentence: str
) -> None:
    item = Item(model="QMB30", copied=(quote, position, sentence))
    drafted = write(Letter(name="", customer="Elm", request="", project="air", requirements="air", items=[item]))
    told = [each for each in report(drafted.text, drafted.evidence).faults if each.kind == "site"]
    assert [(each.verdict, each.text) for each in told] == [("foreign", sentence)]
    cited = drafted.evidence.past_quotes[quote]
    own = replace(drafted.evidence, past_quotes={quote: replace(cited, customer="Elm")})
    assert [each for each in report(drafted.text, own).faults if each.kind == "site"] == []


def test_a_reference_may_be_named_in_its_section_if_it_agreed_and_nowhere_else(priced: Drafted) -> None:
    agreed = replace(priced.evidence, references={"Groeb Farms (food), 2022": "Groeb Farms"})
    section = "### References\n\n- Groeb Farms (food), 2022\n- Groeb Farms packs honey.\n\n### Totals"
    text = priced.text.replace("### Totals", section)
    for heading in ("### References", "### Références", "### Referenzen", "### Referencias"):
        assert report(text.replace("### References", heading), agreed).faults == []
    others = report(text, priced.evidence).faults
    assert {(each.verdict, each.kind, each.text) for each in others} >= {("foreign", "customer", "Groeb Farms")}
    named = report(text.replace("Groeb Farms", "Ironwood Castings"), agreed).faults
    assert {each.verdict for each in named} >= {"foreign"}
    moved = report(priced.text.replace("### Totals", "Groeb Farms has the same.\n\n### Totals"), agreed).faults
    assert [(each.verdict, each.text) for each in moved] == [("foreign", "Groeb Farms")]


def test_the_category_of_the_items_machine_is_no_other_items_text(priced: Drafted) -> None:
    other = replace(
        priced.evidence.lines[0], name="Q1 line 9", text="ROTARY SCREW AIR COMPRESSOR, as before", model="X"
    )
    evidence = replace(priced.evidence, lines=[*priced.evidence.lines, other])
    assert "ROTARY SCREW AIR COMPRESSOR" in priced.text
    assert report(priced.text, evidence).faults == []


def test_a_letter_may_name_its_own_customers_past_quote_and_a_supply_written_without_its_unit() -> None:
    drafted = letter("questions, wishes and references")
    cited = drafted.evidence.past_quotes["Q22-0655"]
    own = replace(drafted.evidence, past_quotes={"Q22-0655": replace(cited, customer=drafted.letter.customer)},
                  request=drafted.evidence.request + " The second building has 575.")  # fmt: skip
    said = "It is the machine of Q22-0655; 575 V is the only supply."
    told = drafted.text.replace("### Totals", f"{said}\n\n### Totals")
    assert [each.text for each in report(told, drafted.evidence).faults] == ["Q22-0655", "575 V"]
    assert [each.kind for each in report(told, own).faults if each.text in said] == []


def test_a_mark_where_a_sentence_was_cut_leaves_the_parts_to_the_letter() -> None:
    quote, position = "Q25-0724", 1
    drafted = write(Letter(name="", customer="Elm", request="", project="", requirements="",
                           items=[Item(model="SEHX10008-100", copied=(quote, position, SCROLL))]))  # fmt: skip
    for cut, faults in (("[...]", []), ("[…]", []), ("[...] never", ["contradicted"])):
        found = report(drafted.text.replace("are the one big expense,", cut), drafted.evidence).faults
        assert [each.verdict for each in found if each.verdict != "missing"] == faults
