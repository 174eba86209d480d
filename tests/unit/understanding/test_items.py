"""Negation and its scope, and several items in one request."""

from datetime import date

import pytest

from quarry.understanding.reading import understand
from tests.unit.understanding.trade import NAMES, WORDS, need, needs_of, only_item, read


@pytest.mark.parametrize(
    ("text", "attribute", "values"),
    [
        ("not a desiccant dryer, 500 cfm", "dryer_kind", {"desiccant"}),
        ("dryer but no desiccant", "dryer_kind", {"desiccant"}),
        ("kein Adsorptionstrockner", "dryer_kind", {"desiccant"}),
        ("no piston or scroll, 30 hp", "compression", {"reciprocating", "scroll"}),
        ("no piston, scroll or vane compressor", "compression", {"reciprocating", "scroll", "vane"}),
        ("neither scroll nor piston", "compression", {"reciprocating", "scroll"}),
        ("keine Kolben- oder Scrollkompressoren", "compression", {"reciprocating", "scroll"}),
        ("compressor, not water cooled", "cooling", {"water"}),
        ("compressor without water cooling", "cooling", {"water"}),
        ("nicht wassergekühlt", "cooling", {"water"}),
        ("no belt drive", "drive", {"belt"}),
        ("no VFDs please, 50 hp screw", "drive", {"variable-speed"}),
        ("30 hp but they don't want another scroll", "compression", {"scroll"}),
        ("vacuum pump w/o water seal", "compression", {"liquid-ring"}),
        ("horizontal tanks won't fit, 120 gal", "feature", {"horizontal"}),
        ("liegender Behälter passt nicht", "feature", {"horizontal"}),
        ("anything but Quincy", "manufacturer", {"Quincy"}),
        ("other than Quincy", "manufacturer", {"Quincy"}),
        ("any compressor except Atlas Copco or Kaeser", "manufacturer", {"Atlas Copco", "Kaeser"}),
        ("not Quincy, Kaeser or Sullair", "manufacturer", {"Quincy", "Kaeser", "Sullair"}),
        ("kein Kaeser", "manufacturer", {"Kaeser"}),
        ("außer Kaeser", "manufacturer", {"Kaeser"}),
        ("que no sea Kaeser", "manufacturer", {"Kaeser"}),
        ("sauf Kaeser", "manufacturer", {"Kaeser"}),
        ("sin Kaeser", "manufacturer", {"Kaeser"}),
        ("Kaeser not acceptable", "manufacturer", {"Kaeser"}),
        ("not QMB30", "model", {"QMB30"}),
        ("compressor without dryer", "included", {"dryer"}),
        ("Kompressor ohne Behälter", "included", {"receiver"}),
        ("compresor sin secador", "included", {"dryer"}),
        ("sans sécheur, compresseur 30 kW", "included", {"dryer"}),
    ],
)
def test_what_is_negated_is_excluded_and_hard(text: str, attribute: str, values: set[str]) -> None:
    found = need(text, attribute)
    assert (found.operator, set(found.values), found.hard) == ("none_of", values, True)


@pytest.mark.parametrize(
    ("text", "attribute", "values"),
    [
        ("not Quincy but Kaeser", "manufacturer", {"Kaeser"}),
        ("no dryer, oilless compressor", "lubrication", {"oilless"}),
        ("instead of desiccant a refrigerated dryer", "dryer_kind", {"refrigerated"}),
        ("kein Kolben sondern Schraube", "compression", {"screw"}),
        ("no water available, air cooled", "cooling", {"air"}),
    ],
)
def test_a_negation_ends_where_its_clause_does(text: str, attribute: str, values: set[str]) -> None:
    wanted = [each for each in only_item(text).needs if each.attribute == attribute and each.operator == "one_of"]
    assert [set(each.values) for each in wanted] == [values]


@pytest.mark.parametrize(
    ("text", "attribute"),
    [
        ("oil-free compressor, dryer not required", "included"),
        ("need not be oil free, 100 hp", "lubrication"),
        ("no less than 300 cfm", "included"),
        ("not picky about brand, 100 hp", "manufacturer"),
    ],
)
def test_what_does_not_matter_is_no_need(text: str, attribute: str) -> None:
    assert only_item(text).need(attribute) is None


