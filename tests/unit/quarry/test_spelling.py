"""What may have been meant by a value that does not exist."""

import pytest

from quarry.text import alike, goods_named, says_model, words_of


@pytest.mark.parametrize(
    ("value", "known", "meant"),
    [
        ("Meadowbrok", ["Meadowbrook", "Fieldstone"], ["Meadowbrook"]),
        ("MEADOWBROOK", ["meadowbrook"], ["meadowbrook"]),
        ("folder", ["src/smart-folder-settings", "mail"], ["src/smart-folder-settings"]),
        ("src/mail/", ["src/mail/inbox.ts", "docs"], ["src/mail/inbox.ts"]),
        ("ab", ["drab-and-long-name"], []),
        ("pump", ["Quincy"], []),
        ("", ["Quincy"], []),
    ],
)
def test_what_looks_like_it_or_contains_it_is_meant(value: str, known: list[str], meant: list[str]) -> None:
    assert alike(value, known) == meant


def test_the_most_alike_come_first_ties_by_name_and_no_more_than_asked_for() -> None:
    assert alike("Q-2026-0012", ["Q-2026-0099", "Q-2026-0013", "Q-2026-0011"], most=2) == [
        "Q-2026-0011",
        "Q-2026-0013",
    ]


def test_a_key_decides_what_counts_as_the_same() -> None:
    assert alike("QMB-30", ["qmb 30", "QMB 45"], most=1, key=lambda name: name.lower().replace("-", " ")) == [
        "qmb 30"
    ]


@pytest.mark.parametrize(
    ("maker", "model", "said"),
    [
        ("Acme", "Acme Desk 100", "Acme Desk 100"),
        ("Acme Works", "ACME-Works 7", "ACME-Works 7"),
        ("Acme", "Acmeter 3", "Acme Acmeter 3"),
        ("Acme", "P-100", "Acme P-100"),
        (None, "P-100", "P-100"),
        ("Acme", None, "Acme"),
    ],
)
def test_a_maker_whose_name_begins_the_models_is_said_once(maker: str | None, model: str | None, said: str) -> None:
    assert goods_named(maker, model) == said


@pytest.mark.parametrize(
    ("text", "model", "said"),
    [
        ("Abbattitore di temperatura 10 teglie", "PC10", False),
        ("Abbattitore pc-10, 10 teglie", "PC10", True),
        ("Agregat PC 10 E", "PC10", True),
        ("PC100", "PC10", False),
        ("Leitung 3x2,5mm² grau", "3x2,5", True),
        ("150 Liter", "5", False),
        ("Pump Q$ync", "QSYNC", True),
    ],
)
def test_a_name_says_its_model_as_words_of_its_own(text: str, model: str, said: bool) -> None:
    assert says_model(text, model) is said


def test_a_vulgar_fraction_is_no_digit_of_the_figure_before_it() -> None:
    assert words_of("1½ in") == words_of("1 1/2 in") != words_of("11/2 in")
