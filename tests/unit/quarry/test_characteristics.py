"""What a characteristics block says: which figures are converted for a reader, and its words of yes and no."""

import pytest

from quarry.attributes.model import Attribute, Attributes, Value
from quarry.attributes.units import preferred, shipped
from quarry.characteristics import block, label_of, shown

OWN = [{"symbol": "Wp", "spellings": [], "dimension": "power", "factor": 1.0, "offset": 0.0, "reference": None}]


def told(attribute: Attribute, figure: float) -> str:
    known = Attributes({attribute.name: attribute}, units=shipped().with_own(OWN))
    return shown(Value(figure, figure), attribute, known, beside=preferred()["metric"])


def test_a_figure_of_another_system_is_converted_and_one_in_a_unit_of_the_tenants_own_stays() -> None:
    assert told(Attribute("size", "number", unit="hp"), 10).endswith("(10 hp)")
    assert told(Attribute("peak", "number", unit="Wp"), 445) == "445 Wp"


@pytest.mark.parametrize(
    ("unit", "figure", "said"),
    [
        ("hp", 75, "55 kW (75 hp)"),
        ("hp", 14.9, "11.1 kW (14.9 hp)"),
        ("cfm", 636, "1080 m³/h (636 cfm)"),
        ("lb", 3260, "1480 kg (3260 lb)"),
        ("°F", 32, "0 °C (32 °F)"),
        ("K", 4000, "4000 K"),
        ("Pa", 50, "50 Pa"),
        ("mH₂O", 7.5, "7.5 mH₂O"),
        ("t/h", 10, "10 t/h"),
        ("g", 5, "5 g"),
        ("inHg", 25.4, "153 mbar(a) (25.4 inHg)"),
        ("inHg", 29.9, "< 3.4 mbar(a) (29.9 inHg)"),
    ],
)
def test_a_size_is_told_as_it_is_sold_there_and_other_figures_in_three_digits(
    unit: str, figure: float, said: str
) -> None:
    assert told(Attribute("it", "number", unit=unit), figure) == said


@pytest.mark.parametrize(
    ("unit", "figure", "raw", "said"),
    [
        ("in", 0.984252, "25 mm", "25 mm (0.984 in)"),
        ("g", 290_000, "290 kg", "290 kg"),
        ("m", 1, "1000 mm", "1 m (1000 mm)"),
        ("kW", 0.7457, "1 hp (0.75 kW)", "1 hp (0.75 kW)"),
    ],
)
def test_of_a_figure_and_its_files_wording_in_another_unit_what_reads_well_leads(
    unit: str, figure: float, raw: str, said: str
) -> None:
    size = Attribute("size", "number", unit=unit)
    known = Attributes({"size": size}, units=shipped())
    assert shown(Value(figure, figure, raw=raw, unit=raw.split()[1]), size, known) == said


def test_a_word_of_its_file_for_a_figure_stands_for_itself() -> None:
    seats = Attribute("seats", "number", unit="pieces")
    known = Attributes({"seats": seats}, units=shipped())
    assert shown(Value(1_000_000, 1_000_000, raw="unlimited"), seats, known, beside=preferred()["us"]) == "unlimited"


def test_an_attribute_without_a_label_in_the_language_has_that_of_its_house() -> None:
    cut = Attribute("cut_level", labels={"es": "Nivel de corte", "de": "Schnittklasse"})
    assert label_of(cut, "fr", house="es") == "Nivel de corte"
    assert label_of(cut, "fr", house=None) == "cut level"


@pytest.mark.parametrize(("given", "asked"), [("no", "nb"), ("nb", "no"), ("no", "nn")])
def test_labels_in_norwegian_are_those_of_its_written_forms(given: str, asked: str) -> None:
    head = Attribute("head", labels={"en": "Head", given: "Løftehøyde"})
    assert (label_of(head, asked, house=asked), label_of(head, "da", house=asked)) == ("Løftehøyde", "Head")


def test_a_figure_that_stays_the_same_keeps_the_unit_that_says_by_what_it_is_measured() -> None:
    flow = Attribute("flow", "number", unit="acfm")
    known = Attributes({"flow": flow}, units=shipped())
    assert shown(Value(273, 273), flow, known, beside=preferred()["us"]) == "273 acfm"
    assert told(Attribute("cold", "number", unit="°F"), -40) == "-40 °C (-40 °F)"


def test_a_figure_too_large_for_the_first_unit_stands_in_the_next_that_its_reader_knows() -> None:
    limit, units = Attribute("limit", "number", unit="psi"), {"pressure": ("mbar", "bar")}
    known = Attributes({"limit": limit}, units=shipped())
    assert shown(Value(230, 230), limit, known, beside=units, alone=True) == "15.9 bar"
    assert shown(Value(14.5, 14.5), limit, known, beside=units, alone=True) == "1000 mbar"


@pytest.mark.parametrize(
    ("language", "yes", "no"), [("de", "ja", "nein"), ("es", "sí", "no"), ("it", "sì", "no"), ("cy", "yes", "no")]
)
def test_a_flag_is_told_in_the_language_of_its_block(language: str, yes: str, no: str) -> None:
    known = Attributes({name: Attribute(name, "flag", position=1) for name in ("sealed", "spare")})
    row = {"manufacturer": "Acme", "model": "A1", "category": "Pumps", "family": "pump",
           "attributes": {"sealed": True, "spare": False}}  # fmt: skip
    told = block(row, attributes=known, language=language)
    assert told is not None
    assert told.endswith(f"- sealed: {yes}\n- spare: {no}")


def test_a_converted_figure_stands_in_the_unit_of_its_system_in_which_it_reads_well() -> None:
    size, head = (Attribute(name=name, kind="number", unit=unit) for name, unit in (("size", "in"), ("head", "m")))
    known = Attributes(by_name={each.name: each for each in (size, head)})
    metric = {**preferred()["metric"], "length": ("m", *preferred()["metric"]["length"])}
    assert shown(Value(2, 2), size, known, beside=metric, alone=True) == "50.8 mm"
    assert shown(Value(96, 96), head, known, beside=preferred()["us"], alone=True) == "315 ft"
    assert shown(Value(1.5, 1.5), head, known, beside=preferred()["us"], alone=True) == "59.1 in"


def test_a_unit_of_the_system_itself_is_told_as_it_is_whatever_it_measures() -> None:
    heat = Attribute(name="heat", kind="number", unit="TR")
    known = Attributes(by_name={"heat": heat})
    assert shown(Value(20, 20), heat, known, beside=preferred()["us"], alone=True) == "20 TR"
    assert shown(Value(20, 20), heat, known, beside=preferred()["metric"], alone=True) == "70.3 kW"
