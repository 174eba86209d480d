"""Makers and models: those that exist, those with a slip, those that are absent, and figures that are none."""

from dataclasses import replace

import pytest

from quarry.understanding.implied import as_variant
from quarry.understanding.names import ModelName, Names
from quarry.understanding.reading import understand
from quarry.understanding.text import key_of, one_slip
from tests.unit.understanding.trade import NAMES, WORDS, need, only_item, read


@pytest.mark.parametrize(
    ("text", "maker"),
    [
        ("Quincy", "Quincy"),
        ("quincy screw", "Quincy"),
        ("atlas copco", "Atlas Copco"),
        ("AtlasCopco", "Atlas Copco"),
        ("Atlas", "Atlas Copco"),
        ("Gardner-Denver", "Gardner Denver"),
        ("powrex scroll", "Powerex"),
        ("Kaesar", "Kaeser"),
        ("Qunicy 100 hp", "Quincy"),
        ("Sulair", "Sullair"),
        ("Atlas Cpoco 75 kW", "Atlas Copco"),
    ],
)
def test_a_maker_is_known_with_one_slip(text: str, maker: str) -> None:
    found = need(text, "manufacturer")
    assert found.values == {maker}
    assert not found.absent
    assert not found.hard


@pytest.mark.parametrize(
    "text",
    [
        "Quincy only",
        "only Quincy",
        "must be Quincy",
        "nothing but Quincy",
        "nur Quincy",
        "solo Quincy",
        "uniquement Quincy",
    ],
)
def test_a_maker_that_is_insisted_on_is_hard(text: str) -> None:
    found = need(f"{text}, 100 hp", "manufacturer")
    assert found.hard
    assert found.operator == "one_of"


@pytest.mark.parametrize(
    ("text", "absent"),
    [
        ("Ingersoll Rand Sierra 100", {"Ingersoll Rand", "Sierra 100"}),
        ("CompAir D75", {"CompAir", "D75"}),
        ("BOGE S 100", {"BOGE", "S 100"}),
        ("ELGi oil-free 75 kW", {"ELGi"}),
        ("Ingersol Rand", {"Ingersoll Rand"}),
        ("XK-2000", {"XK-2000"}),
        ("Champion compressor", {"Champion"}),
    ],
)
def test_makers_and_models_that_are_not_in_the_data_are_absent(text: str, absent: set[str]) -> None:
    assert {value for each in read(text).absent for value in each.values} == absent


def test_an_everyday_word_is_a_maker_only_when_written_as_a_name() -> None:
    assert not read("the champion of compressors").absent
    assert read("edwards dry vacuum pump 300 cfm").absent
    assert not read("roots blower 300 cfm").absent


@pytest.mark.parametrize(
    "text",
    [
        "Herr Bauer bittet um einen Kompressor",
        "Spannung und Hertz bitte prüfen, Kompressor",
        "Frau Becker, Kompressor",
    ],
)
def test_a_german_noun_and_a_person_are_no_makers(text: str) -> None:
    assert all(each.attribute != "manufacturer" for each in read(text).needs)