@pytest.mark.parametrize(
    ("text", "items"),
    [
        (
            "100HP air compressor and dryer and 400 gal tank",
            [
                {"hp": 100, "family": "compressor"},
                {"family": "dryer", "cfm": 450},
                {"gallons": 400, "family": "receiver"},
            ],
        ),
        (
            "100 HP compressor, 500 cfm dryer, 400 gal tank",
            [
                {"hp": 100, "family": "compressor"},
                {"cfm": 500, "family": "dryer"},
                {"gallons": 400, "family": "receiver"},
            ],
        ),
        (
            "1) 100 hp compressor 2) dryer 500 cfm 3) 400 gallon tank",
            [
                {"hp": 100, "family": "compressor"},
                {"family": "dryer", "cfm": 500},
                {"gallons": 400, "family": "receiver"},
            ],
        ),
        (
            "- compressor 100 hp\n- dryer 500 cfm\n- tank 400 gal",
            [
                {"family": "compressor", "hp": 100},
                {"family": "dryer", "cfm": 500},
                {"family": "receiver", "gallons": 400},
            ],
        ),
        (
            "Kompressor 100 PS und Trockner 500 cfm",
            [{"family": "compressor", "hp": 99}, {"family": "dryer", "cfm": 500}],
        ),
        (
            "compresor de 100 HP y secador de 500 cfm",
            [{"family": "compressor", "hp": 100}, {"family": "dryer", "cfm": 500}],
        ),
        (
            "compresseur 100 hp et réservoir 500 l",
            [{"family": "compressor", "hp": 100}, {"family": "receiver", "gallons": 132}],
        ),
        ("50 hp compressor with dryer", [{"hp": 50, "family": "compressor"}, {"family": "dryer", "cfm": 225}]),
        ("50 hp compressor plus dryer", [{"hp": 50, "family": "compressor"}, {"family": "dryer", "cfm": 225}]),
        ("50 hp compressor + dryer", [{"hp": 50, "family": "compressor"}, {"family": "dryer", "cfm": 225}]),
        (
            "a 50 hp and a 100 hp compressor",
            [{"hp": 50, "family": "compressor"}, {"hp": 100, "family": "compressor"}],
        ),
        ("SEHX10008-100 and KC-450HL", [{"model": "SEHX10008-100"}, {"model": "KC-450HL"}]),
        ("100 hp and a dryer 500 cfm", [{"hp": 100}, {"family": "dryer", "cfm": 500}]),
        (
            "oilless compressor for a dairy and bottling plant",
            [{"lubrication": "oilless", "family": "compressor", "industry": "beverage"}],
        ),
        ("dryer for a 100 hp compressor", [{"family": "dryer", "cfm": 450}]),
        ("compressor with integral dryer", [{"family": "compressor", "feature": "integrated-dryer"}]),
        ("100 hp (75 kW) compressor", [{"hp": 100, "family": "compressor"}]),
        ("vacuum pump or blower", [{"family": "blower, vacuum pump"}]),
        ("QMB30 vs QMB25", [{"model": "QMB25, QMB30"}]),
    ],
)
def test_each_quantity_and_word_goes_to_its_own_item(text: str, items: list[dict[str, object]]) -> None:
    assert [needs_of(item) for item in read(text).items] == items


def test_an_adjective_is_shared_where_two_machines_follow_it() -> None:
    first, second = read("oilless vacuum pump and compressor").items
    assert first.need("lubrication") == second.need("lubrication")


@pytest.mark.parametrize("text", ["screw compressors\n10 hp\n20 hp", "10 hp\n20 hp screw compressors"])
def test_lines_of_one_thing_name_it_in_the_words_that_say_it(text: str) -> None:
    families = [need for need in read(text).needs if need.attribute == "family"]
    assert [(need.words, need.implied_by) for need in families] == [("screw compressors", None)] * 2


