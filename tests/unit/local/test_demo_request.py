"""The demo's reading of a customer's sentence."""

import pytest

from local.demo.limits import Bounds
from local.demo.request import LineRequest, parse_request


def only_line(text: str) -> LineRequest:
    (line,) = parse_request(text).lines
    return line


def test_the_golden_request_is_exact_power_oilless_and_food_grade() -> None:
    request = parse_request("100HP oilless compressor for food-grade plant")
    (line,) = request.lines
    assert (line.family, line.lubrication, line.limits) == ("compressor", "oilless", {"hp": Bounds(100, 100)})
    assert request.applications == ("food-grade",)
    assert not request.installation


@pytest.mark.parametrize("text", ["100HP", "100 hp", "100-HP", "100 h.p.", "100 horsepower"])
def test_power_is_read_however_it_is_spelt(text: str) -> None:
    assert only_line(f"{text} compressor").limits == {"hp": Bounds(100, 100)}


@pytest.mark.parametrize(
    ("text", "name", "bounds"),
    [
        ("75-100 HP compressor", "hp", Bounds(75, 100)),
        ("75 to 100 hp compressor", "hp", Bounds(75, 100)),
        ("compressor of at least 60 HP", "hp", Bounds(low=60)),
        ("compressor up to 60 HP", "hp", Bounds(high=60)),
        ("compressor, 1,200 scfm", "cfm", Bounds(low=1200)),
        ("compressor 125 psig", "psi", Bounds(low=125)),
        ("compressor 125 PSI max", "psi", Bounds(high=125)),
        ('vacuum pump 25"Hg', "vacuum_inhg", Bounds(low=25)),
        ("vacuum pump 29.5 in. Hg", "vacuum_inhg", Bounds(low=29.5)),
        ("desiccant dryer -40F dewpoint", "dewpoint_f", Bounds(high=-40)),
    ],
)
def test_a_number_binds_the_way_its_unit_and_words_say(text: str, name: str, bounds: Bounds) -> None:
    assert only_line(text).limits == {name: bounds}


@pytest.mark.parametrize(
    ("text", "lubrication"),
    [
        ("oil-less scroll compressor", "oilless"),
        ("Oilless compressor", "oilless"),
        ("oil free compressor", "oil-free"),
        ("oil-flooded screw compressor", "oil-flooded"),
        ("compressor for an oil refinery", None),
    ],
)
def test_lubrication_is_read_only_when_it_is_said(text: str, lubrication: str | None) -> None:
    assert only_line(text).lubrication == lubrication


@pytest.mark.parametrize(
    ("text", "family"),
    [
        ("vacuum blower 300 cfm", "blower"),
        ("medical vacuum system", "vacuum_pump"),
        ("compressor on 120 gal tank", "compressor"),
        ("tank mounted compressor", "compressor"),
        ("compressor with integrated dryer", "compressor"),
        ("240 gallon receiver", "receiver"),
        ("something quiet", None),
    ],
)
def test_the_machine_that_is_bought_gives_the_family(text: str, family: str | None) -> None:
    assert only_line(text).family == family


def test_the_power_of_the_machine_a_dryer_serves_is_not_the_dryers() -> None:
    line = only_line("dryer for a 100HP compressor")
    assert (line.family, line.limits, line.unread) == ("dryer", {}, ("100HP",))


def test_a_request_for_several_machines_becomes_several_lines() -> None:
    request = parse_request(
        "two 100 hp compressors, 460V, 125 psi with 500 scfm dryer and 240 gal receiver, installed"
    )
    assert [line.family for line in request.lines] == ["compressor", "dryer", "receiver"]
    assert [line.quantity for line in request.lines] == [2, 1, 1]
    assert request.lines[0].voltage == "460"
    assert request.lines[1].limits == {"cfm": Bounds(low=500)}
    assert request.installation


@pytest.mark.parametrize("count", ["2 x", "(2)", "qty 2", "two", "2"])
def test_a_quantity_is_not_taken_for_power(count: str) -> None:
    line = only_line(f"{count} 50 HP compressors")
    assert (line.quantity, line.limits["hp"], line.unread) == (2, Bounds(50, 50), ())


def test_a_number_that_is_not_understood_is_reported() -> None:
    assert only_line("75 kW compressor").unread == ("75 kW",)
