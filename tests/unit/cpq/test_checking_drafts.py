"""The check of drafts on good drafts, on slips in them, and on texts that are long or made to be slow."""

import re
import time
from dataclasses import replace
from decimal import Decimal
from typing import Literal

import pytest

from cpq.drafts.denials import denied
from cpq.drafts.findings import Remark
from tests.drafting.__main__ import FALSE, FOUND, measure
from tests.drafting.composing import Drafted, Item, Letter, write
from tests.drafting.letters import drafts, report
from tests.drafting.promises import doubted, placed, share

QUICK = 300
PROMISES_TOLD = 0.95
LONGEST = 60_000


@pytest.fixture(scope="module")
def priced() -> Drafted:
    return next(each for each in drafts() if each.letter.name == "priced small screw with receiver")


def said(drafted: Drafted, was: str, now: str) -> list[Remark]:
    assert was in drafted.text
    return report(drafted.text.replace(was, now, 1), drafted.evidence).faults


def test_slips_are_found_and_untouched_drafts_raise_no_alarm() -> None:
    figures = measure(count=QUICK, seed=7)
    assert figures.found >= FOUND
    assert figures.false <= FALSE


def test_a_wrong_specification_is_answered_with_the_right_one(priced: Drafted) -> None:
    (found,) = said(priced, "- Capacity: 129 CFM", "- Capacity: 192 CFM")
    assert (found.verdict, found.right) == ("contradicted", "129 CFM")


def test_a_price_that_is_not_the_quotes_is_answered_with_the_quotes(priced: Drafted) -> None:
    (found,) = said(priced, "Net $21,480.00 Each", "Net $21,840.00 Each")
    assert (found.verdict, found.right) == ("contradicted", "21,480.00 USD")


def test_a_price_with_its_currency_behind_it_is_no_payment_term(priced: Drafted) -> None:
    assert said(priced, "\n\nDelivery:", "\n\nThis machine is Net 21,480.00 USD.\n\nDelivery:") == []
    (found,) = said(priced, "\n\nDelivery:", "\n\nThis machine is Net 21,840.00 USD.\n\nDelivery:")
    assert found.kind == "price"


def test_an_extended_price_is_held_to_the_quote(priced: Drafted) -> None:
    (found,) = said(priced, "| $3,625.00 | $3,625.00 |", "| $3,625.00 | $7,250.00 |")
    assert found.verdict == "contradicted"


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


@pytest.mark.parametrize(
    ("ours", "metric", "wrong"),
    [
        ("Capacity: 129 CFM", "Capacity: 219 m³/h (129 CFM)", "Capacity: 291 m³/h (129 CFM)"),
        (
            "Dimensions (L x W x H): 51 x 35 x 49 in",
            "Dimensions (L x W x H): 1295 x 889 x 1245 mm (51 x 35 x 49 in)",
            "Dimensions (L x W x H): 1259 x 889 x 1245 mm (51 x 35 x 49 in)",
        ),
    ],
)
def test_a_specification_may_stand_in_metric_with_the_catalogues_behind_it(
    priced: Drafted, ours: str, metric: str, wrong: str
) -> None:
    assert said(priced, ours, metric) == []
    (found,) = said(priced, ours, wrong)
    assert found.verdict == "contradicted"


def test_the_category_of_the_items_machine_is_no_other_items_text(priced: Drafted) -> None:
    other = replace(
        priced.evidence.lines[0], name="Q1 line 9", text="ROTARY SCREW AIR COMPRESSOR, as before", model="X"
    )
    evidence = replace(priced.evidence, lines=[*priced.evidence.lines, other])
    assert "ROTARY SCREW AIR COMPRESSOR" in priced.text
    assert report(priced.text, evidence).faults == []


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


def test_a_supply_in_words_is_the_supply_in_figures_and_a_label_of_a_list_is_no_figure(priced: Drafted) -> None:
    mail = priced.evidence.request + "\nWe have 575 volt three phase. 7. A screw compressor, 30 HP."
    asked = replace(priced.evidence, request=mail)
    text = "\n\nYou have 575 V, 3 ph.\n\n| 7. A screw compressor, 30 HP | yes |\n\n### Totals"
    assert report(priced.text.replace("\n\n### Totals", text), asked).faults == []
    (found,) = report(priced.text.replace("\n\n### Totals", text.replace("3 ph", "1 ph")), asked).faults
    assert found.text == "1 ph"