def test_what_all_items_are_for_is_shared() -> None:
    assert all(item.need("industry") for item in read("100 hp compressor and dryer for a dairy").items)


def test_the_families_of_a_request_are_those_of_its_items() -> None:
    assert read("compressor and dryer").families == {"compressor", "dryer"}


def test_the_machine_that_goes_is_not_asked_for() -> None:
    item = only_item("replace our 50 HP recip with a 40HP screw")
    assert needs_of(item)["hp"] == 40


@pytest.mark.parametrize(
    ("text", "operator", "low", "high"),
    [
        ("quotes since 2024", "at_least", 20240101, None),
        ("Angebote seit 2023", "at_least", 20230101, None),
        ("desde 2022", "at_least", 20220101, None),
        ("depuis 2022", "at_least", 20220101, None),
        ("quotes before 2022", "at_most", None, 20211231),
        ("quotes in 2023", "between", 20230101, 20231231),
        ("2019-2021 quotes", "between", 20190101, 20211231),
        ("between 2019 and 2021", "between", 20190101, 20211231),
        ("quotes from last year", "between", 20250101, 20251231),
        ("letztes Jahr", "between", 20250101, 20251231),
        ("este año", "at_least", 20260101, None),
        ("in the last two years", "at_least", 20241122, None),
        ("quotes from March 2024", "between", 20240301, 20240331),
        ("seit Mai 2023", "at_least", 20230501, None),
        ("desde mayo de 2023", "at_least", 20230501, None),
        ("depuis juin 2023", "at_least", 20230601, None),
        ("before June 2024", "at_most", None, 20240531),
        ("bis Juni 2023", "at_most", None, 20230630),
        ("after March 2024", "at_least", 20240401, None),
        ("quotes after 2020", "at_least", 20210101, None),
        ("March 2023 to May 2024", "between", 20230301, 20240531),
        ("Angebote Januar bis März 2024", "between", 20240101, 20240331),
        ("de enero a marzo de 2024", "between", 20240101, 20240331),
        ("entre janvier et mars 2024", "between", 20240101, 20240331),
        ("Sept. 2023 quotes", "between", 20230901, 20230930),
        ("quotes in 03/2024", "between", 20240301, 20240331),
        ("Angebote 02.2024", "between", 20240201, 20240229),
        ("quotes since 2024-03", "at_least", 20240301, None),
        ("quotes since March", "at_least", 20260301, None),
        ("offers since December", "at_least", 20251201, None),
    ],
)
def test_time_is_read(text: str, operator: str, low: float | None, high: float | None) -> None:
    found = understand(text, words=WORDS, names=NAMES, today=date(2026, 11, 22)).items[0].need("date")
    assert found is not None
    assert (found.operator, found.low, found.high) == (operator, low, high)


@pytest.mark.parametrize(
    ("text", "operator", "value", "currency"),
    [
        ("compressor under $50,000", "at_most", 50_000, "USD"),
        ("budget of 50k", "about", 50_000, ""),
        ("Kompressor bis 20.000 €", "at_most", 20_000, "EUR"),
        ("around 45000 dollars", "about", 45_000, "USD"),
    ],
)
def test_money_is_a_price(text: str, operator: str, value: float, currency: str) -> None:
    found = need(text, "price")
    assert (found.operator, found.high) == (operator, value)
    assert found.values == ({currency} if currency else set())


def test_a_point_that_shortens_a_word_ends_no_item() -> None:
    first, second = read("Kompressor 11 m³/min, ca. 75 kW, dazu Kältetrockner").items
    assert first.need("hp") is not None
    assert second.families == {"dryer"}


def test_a_service_that_is_added_is_an_item_of_its_own() -> None:
    first, second = read("oilless 100 hp at 100 psi with installation").items
    assert first.need("hp") is not None
    assert second.families == {"service"}


def test_a_negation_does_not_reach_over_words_that_say_something() -> None:
    item = only_item("compressor that will not contaminate the paint")
    assert all(each.operator != "none_of" for each in item.needs)


