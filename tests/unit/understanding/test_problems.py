"""Problems told instead of products, spaces, what forbids, and machines that are there."""

import time
import tomllib
from dataclasses import replace

import pytest

from quarry.understanding.fit import judge
from quarry.understanding.needs import Request
from quarry.understanding.reading import understand
from quarry.understanding.space import spaces
from quarry.understanding.text import fold
from quarry.understanding.words import LANGUAGES, TABLE, problems
from tests.unit.understanding.trade import NAMES, WORDS, needs_of, only_item

OF_PRODUCTS = replace(WORDS, problems=problems())


def read(text: str) -> Request:
    return understand(text, words=OF_PRODUCTS, names=NAMES)


def said(text: str) -> dict[str, object]:
    [item] = read(text).items
    return needs_of(item)


@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        ("flow controller", ["plant pressure is all over the place", "Der Netzdruck pendelt ständig",
                             "la presión de la red oscila mucho", "la pression du réseau monte et descend"]),
        ("sequencer", ["three compressors chase each other all night", "vier Kompressoren laufen gegeneinander",
                       "mis compresores se pelean", "nos compresseurs démarrent tous en même temps"]),
        ("oil-water-separator", ["a sheen of oil on the condensate", "Kondensat ölig, darf nicht in den Kanal",
                                 "el condensado trae aceite", "le condensat contient de l'huile"]),
        ("drain", ["somebody opens the valve under the receiver every shift", "Kessel wird von Hand entleert",
                   "nadie se acuerda de purgar el tanque", "il faut purger la cuve à la main"]),
    ],
)  # fmt: skip
def test_a_thing_and_its_trouble_say_the_accessory(kind: str, texts: list[str]) -> None:
    for text in texts:
        needs = said(text)
        needs.pop("controls", None)
        assert needs == {
            "family": "accessory",
            "accessory_kind": kind.replace("flow controller", "flow-controller"),
        }


@pytest.mark.parametrize(
    ("text", "family", "kind"),
    [
        ("our wine picks up an odor from the compressor", "filtration", "carbon"),
        ("fisheyes in the paint", "filtration", "coalescing"),
        ("Rostpartikel verstopfen die Düsen", "filtration", "particulate"),
        ("the line to the silo freezes", "dryer", "desiccant"),
    ],
)
def test_a_problem_says_the_kind_of_filter_or_dryer(text: str, family: str, kind: str) -> None:
    needs = said(text)
    assert (needs["family"], needs.get("filter_kind", needs.get("dryer_kind"))) == (family, kind)


@pytest.mark.parametrize("text", ["no more water in the air lines", "nunca más agua en las mangueras",
                                  "kein Wasser mehr in der Leitung"])  # fmt: skip
def test_who_denies_the_trouble_wants_the_product(text: str) -> None:
    assert said(text) == {"family": "dryer"}


@pytest.mark.parametrize(
    ("text", "family"),
    [
        ("30 hp compressor, the pressure swings with the old one", "compressor"),
        ("looking for a receiver, the header pressure bounces", "receiver"),
        ("water cooled compressor, 7 bar", "compressor"),
    ],
)
def test_a_product_that_is_asked_for_goes_before_a_problem(text: str, family: str) -> None:
    assert said(text)["family"] == family


def test_a_machine_that_is_asked_for_by_its_kind_goes_before_a_problem() -> None:
    for text in ("need a 100 hp oil free screw, our old one left oil in the condensate",
                 "want a 50 hp vsd screw, pressure swings with the old one"):  # fmt: skip
        assert "family" not in said(text)


def test_a_problem_adds_the_kind_to_the_product_that_is_asked_for() -> None:
    assert said("need a dryer, the pipe outside freezes") == {"family": "dryer", "dryer_kind": "desiccant"}
    assert said("refrigerated dryer, the pipe outside freezes")["dryer_kind"] == "refrigerated"


def test_a_thing_or_a_trouble_alone_says_nothing() -> None:
    assert said("header pressure") == said("goes up and down") == {}