@pytest.mark.parametrize(
    "text", ["Bauer Kompressor für die Halle", "Ersatz für unseren Bauer KAP 23", "Angebot von Bauer"]
)
def test_a_german_noun_is_a_maker_beside_its_machine(text: str) -> None:
    assert need(text, "manufacturer").values == {"Bauer"}


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("QMB30", "QMB30"),
        ("qmb 30", "QMB30"),
        ("QMB-30 screw", "QMB30"),
        ("QMB3O", "QMB30"),
        ("Q$ync 100", "Q$ync 100"),
        ("Qsync 100", "Q$ync 100"),
        ("DSP-75", "DSP-75"),
        ("MM1402", "MM 1402 BV"),
        ("MM 1402 BV", "MM 1402 BV"),
        ("R5 RA 0155 D", "R5 RA 0155 D"),
        ("ZT 75", "ZT75"),
        ("ZT75 VSD", "ZT75 VSD"),
        ("LS-110 100H", "LS-110 100H"),
        ("U75", "Ultima U75"),
        ("T75", "EnviroAire T75"),
        ("SF22+", "SF 22+"),
        ("VR-1060", "VR-1060"),
        ("KC-450LH", "KC-450HL"),
        ("SEHX 1008-100", "SEHX10008-100"),
        ("dolfin LX0430", "Dolphin LX 0430"),
        ("LX0430", "Dolphin LX 0430"),
        ("SEHX1008-100", "SEHX10008-100"),
        ("DSG 100-2", "DSG 100-2"),
        ("U5.300", "U5.300"),
    ],
)
def test_a_model_that_exists_is_that_model_alone(text: str, model: str) -> None:
    item = only_item(text)
    found = need(text, "model")
    assert found.values == {model}
    assert found.hard
    assert item.need("hp") is None


def test_the_figures_of_a_part_number_are_no_quantity() -> None:
    assert only_item("DSP-75 75 kW").need("hp") is not None
    assert only_item("DSP-75").need("hp") is None
    assert only_item("DSP-75").quantity is None


@pytest.mark.parametrize(
    "text", ["for a 100 hp compressor", "a 100", "S 100 hp", "with 75 kW", "up to 30 hp", "the 25"]
)
def test_a_figure_after_an_article_or_before_a_unit_is_no_part_number(text: str) -> None:
    names = Names(makers=NAMES.makers, models={**NAMES.models, "a100": (), "for100": (), "with75": (), "the25": ()})
    assert all(each.attribute != "model" for each in understand(text, words=WORDS, names=names).needs)


def test_another_figure_is_another_model() -> None:
    assert need("QMB35", "model").absent


def test_a_series_means_all_its_models() -> None:
    assert need("Quincy QGV 100 hp", "model").values in ({"QGV-100"}, {"QGV-50", "QGV-75", "QGV-100"})
    assert need("QGV variable speed", "model").values == {"QGV-50", "QGV-75", "QGV-100"}


def test_or_equal_softens_a_model() -> None:
    found = need("Quincy QGV-75 or equal", "model")
    assert found.operator == "about"
    assert not found.hard


def test_customers_and_salespeople_are_known_where_they_are_given() -> None:
    names = Names(customers={"groeb farms": "Groeb Farms"}, salespeople={"karl oesterle": "Karl Oesterle"})
    request = understand("Karl Oesterle quotes for Groeb", words=WORDS, names=names)
    assert {each.attribute: each.values for each in request.needs} == {
        "salesperson": {"Karl Oesterle"},
        "customer": {"Groeb Farms"},
    }


@pytest.mark.parametrize(
    ("one", "other", "is_one"),
    [
        ("powerex", "powrex", True),
        ("powerex", "poewrex", True),
        ("powerex", "powerexx", True),
        ("powerex", "bowerex", True),
        ("powerex", "powerex", True),
        ("powerex", "pwrex", False),
        ("abc", "cba", False),
        ("", "a", True),
    ],
)
def test_one_slip_is_one_letter_or_two_swapped(one: str, other: str, is_one: bool) -> None:
    assert one_slip(one, other) is is_one
    assert one_slip(other, one) is is_one


PEOPLE = Names(
    makers=NAMES.makers,
    customers={
        name.lower(): name for name in ("Henry Ford Hospital", "St. Brendan's Medical Center", "Kootenay Mills")
    },
    salespeople={"tina vance": "Tina Vance"},
    contacts={"dale hutchings": "Dale Hutchings"},
)