def test_the_items_of_a_tender_are_parted_by_their_numbers() -> None:
    items = read("Item 1: screw compressor 100 hp. Item 2: dryer 500 scfm. Item 3: receiver 400 gal.").items
    assert [item.text[:6] for item in items] == ["Item 1", "Item 2", "Item 3"]


def test_a_size_of_a_room_counts_no_machines() -> None:
    assert only_item("fits a 10x12 room, 15 hp").quantity is None


def test_the_number_of_a_quote_is_no_model() -> None:
    request = read("quote Q22-0518 compressor")
    assert not request.absent
    assert need("quote Q22-0518", "quote_number").values == {"Q22-0518"}


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("heatless twin tower 150", "cfm", 150),
        ("desiccant, low purge, 450", "cfm", 450),
        ("reefer dryer abt 400", "cfm", 400),
        ("the tank, 240 is fine", "gallons", 240),
    ],
)
def test_a_figure_without_a_unit_is_the_size_of_a_family_that_has_but_one(
    text: str, attribute: str, value: float
) -> None:
    assert need(text, attribute).low == value


@pytest.mark.parametrize(
    "text", ["dryer QHD-325", "refrigerated dryer, 2 pcs", "dryer 500 cfm, item 17", "dryer by 12/2026"]
)
def test_other_figures_are_no_size(text: str) -> None:
    assert {each.low for each in only_item(text).needs if each.attribute == "cfm"} <= {500.0}


def test_what_is_too_small_is_exceeded() -> None:
    found = need("our claw pump (10 hp) is too small now", "hp")
    assert found.operator == "at_least"
    assert found.low is not None
    assert found.low > 10


def test_of_the_machine_that_goes_only_what_the_new_one_is_told_by_is_left_out() -> None:
    assert needs_of(only_item("our old 15 horse recip died, need a quiet screw"))["hp"] == 15
    assert needs_of(only_item("they have a 200 cfm screw, want 350 cfm"))["cfm"] == 350


def test_what_a_quote_lost_to_is_no_need() -> None:
    assert {each.attribute for each in only_item("lost to lubricated screw with food grade oil").needs} == {
        "outcome",
        "reason",
    }


def test_a_machine_that_was_replaced_tells_its_family_alone() -> None:
    item = only_item("liquid ring replaced because of the water bill")
    assert item.families == {"vacuum_pump"}
    assert item.need("compression") is None


def test_a_model_that_stands_before_what_is_asked_for_is_not_asked_for() -> None:
    item = only_item("what goes behind a ZT75 if they want 38 degree pdp? 417 cfm")
    assert item.families == {"dryer"}
    assert item.need("model") is None


def test_machines_that_are_controlled_are_no_item() -> None:
    assert only_item("master controller 8 compressors").families == {"accessory"}


@pytest.mark.parametrize("text", ["100 hp, pas de vis lubrifiée", "100 hp, no lubricated screw"])
def test_a_screw_whose_lubrication_is_denied_is_not_denied_itself(text: str) -> None:
    assert need(text, "lubrication").values == {"oilless", "oil-free"}
    compression = only_item(text).need("compression")
    assert compression is None or compression.operator == "one_of"


@pytest.mark.parametrize(
    "text", ["which dryer for this at minus 40?", "-40 dew point, paint booth", "38 F pdp, 250 cfm"]
)
def test_degrees_beside_a_dryer_are_a_dew_point(text: str) -> None:
    assert need(text, "dewpoint_f").high in (-40, 38)


def test_pounds_at_a_flow_are_a_pressure_and_alone_a_weight() -> None:
    assert need("compressor 350 cfm at 125 lb", "psi").low == 125
    assert only_item("compressor under 2000 lb").need("lb") is not None


@pytest.mark.parametrize(
    ("text", "family"), [("1000 cfm 8 psi aeration", "blower"), ("1000 cfm 100 psi", "compressor")]
)
def test_air_of_a_few_pounds_is_blown(text: str, family: str) -> None:
    assert only_item(f"{text}, 100 hp").families == {family}


