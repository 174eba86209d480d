"""Answers, rows of the compliance section and quantities of a draft against what the customer asked."""

from dataclasses import replace

import pytest

from tests.drafting.composing import Drafted, Item, Letter, write
from tests.drafting.letters import report
from tests.unit.cpq.checked_drafts import letter, said

TENDER = "a tender with its table"
WISHES = "questions, wishes and references"
PLACE = "| American Iron"
REQUEST = "Return COMPLY / DEVIATE / NOT OFFERED for each line."


def _rows(drafted: Drafted, rows: str, request: str = "") -> list[tuple[str, str, str]]:
    evidence = replace(drafted.evidence, request=f"{drafted.evidence.request} {request}")
    faults = report(drafted.text.replace(PLACE, f"{rows}\n{PLACE}", 1), evidence).faults
    return [(each.kind, each.text, each.right) for each in faults]


@pytest.mark.parametrize("yes", ["yes", "COMPLY"])
def test_a_yes_is_denied_by_the_rows_own_figure(yes: str) -> None:
    drafted = letter(TENDER)
    asked = f"{REQUEST if yes == 'COMPLY' else ''} The compressor has max 65 dBA and min 390 cfm."
    (found,) = _rows(drafted, f"| Max 65 dBA | 75 dBA | {yes} |", asked)
    assert found == ("compliance", "75 dBA", "exception")
    assert _rows(drafted, f"| Min 390 cfm | 380 cfm | {yes} |", asked)[0][0] == "compliance"


@pytest.mark.parametrize(
    ("row", "kinds"),
    [
        ("| Epoxy lined | Epoxy lined | {} |", ["compliance"]),
        ("| Flow stated | 340 CFM | {} |", ["specification"]),
        ("| 325 scfm | 325 SCFM | {} |", []),
        ("| Equipment only | Equipment only | {} |", []),
    ],
)
def test_the_rows_below_a_position_are_of_its_item(row: str, kinds: list[str]) -> None:
    drafted = letter(TENDER)
    first = "| 2. Desiccant dryer | QHD-325 | {} |\n"
    wanted = f"{REQUEST} Of 325 scfm, equipment only."
    found = _rows(drafted, (first + row).format("COMPLY", "COMPLY"), wanted)
    assert [kind for kind, _, _ in found][: len(kinds)] == kinds
    assert bool(found) == bool(kinds)
    if kinds == ["specification"]:
        assert found[0][2] == "325 CFM"


@pytest.mark.parametrize(("cell", "wrong"), [("yes", 0), ("to be confirmed", 0), ("sure", 1), ("COMPLY", 1)])
def test_the_last_column_has_the_templates_words_or_those_of_the_request(cell: str, wrong: int) -> None:
    drafted = letter(TENDER)
    row = f"| 325 scfm | QHD-325, 325 SCFM | {cell} |"
    wanted = [each for each in _rows(drafted, row, "The dryer has 325 scfm.") if each[1] == cell]
    assert len(wanted) == wrong
    assert [each for each in _rows(drafted, row, f"The dryer has 325 scfm. {REQUEST}") if each[1] == "COMPLY"] == []


def test_rows_for_each_requirement_answer_a_position_together() -> None:
    drafted = letter(TENDER)
    was = next(line for line in drafted.text.splitlines() if line.startswith("| 1. Rotary"))
    rows = (
        "| 1. Rotary screw air compressor | QGV-50 | yes |\n| 50 hp | 50 HP | yes |\n"
        "| oil-flooded, 125 psig | oil-flooded, 125 PSIG | yes |\n| 460/3/60, TEFC | 460/3/60, TEFC | yes |"
    )
    assert said(drafted, was, rows) == []
    assert [each.kind for each in said(drafted, was + "\n", "")] == ["position"]


