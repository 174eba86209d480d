"""The draft by rule: the letter's sections, whole proven sentences, notes and the annex behind it."""

from datetime import date

from local.files import ROOT
from local.letter import ANNEX, Offered, Words, compose, sections

TEMPLATE = (ROOT / "templates" / "quote.md").read_text("utf-8")
WORDS = Words(
    "Furnish one packge with sound hood.\nGroeb Farms asked for a blue one. NET $4,090.00 EACH. Wired and tested.",
    "Q22-0518", 1, "Groeb Farms", None, "2022-05-11",
)  # fmt: skip
ROW = {"id": "SEHX", "fit": "++", "list price": "204,800.00 USD", "newest sale": "220,700.00 USD 2025-10 won Q25-0724/1"}


def draft(*items: Offered) -> str:
    return compose(TEMPLATE, items, customer="Acme", today=date(2026, 1, 1), usual=["start-up, 3 of 9"])


def test_proven_sentences_are_kept_whole_and_none_that_is_another_s() -> None:
    assert WORDS.kept == "Furnish one packge with sound hood.\nWired and tested."


def test_the_letter_has_its_sections_and_the_annex_behind_it() -> None:
    text = draft(Offered(1, "compressor", row=ROW, block="**BLOCK**", words=WORDS))
    assert text.startswith("> **DRAFT, not for sending.**")
    letter, _, annex = text.partition("## Sources (internal)")
    assert "**BLOCK**" in letter
    assert annex.strip().startswith(ANNEX)
    assert "Groeb Farms, Q22-0518, 2022-05-11, line 1" in annex
    assert set(sections(TEMPLATE)) >= {"header", "line-item", "totals", "footer"}


def test_an_item_that_nothing_fits_is_a_gap_in_the_letter_and_in_the_annex() -> None:
    text = draft(Offered(1, "a thing", row={"id": "X", "fit": "-"}))
    assert 'nothing fits "a thing"' in text
    assert "| no match |" in text


def test_a_candidate_without_a_contradiction_fits() -> None:
    assert Offered(1, "a", row=ROW).fits
    assert not Offered(1, "a", row={"id": "X", "fit": "+-"}).fits
    assert not Offered(1, "a").fits
