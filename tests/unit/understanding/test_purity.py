"""Classes of ISO 8573-1, fineness, kinds of accessories and vessels, as they are asked for and held."""

import pytest

from quarry.understanding.fit import fit, judge
from tests.unit.understanding.trade import need, needs_of, only_item

FILTER = {"family": "filtration", "category": "COALESCING FILTER", "air_quality": "ISO 8573-1 Class 1 oil"}
DUST = {
    "family": "filtration",
    "category": "PARTICULATE FILTER",
    "description": "One micron particulate for 150 scfm",
    "air_quality": "ISO 8573-1 Class 2 particle",
}


@pytest.mark.parametrize(
    "text",
    [
        "Filter ISO 8573-1 class 1.4.1",
        "class 1.4.1 filter",
        "filter to ISO 8573-1:2010 [1:4:1]",
        "Filter nach DIN EN ISO 8573-1 Klasse 1.4.1",
        "filtro clase 1.4.1",
        "filtre classe 1-4-1",
    ],
)
def test_the_three_classes_are_read_in_any_form(text: str) -> None:
    said = needs_of(only_item(text))
    assert [said[part] for part in ("particle_class", "water_class", "oil_class")] == [
        f"ISO 8573-1 {part}" for part in ("particle class 1", "water class 4", "oil class 1")
    ]


@pytest.mark.parametrize("text", ["carbon filter, oil class 1", "Aktivkohlefilter, Restölgehalt Klasse 1",
                                  "filtro, aceite clase 1", "filtre, huile classe 1"])  # fmt: skip
def test_one_class_alone_is_read_of_its_part(text: str) -> None:
    assert need(text, "oil_class").high == 1


def test_a_class_is_answered_by_the_air_quality_and_water_by_the_dew_point() -> None:
    item = only_item("filter class 1.4.1")
    verdicts = {each.need.attribute: each.verdict for each in judge(item, FILTER).findings}
    assert verdicts == {"family": "met", "particle_class": "unknown", "water_class": "unknown", "oil_class": "met"}
    assert fit(need("filter class 1.4.1", "particle_class"), DUST).verdict == "contradicted"
    dryers = [{"family": "dryer", "dewpoint_f": value} for value in (38, 50)]
    assert [fit(need("dryer class 1.4.1", "water_class"), row).verdict for row in dryers] == ["met", "contradicted"]


@pytest.mark.parametrize(("text", "verdict"), [("1 micron filter", "met"), ("0.01 micron filter", "contradicted"),
                                               ("25 micron filter", "close")])  # fmt: skip
def test_microns_are_answered_by_the_text_of_a_filter(text: str, verdict: str) -> None:
    assert fit(need(text, "micron"), DUST).verdict == verdict


def test_ppm_are_not_microns() -> None:
    row = {**FILTER, "description": "Coalescing filter 0.01 ppm, 500 scfm"}
    assert fit(need("coalescing filter 0.01 micron", "micron"), row).verdict == "unknown"
    assert (
        fit(
            need("oil water separator 10 ppm", "ppm"), {"family": "accessory", "air_quality": "Effluent under 10 ppm"}
        ).verdict
        == "met"
    )


def test_the_enclosure_of_a_motor_is_answered_by_its_column() -> None:
    asked = need("50 hp compressor with TEFC motor", "motor")
    rows = [{"family": "compressor", "motor": f"50 HP, 1800 RPM, {kind}"} for kind in ("TEFC", "ODP")]
    assert [fit(asked, row).verdict for row in rows] == ["met", "close"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Duplex alternating control panel, NEMA 4, for two 50 hp compressors", "control-panel"),
        ("Flow meter, thermal mass, 3 in, 4-20 mA", "flow-meter"),
        ("Wärmerückgewinnung für Schraubenkompressor", "heat-recovery"),
        ("heat recovery for a screw compressor", "heat-recovery"),
        ("Sicherheitsventil 11 bar", "relief-valve"),
        ("caudalímetro para aire comprimido", "flow-meter"),
        ("débitmètre massique", "flow-meter"),
        ("Ersatzteile für Schraubenkompressor", "spare-parts"),
    ],
)
def test_a_kind_that_no_row_has_is_contradicted_by_rows_of_others(text: str, kind: str) -> None:
    item = only_item(text)
    assert item.families == {"accessory"}
    assert needs_of(item)["accessory_kind"] == kind
    rows: list[dict[str, object]] = [
        {"family": "accessory", "category": "OIL/WATER SEPARATOR"},
        {"family": "compressor", "category": "SCREW", "hp": 50},
    ]
    assert [judge(item, row).overall for row in rows] == ["contradicted", "contradicted"]


def test_a_controller_that_mentions_drains_is_no_drain() -> None:
    row = {
        "family": "accessory",
        "category": "SEQUENCING CONTROLLER",
        "description": "For machines, dryers and drains too.",
    }
    assert judge(only_item("zero loss condensate drain"), row).overall == "contradicted"


def test_a_vessel_for_vacuum_is_no_air_receiver_unless_vacuum_is_asked() -> None:
    row = {
        "family": "receiver",
        "psi": 15,
        "gallons": 660.0,
        "description": "660 gallon vacuum receiver, full vacuum rated",
    }
    assert judge(only_item("660 gallon air receiver"), row).overall == "contradicted"
    assert judge(only_item("660 gallon vacuum receiver"), row).contradicted == 0


def test_classes_need_no_number_of_their_norm() -> None:
    parts = ("particle_class", "water_class", "oil_class")
    assert [need("instrument air dryer ISO 1.2.1", part).high for part in parts] == [1, 2, 1]
