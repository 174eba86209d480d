"""The mails are of the shapes that they claim, and what a draft lacks is found."""

from tests.requests.mails import faults, letter_of, read_mails

MAILS = {mail.name: mail for mail in read_mails()}
DRAFT = """\
> **DRAFT, not for sending.**

### Item 1

Lubrication: oilless, 308 CFM, SEHX10008-100, Net $[PRICE] Each

> **SALESPERSON REVIEW:** 1. sold to Groeb Farms for
> - 186,400

## Sources (internal)

| 1 | Groeb Farms |
"""


def test_there_are_a_dozen_mails_of_different_shapes() -> None:
    assert len(MAILS) >= 12
    assert {"de", "fr"} < {mail.language for mail in MAILS.values()}
    assert any(mail.units == "metric" and mail.language == "en" for mail in MAILS.values())
    assert len(MAILS["tender of forty positions"].asked) == 40
    assert all(mail.must and mail.must_not and mail.asked for mail in MAILS.values())


def test_a_tenders_positions_have_their_quantities() -> None:
    first, second, *_ = MAILS["tender of forty positions"].asked
    assert first == {"query": "rotary screw compressor 100 HP, oil-flooded, min. 440 cfm at 125 psi", "quantity": 2}
    assert "quantity" not in second


def test_notes_and_annex_are_no_part_of_the_letter() -> None:
    assert "Groeb" not in letter_of(DRAFT)
    assert "186,400" not in letter_of(DRAFT)
    assert faults(MAILS["golden"], DRAFT, written=True) == []


def test_what_a_draft_lacks_and_holds_too_much_is_named() -> None:
    bad = DRAFT.replace("SEHX10008-100", "a machine").replace("Each", "Each, as Groeb has it")
    assert faults(MAILS["golden"], bad, written=False) == [
        "the letter lacks SEHX10008-100", "the letter holds Groeb",
    ]  # fmt: skip


def test_what_only_a_writer_adds_is_asked_of_a_writer() -> None:
    mail = MAILS["a competitor's price to match"]
    draft = "Lubrication: oil-free, Horsepower: 100 HP\n> Sierra is absent"
    assert faults(mail, draft, written=False) == []
    assert faults(mail, draft, written=True) == ["the letter lacks Sierra"]
