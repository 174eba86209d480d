"""How well a row meets a need, by the table that salespeople judge by."""

from collections.abc import Mapping

import pytest

from quarry.understanding.fit import fit, judge, short
from quarry.understanding.quote_traits import quote_traits
from quarry.understanding.traits import row_traits
from tests.unit.understanding.trade import need, only_item

SCREW: Mapping[str, object] = {
    "model": "ZT75",
    "manufacturer": "Atlas Copco",
    "series": "ZT",
    "category": "OIL-FREE ROTARY SCREW AIR COMPRESSOR",
    "family": "compressor",
    "hp": 100.0,
    "cfm": 417.0,
    "psi": 125.0,
    "lubrication": "oil-free",
    "cooling": "Air",
    "voltage": "460/3/60",
    "drive": "Direct gear drive",
    "motor": "100 HP, 3600 RPM, TEFC",
    "noise_dba": 76,
    "description": "100 HP two stage dry screw, air cooled. Food and beverage, electronics, pharma.",
    "air_quality": "ISO 8573-1 Class 0",
}
UNKNOWN_OIL: Mapping[str, object] = {
    "model": "SM15",
    "manufacturer": "Kaeser",
    "category": "ROTARY SCREW AIR COMPRESSOR",
    "family": "compressor",
    "hp": 15,
    "lubrication": None,
    "description": "Compact package.",
}
MULTIPLEX: Mapping[str, object] = {
    "model": "SEHX10008-100",
    "manufacturer": "Powerex",
    "category": "OILLESS SCROLL AIR COMPRESSOR",
    "family": "compressor",
    "hp": 100,
    "cfm": 308,
    "psi": 116,
    "lubrication": "oilless",
    "motor": "10 x 10 HP, 3600 RPM, TEFC",
    "description": "",
}
PUMP: Mapping[str, object] = {
    "model": "VADS-T10",
    "manufacturer": "Becker",
    "category": "MEDICAL VACUUM SYSTEM",
    "family": "vacuum_pump",
    "hp": 30,
    "cfm": 352,
    "vacuum_inhg": 25.5,
    "lubrication": "oilless",
    "motor": "3 x 10 HP",
    "air_quality": "NFPA 99 Category 1",
    "description": "Triplex oilless medical-surgical vacuum, 3 x 10 HP, vertical 240 gallon receiver.",
}
DRYER: Mapping[str, object] = {
    "model": "KC-450HL",
    "manufacturer": "Kettle Creek",
    "category": "DESICCANT AIR DRYER",
    "family": "dryer",
    "cfm": 450,
    "dewpoint_f": -40,
    "description": "Heatless twin tower desiccant dryer.",
    "voltage": "115/1/60",
}
TANK: Mapping[str, object] = {
    "model": "VR-1060",
    "manufacturer": "Wabash Vessel",
    "category": "AIR RECEIVER TANK",
    "family": "receiver",
    "psi": 200,
    "description": "1060 gallon vertical ASME receiver, 200 PSI.",
}
QUOTE: Mapping[str, object] = {
    "quote_number": "Q24-0590",
    "quote_date": "2024-07-02",
    "industry": "dairy",
    "status": "lost",
    "total_price": "85720.00",
    "summary": "Wants 50 HP oil-free dry screw.",
}


