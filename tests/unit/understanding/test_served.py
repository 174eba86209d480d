"""What is said beside a thing and is none of its needs: the machine it serves, the site, the story, its fittings."""

import pytest

from quarry.understanding.fit import judge
from quarry.understanding.names import Names
from quarry.understanding.reading import understand
from tests.unit.understanding.trade import NAMES, WORDS, need, needs_of, only_item, read


@pytest.mark.parametrize(
    ("text", "cfm"),
    [
        ("refrigerated dryer for a 330 cfm compressor", 330),
        ("dryer to match the 330 cfm rotary screw compressor, 110 psig", 330),
        ("dryer to suit a compressor delivering 330 cfm", 330),
        ("coalescing filter behind our 330 cfm oil-flooded screw", 330),
        ("oil water separator for a 200 cfm compressor", 200),
        ("dryer for two 330 cfm compressors", 660),
        ("Kältetrockner für einen Kompressor mit 6 m³/min", 212),
        ("Trockner passend zum Schraubenkompressor, 6 m³/min", 212),
        ("Trockner hinter zwei Kompressoren je 6 m³/min", 424),
        ("Kältetrockner für beide Kompressoren zusammen (2 x 5 m³/min), DTP +3 °C", 353),
        ("one dryer for both compressors together (2 x 177 cfm)", 354),
        ("one dryer for both compressors together, 400 cfm", 400),
        ("Öl-Wasser-Trenner für zwei Schraubenkompressoren je 30 kW, 5,0 m³/min", 353),
        ("sécheur pour les deux compresseurs, 2 x 6 m3/min", 424),
        ("secador para ambos compresores, 6 m3/min cada uno", 424),
        ("secador frigorífico para un compresor de 10 HP y 38 pcm", 38),
        ("sécheur frigorifique derrière un compresseur de 6 m3/min", 212),
    ],
)
def test_what_treats_the_air_of_a_machine_passes_its_flow_and_has_nothing_else_of_it(text: str, cfm: int) -> None:
    item = only_item(text)
    assert needs_of(item)["cfm"] == cfm
    assert not {"hp", "lubrication", "compression"} & {each.attribute for each in item.needs}


def test_who_counts_the_machines_in_front_asks_for_no_more_of_what_stands_behind() -> None:
    assert only_item("one dryer for both compressors together (2 x 177 cfm)").quantity is None
    assert only_item("two dryers 177 cfm").quantity == 2


def test_of_a_machine_whose_power_alone_is_said_the_flow_is_assumed_and_says_so() -> None:
    flow = need("dryer behind a 50 hp screw", "cfm")
    assert (flow.low, flow.implied_by) == (225, "served")
    assert "assumed of 50 hp" in flow.shown


@pytest.mark.parametrize("text", ["receiver for a 330 cfm compressor", "drain for a 330 cfm compressor",
                                  "sequencer for two 330 cfm compressors"])  # fmt: skip
def test_what_no_air_passes_has_no_flow_of_the_machine(text: str) -> None:
    assert only_item(text).need("cfm") is None


@pytest.mark.parametrize(
    "text",
    [
        "Pre filter and after filter for the refrigerated dryer, 330 cfm, 110 psig",
        "400 gallon vertical receiver with relief valve and drain, 200 psi",
        "Druckluftbehälter 2000 l mit Sicherheitsventil und Manometer",
        "réservoir 500 l avec soupape de sécurité et purgeur",
        "tanque de 500 litros con válvula de seguridad y manómetro",
        "instalación y arranque",
        "Spare parts for the rotary screw compressors and the desiccant dryer",
        "50 hp screw compressor. Air cooled. 460/3/60. The compressor room is 35F in winter.",
        "sequencing controller two 50 hp compressors",
    ],
)
def test_what_belongs_to_a_thing_is_no_item_of_its_own(text: str) -> None:
    only_item(text)


@pytest.mark.parametrize(
    "text",
    [
        "a 50 hp compressor and a 330 cfm dryer",
        "coalescing filter and carbon filter, 330 cfm",
        "50 hp compressor and a 100 hp compressor",
        "240 gallon receiver and two zero loss drains",
    ],
)
def test_a_second_thing_that_is_spelt_out_stays_one(text: str) -> None:
    assert len(read(text).items) == 2


