"""What is said of lines that were written: two words that tell the work together, other words for the same."""

from datetime import date

import pytest

from quarry.retrieval.own_words import OwnWords, vocabulary
from quarry.understanding.needs import Item
from quarry.understanding.reading import understand
from quarry.understanding.synonyms import Synonyms
from quarry.understanding.words import Vocabulary
from tests.unit.understanding.trade import NAMES

TODAY = date(2026, 11, 22)
SYNONYMS = Vocabulary.shipped().synonyms


def item(text: str) -> Item:
    [found] = understand(text, words=Vocabulary.of_lines(of_quotes=True), names=NAMES, today=TODAY).items
    return found


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("swap of an airend against a rebuilt one", "service", "repair"),
        ("a rebuilt airend is what we swapped", "service", "repair"),
        ("five year airend coverage add-on", "service", "warranty"),
        ("class for three operators", "service", "training"),
        ("one of our machines that they hire", "service", "rental"),
        ("quarterly contract on two machines", "service", "maintenance"),
        ("delivered to the dock", "service", "freight"),
        ("Leckagen mit Ultraschall aufspüren", "service", "audit"),
        ("curso para los operadores", "service", "training"),
        ("échange du bloc vis", "service", "repair"),
        ("recirculation of the sealing water", "accessory_kind", "seal-water-skid"),
        ("oil less carbon vane pump", "family", "vacuum_pump"),
    ],
)
def test_two_words_near_each_other_tell_what_a_line_is(text: str, attribute: str, value: str) -> None:
    found = item(text).need(attribute)
    assert found is not None
    assert found.values == {value}


@pytest.mark.parametrize(
    "text", ["dryer for class 0 air. Operators come later", "compressor with more years of coverage"]
)
def test_words_of_two_sentences_or_of_another_thing_tell_no_work(text: str) -> None:
    assert item(text).need("service") is None


def test_a_word_that_tells_the_work_tells_nothing_else() -> None:
    assert {need.attribute for need in item("swap of a rebuilt screw element").needs} == {"family", "service"}


def test_work_that_tells_how_long_is_not_asked_for() -> None:
    found = item("machine for hire until the new one is installed")
    assert [need.values for need in found.needs if need.attribute == "service"] == [{"rental"}]


def test_a_package_tells_the_machines_that_it_is_made_of() -> None:
    plant = item("air plant with four 5 hp scrolls")
    power = plant.need("hp")
    assert power is not None
    assert (plant.quantity, power.machines, power.words) == (None, 4, "with four 5 hp")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("dryers 2018 thru 2020", "2018-01-01–2020-12-31"),
        ("dryers 2018 up to 2020", "2018-01-01–2020-12-31"),
        ("sécheurs de 2018 à 2020", "2018-01-01–2020-12-31"),
        ("dryers of '19", "2019-01-01–2019-12-31"),
    ],
)
def test_a_time_goes_on_to_another(text: str, shown: str) -> None:
    assert [need.shown for need in item(text).needs if need.attribute == "date"] == [shown]


@pytest.mark.parametrize(
    "text", ["blower quotes that did not come in", "compressor business that went to somebody else"]
)
def test_how_a_sale_ended_is_told_in_the_words_of_the_archive(text: str) -> None:
    found = item(text).need("outcome")
    assert found is not None
    assert found.values == {"lost"}


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("am Wochenende nur mit Zuschlag", "Samstag gegen Aufpreis."),
        ("that the next owner can take over", "Transferable once."),
        ("any party can quit", "Cancel with thirty days."),
        ("gastos de viaje en el precio", "Travel inside."),
    ],
)
def test_other_words_for_the_same_are_the_same(asked: str, told: str) -> None:
    assert SYNONYMS.said(asked).keys() & SYNONYMS.said(told).keys()


def test_a_short_phrase_is_a_word_by_itself() -> None:
    assert SYNONYMS.said("CAD file")
    assert not SYNONYMS.said("cadence")


@pytest.mark.parametrize(
    ("text", "service"),
    [
        ("getting it there on a lorry with a tail lift", "freight"),
        ("a stopgap brought and picked up again", "rental"),
        ("look after the pumps every three months", "maintenance"),
        ("first run with rotation check", "start-up"),
        ("a lesson on the panel for the night crew", "training"),
        ("chasing leaks with tags", "audit"),
        ("Kupferleitung verlegt", "installation"),
        ("Bedienerschulung in deutscher Sprache", "training"),
        ("póliza con visitas de servicio", "maintenance"),
        ("vidange et analyse d'huile", "maintenance"),
    ],
)
def test_everyday_words_tell_the_work(text: str, service: str) -> None:
    words = vocabulary(OwnWords(), kind="line_items", of_quotes=False)
    needs = [need for one in understand(text, words=words, names=NAMES, today=TODAY).items for need in one.needs]
    assert any(need.attribute == "service" and service in need.values for need in needs)
    assert not any(need.attribute in ("reason", "outcome") for need in needs)


def test_what_only_requests_say_tells_no_row() -> None:
    [(telling, words)] = Synonyms([["hot tap", "?live header"]]).said("work on a live header").items()
    assert telling == ("hot tap ",)
    assert words == {"live", "header"}