@pytest.mark.parametrize(
    ("text", "attribute", "name"),
    [
        ("henry ford hosp. air", "customer", "Henry Ford Hospital"),
        ("St Brendans", "customer", "St. Brendan's Medical Center"),
        ("st. brendan's vacuum", "customer", "St. Brendan's Medical Center"),
        ("what did kootenay pay", "customer", "Kootenay Mills"),
        ("contact Dale Hutchings", "contact", "Dale Hutchings"),
        ("the Hutchings job", "contact", "Dale Hutchings"),
        ("Tina Vance breweries", "salesperson", "Tina Vance"),
        ("hi, what did Tina sell", "salesperson", "Tina Vance"),
    ],
)
def test_a_part_of_a_name_that_is_of_one_alone_names_it(text: str, attribute: str, name: str) -> None:
    request = understand(text, words=WORDS, names=PEOPLE)
    assert [need.values for need in request.needs if need.attribute == attribute] == [{name}]


@pytest.mark.parametrize(
    "text", ["Tina, what did we sell to dairies?", "Hi Tina, 50 hp oilless", "a mills job", "medical air"]
)
def test_who_is_addressed_and_words_of_everyday_name_nobody(text: str) -> None:
    request = understand(text, words=WORDS, names=PEOPLE)
    assert not {need.attribute for need in request.needs} & {"salesperson", "customer", "contact"}


@pytest.mark.parametrize("text", ["Q22-0518", "q22 0518", "quote 22-0518", "Angebot Nr. 22-0518", "devis 22 0518"])
def test_a_quote_is_named_with_blanks_and_without_its_letter(text: str) -> None:
    [found] = [need for need in read(text).needs if need.attribute == "quote_number"]
    assert {key_of(value) for value in found.values} == {"q220518"}


@pytest.mark.parametrize(
    ("text", "makers"), [("GD 50 hp", {"Gardner Denver"}), ("gd 50 hp", set()), ("460 V AC", set())]
)
def test_initials_in_capitals_name_a_maker(text: str, makers: set[str]) -> None:
    named = {value for need in read(text).needs if need.attribute == "manufacturer" for value in need.values}
    assert named == makers


@pytest.mark.parametrize(
    ("text", "family"),
    [("Edwards", "vacuum_pump"), ("Zeks", "dryer"), ("Aerzen 50 hp", "blower"), ("Manchester Tank", "receiver")],
)
def test_an_absent_maker_implies_the_family_that_it_is_known_for(text: str, family: str) -> None:
    assert only_item(text).families == {family}


@pytest.mark.parametrize(
    ("text", "power"),
    [("FS-Curtis eCool 100", 100), ("Quincy QMB60", 60), ("CompAir D75", 101), ("CompAir XK-999", None)],
)
def test_the_name_of_an_absent_compressor_tells_its_size(text: str, power: float | None) -> None:
    found = only_item(text).need("hp")
    assert (found and found.low) == power


LONG = Names(models={key_of(model): (ModelName(model, "Maker"),) for model in (
    "SEHX10008-100", "SEHX10010-100HP", "Electra-Saver 100", "Electra-Saver 150", "VR-1060SS")})  # fmt: skip


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("SHEX1008-100", "SEHX10008-100"),
        ("SEXH10010-100H", "SEHX10010-100HP"),
        ("Elektra-Savor 100", "Electra-Saver 100"),
        ("elektra savor 150", "Electra-Saver 150"),
    ],
)
def test_several_slips_are_forgiven_in_a_long_model(text: str, model: str) -> None:
    found = understand(text, words=WORDS, names=LONG).items[0].need("model")
    assert found is not None
    assert (found.values, found.absent) == (frozenset({model}), False)


@pytest.mark.parametrize("text", ["QX-1060SS", "SEHX20020-200", "elektra savor 125", "XKHY10008-100"])
def test_another_model_is_not_taken_for_a_long_one_with_slips(text: str) -> None:
    request = understand(text, words=WORDS, names=LONG)
    assert all(need.absent for need in request.needs if need.attribute == "model")