def test_a_flow_that_is_said_once_is_of_all_that_the_air_passes() -> None:
    items = read("secador y filtros para compresor de 38 pcm").items
    assert [round(flow.low or 0) for item in items if (flow := item.need("cfm"))] == [38, 38]


@pytest.mark.parametrize(
    ("text", "feet"),
    [
        ("50 hp compressor, 10,150 ft elevation", 10150),
        ("50 hp compressor, 10,150 ft above sea level", 10150),
        ("50 hp compressor at 5,000 ft", 5000),
        ("altitude 1600 m, 50 hp compressor", 5249),
        ("Kompressor 37 kW, Aufstellort 1200 m über NN", 3937),
        ("Kompressor 37 kW, 1.200 m ü. NN", 3937),
        ("compresor 50 hp, a 2600 m s.n.m.", 8530),
        ("compresor 50 hp a 2.600 msnm", 8530),
        ("compresseur 37 kW à 1 500 m d'altitude", 4921),
    ],
)
def test_an_altitude_is_a_site_and_no_dimension(text: str, feet: int) -> None:
    item = only_item(text)
    assert needs_of(item)["altitude_ft"] == feet
    assert item.need("in") is None
    finding = next(
        each
        for each in judge(item, {"family": "compressor", "hp": 50.0}).findings
        if each.need.attribute == "altitude_ft"
    )
    assert finding.verdict == "unknown"


def test_a_room_has_one_range_of_temperatures() -> None:
    assert need("room is 35F in winter to 95F in summer, dryer 330 cfm", "ambient_f").shown.startswith("35–95 °F")


@pytest.mark.parametrize(
    "text",
    ["75 hp compressor, bought 1984", "screw compressor (75 hp, 1984)", "Kompressor 55 kW, Baujahr 1998",
     "compresor de 50 hp comprado en 1998", "compresseur 37 kW installé en 2005",
     "50 hp compressor installed in 2009"],
)  # fmt: skip
def test_a_customers_story_filters_no_past_quotes(text: str) -> None:
    assert not {"outcome", "date"} & {each.attribute for each in only_item(text).needs}


@pytest.mark.parametrize(
    "text", ["who bought screw compressors in 2022", "quotes lost in 2022", "what have we sold in 2022"]
)
def test_what_is_asked_of_the_archive_keeps_outcome_and_date(text: str) -> None:
    assert {"outcome", "date"} <= {each.attribute for each in only_item(text).needs}


def test_a_part_of_a_company_is_not_its_name_within_another() -> None:
    names = Names(NAMES.makers, NAMES.models, {"fort jennings gray iron": "Fort Jennings Gray Iron"})
    asked = [
        understand(text, words=WORDS, names=names)
        for text in ("American Iron and Steel certificate", "the Jennings job")
    ]
    assert [any(each.attribute == "customer" for each in request.needs) for request in asked] == [False, True]


def test_a_question_about_a_size_asks_for_none() -> None:
    text = "Screw compressor, 330 cfm at 125 psig. Do I need to go to 100 hp at our elevation?"
    assert needs_of(only_item(text))["cfm"] == 330
    assert only_item(text).need("hp") is None


def test_the_power_of_what_is_replaced_is_asked_for_where_the_flow_is_that_of_it() -> None:
    same = read("screw compressor, 330 cfm, replaces Joy TA-075 75 hp")
    assert needs_of(same.items[0])["hp"] == 75
    assert {value for each in same.absent for value in each.values} == {"Joy", "TA-075"}
    assert only_item("replace a 25 hp recip with a 330 cfm screw").need("hp") is None