def test_a_problem_is_implied_and_the_flow_beside_it_is_of_the_machines() -> None:
    [item] = read("oil in the water that comes off two 100 hp screw compressors").items
    assert {each.attribute: each.implied_by for each in item.needs} == {
        "family": "problem", "accessory_kind": "problem", "cfm": "served",
    }  # fmt: skip
    flow = item.need("cfm")
    assert flow is not None
    assert flow.low == 900


@pytest.mark.parametrize(
    ("text", "kind"),
    [("our wine has an odor", "carbon"), ("le chocolat a un goût", "carbon"), ("bacteria in the yogurt", "sterile")],
)
def test_the_goods_of_a_trade_are_a_thing(text: str, kind: str) -> None:
    assert said(text)["filter_kind"] == kind


def test_a_product_between_a_thing_and_its_trouble_is_of_the_story() -> None:
    assert said("tilapia tanks low on oxygen")["family"] == "blower"
    assert said("the air hoses are full of water") == {"family": "dryer"}


def test_oil_that_is_denied_is_no_trouble() -> None:
    assert "family" not in said("the brewmaster will not hear of oil anywhere near the beer")


def test_past_quotes_are_not_read_for_problems() -> None:
    assert "family" not in needs_of(only_item("header pressure goes up and down"))


def test_every_problem_is_told_in_four_languages() -> None:
    table = tomllib.loads((TABLE.parent / "problems.toml").read_text("utf-8"))
    for each in table["problem"]:
        assert [sorted(each[part]) for part in ("thing", "trouble")] == [sorted(LANGUAGES)] * 2, each["says"]
        assert all(each[part][language] for part in ("thing", "trouble") for language in LANGUAGES), each["says"]


def test_a_long_text_is_read_for_problems_in_time() -> None:
    for text in (
        "oil water air line pressure tool paint smell moist " * 200,
        "the header pressure goes up and down " * 200,
    ):
        times = []
        for _ in range(5):
            begin = time.process_time()
            read(text)
            times.append(time.process_time() - begin)
        assert min(times) < 0.05  # on a quiet machine a third of that


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("the space is 1.5 m by 1 m", {"length_in": 59, "width_in": 39}),
        ("Stellfläche 120 x 90 cm", {"length_in": 47, "width_in": 35}),
        ("cabe en 2 x 1.2 x 1.8 metros", {"length_in": 79, "width_in": 47, "height_in": 71}),
        ("emplacement de 2 m sur 1 m", {"length_in": 79, "width_in": 39}),
        ("through a door 36 x 80 inches", {"width_in": 36, "height_in": 80}),
        ('fits 40" wide x 60" deep', {"width_in": 40, "length_in": 60}),
        ("8 feet by 5 feet of floor; it comes in through a door", {"length_in": 96, "width_in": 60}),
        ("floor 96 x 60 in, door 36 in", {"length_in": 96, "width_in": 60}),
        ("Stellfläche 2,5 m x 1,5 m, durch die Tür", {"length_in": 98, "width_in": 59}),
        ("superficie de 2 x 1 m, puerta estrecha", {"length_in": 79, "width_in": 39}),
        ("surface au sol 2 m x 1 m, porte étroite", {"length_in": 79, "width_in": 39}),
        ("the pump room floor is on the second storey, its door 36 x 80 inches", {"width_in": 36, "height_in": 80}),
    ],
)
def test_a_space_bounds_the_sides_of_a_machine(text: str, most: dict[str, int]) -> None:
    [found] = spaces(fold(text))
    assert {side: round(value) for side, value in found.most.items()} == most


def test_a_machine_may_be_turned_on_a_floor_whose_sides_have_no_names() -> None:
    row = {"family": "compressor", "length_in": 58.0, "width_in": 92.0}
    assert judge(only_item("compressor, floor 8 ft by 5 ft"), row).overall == "met"
    assert judge(only_item("compressor, floor 96 in long x 60 in wide"), row).overall == "contradicted"
    assert judge(only_item("compressor, floor 90 x 60 in"), row).overall == "contradicted"


