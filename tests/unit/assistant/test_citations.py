"""Which documents an answer names in whatever spelling."""

import pytest

from assistant.citations import cited
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