def test_quiet_orders_rows_and_contradicts_none() -> None:
    item = only_item("compresor de tornillo 10 HP silencioso")
    rows = [
        {"family": "compressor", "category": "ROTARY SCREW", "hp": 10.0, "noise_dba": dba} for dba in (66.0, 79.0)
    ]
    assert [judge(item, row).overall for row in rows] == ["met", "met"]
    assert [judge(item, row).met for row in rows] == [4, 3]


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("oilless compressor, 140 psi and 85 or so cfm", "cfm", 85),
        ("screw compressor, 75-ish hp", "hp", 75),
        ("1.2k cfm dryer", "cfm", 1200),
        ("Kältetrockner für 18 Kubik pro Minute", "cfm", 636),
        ("Schraubenkompressor 9 Kubik", "cfm", 318),
        ("air receiver stamped for 500 pounds", "psi", 500),
        ("tanque de mil litros a 11 kilos", "psi", 156),
        ("20 ton chiller", "tons", 20),
        ("compressor makes 200 cfm, want double that", "cfm", 400),
        ("240 gallon tank, want four times that", "gallons", 960),
        ("37er Schraubenkompressor", "hp", 50),
    ],
)
def test_a_size_is_read_however_it_is_said(text: str, attribute: str, value: float) -> None:
    assert round(float(str(needs_of(only_item(text))[attribute]))) == value


def test_a_machine_that_stands_on_a_tank_is_asked_for_and_not_the_tank() -> None:
    item = only_item("10 horse on an 80 gal tank")
    assert item.families == {"compressor"}
    assert {each.attribute for each in item.needs} == {"family", "hp", "gallons"}


def test_the_model_that_is_served_is_told_beside_the_needs() -> None:
    item = only_item("dryer for two QMB30")
    assert item.served is not None
    assert item.served.values == {"QMB30"}
    assert item.served.machines == 2


@pytest.mark.parametrize("text", ["zero loss drian", "liqiud rign vacum pump", "medcal vacum sytem"])
def test_slips_are_forgiven_in_phrases(text: str) -> None:
    kinds = {value for each in only_item(text).needs for value in each.values}
    assert kinds & {"zero-loss-drain", "liquid-ring", "hospital"}


@pytest.mark.parametrize(
    "text",
    [
        "dryer with pressure dew point of -40 in place of the refrigerated dryer, 300 cfm at 145 psi",
        "a dryer with a pressure dew point of -40 instead of our 200 cfm Kaeser refrigerated dryer, 300 cfm, 145 psi",
        "swap the refrigerated dryer for one with a dew point of -40, 300 cfm at 145 psi",
        "swap the refrigerated dryer for a dryer with -40 dew point, 300 cfm at 145 psi",
        "-40 dew point dryer, 300 cfm at 145 psi, replaces the refrigerated dryer",
        "the refrigerated dryer won't get there, so a dryer with -40, 300 cfm at 145 psi",
        "Trockner mit Drucktaupunkt -40 anstelle des Kältetrockners, 300 cfm, 10 bar",
        "Kältetrockner ersetzen durch einen mit Drucktaupunkt -40 °C, 300 cfm, 10 bar",
        "secador con punto de rocío -40 en lugar del secador refrigerativo, 300 cfm a 10 bar",
        "un sécheur point de rosée -40 à la place du sécheur frigorifique, 300 cfm, 10 bar",
    ],
)
def test_what_goes_is_no_item_and_the_rest_of_the_sentence_keeps_its_needs(text: str) -> None:
    item = only_item(text)
    assert item.families == {"dryer"}
    told = {each.attribute: each for each in item.needs if each.operator != "none_of"}
    assert not {"dryer_kind", "manufacturer"} & told.keys()
    assert (told["dewpoint_f"].high, told["cfm"].low, round(told["psi"].low or 0)) == (-40, 300, 145)


def test_of_many_that_go_the_one_that_comes_is_asked_for() -> None:
    item = only_item("one screw vacuum pump in place of many vane pumps")
    assert needs_of(item)["compression"] == "screw"


@pytest.mark.parametrize(
    "text",
    [
        "vacuum pump 200 cfm. It stands on a mezzanine, the engineer allows 1,000 pounds for the pump, not one more. "
        "76 dBA or quieter.",
        "Vakuumpumpe 340 m3/h. Der Statiker erlaubt 454 kg für die Pumpe. Höchstens 76 dB(A).",
        "bomba de vacío 340 m3/h. La bomba no debe pesar más de 454 kg. Máximo 76 dB(A).",
        "pompe à vide 340 m3/h. La pompe ne doit pas dépasser 454 kg. 76 dB(A) maximum.",
    ],
)
def test_what_a_sentence_says_of_the_thing_before_is_its_limit(text: str) -> None:
    needs = {each.attribute: each for each in only_item(text).needs}
    assert needs["lb"].high == pytest.approx(1000, rel=0.01)
    assert (needs["lb"].operator, needs["dba"].high) == ("at_most", 76)


