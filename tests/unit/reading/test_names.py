"""Models and makers, as they are written and with one slip."""

import pytest

from quarry.reading.lexicon import Lexicon, Sense
from quarry.reading.source import stems_of
from tests.unit.reading.trades import asked, reading


@pytest.mark.parametrize("text", ["NB 40-16", "nb4016", "NB-40 16", "NB 40/16", "specs of the NB 40-16, please"])
def test_a_model_is_its_letters_and_digits(text: str) -> None:
    assert asked(text) == {"model": "NB 40-16"}


@pytest.mark.parametrize("text", ["HLK 3x1,5", "hlk 3x1,5, a pump", "2 HLK-3x1,5 please"])
def test_a_comma_between_two_figures_keeps_a_model_in_one_piece(text: str) -> None:
    assert asked(text)["model"] == "HLK 3x1,5"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10-1010", {"model": "NB 40-16"}),
        ("30-2001", {"model": "KRX 750 | KRY 750"}),
        ("price of kt-4711?", {"model": "QGV-100"}),
        ("length 10-1010 mm", {"length": "10..1010 mm"}),
        ("pump KT5", {"family": "pump"}),
    ],
)
def test_the_houses_own_number_is_its_model_unless_it_may_be_a_figure(text: str, expected: dict[str, str]) -> None:
    assert asked(text) == expected


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("QVG-100", "QGV-100"),
        ("QGW-100", "QGV-100"),
        ("QGVV 100", "QGV-100"),
        ("QGV-1OO", "QGV-100"),
        ("SEQ4001-40", "SEQ4010-40"),
        ("SEQ4010-4O", "SEQ4010-40"),
        ("KRZ 750", "KRX 750 | KRY 750"),
        ("Krone KRZ 750", "KRX 750"),
        ("ΚRΧ-75O", "KRX 750"),
    ],
)
def test_one_slip_in_a_model_is_mended(text: str, model: str) -> None:
    assert asked(text)["model"] == model


@pytest.mark.parametrize("text", ["QGV-200", "QGV-1000", "ZS132", "NR132", "QGVX-10", "HLK 16", "turbine", "40 16"])
def test_another_figure_a_short_name_or_two_slips_are_no_model(text: str) -> None:
    assert asked(text) == {}


def test_digits_with_a_unit_or_plain_words_are_no_model() -> None:
    assert asked("a 132 kW") == {"power": "132 kW"}


def test_a_model_of_letters_alone_is_one_as_a_whole_word() -> None:
    assert asked("the Turbina") == {"model": "Turbina"}


def test_makers_are_read_by_full_and_short_name_with_one_slip() -> None:
    assert asked("Krone-Werke") == {"manufacturer": "Krone Werke"}
    assert asked("krone") == {"manufacturer": "Krone Werke"}
    assert asked("Bellmamn") == {"manufacturer": "Bellmann"}
    assert asked("Krome Werke") == {"manufacturer": "Krone Werke"}
    assert asked("Hydr") == {}


def test_makers_and_models_are_excluded_by_a_word_at_them() -> None:
    assert asked("no Krone, not the QGV-100") == {"manufacturer": "not Krone Werke", "model": "not QGV-100"}
    assert asked("other than Hydra or Bellmann") == {"manufacturer": "not Hydra | Bellmann"}


def test_the_name_of_a_maker_without_models_has_to_be_written_right() -> None:
    assert asked("Eurus") == {"manufacturer": "Eurus"}
    assert asked("60 thousand Euros") == {}


def test_a_word_of_the_tenants_own_rows_is_no_slip() -> None:
    from dataclasses import replace

    from quarry.reading.reader import read
    from tests.unit.reading.trades import trade

    attributes, names = trade("pumps")
    known = replace(names, words=frozenset(("bellmamn",)))
    assert read("Bellmamn", attributes=attributes, names=known).needs == ()
    assert reading("Bellmamn").said == (("Bellmamn",),)


def test_a_customer_is_known_by_a_word_that_no_other_name_has() -> None:
    assert asked("pumps for the Stadtwerke", kind_of_row="line")["customer"] == "Stadtwerke Suhl"
    assert "customer" not in asked("pumps for the Stadtwerke")


@pytest.mark.parametrize(
    ("declared", "asked"),
    [
        ("αντλία", "αντλίες"),
        ("αλυσίδα", "αλυσίδων"),
        ("сушарка", "сушарки"),
        ("труба", "трубами"),
        ("насос", "насосів"),
    ],
)
def test_a_noun_that_has_an_ending_in_every_form_is_known_in_another(declared: str, asked: str) -> None:
    lexicon = Lexicon([(stems_of(declared), Sense("family", ("goods",)))])
    [stem] = stems_of(asked)
    assert lexicon.known(stem) == stems_of(declared)[0]