def test_the_measures_of_a_manway_are_no_space() -> None:
    assert not list(spaces("receiver with a 12 x 16 inch manway"))


@pytest.mark.parametrize(
    "text",
    [
        "receiver, the paint shop won't allow any galvanized",
        "receiver, the plant forbids galvanized",
        "Behälter, verzinkt wird nicht akzeptiert",
        "tanque, la planta prohíbe galvanizado",
        "cuve, le client interdit le galvanisé",
    ],
)
def test_what_is_not_let_in_is_denied(text: str) -> None:
    assert said(text)["feature"] == "not galvanized"


def test_a_dryer_serves_the_machine_that_is_there() -> None:
    item = only_item("Bill has a piston machine that runs up to 190 psi. He wants a refrigerated dryer, 150 cfm.")
    assert needs_of(item) == {"psi": 190, "family": "dryer", "dryer_kind": "refrigerated", "cfm": 150}
    assert len(read("has a 30 hp screw and a dryer").items) == 2


def test_a_range_is_of_dryers_unless_a_demand_is_told() -> None:
    assert needs_of(only_item("refrigerated dryers between 600 and 700 cfm"))["cfm"] == "600–700 cfm (17–19.8 m³/min)"
    assert needs_of(only_item("refrigerated dryer for 300 to 500 cfm"))["cfm"] == 500
    assert needs_of(only_item("our load swings between 300 and 500 cfm, dryer"))["cfm"] == 500


@pytest.mark.parametrize(
    ("text", "machines"),
    [
        ("one box to run six compressors of four different brands", 6),
        ("lead lag control for two VSD and four fixed machines", 6),
        ("sequencer for six machines, two of them VSD", 6),
        ("Steuerung, die fünf Schraubenkompressoren abwechselnd laufen lässt", 5),
        ("tablero para coordinar cinco equipos de distintas marcas", 5),
        ("pilotage de 5 compresseurs", 5),
    ],
)
def test_a_sequencer_is_asked_for_so_many_machines(text: str, machines: int) -> None:
    item = read(text).items[0]
    controls = item.need("controls")
    assert controls is not None
    assert (needs_of(item)["accessory_kind"], controls.low) == ("sequencer", machines)


@pytest.mark.parametrize("text", ["sequencer for 50 hp compressors", "dryer for three compressors"])
def test_a_size_and_what_is_no_sequencer_count_no_machines(text: str) -> None:
    assert all(need.attribute != "controls" for need in read(text).needs)


@pytest.mark.parametrize(
    "text",
    [
        "the router eats MDF all day, 280 cfm of vacuum",
        "200 m3/h Vakuum für eine staubige Werkstatt",
        "100 m3/h de vacío, la bomba traga polvo",
    ],
)
def test_what_is_named_behind_its_size_is_asked_for_whatever_else_is_told(text: str) -> None:
    assert said(text)["family"] == "vacuum pump"


@pytest.mark.parametrize(
    "text", ["suction full of water and bits, 700 cfm", "la succión viene llena de agua, 700 pcm"]
)
def test_water_in_the_suction_asks_for_a_liquid_ring(text: str) -> None:
    assert said(text)["compression"] == "liquid-ring"


def test_who_wants_no_liquid_ring_is_offered_none() -> None:
    found = only_item("bomba de vacío sin agua, 25 HP, no anillo líquido").need("compression")
    [item] = read("bomba de vacío sin agua, 25 HP, no anillo líquido").items
    assert item.need("compression") == found
    assert found is not None
    assert found.operator == "none_of"


def test_a_name_of_a_chiller_tells_of_no_hot_air() -> None:
    assert said("Enfriadora condensada por aire, para el agua del anillo")["accessory_kind"] == "chiller"
    assert said("el aire sale muy caliente del compresor, hay que enfriarlo")["accessory_kind"] == "aftercooler"