def test_an_accessory_that_nobody_wants_is_no_thing() -> None:
    item = only_item("dry vacuum pump 150 cfm. I am not putting a chiller in. Same 460 volts.")
    assert needs_of(item)["voltage"] == "460 V"
    assert item.families == {"vacuum_pump"}
    assert not {"feature", "included", "accessory_kind"} & needs_of(item).keys()


@pytest.mark.parametrize(
    "text",
    [
        "15 cfm at 100 psi, oilless, with the dryer inside the same cabinet, 58 dBA at most",
        "oilless scroll 15 cfm, dryer built in, 58 dBA max",
        "oilless scroll 15 cfm with integral refrigerated dryer, 58 dBA max",
        "ölfreier Kompressor 25 m3/h mit Kältetrockner im selben Gehäuse, max 58 dB(A)",
        "compresor sin aceite 25 m3/h con secador frigorífico en el mismo gabinete, 58 dB(A) máximo",
        "compresseur sans huile 25 m3/h avec sécheur frigorifique intégré, 58 dB(A) maximum",
    ],
)
def test_a_dryer_within_the_machine_is_a_feature_of_it(text: str) -> None:
    needs = needs_of(only_item(text))
    assert needs["feature"] == "integrated-dryer"
    assert needs.get("family", "compressor") == "compressor"
    assert "dryer_kind" not in needs
    assert needs["dba"]


def test_a_dryer_within_a_room_is_a_thing_of_its_own() -> None:
    assert len(read("50 hp compressor, 200 cfm dryer inside the compressor room").items) == 2


@pytest.mark.parametrize(
    ("description", "verdict"),
    [
        ("Oil-less scroll with a refrigerated dryer squeezed in the same cabinet.", "met"),
        ("Optional integral refrigerated dryer in the same skin.", "close"),
        ("Oil-less scroll.", "unknown"),
    ],
)
def test_a_row_tells_whether_its_dryer_is_in_it(description: str, verdict: str) -> None:
    item = only_item("oilless scroll compressor with the dryer in the same cabinet")
    judged = judge(item, {"family": "compressor", "lubrication": "oilless", "description": description})
    assert {each.need.attribute: each.verdict for each in judged.findings}["feature"] == verdict


@pytest.mark.parametrize(
    ("text", "each"),
    [
        ("two QGV-50 for 400 cfm together at 100 psi", 200),
        ("QGV-50, two for 400 cfm free air", 200),
        ("zwei QGV-50 für zusammen 400 cfm", 200),
        ("three vacuum pumps, 600 cfm in total, 25 inHg", 200),
        ("two compressors for 300 cfm each", 300),
        ("two 300 cfm compressors", 300),
    ],
)
def test_a_flow_that_several_give_together_is_shared_among_them(text: str, each: float) -> None:
    item = only_item(text)
    flow = item.need("cfm")
    assert flow is not None
    assert flow.low == pytest.approx(each)
    assert flow.machines in (None, item.quantity)


def test_voltage_off_the_nominal_one_is_for_the_maker_to_confirm() -> None:
    item = only_item("screw compressor 30 kW, 415 V 3 phase 50 Hz")
    row = {"family": "compressor", "hp": 40, "category": "rotary screw", "voltage": "400/3/50"}
    told = {each.need.attribute: each for each in judge(item, row).findings}
    assert told["voltage"].verdict == "close"
    assert told["voltage"].has == "3 ph, 400 V, 50 Hz: 415 V for the maker to confirm"
    said = {each.need.attribute: each.verdict for each in judge(item, {**row, "voltage": "380-415/3/50"}).findings}
    assert said["voltage"] == "met"