def test_what_stands_before_and_who_won_are_no_needs_where_nothing_is_replaced() -> None:
    behind = only_item("what goes behind a ZT75 if they want 38 degree pdp?")
    assert behind.need("model") is None
    won = only_item("lost to lubricated machine with food grade oil")
    assert won.need("lubrication") is None


@pytest.mark.parametrize(
    ("text", "least"),
    [
        ("load swings 150 to 330 cfm, lubed", 330),
        ("demand varies between 80 and 120 cfm, oilless", 120),
        ("Bedarf schwankt zwischen 5 und 9 m³/min, ölfrei", 318),
    ],
)
def test_of_a_demand_that_varies_the_most_has_to_be_given(text: str, least: int) -> None:
    found = need(text, "cfm")
    assert (found.operator, round(found.low or 0), found.high) == ("at_least", least, None)


def test_a_bound_does_not_reach_over_the_end_of_a_sentence() -> None:
    found = need("They have a recip that is not up to it. 350 cfm lubricated", "cfm")
    assert (found.operator, found.low) == ("exactly", 350)


def test_a_grade_of_steel_is_no_size_of_a_tank() -> None:
    assert only_item("sanitary 304 vessel").need("gallons") is None
    assert need("sanitary vessel 300", "gallons").low == 300


@pytest.mark.parametrize(
    ("text", "attribute", "low"),
    [
        ("300 cfm screw with 20 % spare", "cfm", 360),
        ("oil free 300 cfm plus 25% margin", "cfm", 375),
        ("Schraubenkompressor 10 m³/min mit 20 % Reserve", "cfm", 424),
        ("tornillo 400 cfm con 15 % de margen", "cfm", 460),
        ("compresseur à vis 8 m3/min avec une marge de 25 %", "cfm", 353),
        ("claw pump 250 cfm, 30 percent headroom", "cfm", 325),
        ("50 hp screw and 20 % reserve", "hp", 60),
        ("30 hp screw at 20 % margin", "hp", 30),
        ("300 cfm screw, 20 % off list", "cfm", 300),
    ],
)
def test_a_share_to_spare_makes_a_size_larger_and_a_share_of_money_does_not(
    text: str, attribute: str, low: int
) -> None:
    assert round(need(text, attribute).low or 0) == low


def test_a_dryer_for_up_to_a_flow_has_to_do_with_it() -> None:
    assert need("refrigerated dryer for up to 200 cfm", "cfm").operator == "exactly"
    assert need("blower up to 200 cfm", "cfm").operator == "at_most"


def test_of_machines_that_go_and_one_that_comes_the_latter_is_asked_for() -> None:
    assert needs_of(only_item("two 50 hp go out, one 100 hp lubricated comes in"))["hp"] == 100


def test_the_maker_of_what_goes_need_not_be_that_of_what_comes() -> None:
    assert only_item("swap our old 60 hp Ingersoll Rand for a VSD").need("manufacturer") is None


def test_a_half_in_words_is_part_of_the_number() -> None:
    assert need("seven and a half horse scroll", "hp").low == 7.5


@pytest.mark.parametrize(
    ("text", "quantity"),
    [
        ("my body shop needs a new compressor, two paint guns and a sander at once", None),
        ("two body shop compressors", 2),
        ("two dental compressors, 10 hp", 2),
    ],
)
def test_what_uses_the_air_is_no_count_of_machines(text: str, quantity: int | None) -> None:
    assert only_item(text).quantity == quantity


def test_a_sound_enclosure_behind_a_machine_is_what_it_has() -> None:
    item = only_item("rotary screw 25 hp with sound enclosure, max width 30 in")
    assert item.families == {"compressor"}
    assert item.need("width_in")
    assert item.need("feature")


def test_a_sound_enclosure_for_a_machine_is_a_thing() -> None:
    assert only_item("sound enclosure for a 50 hp blower").families == {"accessory"}


def test_a_small_compressor_with_tank_is_one_machine() -> None:
    asked = only_item("small scroll compressor with tank, single phase 230/1/60")
    assert asked.families == {"compressor"}
    assert asked.need("voltage") is not None