@pytest.mark.parametrize("text", ["R5 RA 155 D", "do you have an R5 RA 155D", "R5 RA 0155D"])
def test_a_slip_is_forgiven_in_a_long_model_of_several_words(text: str) -> None:
    found = need(text, "model")
    assert (found.values, found.absent) == (frozenset({"R5 RA 0155 D"}), False)


def test_another_size_of_a_long_model_of_several_words_is_not_taken_for_the_one_that_exists() -> None:
    assert not any(each.attribute == "model" and not each.absent for each in read("R5 RA 205 D").needs)


def test_a_maker_is_named_without_the_family_in_its_name_where_it_is_written_as_a_name() -> None:
    found = need("Manchester 400 gallon tank", "manufacturer")
    assert (found.values, found.absent) == (frozenset({"Manchester Tank"}), True)
    assert only_item("a universal 400 gallon tank").need("manufacturer") is None


def test_what_goes_instead_of_a_model_is_no_exclusion_of_its_maker() -> None:
    item = only_item("dry pump instead of the Busch R5 155")
    model = item.need("model")
    assert model is not None
    assert model.operator == "about"
    assert model.values == {"R5 RA 0155 D"}
    assert need("scroll instead of a screw, 30 hp", "compression").values == {"scroll"}
    assert need("100 hp instead of a Kaeser", "manufacturer").operator == "none_of"


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("wabash vr1060 stainless", "VR-1060SS"),
        ("ZT75 variable speed", "ZT75 VSD"),
        ("ZT75 no variable speed", "ZT75"),
        ("VR-1060 vertical", "VR-1060"),
    ],
)
def test_words_beside_a_model_name_its_variant(text: str, model: str) -> None:
    found = as_variant(only_item(text), names=NAMES.models).need("model")
    assert found is not None
    assert found.values == {model}


def test_a_long_model_is_known_by_its_first_word_and_its_figure() -> None:
    assert need("Busch R5 0155", "model").values == {"R5 RA 0155 D"}
    assert need("R5 with 155 cfm", "cfm").low == 155


@pytest.mark.parametrize("text", ["Kaeser beat us", "lost to Kaeser", "lost to the Kaeser"])
def test_the_maker_that_won_is_no_maker_of_what_was_offered(text: str) -> None:
    item = only_item(text)
    won = item.need("competitor")
    assert won is not None
    assert won.values == {"Kaeser"}
    assert item.need("manufacturer") is None


def test_a_maker_to_be_sold_against_is_named_and_won_nothing() -> None:
    item = only_item("what do we have against a Kaeser, 100 hp")
    maker = item.need("manufacturer")
    assert maker is not None
    assert maker.values == {"Kaeser"}
    assert item.need("reason") is None


@pytest.mark.parametrize("gas", ["CO2", "N2O", "SF6"])
@pytest.mark.parametrize("text", ["{} compressor 100 hp", "{} 100 hp compressor", "compressor for {}, 100 hp"])
def test_a_gas_is_a_word_and_no_model_and_counts_nothing(text: str, gas: str) -> None:
    request = read(text.format(gas))
    assert request.absent == ()
    assert request.not_understood == (gas,)
    assert request.items[0].quantity is None


@pytest.mark.parametrize(
    ("text", "customer"),
    [
        ("dryer for our Maple Road clinic", None),
        ("Trockner für den Betrieb in der Maple Strasse", None),
        ("sécheur pour l'atelier rue Maple", None),
        ("what did we sell to Maple Leaf Bakery", None),
        ("what did we sell to Maple", "Maple Hollow Creamery"),
        ("the Maple Creamery quote", "Maple Hollow Creamery"),
    ],
)
def test_a_word_of_an_address_or_of_a_longer_name_is_no_customer(text: str, customer: str | None) -> None:
    names = replace(NAMES, customers={"maple hollow creamery": "Maple Hollow Creamery"})
    request = understand(text, words=replace(WORDS, of_sales=True), names=names)
    found = [value for each in request.needs if each.attribute == "customer" for value in each.values]
    assert found == ([customer] if customer else [])