@pytest.mark.parametrize(
    ("text", "row", "verdict", "has"),
    [
        ("100 hp", SCREW, "met", "100 hp"),
        ("110 hp", SCREW, "met", "100 hp"),
        ("75 kW", SCREW, "met", "100 hp"),
        ("125 hp", SCREW, "close", "100 hp"),
        ("75 hp", SCREW, "close", "100 hp"),
        ("50 hp", SCREW, "contradicted", "100 hp"),
        ("150 hp", SCREW, "contradicted", "100 hp"),
        ("at least 75 hp", SCREW, "met", "100 hp"),
        ("up to 75 hp", SCREW, "contradicted", "100 hp"),
        ("100 hp", TANK, "unknown", ""),
        ("400 cfm", SCREW, "met", "417 cfm"),
        ("300 cfm", SCREW, "met", "417 cfm"),
        ("200 cfm", SCREW, "close", "417 cfm"),
        ("430 cfm", SCREW, "close", "417 cfm"),
        ("450 cfm", SCREW, "contradicted", "417 cfm"),
        ("100 cfm", SCREW, "contradicted", "417 cfm"),
        ("11 m³/min", SCREW, "met", "417 cfm"),
        ("350-400 cfm", SCREW, "close", "417 cfm"),
        ("125 psi", SCREW, "met", "125 psi"),
        ("128 psi", SCREW, "met", "125 psi"),
        ("10 bar", SCREW, "contradicted", "125 psi"),
        ("up to 7 bar", SCREW, "met", "125 psi"),
        ("25 inHg", PUMP, "met", "25.5 inHg"),
        ("27 inHg", PUMP, "contradicted", "25.5 inHg"),
        ("200 mbar abs", PUMP, "met", "25.5 inHg (150 mbar abs)"),
        ("at most 150 mbar abs", {**PUMP, "vacuum_inhg": 25.4}, "close", "25.4 inHg (153 mbar abs)"),
        ("at least 430 cfm", SCREW, "close", "417 cfm"),
        ("at least 416 cfm", SCREW, "met", "417 cfm"),
        ("max 410 cfm", SCREW, "contradicted", "417 cfm"),
        ("at least 128 psi", SCREW, "close", "125 psi"),
        ("at least 8.6 bar", SCREW, "met", "125 psi"),
        ("max 75 dBA", {**SCREW, "noise_dba": 75.4}, "contradicted", "75.4 dBA"),
        ("dew point -40", DRYER, "met", "-40 °F"),
        ("dew point -42 F", DRYER, "met", "-40 °F"),
        ("dew point -70 C", DRYER, "contradicted", "-40 °F"),
        ("dew point 38 F", DRYER, "close", "-40 °F (drier)"),
        (
            "dew point -100 F",
            {**DRYER, "description": "Minus 100 by timer change."},
            "close",
            "-40 °F, -100 in its text",
        ),
        ("1000 gal tank", TANK, "met", "1060 gal"),
        ("4000 litre tank", TANK, "met", "1060 gal"),
        ("600 gal tank", TANK, "close", "1060 gal"),
        ("400 gal tank", TANK, "close", "1060 gal"),
        ("1500 gal tank", TANK, "contradicted", "1060 gal"),
        ("max 80 dBA", SCREW, "met", "76 dBA"),
        ("max 70 dBA", SCREW, "contradicted", "76 dBA"),
        ("max 70 dBA", TANK, "unknown", ""),
    ],
)
def test_quantities_are_judged_by_their_table(text: str, row: Mapping[str, object], verdict: str, has: str) -> None:
    attribute = {"kW": "hp", "hp": "hp", "cfm": "cfm", "m³/min": "cfm", "psi": "psi", "bar": "psi", "inHg": "inhg"}
    unit = next((name for word, name in attribute.items() if word in text), "")
    unit = "inhg" if "mbar" in text else "dewpoint_f" if "dew" in text else "gallons" if "tank" in text else unit
    finding = fit(need(text, "dba" if "dBA" in text else unit), row)
    assert (finding.verdict, finding.has) == (verdict, has)