GERMAN = """\
**Elm Molkerei**

Sehr geehrte Frau Adler, vielen Dank für Ihre Anfrage nach einem Kompressor für Ihre Molkerei. Wir bieten Ihnen an:

### Item 1

{translation}

> **SALESPERSON REVIEW:** 1. Translation, to approve. Original: "{original}"

### Bedingungen

- Zahlung: 30 Tage netto ab Rechnung, mit Kreditzusage

Great Lakes Air & Vacuum (sample house) plant, verkauft, installiert und wartet Druckluft- und Vakuumanlagen.

## Sources (internal)

| item | offered | product_id | words from | precedents | confidence | status |
|---|---|---|---|---|---|---|
| 1 | Powerex SEHX10008-100 | | {words_from} | | likely_good | used with review |
"""
SCROLL = "Tip seals at 10,000 hours are the one big expense, we budget it at eleven cents per pump hour."


def translated(translation: str, original: str) -> list[tuple[str, str]]:
    item = Item(model="SEHX10008-100", copied=("Q25-0724", 1, SCROLL))
    letter = write(Letter(name="", customer="Elm Molkerei", request="", project="", requirements="", items=[item]))
    words_from = "Huron Bay Semiconductor, Q25-0724, 2025-10-09, line 1"
    text = GERMAN.format(translation=translation, original=original, words_from=words_from)
    faults = report(text, letter.evidence).faults
    return [(each.verdict, each.kind) for each in faults if (each.verdict, each.text) != ("missing", "totals")]


def test_a_translation_rests_on_the_original_in_its_note_and_a_letter_in_german_lacks_no_english_section() -> None:
    ours = "Dichtleisten nach 10.000 Stunden sind die eine große Ausgabe, wir rechnen elf Cent je Stunde."
    assert translated(ours, SCROLL) == []
    assert translated(ours.replace("10.000", "12.000"), SCROLL) == [("unsupported", "number")]
    wrong = translated(ours, SCROLL.replace("eleven", "twelve"))
    assert ("contradicted", "original") in wrong


def german(*lines: str) -> list[Remark]:
    """Faults of a priced German letter for screw, receiver and start-up, with these lines in its second item."""
    price = Decimal("1000")
    items = [Item(model="QGV-100", price=price), Item(model="VR-240", price=price),
             Item(heading="START-UP SERVICE", price=Decimal("1850"))]  # fmt: skip
    letter = Letter(name="", customer="Elm Molkerei", request="", project="", requirements="", items=items)
    opening = GERMAN.partition("### Item 1")[0]
    body = "\n\n".join(["### Item 1", "Quincy QGV-100, Menge 1: Net $1,000.00 Each", "### Item 2", *lines])
    summary = "### Summe\n\n| 1 | Quincy QGV-100 | 1 | $1,000.00 | $1,000.00 |"
    return report(f"{opening}\n\n{body}\n\n{summary}", write(letter).evidence).faults


@pytest.mark.parametrize("heading", ["**INBETRIEBNAHME**", "**START-UP SERVICE**", "#### Mise en service"])
def test_a_service_is_held_to_its_own_line_of_the_quote_in_any_language_and_at_any_place(heading: str) -> None:
    told = "Inbetriebnahme des Kompressors QGV-100 durch unseren Techniker."
    priced = "Inbetriebnahme wie beschrieben, quantity 1: Net $1,850.00 Each"
    assert german(heading, told, priced) == []
    (wrong,) = german(heading, told, priced.replace("1,850", "1,000"))
    assert (wrong.verdict, wrong.right) == ("contradicted", "1,850.00 USD")


def test_a_machine_with_a_service_is_no_service() -> None:
    offered = "VR-240 wie beschrieben, quantity 1: Net $1,850.00 Each"
    (wrong,) = german("**DRUCKBEHÄLTER MIT INBETRIEBNAHME**", offered)
    assert (wrong.verdict, wrong.right) == ("contradicted", "1,000.00 USD")


@pytest.mark.parametrize("line", ["- Ansprechpartner: Bauer", "Die Frequenz in Hertz folgt.", "Gruß, Herr Kaeser"])
def test_a_noun_of_a_german_letter_and_a_person_are_no_makers(line: str) -> None:
    assert german(line) == []
    assert [each.kind for each in german("Die Maschine ist von Kaeser.")] == ["maker"]


