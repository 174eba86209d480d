"""The mails are of the shapes that they claim, and what a draft lacks is found."""

from quotes.find_for_request import FindForRequestArgs
from tests.requests.mails import faults, letter_of, read_mails

MAILS = {mail.name: mail for mail in read_mails()}
DRAFT = """\
> **DRAFT, not for sending.**

### Item 1

Lubrication: oilless, 308 cfm, SEHX10008-100, Net $[PRICE] Each

> **SALESPERSON REVIEW:** 1. sold to Groeb Farms for
> - 186,400

## Sources (internal)

| 1 | Groeb Farms |
"""


def test_there_are_a_dozen_mails_of_different_shapes() -> None:
    assert len(MAILS) >= 12
    assert {"de", "fr"} < {mail.language for mail in MAILS.values()}
    assert any(mail.units == "metric" and mail.language == "en" for mail in MAILS.values())
    assert len(MAILS["tender of forty positions"].items) == 40
    assert all(mail.must and mail.must_not for mail in MAILS.values())


def test_what_a_reader_took_out_of_a_mail_is_what_find_for_request_takes() -> None:
    for mail in MAILS.values():
        FindForRequestArgs.model_validate({"items": [item.asked for item in mail.items], "rows": mail.rows})
    compressor, dryer, *_ = MAILS["several things at once"].items
    assert compressor.asked["needs"][-1] == {"attribute": "lubrication", "is": "oil-flooded", "wish": True}
    assert dryer.asked["for"] == 1


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
    draft = "Lubrication: oil-free, Horsepower: 100 hp\n> Replaces Ingersoll Rand Sierra 100"
    assert faults(mail, draft, written=False) == []
    assert faults(mail, draft, written=True) == ["the letter lacks Sierra"]