@pytest.mark.parametrize(
    ("text", "attribute", "row", "verdict"),
    [
        ("oil-free", "lubrication", SCREW, "met"),
        ("oil-free", "lubrication", MULTIPLEX, "met"),
        ("oilless", "lubrication", SCREW, "contradicted"),
        ("not oil flooded", "lubrication", SCREW, "met"),
        ("lubricated", "lubrication", SCREW, "contradicted"),
        ("lubricated", "lubrication", UNKNOWN_OIL, "close"),
        ("oilless", "lubrication", UNKNOWN_OIL, "unknown"),
        ("oil-free", "lubrication", UNKNOWN_OIL, "unknown"),
        ("not oil flooded", "lubrication", UNKNOWN_OIL, "unknown"),
        ("Atlas Copco", "manufacturer", SCREW, "met"),
        ("Quincy", "manufacturer", SCREW, "close"),
        ("only Quincy", "manufacturer", SCREW, "contradicted"),
        ("anything but Atlas Copco", "manufacturer", SCREW, "contradicted"),
        ("anything but Quincy", "manufacturer", SCREW, "met"),
        ("ZT75", "model", SCREW, "met"),
        ("ZT75 VSD", "model", SCREW, "contradicted"),
        ("air cooled", "cooling", SCREW, "met"),
        ("water cooled", "cooling", SCREW, "contradicted"),
        ("water cooled", "cooling", UNKNOWN_OIL, "unknown"),
        ("direct drive", "drive", SCREW, "met"),
        ("variable speed", "drive", SCREW, "contradicted"),
        ("460/3/60", "voltage", SCREW, "met"),
        ("480V", "voltage", SCREW, "met"),
        ("400 V 50 Hz", "voltage", SCREW, "contradicted"),
        ("575V", "voltage", UNKNOWN_OIL, "unknown"),
        ("screw", "compression", SCREW, "met"),
        ("scroll", "compression", SCREW, "contradicted"),
        ("no scroll", "compression", SCREW, "met"),
        ("no screw", "compression", SCREW, "contradicted"),
        ("heatless dryer", "dryer_kind", DRYER, "met"),
        ("desiccant dryer", "dryer_kind", DRYER, "met"),
        ("refrigerated dryer", "dryer_kind", DRYER, "contradicted"),
        ("no desiccant", "dryer_kind", DRYER, "contradicted"),
        ("triplex", "arrangement", PUMP, "met"),
        ("duplex", "arrangement", SCREW, "close"),
        ("class 0", "certificate", SCREW, "met"),
        ("nfpa 99", "certificate", PUMP, "met"),
        ("for food", "industry", SCREW, "met"),
        ("for a dairy", "industry", QUOTE, "met"),
        ("for food", "industry", QUOTE, "close"),
        ("for a foundry", "industry", QUOTE, "contradicted"),
        ("lost quotes", "outcome", QUOTE, "met"),
        ("won quotes", "outcome", QUOTE, "contradicted"),
        ("since 2024", "date", QUOTE, "met"),
        ("since 2025", "date", QUOTE, "contradicted"),
        ("before 2024", "date", QUOTE, "contradicted"),
        ("under $90,000", "price", QUOTE, "met"),
        ("under $50,000", "price", QUOTE, "contradicted"),
        ("compressor", "family", SCREW, "met"),
        ("compressor", "family", DRYER, "contradicted"),
        ("compressor", "family", QUOTE, "unknown"),
        ("receiver, stainless", "feature", TANK, "close"),
        ("vertical receiver", "feature", TANK, "met"),
    ],
)
def test_words_are_judged_by_the_row_and_its_text(
    text: str, attribute: str, row: Mapping[str, object], verdict: str
) -> None:
    assert fit(need(text, attribute), row).verdict == verdict


@pytest.mark.parametrize(
    ("text", "row", "overall"),
    [
        ("100 hp oil-free screw", SCREW, "met"),
        ("110 hp oil-free, Quincy", SCREW, "close"),
        ("125 hp oil-free, Quincy", SCREW, "contradicted"),
        ("100 hp oilless screw", SCREW, "contradicted"),
        ("15 hp oil-free", UNKNOWN_OIL, "unknown"),
        ("vacuum pump 350 cfm oilless", PUMP, "close"),
        ("medical vacuum 350 cfm oilless", PUMP, "met"),
        ("hospital vacuum pump 350 cfm", PUMP, "met"),
        ("oil-free 100 hp for a shipyard", SCREW, "met"),
    ],
)
def test_off_in_one_respect_is_close_and_in_two_is_wrong(text: str, row: Mapping[str, object], overall: str) -> None:
    assert judge(only_item(text), row).overall == overall


def test_a_judgement_counts_its_findings() -> None:
    judged = judge(only_item("125 hp oilless screw, 400 cfm, max 70 dBA"), SCREW)
    assert (judged.met, judged.close, judged.unknown, judged.contradicted) == (2, 1, 0, 2)