def test_a_line_that_is_for_another_kind_of_dryer_has_no_source() -> None:
    items = [Item(model="KC-400R")]
    letter = write(Letter(name="", customer="Elm", request="", project="air", requirements="air", items=items))
    assert "- Refrigerant: " in letter.text
    text = re.sub(r"^- (?:Desiccant|Purge air): .*\n", "", letter.text, flags=re.MULTILINE)
    assert report(text, letter.evidence).faults == []
    (found,) = report(
        text.replace("- Refrigerant: ", "- Purge air: 30 SCFM\n- Refrigerant: "), letter.evidence
    ).faults
    assert (found.verdict, found.right) == ("unsupported", "[NOT IN CATALOGUE – confirm]")


def test_a_machine_is_never_told_to_take_its_oil_otherwise(priced: Drafted) -> None:
    assert said(priced, "\n\nDelivery:", "\n\nIt is oil-flooded.\n\nDelivery:") == []
    for other in ("oil-free", "oilless"):
        (found,) = said(priced, "\n\nDelivery:", f"\n\nIt is {other}.\n\nDelivery:")
        assert (found.verdict, found.right) == ("contradicted", "oil-flooded")


def test_a_section_that_was_left_out_is_missing(priced: Drafted) -> None:
    start, end = priced.text.index("### Exclusions"), priced.text.index("### Totals")
    faults = report(priced.text[:start] + priced.text[end:], priced.evidence).faults
    assert [(each.verdict, each.text) for each in faults] == [("missing", "exclusions")]


def test_reviews_and_placeholders_are_open_and_no_fault(priced: Drafted) -> None:
    text = priced.text.replace(
        "### Totals", "> **SALESPERSON REVIEW:** the warranty is yours to settle.\n\n### Totals"
    )
    told = report(text, priced.evidence)
    assert told.faults == []
    said = [(each.kind, each.text) for each in told.findings if each.verdict == "open"]
    assert ("review", "the warranty is yours to settle.") in said
    assert ("placeholder", "[DELIVERY]") in said


def test_marks_that_mark_nothing_are_no_statement(priced: Drafted) -> None:
    marked = priced.text + "\n\n**\n\n- \n\n`` ``\n"
    assert report(marked, priced.evidence) == report(priced.text, priced.evidence)


def test_what_is_internal_is_not_read_as_the_letter(priced: Drafted) -> None:
    note = "\n## Retrieval summary (internal)\n\n| section | 999 psi of Groeb Farms, $1.00 |\n"
    assert report(priced.text + note, priced.evidence).faults == []


