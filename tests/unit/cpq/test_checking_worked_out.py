"""Figures that a letter works out of others, and those of which the customer's mail is no source."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from cpq.drafts.evidence import OwnLine, OwnQuote
from tests.drafting.composing import Item, Letter, write
from tests.drafting.letters import report
from tests.unit.cpq.checked_drafts import of_models

MAIL = """Two positions. The supply is 415 V, 50 Hz, three phase. We need 270 Nm3/h in a room of 38 °C at 1,850 m, oil
PAO 46, air cooled. The pump has to pull 28 inches or deeper, the manual says 95 percent, at least 200 cfm but not
more than 300."""
PUMPS = ("U5.300", "R5 RA 0302 D", "COBRA NS 0600", "VTLF 2.250")


@pytest.mark.parametrize(
    ("sentence", "figure"),
    [
        ("The BRK-800 suits your 415 V supply.", "415 V"),
        ("Der BRK-800 läuft an Ihrem Netz mit 415 V.", "415 V"),
        ("The HGS-37 runs on PAO 46.", "46"),
        ("The BRK-800 gives 9.77 m³/min at 1,850 m.", "1,850 m"),
        ("La BRK-800 alcanza 9,77 m³/min a 1.850 m.", "1.850 m"),
        ("Le BRK-400V donne 9,77 m³/min dans votre local à 38 °C.", "38 °C"),
        ("Le BRK-400V donne 270 Nm3/h.", "270 Nm3/h"),
    ],
)
def test_a_wish_is_no_source_of_what_a_machine_gives_or_runs_on(sentence: str, figure: str) -> None:
    found = of_models(sentence, "BRK-800", "HGS-37", "BRK-400V", request=MAIL)
    assert figure in [text for _, text, _ in found]


@pytest.mark.parametrize(
    "sentence",
    [
        "You asked for 415 V; the BRK-800 is for 400 V.",
        "Please confirm that the BRK-800 runs on your 415 V supply.",
        "The BRK-800 does not give 270 Nm3/h.",
        "Is the HGS-37 to run on PAO 46?",
        "We are asking the maker whether the HGS-37 gives 6.06 m³/min at 1,850 m.",
        "For your 38 °C the rating of the BRK-800 may change.",
    ],
)
def test_a_wish_may_be_repeated_doubted_and_denied(sentence: str) -> None:
    assert of_models(sentence, "BRK-800", "HGS-37", request=MAIL) == []


def test_what_a_row_meets_or_betters_may_be_said() -> None:
    mail = "The receiver takes 100 psi and 12 cfm on 230 V, one phase, 60 dBA at most, on 480 V elsewhere."
    for sentence in (
        "The SES0507-5 covers your 12 cfm at 100 psi.",
        "The SES0507-5 runs on your single phase supply.",
        "The SES0507-5 keeps to your 60 dBA, it has 57 dBA.",
        "The SF 4+ runs on your 480 V supply.",
    ):
        found = of_models(sentence, "SES0507-5", "SF 4+", "QR-325", request=mail)
        assert [each for each in found if each[0] != "promise"] == []
    sentence = "The SF 4+ runs on your single phase supply."
    found = of_models(sentence, "SES0507-5", "SF 4+", request="We have one phase, single phase.")
    assert ("single phase", "208-230/460/3/60") in [each[1:] for each in found]


def test_a_machine_is_not_said_to_be_cooled_by_what_its_row_denies() -> None:
    found = of_models("The COBRA NS 0600 is a dry pump that runs on air cooling.", *PUMPS, request=MAIL)
    assert ("air cooling", "Water") in [each[1:] for each in found]
    assert of_models("The COBRA NS 0600 is not air cooled.", *PUMPS, request=MAIL) == []
    assert of_models("The VTLF 2.250 is a dry pump.", *PUMPS, request=MAIL) == []


@pytest.mark.parametrize(
    "sentence",
    [
        "28 inHg is 65 mbar abs.",
        "Taking a full vacuum as 29.92 inHg, 28 inHg is 93.6 percent of it, and 95 percent is 28.4 inHg.",
        "Ein volles Vakuum sind 29,92 inHg, 28 inHg sind 93,6 %.",
        "You need 200 to 300 cfm at 28 inHg.",
        "The U5.300 is at 74 dBA against 72, that is two dBA more.",
        "Die U5.300 ist mit 74 dBA um 2 dBA lauter als die R5 RA 0302 D mit 72 dBA.",
        "Our pumps for it go from 176 to 353 cfm.",
        "Are 28 inches and 95 percent the same thing?",
    ],
)
def test_what_is_worked_out_of_known_figures_has_their_source(sentence: str) -> None:
    assert of_models(sentence, *PUMPS, request=MAIL) == []


@pytest.mark.parametrize(
    ("sentence", "figure"),
    [
        ("28 inHg is 75 mbar abs.", "75 mbar abs."),
        ("28 inHg is 91.6 percent of full vacuum.", "91.6 percent"),
        ("28 inches and 95 percent are the same thing.", "95 percent"),
        ("28 inHg und 95 Prozent Vakuum sind dasselbe.", "95 Prozent Vakuum"),
        ("You need 200 to 320 cfm.", "200 to 320 cfm"),
        ("The U5.300 is at 74 dBA, three dBA more than the R5 RA 0302 D.", "three dBA"),
        ("Our pumps for it go from 176 to 343 cfm.", "from 176 to 343 cfm"),
    ],
)
def test_what_is_worked_out_wrongly_is_found(sentence: str, figure: str) -> None:
    assert figure in [text for _, text, _ in of_models(sentence, *PUMPS, request=MAIL)]


def test_several_of_a_machine_together_have_so_many_times_its_figure() -> None:
    pair = ("BRK-800", "HGS-37")
    assert of_models("The two HGS-37 together give 12.12 m³/min.", *pair) == []
    assert of_models("Zusammen liefern zwei HGS-37 12,12 m³/min.", *pair) == []
    assert of_models("The three HGS-37 together give 12.12 m³/min.", *pair) != []


def test_an_altitude_is_no_side_of_a_machine_and_a_room_no_dew_point() -> None:
    mail = "1,850 m above sea level, 38 °C"
    assert of_models("The maker has to confirm the HGS-37 at 1,850 m.", "HGS-37", request=mail) == []
    assert of_models("The BRT-180 is for the case that the BRT-50 does not do at 38 °C.", "BRT-50", "BRT-180",
                     request=mail) == []  # fmt: skip
    (found,) = of_models("The dew point of the BRT-180 is -40 °F.", "BRT-50", "BRT-180", request=mail)
    assert found[2] == "37 °F"


@pytest.mark.parametrize(
    "sentence",
    [
        "With one of 4 out the MSQ2007-MED gives 45.6 cfm.",
        "With 3 of 4 pumps running the MSQ2007-MED gives 45.6 cfm.",
        "Bei Ausfall einer Pumpe liefert der SEHX6008-60 noch 153 cfm.",
        "Con una bomba fuera de servicio, el SEHX6008-60 da 153 cfm.",
        "Behind the KC-450XH the SEHX6008-60 leaves 152 cfm net, and with one pump down 122 cfm.",
        "The purge of the KC-450XH is 31.5 cfm.",
        "Two SEHX6008-60 give 368 cfm.",
        "The SEHX6008-60 and the MSQ2007-MED give 245 cfm together.",
    ],
)
def test_what_is_left_with_one_out_or_behind_a_dryer_and_what_several_give_is_worked_out(sentence: str) -> None:
    found = of_models(sentence, "MSQ2007-MED", "SEHX6008-60", "KC-450XH")
    assert [text for kind, text, _ in found if kind == "specification"] == []


@pytest.mark.parametrize(
    ("sentence", "figure"),
    [
        ("With one pump down the SEHX6008-60 gives 140 cfm.", "140 cfm"),
        ("The SEHX6008-60 gives 153 cfm.", "153 cfm"),
        ("Two SEHX6008-60 give 368 cfm each.", "368 cfm"),
        ("Behind the KC-450XH the SEHX6008-60 leaves 170 cfm net.", "170 cfm"),
    ],
)
def test_what_is_not_so_worked_out_is_doubted(sentence: str, figure: str) -> None:
    found = of_models(sentence, "MSQ2007-MED", "SEHX6008-60", "KC-450XH")
    assert figure in [text for _, text, _ in found]


@pytest.mark.parametrize(
    ("sentence", "right"),
    [
        ("The QMB30 is $250.00 more than the QMB25.", True),
        ("The QMB30 is $260.00 more than the QMB25.", False),
        ("Two QMB30 come to $2,500.00.", True),
        ("Two QMB30 come to $2,600.00.", False),
        ("The total is $250.00 under your budget of $2,500.00.", True),
        ("The total is $350.00 under your budget of $2,500.00.", False),
        ("Le total est de 2 250,00 EUR.", True),
        ("Le total est de 2 350,00 EUR.", False),
        ("We sell it for $2,500.00.", False),
    ],
)
def test_prices_are_compared_and_multiplied_and_held_against_a_budget(sentence: str, right: bool) -> None:
    lines = [OwnLine(model, model, "Quincy", model, "", 1, unit_price=Decimal(net), total=Decimal(net))
             for model, net in (("QMB30", "1250.00"), ("QMB25", "1000.00"))]  # fmt: skip
    offer = OwnQuote("Q-1", "Elm", "USD", "Net 30 days", date(2026, 12, 22), lines, Decimal("2250.00"))
    items = [Item(model=model) for model in ("QMB30", "QMB25")]
    drafted = write(Letter(name="", customer="Elm", request="", project="", requirements="", items=items))
    evidence = replace(drafted.evidence, offer=offer, request="Our budget is $2,500.00.")
    faults = [each.kind for each in report(sentence, evidence).faults if each.kind == "price"]
    assert (faults == []) is right


@pytest.mark.parametrize(
    ("sentence", "right"),
    [
        ("At 9,460 hours 540 hours are left to 10,000.", True),
        ("At 9,460 hours 440 hours are left to 10,000.", False),
        ("It is 176 CFM and 129 CFM, 305 CFM together.", True),
        ("It is 176 CFM and 129 CFM, 315 CFM together.", False),
    ],
)
def test_a_sentence_adds_and_subtracts_its_own_known_figures(sentence: str, right: bool) -> None:
    found = of_models(sentence, "QMB30", request="It has run 9,460 hours of 10,000; we have 176 cfm and 129 cfm.")
    assert ([each for each in found if each[0] != "promise"] == []) is right


def test_yes_and_no_in_a_comparison_are_what_the_rows_answer() -> None:
    table = (
        "### Comparison\n\n| | SES0507-5 | SF 4+ |\n|---|---|---|\n| Runs on your 230 volts single phase | {} | {} |"
    )
    mail = "We have 230 volts single phase."
    pair = ("SES0507-5", "SF 4+")
    assert of_models(table.format("yes", "no"), *pair, request=mail) == []
    (found,) = of_models(table.format("yes", "yes"), *pair, request=mail)
    assert found[2].startswith("208 V")
    assert of_models(table.format("no", "no"), *pair, request=mail) != []