def test_findings_are_said_in_one_line() -> None:
    judged = judge(only_item("oilless 100 hp, 350 cfm"), MULTIPLEX)
    assert short(judged.findings) == "lubrication oilless met; hp 100 met; cfm 308, asked 350: contradicted"
    unknown = judge(only_item("oilless 15 hp"), UNKNOWN_OIL)
    assert short(unknown.findings) == "lubrication unknown, asked oilless; hp 15 met"


def test_two_machines_may_be_one_multiplex_of_that_many_and_two_apart_are_better() -> None:
    duplex = {**SCREW, "hp": 100, "motor": "2 x 50 HP"}
    assert fit(need("2 x 50 hp compressor", "hp"), duplex).verdict == "met"
    assert fit(need("two 50 hp compressors", "hp"), duplex).verdict == "close"
    assert fit(need("50 hp", "hp"), duplex).verdict == "contradicted"


def test_a_named_competitor_is_met_closely_by_what_is_here() -> None:
    assert fit(need("CompAir 100 hp", "manufacturer"), SCREW).verdict == "close"


@pytest.mark.parametrize(
    ("row", "attribute", "values"),
    [
        (SCREW, "compression", {"screw"}),
        (SCREW, "drive", {"direct", "gear", "fixed-speed"}),
        (SCREW, "cooling", {"air"}),
        (SCREW, "voltage", {"460 V", "3 ph", "60 Hz"}),
        (SCREW, "arrangement", {"simplex"}),
        (MULTIPLEX, "compression", {"scroll"}),
        (MULTIPLEX, "arrangement", {"multiplex"}),
        (PUMP, "arrangement", {"triplex"}),
        (PUMP, "gallons", {"240"}),
        (TANK, "gallons", {"1060"}),
        (TANK, "certificate", {"asme"}),
        (
            {"family": "receiver", "description": "Tank with plate, for air, feuerverzinkt. Not ASME."},
            "feature",
            {"galvanized"},
        ),
    ],
)
def test_a_row_offers_what_its_text_says(row: Mapping[str, object], attribute: str, values: set[str]) -> None:
    assert row_traits(row)[attribute] == values


def test_a_row_of_nothing_offers_nothing() -> None:
    assert not row_traits({})
    assert not row_traits({"description": None, "hp": "odd", "voltage": 5})
    assert judge(only_item("100 hp oilless compressor, -40 dew point, quiet"), {"hp": "odd"}).met == 0


def test_a_lubrication_that_only_the_text_tells_is_close_and_never_met() -> None:
    scan = {**MULTIPLEX, "lubrication": None}
    assert fit(need("oilless compressor", "lubrication"), scan).verdict == "close"
    assert fit(need("oilless compressor", "lubrication"), MULTIPLEX).verdict == "met"


def test_who_asks_for_medical_vacuum_finds_a_plain_pump_close_at_most() -> None:
    plain = {**PUMP, "category": "ROTARY VANE VACUUM PUMP", "air_quality": "", "description": "Oilless vane."}
    assert judge(only_item("medical vacuum"), PUMP).overall == "met"
    assert judge(only_item("medical vacuum"), plain).overall == "close"
    assert judge(only_item("vacuum for a hospital"), plain).overall == "close"
    assert judge(only_item("lab vacuum for a hospital"), plain).overall != "close"


def test_an_absent_maker_and_its_model_are_one_thing_that_is_not_here() -> None:
    assert judge(only_item("CompAir D75"), {**SCREW, "hp": 100}).overall == "close"
    assert judge(only_item("CompAir D75"), {**SCREW, "hp": 30}).overall == "contradicted"


@pytest.mark.parametrize(
    ("rationale", "status", "reason", "price"),
    [
        (
            "List less 9. Lost on price: a dealer offered it at 19% less.",
            "lost",
            {"price", "competitor"},
            {"discount"},
        ),
        ("Price was fine, delivery of 20 weeks killed it.", "lost", {"delivery"}, set()),
        ("GPO tier, freight allowed to the dock. Went with us for delivery.", "won", set(), {"gpo", "freight"}),
        ("List less 15%, trade-in of 900 for a seized forty.", "won", set(), {"discount", "trade-in"}),
        ("Liste minus 10 %. Verloren wegen der Lieferzeit von 26 Wochen.", "lost", {"delivery"}, {"discount"}),
    ],
)
def test_a_quote_tells_its_price_and_its_loss_in_its_rationale(
    rationale: str, status: str, reason: set[str], price: set[str]
) -> None:
    told = quote_traits({"price_rationale": rationale, "status": status, "summary": ""})
    assert told.get("reason", frozenset()) == reason
    assert told.get("price", frozenset()) == price