@pytest.mark.parametrize(
    "piece",
    [
        "The machine gives 129 cfm at 125 psi and weighs 1185 lb. ",
        "$1 2 3 4 5 6 7 8 9 ",
        "XK-20/7.B-3 ",
        "Thank you for inviting you for inviting to quote. This proposal answers ",
        "| 1 | 2 | 3 | 4 | 5 |\n",
        "**_`[A B]`_** \\",
        "> **Attribution:** Q18-0064, line 1\n\nx\n\n",
        "- Capacity: 129 CFM\n",
        "Separator element and two filters for the first change ",
        "[" * 40,
    ],
)
def test_the_time_that_a_draft_takes_grows_no_faster_than_its_length(priced: Drafted, piece: str) -> None:
    """A third of a second to two thirds for the longest on a machine that does nothing else."""
    text = (priced.text + piece * LONGEST)[:LONGEST]
    report("warm", priced.evidence)
    whole, half = (min(_seconds(text[:length], priced) for _ in range(2)) for length in (LONGEST, LONGEST // 2))
    assert whole < 3 * half + 0.1
    assert whole < 2.0


def _seconds(text: str, drafted: Drafted) -> float:
    start = time.process_time()
    report(text, drafted.evidence)
    return time.process_time() - start


def letter(name: str) -> Drafted:
    return next(each for each in drafts() if each.letter.name == name)


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("The delivery of every item is open: [ANSWER]", "Yes, it will be on site by the end of October."),
        ("The catalogue has 72 dBA for the QGV-75.", "The catalogue has 72 dBA, and it keeps 330 cfm at 95F."),
        ("Please see the end of this letter.", "All goods are AIS and BABA compliant."),
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
    "sentence",
    [
        "Halle 4 is where Items 1 and 2 stand.",
        "The room runs from 35F to 95F.",
        "See What we need to know for the panel of this item.",
        "Which of 208, 230 or 460 volts is there?",
        "Compressor 1 stands beside dryer 2.",
        "You asked whether the breaker stays, and your electrician decides it.",
    ],
)
def test_figures_of_the_request_items_and_headings_are_no_fault(sentence: str) -> None:
    drafted = letter("questions, wishes and references")
    asked = drafted.evidence.request + " It is for our Halle 4 in Kent. The dryer stands beside."
    evidence = replace(drafted.evidence, request=asked,
                       machines=[replace(each, values={**each.values, "voltage": "208-230/460/3/60"})
                                 for each in drafted.evidence.machines])  # fmt: skip
    text = drafted.text.replace("- Voltage: 460/3/60", "- Voltage: 208-230/460/3/60")
    text = text.replace("- Power supply: 460/3/60", "- Power supply: 208-230/460/3/60")
    assert report(text.replace("### Totals", f"{sentence}\n\n### Totals"), evidence).faults == []


def test_a_note_that_denies_what_the_catalogue_has_is_contradicted() -> None:
    drafted = letter("questions, wishes and references")
    note = "> **SALESPERSON REVIEW:** 1. No fixed-speed 75 HP screw was found. No larger one was found."
    text = drafted.text.replace("### Totals", f"{note}\n\n### Totals")
    assert list(denied(note)) == ["fixed-speed 75 HP screw"]
    evidence = replace(drafted.evidence, present={"fixed-speed 75 HP screw": "CRS-75"})
    (found,) = report(text, evidence).faults
    assert (found.verdict, found.kind, found.right) == ("contradicted", "note", "CRS-75")


def test_a_letter_may_name_its_own_customers_past_quote_and_a_supply_written_without_its_unit() -> None:
    drafted = letter("questions, wishes and references")
    cited = drafted.evidence.past_quotes["Q22-0655"]
    own = replace(drafted.evidence, past_quotes={"Q22-0655": replace(cited, customer=drafted.letter.customer)},
                  request=drafted.evidence.request + " The second building has 575.")  # fmt: skip
    said = "It is the machine of Q22-0655; 575 V is the only supply."
    told = drafted.text.replace("### Totals", f"{said}\n\n### Totals")
    assert [each.text for each in report(told, drafted.evidence).faults] == ["Q22-0655", "575 V"]
    assert [each.kind for each in report(told, own).faults if each.text in said] == []


def test_a_machine_beyond_those_that_the_letter_offers_has_no_number() -> None:
    found = said(letter("questions, wishes and references"), "The room that you describe", "Compressor 7, whose room")
    assert [(each.kind, each.text) for each in found] == [("number", "7")]


def test_a_note_may_name_the_house_text_and_give_an_original_in_pieces() -> None:
    drafted = letter("questions, wishes and references")
    line = "75HP VSD oil flooded screw."
    pieces = f'Original: "{line}" y "Keep starch dust off the coolers"'
    for told, faults in (
        (pieces, 0),
        ("Original: the house template", 0),
        ('Original: "No such words at all here"', 1),
    ):
        note = f"> **SALESPERSON REVIEW:** 1. Translated. {told}\n\n### Totals"
        assert len(report(drafted.text.replace("### Totals", note), drafted.evidence).faults) == faults


def test_a_sentence_that_begins_like_the_heading_of_an_item_is_checked_like_any_other(priced: Drafted) -> None:
    found = said(priced, "\n\nDelivery:", "\n\nItem 1 gives you 7777 CFM at 6666 psig.\n\nDelivery:")
    doubted = " ".join(remark.text for remark in found)
    assert "7777" in doubted
    assert "6666" in doubted


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


@pytest.mark.parametrize(
    "size",
    [
        "130 x 89 x 124 cm",
        "1.30 x 0.89 x 1.24 m",
        "1295 mm x 889 mm x 1245 mm",
        "1,295 × 889 × 1,245 mm [51 × 35 × 49 in]",
        "1300 x 890 x 1240 mm",
    ],
)
def test_sizes_may_stand_in_metric_in_a_line_and_in_a_sentence(priced: Drafted, size: str) -> None:
    assert said(priced, "51 x 35 x 49 in", size) == []
    told = size.partition(" [")[0]
    assert said(priced, "\n\nDelivery:", f"\n\nIt measures {told}.\n\nDelivery:") == []
    (found,) = said(priced, "\n\nDelivery:", f"\n\nIt measures {told.replace('89', '98', 1)}.\n\nDelivery:")
    assert (found.verdict, found.right) == ("contradicted", "51 x 35 x 49 in")


def test_a_temperature_before_the_word_in_is_no_length() -> None:
    drafted = letter("screw and dryer for a hot foundry")
    evidence = replace(drafted.evidence, request=drafted.evidence.request + " It was 104 °F last year.")
    assert (
        report(drafted.text.replace("### Totals", "Your room had 104 in July.\n\n### Totals"), evidence).faults == []
    )
    (found,) = report(drafted.text.replace("### Totals", "Your gate is 104 in wide.\n\n### Totals"), evidence).faults
    assert "104 in" in found.text


def test_how_many_of_a_model_are_offered_may_be_said_with_a_cross() -> None:
    drafted = letter("screw, dryer and receiver")
    assert said(drafted, "### Totals", "- 2 x QPNC-500\n\n### Totals") == []
    assert [each.text for each in said(drafted, "### Totals", "- 4 x QPNC-500\n\n### Totals")] == ["4"]


def test_a_delivery_term_is_the_houses_or_what_was_asked_for(priced: Drafted) -> None:
    for term in ("Freight: FOB Factory", "Freight: FOB Factory, Incoterms 2020", "Delivery terms are FOB Factory."):
        assert said(priced, "### Totals", f"{term}\n\n### Totals") == []
    (found,) = said(priced, "### Totals", "Delivery: EXW Quincy, Incoterms 2020\n\n### Totals")
    assert (found.verdict, found.text) == ("contradicted", "EXW")


def test_a_note_that_denies_by_comparison_is_not_looked_up() -> None:
    notes = ("Keine drehzahlgeregelte Maschine dieser Größe im Katalog gefunden.", "No VSD of this size was found.")
    assert [each for note in notes for each in denied(note)] == []


def test_an_original_may_be_the_catalogues(priced: Drafted) -> None:
    text = str(priced.evidence.machines[0].values["description"])
    note = f'> **SALESPERSON REVIEW:** 1. Translated. Original: "{text}"\n\n### Totals'
    assert said(priced, "### Totals", note) == []


def of_models(body: str, *models: str, request: str = "") -> list[tuple[str, str, str]]:
    """What is said of the facts of a letter on these machines."""
    items = [Item(model=model) for model in models]
    drafted = write(Letter(name="", customer="Elm", request=request, project="", requirements="", items=items))
    faults = report(body, drafted.evidence).faults
    return [(each.kind, each.text, each.right) for each in faults if each.verdict != "missing"]


PAIR = ("SES2-3", "QR-325")
TABLE = "### Comparison\n\n| | Powerex SES2-3 | Quincy QR-325 |\n|---|---|---|\n"
OPTIONS = "### Options\n\n| Option | For item | What it changes | Net |\n|---|---|---|---|\n"


def test_a_figure_of_a_comparison_is_of_the_model_at_the_head_of_its_column() -> None:
    good = "| Noise | 55 dBA | 80 dBA |\n| Flow | 8.8 CFM | 17.9 CFM |\n| Tank | | 80 gallons |\n"
    assert of_models(TABLE + good.replace("80 gallons", "[NOT IN CATALOGUE – confirm]"), *PAIR) == []
    wrong = of_models(TABLE + "| Noise | 55 dBA | 55 dBA |\n| Flow | 17.9 CFM | 8.8 CFM |\n", *PAIR)
    assert [each[1:] for each in wrong] == [
        ("55 dBA", "80 dBA"), ("17.9 CFM", "8.8 CFM"), ("8.8 CFM", "17.9 CFM"),
    ]  # fmt: skip
    request = "We need 17.9 CFM at 55 dBA."
    assert len(of_models(TABLE + "| Noise | 55 dBA | 80 dBA |\n| Flow | 8.8 CFM | 8.8 CFM |\n", *PAIR)) == 1
    assert of_models(TABLE + good.partition("| Tank")[0], *PAIR, request=request) == []


@pytest.mark.parametrize(
    ("body", "models", "wrong"),
    [
        (OPTIONS + "| Quincy QR-325 instead | 1 | 8.8 CFM; 55 dBA | $[PRICE] |", PAIR,
         [("8.8 CFM", "17.9 CFM"), ("55 dBA", "80 dBA")]),
        (OPTIONS + "| Becker VTLF 2.250 | 1 | oilless, 212 cfm | $[PRICE] |", ("VTLF 2.250", "QR-325"),
         [("212 cfm", "176 CFM")]),
        ("### More\n\n| | QR-325 | QT-7.5 |\n|---|---|---|\n| Noise | 80 dBA | 72 dBA |", ("QR-325", "QT-7.5"),
         [("72 dBA", "82 dBA")]),
        ("### More\n\nThe QR-325 gives 8.8 CFM.", PAIR, [("8.8 CFM", "17.9 CFM")]),
        ("### More\n\nThe SES2-3 gives 8.8 CFM, the QR-325 8.8 CFM.", PAIR, [("8.8 CFM", "17.9 CFM")]),
        ("### More\n\n8.8 CFM for the QR-325 is what the sheet has.", PAIR, [("8.8 CFM", "17.9 CFM")]),
        ("### More\n\nThe QR-325 holds 3.2 lb of refrigerant.", PAIR, [("3.2 lb", "")]),
        (TABLE + "| Tank | none | 80 dBA |", PAIR, [("Tank: none", "[NOT IN CATALOGUE – confirm]")]),
    ],
)  # fmt: skip
def test_a_figure_is_of_the_model_that_its_row_or_its_sentence_names(
    body: str, models: tuple[str, ...], wrong: list[tuple[str, str]]
) -> None:
    assert [each[1:] for each in of_models(body, *models)] == wrong


@pytest.mark.parametrize(
    "sentence",
    [
        "The QR-325 gives 17.9 CFM instead of 8.8 CFM.",
        "The QR-325 gives 17.9 against 8.8 CFM.",
        "The QR-325 gives 17.9 against 8.8 CFM of the SES2-3.",
        "17.9 CFM for the QR-325 stand beside 8.8 CFM for the SES2-3.",
        "The SES2-3 and the QR-325 have 3 HP and 5 HP.",
        "Both 17.9 CFM and 8.8 CFM are in the catalogue.",
        "Is your 230 volts single-phase or three-phase?",
        "Is cooling water available? It bears on the quieter alternate.",
        "Does the QR-999 have 12 HP?",
        "You may call me any time.",
        "You can reach us at (616) 555-0140.",
        "Sie können mich jederzeit anrufen.",
    ],
)
def test_figures_of_both_models_questions_and_courtesy_are_no_fault(sentence: str) -> None:
    assert of_models(f"### More\n\n{sentence}", *PAIR) == []


@pytest.mark.parametrize("name", ["R-513A", "R134a", "R1234yf"])
def test_a_refrigerant_is_no_model(name: str) -> None:
    told = of_models(f"### More\n\nThe refrigerant is {name}.", *PAIR)
    assert "model" not in [kind for kind, _, _ in told]


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


def test_a_number_in_words_is_held_to_the_original_of_the_translation() -> None:
    ours = "Dichtleisten nach 10.000 Stunden sind die eine große Ausgabe, wir rechnen zwölf Cent je Stunde."
    assert translated(ours, SCROLL) == [("unsupported", "number")]
    assert translated(ours.replace("zwölf", "11"), SCROLL) == []
    assert translated(ours.replace("zwölf", "siebzig"), SCROLL) == [("unsupported", "number")]


def test_the_totals_table_may_have_the_heads_of_another_language() -> None:
    table = "| Item | Beschreibung | Menge | Netto je Stück | Gesamt |\n|---|---|---|---|---|\n"
    rows = "| 1 | Quincy QR-325 | {} | $[PRICE] | $[PRICE] |\n"
    body = "### Item 1\n\nQuincy QR-325 wie oben beschrieben, Menge 1: Netto $[PRICE]\n\n### Summe\n\n" + table + rows
    assert of_models(body.format(1), *PAIR) == []
    assert [kind for kind, _, _ in of_models(body.format(3), *PAIR)] == ["quantity"]


def test_a_mark_where_a_sentence_was_cut_leaves_the_parts_to_the_letter() -> None:
    quote, position = "Q25-0724", 1
    drafted = write(Letter(name="", customer="Elm", request="", project="", requirements="",
                           items=[Item(model="SEHX10008-100", copied=(quote, position, SCROLL))]))  # fmt: skip
    for cut, faults in (("[...]", []), ("[…]", []), ("[...] never", ["contradicted"])):
        found = report(drafted.text.replace("are the one big expense,", cut), drafted.evidence).faults
        assert [each.verdict for each in found if each.verdict != "missing"] == faults