@pytest.mark.parametrize(
    ("row", "missing"),
    [("", []), ("| Item 2: 250 scfm | QHD-325, 325 SCFM | yes |\n", ["-40F"]),
     ("| Item 2: 250 scfm | QHD-325, 325 SCFM | yes |\n| Item 2: PDP -40 °F | -40 °F | yes |\n", [])],
)  # fmt: skip
def test_a_figure_of_a_position_has_a_row_where_rows_name_its_number(row: str, missing: list[str]) -> None:
    drafted = letter(TENDER)
    was = next(line for line in drafted.text.splitlines() if line.startswith("| 2. Desiccant"))
    found = said(drafted, was + "\n", row or was + "\n")
    assert [each.text for each in found if each.kind == "requirement"] == missing


def test_an_open_answer_has_a_review_note() -> None:
    drafted = letter(TENDER)
    open_, note, rest = drafted.text.partition("> **SALESPERSON REVIEW:** To be settled before this leaves.\n\n")
    (found,) = report(open_ + rest, drafted.evidence).faults
    assert note
    assert (found.verdict, found.kind) == ("missing", "review note")


@pytest.mark.parametrize(
    ("request_", "kinds"),
    [
        ("- Three (3) rotary screw compressors, 50 hp\n- One dryer", ["quantity", "quantity"]),
        ("- One (1) rotary screw compressor, 50 hp\n- One dryer", []),
        ("- Rotary screw compressor, 50 hp\n- One dryer", []),
    ],
)
def test_a_quantity_is_the_requests(request_: str, kinds: list[str]) -> None:
    drafted = letter(TENDER)
    asked = write(replace(drafted.letter, request=request_, compliance=(), answers=()))
    found = [each for each in report(asked.text, asked.evidence).faults if each.kind == "quantity"]
    assert [each.kind for each in found] == kinds
    assert {each.right for each in found} <= {"3"}


@pytest.mark.parametrize(
    ("sentence", "kinds"),
    [
        ("Delivery ARO: 10 weeks", ["delivery"]),
        ("We ship three weeks after your order.", ["delivery"]),
        ("Delivery: we are asking the maker for the delivery time.", []),
        ("Delivery dates are estimates.", []),
    ],
)
def test_a_delivery_time_needs_a_source(sentence: str, kinds: list[str]) -> None:
    drafted = letter(TENDER)
    found = said(drafted, "### Totals", f"{sentence}\n\n### Totals")
    assert [each.kind for each in found if each.kind == "delivery"] == kinds


@pytest.mark.parametrize(
    ("answer", "kinds"),
    [
        ("The prices below are before any reduction.", []),
        ("It stands under options, apart from the total.", []),
        ("The maker's warranty applies; we are asking what an extension costs. [ANSWER]", []),
        ("Somebody has to see this on site. [ANSWER]", []),
        ("No: 2% at 10 days is not in our terms.", []),
        ("The prices below are firm for a year.", ["promise"]),
        ("It stands under options and is free of charge.", ["promise"]),
        ("No, but we grant 2% at 10 days.", ["promise"]),
    ],
)
def test_what_tells_of_the_letter_or_refuses_a_wish_promises_nothing(answer: str, kinds: list[str]) -> None:
    found = said(letter(WISHES), "The 2% that you wish: [ANSWER]", answer)
    assert [each.kind for each in found] == kinds


def test_what_is_asked_of_the_customer_is_no_promise_and_an_offer_among_it_is() -> None:
    drafted = letter(WISHES)
    listed = (
        "### What we need\n\nPlease send us:\n\n- Photos of the nameplates of all machines on your site\n\n### Totals"
    )
    assert said(drafted, "### Totals", listed) == []
    offered = listed.replace("\n\n### Totals", "\n- You get 5% for it\n\n### Totals")
    assert any("5%" in each.text for each in said(drafted, "### Totals", offered))