@pytest.mark.parametrize(
    "text",
    [
        "service visit, diagnose noise, replace tip seals, labor, compressor",
        "Servicebesuch und Fehlersuche, Kompressor",
        "visita técnica, compresor",
        "dépannage, compresseur",
    ],
)
def test_the_machine_behind_a_repair_is_what_is_served(text: str) -> None:
    assert only_item(text).families == {"service"}


@pytest.mark.parametrize("told", ["our dental group, the Elm clinic", "a clinic, seven chairs"])
def test_a_dentists_clinic_is_no_hospital(told: str) -> None:
    item = only_item(f"oilless compressor for {told}, 15 cfm")
    assert {value for each in item.needs if each.attribute == "industry" for value in each.values} == {"dental"}


def test_the_plus_of_a_model_parts_nothing() -> None:
    first, *_ = read("SF 22+ single phase, QMB30").items
    assert first.text.startswith("SF 22+")
    assert only_item("SF 22+ 15 cfm").text == "SF 22+ 15 cfm"


@pytest.mark.parametrize(
    "text",
    [
        "60 HP oilless compressor; 140 cfm at 100 psi, after the dryer; 460/3/60",
        "air system as before, but 60 HP: oilless compressor; 140 cfm at 100 psi, after the dryer; 460 V",
        "60 HP ölfreier Kompressor; 4 m³/min bei 7 bar, nach dem Trockner; 400 V",
        "compresor sin aceite de 60 HP; 140 pcm después del secador; 460 V",
        "compresseur sans huile 60 HP; 4 m3/min après le sécheur; 400 V",
    ],
)
def test_a_dryer_behind_which_air_is_measured_is_none_that_is_asked_for(text: str) -> None:
    item = only_item(text)
    assert item.families == {"compressor"}
    assert {"hp", "cfm", "lubrication", "voltage"} <= needs_of(item).keys()


def test_a_plant_with_all_that_belongs_to_it_is_one_thing_over_a_full_stop_too() -> None:
    item = only_item("Medical air, NFPA 99, 42 scfm. Dryers, the whole package, oilless. Door 60 inches wide")
    assert item.families == {"compressor"}
    assert {"lubrication", "width_in"} <= needs_of(item).keys()
    assert len(read("Medical air, NFPA 99, 42 scfm. Dryer 100 cfm").items) == 2


@pytest.mark.parametrize(
    "text",
    [
        "Lab vacuum pump 150 cfm, dry, separate from the medical vacuum",
        "Lab vacuum pump 150 cfm, not connected to the NFPA 99 plant",
        "Vakuumpumpe fürs Labor 150 cfm, getrennt vom medizinischen Vakuum",
        "bomba de vacío 150 cfm, independiente del vacío médico",
        "pompe à vide 150 cfm, séparée du vide médical",
    ],
)
def test_what_a_thing_is_kept_apart_from_is_none_of_its_needs(text: str) -> None:
    item = only_item(text)
    assert item.families == {"vacuum_pump"}
    assert not {"hospital", "nfpa 99"} & {value for each in item.needs for value in each.values}


def test_a_hall_that_is_compared_with_tells_no_trade() -> None:
    assert only_item("air compressor 60 HP, the same as the packing hall").need("industry") is None
    assert only_item("air compressor 60 HP for the packing hall").need("industry") is not None


@pytest.mark.parametrize(
    "text",
    [
        "R5 major kit vanes exhaust filters",
        "two major kits with vanes and exhaust filters for the pump of 2018",
        "service kit with separator and oil filter for the compressor of 2020",
        "Wartungssatz mit Filter und Separator",
        "dos kits de mantenimiento con filtros y separador",
        "deux kits d'entretien avec filtres et séparateur",
    ],
)
def test_what_is_in_a_kit_is_no_thing_beside_it(text: str) -> None:
    item = only_item(text)
    assert item.families == {"accessory"}
    assert needs_of(item)["accessory_kind"] == "kit"


@pytest.mark.parametrize("text", ["service kit, and a 100 cfm coalescing filter", "kit for QSI 500, 2 filters"])
def test_a_filter_of_its_own_size_or_count_stands_beside_a_kit(text: str) -> None:
    assert [item.families for item in read(text).items] == [{"accessory"}, {"filtration"}]