def test_an_electric_machine_is_no_diesel() -> None:
    assert fit(need("diesel compressor 185 cfm", "portability"), SCREW).verdict == "contradicted"


@pytest.mark.parametrize(("cfm", "verdict"), [(150, "met"), (240, "met"), (500, "close"), (1500, "close")])
def test_a_filter_that_is_larger_is_met_or_close_by_how_much(cfm: float, verdict: str) -> None:
    row = {"family": "filtration", "category": "COALESCING FILTER", "cfm": cfm}
    assert fit(need("coalescing filter 150 cfm", "cfm"), row).verdict == verdict


def test_a_quote_tells_who_won() -> None:
    asked = need("Kaeser beat us", "competitor")
    assert fit(asked, {**QUOTE, "price_rationale": "Kaeser was at 52,400."}).verdict == "met"
    assert fit(asked, QUOTE).verdict == "unknown"


def test_a_line_of_a_drive_is_a_drive() -> None:
    row = {"family": "accessory", "category": "VARIABLE FREQUENCY DRIVE", "description": "6 pulse, NEMA 12."}
    assert judge(only_item("vfd for a blower"), row).overall == "met"


@pytest.mark.parametrize(
    ("told", "verdict"),
    [
        ("Auch mit Frequenzumrichter lieferbar.", "close"),
        ("Optional VFD on request.", "close"),
        ("VFD not available.", "contradicted"),
        ("A VFD would never earn its losses back.", "contradicted"),
    ],
)
def test_what_a_text_has_as_an_option_is_close(told: str, verdict: str) -> None:
    row = {**SCREW, "description": f"55 kW screw. {told}"}
    assert fit(need("screw compressor with VFD", "drive"), row).verdict == verdict


@pytest.mark.parametrize("text", ["Kältetrockner, 12 m³/min, mit R-513A", "refrigerated dryer, refrigerant R513a"])
def test_a_refrigerant_is_what_a_dryer_has_and_no_model(text: str) -> None:
    item = only_item(text)
    assert item.need("model") is None
    found = next(each for each in item.needs if each.values == {"R-513A"})
    assert fit(found, {"family": "dryer", "description": "Direct expansion, R513A."}).verdict == "met"
    assert fit(found, {"family": "dryer", "description": "Direct expansion, R-134a."}).verdict == "unknown"


def verdict(text: str, row: Mapping[str, object]) -> str:
    return judge(only_item(text), row).overall


@pytest.mark.parametrize("wish", ["preferably oilless", "oilless if you can", "oilless if possible"])
def test_a_wish_for_oilless_leaves_what_is_oiled_close(wish: str) -> None:
    oiled = {**SCREW, "lubrication": "oil-flooded", "category": "ROTARY SCREW AIR COMPRESSOR", "air_quality": ""}
    assert verdict(f"100 hp compressor, {wish}, 125 psi", oiled) == "close"
    assert verdict("100 hp oilless compressor, 125 psi", oiled) == "contradicted"


def test_a_limit_of_dew_point_that_is_said_is_kept_to_the_degree_that_makers_round() -> None:
    dryer = {"family": "dryer", "category": "REFRIGERATED AIR DRYER", "description": "", "model": "KC", "cfm": 400.0}
    said = {dew: verdict("refrigerated dryer, dew point at most +3 °C", {**dryer, "dewpoint_f": dew})
            for dew in (37.0, 38.0, 39.0, 41.0)}  # fmt: skip
    assert said == {37.0: "met", 38.0: "met", 39.0: "close", 41.0: "contradicted"}


def test_volts_alone_leave_the_phases_of_a_small_machine_open() -> None:
    small = {**SCREW, "hp": 5.0, "voltage": "230/460/3/60"}
    item = only_item("5 hp compressor, 230 volts")
    found = fit(item.needs[-1], small)
    assert (found.verdict, "3 ph, which is not said" in found.has) == ("unknown", True)
    assert fit(item.needs[-1], {**small, "voltage": "230/1/60"}).verdict == "met"


