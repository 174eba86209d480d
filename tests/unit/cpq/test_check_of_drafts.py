"""What the check of drafts finds in a letter, and what it lets pass."""

import time
from datetime import date

import pytest

from cpq.drafts.checking import check
from cpq.drafts.figures import Reader
from cpq.drafts.letter import Folded, compact, outside
from cpq.drafts.reading import amounts, of_row
from cpq.drafts.support import Evidence, FactSource
from quarry.attributes.units import shipped
from quarry.plain_text import plain

READER = Reader(shipped(), frozenset(("USD", "EUR", "CHF")))
PUMP = {
    "flow": 129,
    "weight_lb": 1185,
    "attributes": {"lead_time": [10, 14], "pressure_psi": {"value": 125, "raw": "8.6 bar"}, "volts": "460/3/60"},
}
FAN = {"weight_lb": 760, "pressure_psi": 12, "noise": "72 dB(A)"}


def evidence() -> Evidence:
    """Two machines with their prices in a quote, and the terms of the house."""
    units = {"flow": READER.units.named("cfm"), "lead_time": READER.units.named("weeks")}
    terms = "Net 30 days. Delivery in 8 weeks after 3 drawings. Odběr do 14 kusů. Quote of 5 March 2026."
    return Evidence(
        reader=READER,
        today=date(2026, 11, 23),
        sources=[
            FactSource("P-100", of_row(READER, PUMP, units), "p100"),
            FactSource("P-100", amounts(["1200.00"], "EUR"), "p100"),
            FactSource("F-20", of_row(READER, FAN, units), "f20"),
            FactSource("F-20", amounts(["800.50"], "EUR"), "f20"),
            FactSource("Q1 line 2", amounts(["999.00"], "EUR"), money=False),
            FactSource("freight, list price", amounts(["450.00"], "EUR"), "freight", listed=True),
            FactSource("terms", READER.figures(terms)),
        ],
        aliases={"p100": "p100", "f20": "f20"},
        dates={date(2026, 3, 5)},
        counts={4},
    )


def doubts(text: str) -> list[tuple[str, str]]:
    """Of a text as tools get it."""
    return [(each.verdict, each.text) for each in check(plain(text), evidence()) if each.verdict != "supported"]


@pytest.mark.parametrize(
    "text",
    [
        "The P-100 gives 129 cfm, that is 219 m³/h or 3.65 m³/min.",
        "P-100: 125 psi (8,6 bar), 460 V.",
        "The P-100 weighs 1 185 lb; all weights are approximate.",
        "Both weigh 1,945 lb together.",
        "4 × P-100 at 1.200,00 EUR are 4.800,00 EUR.",
        "P-100: 1.200,00 EUR less 10 % is 1.080,00 EUR.",
        "| Item | EUR |\n|---|---|\n| P-100 | 1.200,00 |\n| F-20 | 800,50 |\n| | 2.000,50 |",
        "| | EUR netto |\n|---|---|\n| A | 1.200,00 |\n| C | 800,50 |",
        "| Weight, lb | 1185 | 760 |",
        "| | P-100 | F-20 |\n|---|---|---|\n| psi | 125 | 12 |",
        "Dodání do 8 týdnů, 14 kusů.",
        "As of 5. März 2026 and 2026-03-05, see section 7.",
        "Item 12\n\n49503 Grand Rapids",
        "Three years, 2 visits, IP55, ISO 8573-1 Class 1.4.1.",
        "The P-100 gives 129 cfm.\n\nHalf of it is 64.5 cfm.",
        "P-100: 1.200,00 EUR.\n\nF-20: 800,50 EUR.\n\nThe difference is 399,50 EUR, both are 2.000,50 EUR.",
        "The F-20 is 399,50 EUR cheaper than the P-100.",
        "P-100: 1.200,00 EUR, F-20: 800,50 EUR, another F-20: 800,50 EUR; in all 2.801,00 EUR.",
        "| | P-100 | F-20 | both |\n|---|---|---|---|\n| EUR | 1.200,00 | 800,50 | 2.000,50 |",
        "The P-100 gives 129 cfm; at 80 % that is 103 cfm.",
        "One F-20 makes 72 dB(A), 2 of them 75 dB(A).",
        "Zwei F-20 wiegen 1.520 lb.",
        "The P-100 ships in 12 Wochen.",
        "Freight is 450,00 EUR.",
        "P-100: 1.200 Euro; 2 × 1.200,00 EUR = 2.400,00 EUR.",
        "The P-100 gives 129 at 125 psi.",
        "We sold the P-100 of 2019 at EUR 1.200,00.",
        "P-100: 129 cfm × 0.84 × 0.9 = 97.5 cfm.\n\nThe P-100 then gives 97.5 cfm.",
        "P-100: 1.200 EUR.\n\nMit dem Zubehör für 800,50 EUR sind es 2.000,50 EUR.",
    ],
)
def test_what_a_source_says_or_what_follows_from_it_is_no_finding(text: str) -> None:
    assert doubts(f"Letter\n\n{text}") == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The P-100 gives 139 cfm.", ("contradicted", "139 cfm")),
        ("The F-20 weighs 1185 lb.", ("contradicted", "1185 lb")),
        ("Die P-100 schafft 8,9 bar.", ("contradicted", "8,9 bar")),
        ("It needs 300 kVA.", ("unsupported", "300 kVA")),
        ("Hose 20 m EUR 800,50.", ("unsupported", "20 m")),
        ("| Item | EUR |\n|---|---|\n| P-100 | 800,50 |", ("contradicted", "800,50")),
        ("| | P-100 | F-20 |\n|---|---|---|\n| psi | 125 | 125 |", ("contradicted", "125")),
        ("The sum is 43 110,00 EUR.", ("unsupported", "43 110,00 EUR")),
        ("You pay 999,00 EUR.", ("foreign", "999,00 EUR")),
        ("Die P-100 kostet 1.300 Euro.", ("contradicted", "1.300 Euro")),
        ("Razem 1 300 zł.", ("unsupported", "1 300 zł")),
        ("It costs US$1,300 there.", ("unsupported", "$1,300")),
        ("The P-100 ships in 16 weeks.", ("contradicted", "16 weeks")),
        ("P-100 and freight are 1.650,00 EUR.", ("contradicted", "1.650,00 EUR")),
        ("The F-20 is 499,50 EUR cheaper than the P-100.", ("unsupported", "499,50 EUR")),
        ("Delivery in 9 weeks.", ("unsupported", "9 weeks")),
        ("Dodání do 9 týdnů.", ("unsupported", "9 týdnů")),
        ("Valid until 6 March 2026.", ("unsupported", "6 March 2026")),
        ("الضغط ١٣٩ psi", ("unsupported", "139 psi")),
    ],
)
def test_what_no_source_says_is_a_finding(text: str, found: tuple[str, str]) -> None:
    assert doubts(f"Letter\n\n{text}") == [found]


