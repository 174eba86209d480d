"""The check of good drafts, of slips in them, of their notes, and of texts that are long or made to be slow."""

import time
from dataclasses import replace

import pytest

from cpq.drafts.denials import denied
from tests.drafting.__main__ import FALSE, FOUND, measure
from tests.drafting.composing import Drafted
from tests.drafting.letters import report
from tests.unit.cpq.checked_drafts import letter, said

QUICK = 300
LONGEST = 60_000


def test_slips_are_found_and_untouched_drafts_raise_no_alarm() -> None:
    figures = measure(count=QUICK, seed=7)
    assert figures.found >= FOUND
    assert figures.false <= FALSE


def test_a_section_that_was_left_out_is_missing(priced: Drafted) -> None:
    start, end = priced.text.index("### Exclusions"), priced.text.index("### Totals")
    faults = report(priced.text[:start] + priced.text[end:], priced.evidence).faults
    assert [(each.verdict, each.text) for each in faults] == [("missing", "exclusions")]


def test_a_letter_that_asks_before_it_offers_lacks_no_section_of_an_offer(priced: Drafted) -> None:
    start, end = priced.text.index("### Item 1"), priced.text.index("Sincerely")
    asking = "### What we need to know\n\nTo make this proposal firm, please tell us:\n\n- Which dryer runs?\n\n"
    nothing_priced = replace(priced.evidence, offer=None)
    asks = report(priced.text[:start] + asking + priced.text[end:], nothing_priced).faults
    assert [each for each in asks if each.verdict == "missing"] == []
    silent = report(priced.text[:start] + priced.text[end:], nothing_priced).faults
    assert {each.text for each in silent} >= {"line-item", "exclusions", "totals", "terms"}


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


@pytest.mark.slow
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
    """The longest takes a third of a second to one and a half, as fast as the machine is."""
    text = (priced.text + piece * LONGEST)[:LONGEST]
    report("warm", priced.evidence)
    whole, half = (min(_seconds(text[:length], priced) for _ in range(2)) for length in (LONGEST, LONGEST // 2))
    assert whole < 3 * half + 0.1
    assert whole < 4.0


def _seconds(text: str, drafted: Drafted) -> float:
    start = time.process_time()
    report(text, drafted.evidence)
    return time.process_time() - start


def test_a_note_that_denies_what_the_catalogue_has_is_contradicted() -> None:
    drafted = letter("questions, wishes and references")
    note = "> **SALESPERSON REVIEW:** 1. No fixed-speed 75 HP screw was found. No larger one was found."
    text = drafted.text.replace("### Totals", f"{note}\n\n### Totals")
    assert list(denied(note)) == ["fixed-speed 75 HP screw"]
    evidence = replace(drafted.evidence, present={"fixed-speed 75 HP screw": "CRS-75"})
    (found,) = report(text, evidence).faults
    assert (found.verdict, found.kind, found.right) == ("contradicted", "note", "CRS-75")


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


def test_a_note_that_denies_by_comparison_is_not_looked_up() -> None:
    notes = ("Keine drehzahlgeregelte Maschine dieser Größe im Katalog gefunden.", "No VSD of this size was found.")
    assert [each for note in notes for each in denied(note)] == []


def test_an_original_may_be_the_catalogues(priced: Drafted) -> None:
    text = str(priced.evidence.machines[0].values["description"])
    note = f'> **SALESPERSON REVIEW:** 1. Translated. Original: "{text}"\n\n### Totals'
    assert said(priced, "### Totals", note) == []
