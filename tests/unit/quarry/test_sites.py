"""Sentences of the archive that are true of one customer alone."""

import pytest

from quarry.precedents.sites import of_one_site
from quarry.understanding.text import fold


@pytest.mark.parametrize(
    "sentence",
    [
        "We sized it from the pull-down curve you mailed.",
        "Sanitation has the room from midnight to four.",
        "Pulling down the tank takes 90 seconds from atmosphere.",
        "Brewmaster wants it off between ten and five.",
        "Remove and replace as per site visit of 1/14.",
        "Press room must be down for the tie-in.",
        "Filler speed is 220 a minute, pressure may not sag.",
        "Bemessen nach der Kurve, die Sie uns geschickt haben.",
        "Según la curva que nos envió.",
        "D'après la courbe que vous nous avez envoyée.",
        "Stands in the station by the east wall.",
        "Floor pits must be bridged.",
        "Rotation covers 12 pumps through one master.",
        "Exhaust heat will keep the caramel room warm in January.",
        "Kiln stop in February is the window.",
        "Stillstand im August.",
        "Contra el muro norte.",
        "More CFM per HP than the scroll, but all eggs in the one basket.",
        "Leiser als die Schraube: 6 dB weniger als die Schraube.",
    ],
)
def test_what_a_customer_told_and_how_his_line_goes_is_his_own(sentence: str) -> None:
    assert of_one_site(sentence, folded=fold(sentence))


@pytest.mark.parametrize(
    "sentence",
    [
        "Pull-down to 29 inHg in 90 seconds.",
        "The conveyor of the dryer is of steel.",
        "Data are sent daily.",
        "Keep the compressor room below 104 F.",
        "Two stages need less power than one.",
        "The first stage is oil-flooded.",
        "Door on the left side, 24 in. free.",
    ],
)
def test_what_is_true_of_the_machine_is_not(sentence: str) -> None:
    assert not of_one_site(sentence, folded=fold(sentence))