def test_what_a_source_has_exactly_and_rounded_is_advised_rounded() -> None:
    told = evidence()
    told.sources.append(FactSource("P-100 at work", READER.figures("945.8 cfm, 946 cfm"), "p100"))
    [remark] = check("Letter\n\nThe P-100 gives 945 cfm.", told)
    assert remark.right == "946 cfm"


def test_a_word_that_is_spelled_as_a_unit_is_a_word_where_the_letter_uses_it_so() -> None:
    prose = "Letter\n\nThey stand in the hall, 30 in a row."
    assert doubts(prose) == [("unsupported", "30 in")]
    told = evidence()
    told.reader = Reader(shipped(), frozenset(), prose)
    assert check(prose, told) == []


def test_a_number_without_a_unit_counts_anything() -> None:
    assert doubts("Letter\n\nOf the 207 before, 15 pieces remain at all 31 works.") == []


@pytest.mark.parametrize(
    "written",
    [
        *("Groeb\nFarms", "groeb-farms", "Gro\u00adeb Farms", "Grоеb Fаrms", "GRÖEB FARMS", "Groeb Fa-\nrms"),
        *("**Groeb** _Farms_", "Groeb\n> Farms", "Groeb | Farms", "Groeb<br>Farms", "Gr<b></b>oeb&nbsp;Farms"),
        *(
            "&#71;roeb&shy; Farms",
            "𝐆𝐫𝐨𝐞𝐛 Ｆａｒｍｓ",
            "Gr0eb Farms",
            "Grօeb Farms",
            "ɡroeb Farms",
            "Groeb\u3164Farms",
        ),
    ],
)
def test_a_name_is_found_over_line_ends_hyphens_and_look_alikes(written: str) -> None:
    assert len(Folded(plain(f"as {written} has it")).places(compact("Groeb Farms"))) == 1
    assert Folded("groebfarmsteads").places(compact("Groeb Farms")) == []


@pytest.mark.parametrize(
    "link",
    [
        *("[x](http://evil.example)", "![](//evil.example/a)", "see evil.com now", "evil.wtf/path", "evil\u3002com"),
        *("http:\\\\evil.example", "HTTPS://EVIL.EXAMPLE", "[x][1]\n\n[1]: evil.example/a", "sftp://evil.example"),
        *("<img src=x>", "<a href=javascript:x>", "<svg onload=x>", "<style>x</style>", "<meta http-equiv=refresh>"),
        *("mail a@evil.example", "mailto:a@evil", "data:text/html,x", "http://evil\u200b.example", "[x](evil.html)"),
    ],
)
def test_a_link_or_an_address_of_neither_side_is_a_finding(link: str) -> None:
    assert doubts(f"Letter\n\n{link}")
    assert doubts("Letter\n\nSee e.g. Fig.2, No.5, approx.two, St.Gallen or the U.S.A.; i.e. a file quote.pdf.") == []


def test_a_link_of_the_house_is_none() -> None:
    told = evidence()
    told.own_words = "Ask sales@quarry.example or www.quarry.example"
    text = "Letter\n\nSee https://www.quarry.example/a, quarry.example or sales@quarry.example"
    assert check(text, told) == []


def test_notes_for_the_house_are_not_the_letter() -> None:
    letter, notes = outside("One\n> **NOTE** 999 psi\n\n## Sources (internal)\n\n| 998 psi |\n\n## Two\n\nThree")
    assert "99" not in letter
    assert notes.count("99") == 2
    assert letter.split("\n")[-1] == "Three"


def test_a_letter_made_to_be_slow_is_checked_in_time() -> None:
    letters = [
        "1 " * 20_000,
        "- 1 psi\n" * 6_000,
        "| 1.00 " * 6_000,
        "1/" * 20_000,
        "a@" * 20_000,
        "[" * 20_000,
        "1 a " * 10_000,
    ]
    begun = time.monotonic()
    for letter in letters:
        check(letter, evidence())
    assert time.monotonic() - begun < 60
