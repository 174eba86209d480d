"""The mails are of the shapes that they claim, and what a letter lacks is found."""

import pytest

from quotes.find_for_request import FindForRequestArgs
from tests.requests.mails import faults, read_mails

MAILS = {mail.name: mail for mail in read_mails()}
LETTER = """\
| 1 | Powerex SEHX10008-100 | 1 | 234,800.00 | 234,800.00 |
|  | **Total before tax** |  |  | **234,800.00** |

| Capacity | 308 cfm |
| Lubrication | oilless |
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


def test_what_a_letter_lacks_and_holds_too_much_is_named() -> None:
    assert faults(MAILS["golden"], LETTER, LETTER, written=True) == []
    bad = LETTER.replace("SEHX10008-100", "a machine").replace("oilless", "oilless, as Groeb has it")
    assert faults(MAILS["golden"], bad, bad, written=False) == [
        "the letter lacks SEHX10008-100",
        "the letter holds Groeb",
    ]


@pytest.mark.parametrize(
    "slip", ["**[open: price]**", "of which […] nine", "> **SALESPERSON REVIEW:** 1.", "as Q22-0518"]
)
def test_no_customers_copy_holds_a_blank_a_note_or_anothers_number(slip: str) -> None:
    assert len(faults(MAILS["golden"], LETTER + slip, LETTER, written=True)) == 1


def test_the_internal_copy_is_held_to_what_is_asked_of_it_alone() -> None:
    mail = MAILS["a competitor's price to match"]
    letter = "| Lubrication | oil-free |\n| Horsepower | 100 hp |"
    internal = f"{letter}\n> Replaces Ingersoll Rand Sierra 100"
    assert faults(mail, letter, internal, written=False) == []
    assert faults(mail, letter, letter, written=False) == ["the internal copy lacks Replaces Ingersoll Rand Sierra"]


def test_what_only_a_writer_adds_is_asked_of_a_writer() -> None:
    mail = MAILS["a competitor's price to match"]
    letter = "| Lubrication | oil-free |\n| Horsepower | 100 hp |\n"
    internal = f"{letter}Replaces Ingersoll Rand Sierra"
    assert faults(mail, letter, internal, written=False) == []
    assert faults(mail, letter, internal, written=True) == ["the letter lacks Sierra"]