def test_a_question_that_is_taken_back_is_not_looked_for() -> None:
    drafted = letter(WISHES)
    question = "Do you still sell rebuild kits for blowers?"
    for behind, kinds in ((" Never mind, another topic.", []), ("", ["question"])):
        asked = replace(drafted.evidence, request=f"{drafted.evidence.request}\n\n{question}{behind}")
        assert [each.kind for each in report(drafted.text, asked).faults] == kinds


def test_what_a_note_says_was_taken_out_leaves_the_copy_to_the_letter() -> None:
    drafted = letter("one oilless scroll for food")
    item = next(each for each in drafted.letter.items if each.copied[0])
    copied = item.copied[2] or next(
        each.text for each in drafted.evidence.lines if each.name == f"{item.copied[0]} line {item.copied[1]}"
    )
    words = copied.splitlines()[0].split()
    at = len(words) // 2
    cut = copied.replace(f" {words[at]} ", " ", 1)
    noted = f'> **SALESPERSON REVIEW:** Taken out: "{words[at]}".\n\n{cut}'
    assert [each.kind for each in said(drafted, copied, cut)] == ["text"]
    assert said(drafted, copied, noted) == []


NUMBERED = """1. One lubricated screw compressor, 30 HP, 120 cfm at 125 psig, at most 75 dBA, hood, sump heater
2. One receiver, vertical, 240 gallon, National Board, galvanized, with relief valve and gauge, painted blue
3. One sterile filter, 120 cfm, stainless housing, steam ready, tri-clamp ends, polished, spare cartridge"""


def _tender(rows: str) -> list[str]:
    drafted = letter(TENDER)
    asked = write(replace(drafted.letter, request=NUMBERED, compliance=(), answers=()))
    table = (
        f"### Compliance\\n\\n| Your requirement | Offered | Complies |\\n|---|---|---|\\n{rows}\\n\\n### Exclusions"
    )
    faults = report(asked.text.replace("### Exclusions", table.replace("\\n", "\n"), 1), asked.evidence).faults
    return [each.text[:12] for each in faults if each.kind == "position"]


@pytest.mark.parametrize("named", ["Item", "Pos.", "Partida", "Poste"])
def test_rows_that_name_a_position_by_its_number_are_about_it(named: str) -> None:
    rest = "open | to be confirmed |"
    first = f"| {named} 1: screw, 30 HP, 120 cfm, sump heater | {rest}\n| {named} 1: 75 dBA | {rest}"
    second = f"| {named} 2: 240 gallon | {rest}\n| {named} 2: galvanized, gauge | {rest}"
    third = f"| {named} 3: sterile, stainless housing, steam | {rest}"
    assert _tender("\n".join((first, second, third))) == []
    assert _tender("\n".join((first, second))) == ["One sterile "]


def test_circumstances_are_no_positions() -> None:
    told = "- about forty people on the night shift\n- the corridor has a slope behind the loading gate"
    drafted = letter(TENDER)
    for lead, count in (("What I know:", 0), ("Ce que je sais :", 0), ("Was wir wissen:", 0), ("Please quote:", 2)):
        asked = write(replace(drafted.letter, request=f"{lead}\n{told}", compliance=(), answers=()))
        faults = report(asked.text, asked.evidence).faults
        assert len([each for each in faults if each.kind == "position"]) == count


def test_a_position_that_asks_is_answered_with_its_question() -> None:
    asked = "When are vanes due on those and what do you need off the machines to quote me sets for both?"
    told = "The two dry pumps you sold us for the first presses in 2018. Never had new vanes in them as we know"
    more = "Same for the element in that VIF-6, I only ever found paper for the first and the one from press 3."
    request = f"1) {told}, and they run two shifts. {asked} {more}\n2) A sterile housing, steam ready, polished."
    drafted = write(Letter(name="", customer="Elm", request=request, project="", requirements="",
                           items=[Item(model="CBX-25")], answers=((asked, "[ANSWER]"),)))  # fmt: skip
    faults = report(drafted.text, drafted.evidence).faults
    assert [each.text for each in faults if each.kind == "position"] == [request.partition("2) ")[2]]