def test_the_inlet_of_a_dryer_is_no_room() -> None:
    asked = only_item("Kältetrockner 6 m³/min, Eintrittstemperatur 45 °C, Raum 30 °C")
    inlet, room = asked.need("inlet_f"), asked.need("ambient_f")
    assert inlet is not None
    assert room is not None
    assert (inlet.high, room.high) == (113.0, 86.0)


def test_the_norm_beside_a_class_is_read() -> None:
    request = read("oil-free compressor 50 hp, class 0 to ISO 8573-1:2010")
    assert request.not_understood == ()
    assert not any(need.attribute == "date" for need in request.needs)


def test_auto_stop_tells_no_trade() -> None:
    assert not any(need.attribute == "industry" for need in read("Auto stop and start with idle timer.").needs)


@pytest.mark.parametrize(
    "text",
    [
        "screw on a tank with dryer, 10 hp, 120 gallon",
        "kompressor 15 kw mit trockner auf 500 l kessel",
        "compresor de 10 hp con secador sobre tanque de 300 litros",
        "compresseur 7,5 kW avec sécheur sur cuve 270 litres",
    ],
)
def test_a_small_compressor_with_dryer_on_a_tank_is_one_machine(text: str) -> None:
    item = only_item(text)
    assert item.families == {"compressor"}
    assert {value for need in item.needs if need.attribute == "feature" for value in need.values} >= {
        "integrated-dryer"
    }


@pytest.mark.parametrize(
    "text",
    [
        "Kolbenkompressor 400 V, 10 bar, 90 Liter Kessel",
        "two-stage piston, 80 gallon tank, single phase 240",
        "10 hp screw, 120 gal tank",
        "7,5 kW Kompressor mit 270 l Behälter",
        "compresor de pistón 5 hp, tanque de 300 litros",
        "compresseur à piston 4 kW, cuve 270 l",
    ],
)
def test_the_tank_behind_a_comma_is_the_one_that_a_small_machine_stands_on(text: str) -> None:
    item = only_item(text)
    assert item.families == {"compressor"}
    assert item.need("gallons") is not None


@pytest.mark.parametrize(
    "text", ["50 hp screw, 400 gal tank", "10 hp screw and a 120 gal tank", "vacuum pump 10 hp, 1000 gal tank"]
)
def test_a_tank_that_carries_no_machine_is_a_thing_of_its_own(text: str) -> None:
    assert [item.families for item in read(text).items][1:] == [{"receiver"}]


@pytest.mark.parametrize("text", ["galvanized 500 gallon with drain and gauge", "500 l verzinkt mit Ableiter"])
def test_gallons_with_a_drain_are_a_vessel(text: str) -> None:
    assert only_item(text).families == {"receiver"}


@pytest.mark.parametrize("text", ["heat recovery for 100 hp screw", "Wärmerückgewinnung für 75 kW Schraube"])
def test_heat_recovery_for_a_machine_is_the_part(text: str) -> None:
    assert only_item(text).families == {"accessory"}


def test_the_room_that_a_dryer_goes_into_is_no_compressor_and_tells_its_flow() -> None:
    items = read("100 hp compressor room, need dryer and filters").items
    assert [item.families for item in items] == [{"dryer"}, {"filtration"}]
    assert all(item.need("cfm") is not None for item in items)


def test_what_is_dried_asks_for_a_dryer() -> None:
    assert only_item("we need to dry 800 cfm to 35 degrees").families == {"dryer"}


@pytest.mark.parametrize(
    "text",
    [
        "3 C dew point for 60 kW compressor",
        "dew point -40 for a 100 hp screw",
        "punto de rocío de 3 °C para compresor de 50 hp",
        "Drucktaupunkt 3 Grad für einen 22 kW Kompressor",
    ],
)
def test_a_dew_point_for_a_machine_asks_for_its_dryer(text: str) -> None:
    item = only_item(text)
    assert item.families == {"dryer"}
    assert item.need("cfm") is not None


@pytest.mark.parametrize(
    ("text", "quantity"),
    [("a compressor that runs 24/7 at 85 psi", None), ("rotary vane, once-through oil, 40 cfm", None)],
)
def test_round_the_clock_and_once_count_nothing(text: str, quantity: int | None) -> None:
    assert only_item(text).quantity == quantity