@pytest.mark.parametrize(
    ("description", "verdict"),
    [
        ("Little sequencer for two to four compressors.", "contradicted"),
        ("Master sequencer for up to eight compressors of any make.", "met"),
        ("Adaptive master controller, eight machines.", "met"),
        ("Controller for ninety machines and more.", "close"),
        ("Master controller with a web server.", "unknown"),
    ],
)
def test_a_sequencer_has_to_run_as_many_machines_as_there_are(description: str, verdict: str) -> None:
    row = {"model": "MC", "category": "SEQUENCING CONTROLLER", "family": "accessory", "description": description}
    assert fit(need("sequencer for six compressors", "controls"), row).verdict == verdict


@pytest.mark.parametrize(
    ("text", "told", "verdict", "has"),
    [
        ("ASME receiver", "Vertical 1000 l, PED with CE plate. Not ASME.", "contradicted", "not asme"),
        ("ASME receiver", "Vertical 3000 l, no ASME stamp.", "contradicted", "not asme"),
        ("ASME receiver", "Vertical, not an ASME vessel.", "contradicted", "not asme"),
        ("ASME receiver", "Vertical ASME receiver.", "met", "asme"),
        ("Druckbehälter mit CE-Kennzeichnung", "Vertical, PED 2014/68 with CE plate.", "met", "ce"),
        ("depósito con marcado CE", "Vertical, with CE plate.", "met", "ce"),
        ("receiver, American Iron and Steel", "AIS not available.", "contradicted", "not ais"),
    ],
)
def test_a_certificate_that_a_text_denies_is_none(text: str, told: str, verdict: str, has: str) -> None:
    found = fit(need(text, "certificate"), {**TANK, "description": told})
    assert (found.verdict, found.has) == (verdict, has)


def test_a_past_line_that_denies_what_is_looked_for_is_still_about_it() -> None:
    line = {**TANK, "position": 1, "description": "AIS not available, waiver letter attached."}
    assert fit(need("receiver, American Iron and Steel", "certificate"), line).verdict == "close"


def test_what_a_text_denies_is_no_feature_and_a_vessel_that_is_painted_is_not_galvanized() -> None:
    assert (
        fit(need("screw with enclosure", "feature"), {**SCREW, "description": "No belts, no enclosure."}).verdict
        == "contradicted"
    )
    painted = {**TANK, "description": "Vertical receiver, gray epoxy primer outside."}
    found = fit(need("galvanized receiver", "feature"), painted)
    assert (found.verdict, found.has) == ("contradicted", "gray epoxy primer outside")


def test_a_vessel_stands_as_its_sides_tell_and_a_compressor_on_the_tank_that_its_text_tells() -> None:
    tall = {**TANK, "description": "Stainless receiver.", "height_in": 150, "length_in": 48}
    assert fit(need("upright receiver", "feature"), tall).verdict == "met"
    piston = {**SCREW, "description": "Two stage piston on 80 gallon vertical tank."}
    assert fit(need("compressor on a tank", "feature"), piston).verdict == "met"


def test_air_that_patients_breathe_is_of_no_machine_that_is_not_built_for_it() -> None:
    assert judge(only_item("medical air compressor, NFPA 99"), SCREW).overall == "contradicted"
    medical = {**SCREW, "category": "MEDICAL AIR PLANT", "air_quality": "NFPA 99"}
    assert judge(only_item("medical air compressor, NFPA 99"), medical).overall == "met"


def test_the_air_that_cools_a_dryer_is_its_purge() -> None:
    told = "No process air is lost during the hot phase, two percent or none in cooling."
    assert row_traits({**DRYER, "description": told})["purge"] == {"2"}
    assert "purge" not in row_traits({**DRYER, "description": "Motor loaded to 90 percent."})


@pytest.mark.parametrize("told", ["Sweep air of fifteen percent goes to the room.", "15 percent purge."])
def test_the_air_that_sweeps_a_membrane_is_its_purge(told: str) -> None:
    assert row_traits({**DRYER, "description": told})["purge"] == {"15"}
