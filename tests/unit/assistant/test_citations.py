"""Which documents an answer names in whatever spelling, and which sentences they do not bear out."""

import pytest

from assistant.citations import cited, sentences, unsupported
from assistant.knowledge_base import Passage

FOUND = {
    3: Passage(doc_id=3, content="GridMind was developed by Dr. Yusuf Okafor, who joined from CMU in 2021."),
    4: Passage(doc_id=4, content="Acme closed a $42M Series B in March 2024 led by Horizon Ventures."),
    5: Passage(doc_id=5, content="The AX-7 runs in 14 centers, including three operated by GreatLakes Distribution."),
    9: Passage(doc_id=9, title="Price list", content="The AX-7 has a list price of $85,000 per unit."),
    110_000_000: Passage(doc_id=110_000_000, title="handbook › Leave", content="Thirty days of holiday."),
}


@pytest.mark.parametrize(
    ("answer", "numbers"),
    [
        ("Dr. Okafor [doc 3].", {3}),
        ("As [docs 4, 7 and 10] say", {4, 7, 10}),
        ("[doc 4], [Doc 9] and (doc. 12)", {4, 9, 12}),
        ("[doc 4, doc 7] [doc 8; doc 9]", {4, 7, 8, 9}),
        ("Fulcrum [3], see also [4, 7]. Twice [8][9].", {3, 4, 7, 8, 9}),
        ("Fulcrum 【3】 and 【5†source】【7:0†a.pdf】", {3, 5, 7}),
        ("as document 4 says; Document #9 too, document no. 12", {4, 9, 12}),
        ("docs 5-7 and documents 9 to 11, docs 13–15", {5, 6, 7, 9, 10, 11, 13, 14, 15}),
        ("docs 5 through 7, Dokumente 9 bis 11", {5, 6, 7, 9, 10, 11}),
        ("docs #4, #7 and documents 8/9 or 10", {4, 7, 8, 9, 10}),
        ("doc_id: 12, (doc-13), doc_14, [^15], Dokument 16, Source 17", {12, 13, 14, 15, 16, 17}),
        ('{"doc_id": 12}, doc_id=13, doc **14**, `doc 15`, [doc#16], doc4', {4, 12, 13, 14, 15, 16}),
        ("Quelle 4, fuente 5, documento 6, réf. 7, документ 8, 文档 9, ドキュメント10", {4, 5, 6, 7, 8, 9, 10}),
        ("[4, p. 2] and [doc 5, page 3]", {4, 5}),
        ("Thirty days [handbook › leave].", {110_000_000}),
        ("It costs $85,000.⁹ It runs well³ ⁴.", {9, 3}),
        ("It costs $85,000 (9). The 10 m³ tank has 7 m².", {9}),
        ("[2024], [a](4), array[0x], 3 documents", set()),
        ("$42M in 2024, 23 units, docking 5 robots, (1) one (2) two", set()),
        ("", set()),
    ],
)
def test_citations_are_found_in_an_answer(answer: str, numbers: set[int]) -> None:
    assert cited(answer, FOUND) == numbers


def test_an_answer_falls_into_sentences_with_their_citations() -> None:
    answer = (
        "# Findings\n\nDr. Okafor of Acme Inc. built it. [doc 3] It sells for 3.5 units [doc 9]!\n"
        "Customers:\n- 14 centers [doc 5]\n2. J. R. Smith is no source. 【4】\n\nWhy? 売上は14です。次の文。"
    )
    assert list(sentences(answer)) == [
        "Dr. Okafor of Acme Inc. built it. [doc 3]",
        "It sells for 3.5 units [doc 9]!",
        "14 centers [doc 5]",
        "J. R. Smith is no source. 【4】",
        "売上は14です。",
        "次の文。",
    ]


@pytest.mark.parametrize(
    "answer",
    [
        "Dr. Yusuf Okafor developed GridMind [doc 3]. He came from CMU in 2021 [3].",
        "Acme raised 42 million dollars [doc 4]; $42,000,000 in all, led by Horizon Ventures 【4】.",
        "The AX-7 costs 85.000 dollars [doc 9] and runs in 14 centers, 3 of them GreatLakes Distribution's [doc 5].",
        "The AX-7 costs $85,000 [docs 5 and 9]. Who leads sales is not told.",
        "Das AX-7 kostet 85 000 Dollar [doc 9]. Die Dokumente sagen nichts über den Vertrieb.",
        "Acme's Series B was led by Horizon Ventures.",
        "As asked for 2031, nobody knows more. Thirty days of holiday [handbook › Leave].",
    ],
)
def test_what_the_documents_bear_out_is_left_alone(answer: str) -> None:
    assert unsupported(answer, question="What happens in 2031?", found=FOUND) == []


@pytest.mark.parametrize(
    ("answer", "sentence", "absent"),
    [
        ("It runs in 14 centers [doc 5]. It costs $95,000 [doc 9].", "It costs $95,000 [doc 9].", ("$95,000",)),
        ("The AX-7 costs $85,000 [doc 4].", "The AX-7 costs $85,000 [doc 4].", ("AX-7", "$85,000")),
        ("The round was led by Sequoia Capital [doc 4].", None, ("Sequoia Capital",)),
        ("It uses PathFinder [doc 3].", None, ("PathFinder",)),
        ("The price is $85,000 [doc 9], or $1,190,000 for 14.", None, ("$1,190,000", "14")),
        ("Customers everywhere praise their marvellous logistics.", None, ()),
        ("Sales were 12 in 2019.", None, ("12", "2019")),
    ],
)
def test_a_sentence_that_they_do_not_bear_out_is_found(
    answer: str, sentence: str | None, absent: tuple[str, ...]
) -> None:
    [found] = unsupported(answer, question="How do they stand?", found=FOUND)
    assert (found.sentence, found.absent) == (sentence or answer, absent)