def test_what_a_blower_comes_with_is_no_second_thing() -> None:
    item = only_item("blower 400 cfm 5 psi with silencer and relief valve")
    assert item.families == {"blower"}
    assert item.need("accessory_kind") is None


def test_of_a_machine_that_died_another_is_wanted_with_its_dryer() -> None:
    items = read("our 75 hp died, need a new one with dryer").items
    assert [item.families for item in items][-1] == {"dryer"}
    assert (len(items), needs_of(items[0])["hp"]) == (2, 75)


@pytest.mark.parametrize(
    "text", ["400 gallon receiver with a 1/2 inch drain and 165 psi relief valve", "dryer 100 cfm with a drain"]
)
def test_a_part_with_an_article_is_still_a_part(text: str) -> None:
    assert len(read(text).items) == 1


def test_a_flow_with_a_tank_asks_for_a_compressor_on_it() -> None:
    assert only_item("anything of 15-20 cfm at 175 psi with an 80 gallon tank").families == {"compressor"}


@pytest.mark.parametrize("text", ["compressor, dryer, 400 gal tank, 50 hp", "compressor + dryer + tank, 50 HP"])
def test_the_power_behind_all_is_the_machine_s(text: str) -> None:
    items = {min(item.families): needs_of(item) for item in read(text).items}
    assert items["compressor"]["hp"] == 50
    assert items["dryer"]["cfm"] == 225
    assert "hp" not in items["receiver"]


def test_both_machines_pass_their_air() -> None:
    assert need("one dryer for both my 75 hp compressors", "cfm").low == 675


def test_two_finenesses_are_two_filters() -> None:
    items = read("a 1 micron and a .01 micron filter, 250 cfm").items
    assert [need.low for item in items for need in item.needs if need.attribute == "micron"] == [1, 0.01]


def test_the_figure_of_a_name_counts_no_machines() -> None:
    assert only_item("R5 pump 100 cfm rebuild").quantity is None


@pytest.mark.parametrize(
    "text",
    [
        "two dry vane vacuum pumps VTLF 2.500, no oil anywhere in the pump, 350 cfm each, 208/3/60",
        "dry vane vacuum pump VTLF 2.500, 350 cfm from each pump, no oil in the pump, 208/3/60",
        "trockene Vakuumpumpe VTLF 2.500, kein Öl in der Pumpe, 350 cfm, 208/3/60",
        "bomba de vacío seca VTLF 2.500, sin aceite en la bomba, 350 cfm cada bomba, 208/3/60",
    ],
)
def test_a_thing_that_is_pointed_back_at_is_no_second_one(text: str) -> None:
    item = only_item(text)
    assert {"model", "cfm", "voltage"} <= {each.attribute for each in item.needs}


@pytest.mark.parametrize(
    ("text", "cooling"),
    [("bomba de vacío refrigerada por aire, 450 m³/h", "air"), ("bombas de vacío refrigeradas por agua", "water")],
)
def test_a_pump_is_cooled_and_never_of_a_kind_of_dryers(text: str, cooling: str) -> None:
    item = only_item(text)
    assert [each.values for each in item.needs if each.attribute == "cooling"] == [{cooling}]
    assert item.need("dryer_kind") is None


def test_the_distance_of_a_noise_and_the_day_of_a_delivery_are_no_needs_of_a_machine() -> None:
    item = only_item("oil-free blower, 1800 cfm, max 80 dBA at 1 m, delivery by Friday")
    assert {each.attribute for each in item.needs} == {"family", "lubrication", "cfm", "dba"}


@pytest.mark.parametrize(
    "text",
    [
        "oilless compressor, 55 dBA, is the air dry without a dryer?",
        "Kompressor, ist die Luft ohne Trockner trocken?",
    ],
)
def test_who_asks_whether_air_is_dry_without_a_dryer_forbids_none(text: str) -> None:
    assert only_item(text).need("included") is None
    assert only_item("oilless compressor without dryer").need("included") is not None
