"""What stands behind a machine is held against it."""

from datetime import date
from typing import Any

import pytest

from quarry.retrieval.hits import Hit, HitTrace
from quarry.retrieval.ranking import Answered
from quarry.understanding.fit import judge
from quarry.understanding.names import Names
from quarry.understanding.reading import understand
from quarry.understanding.words import Vocabulary
from quotes.drafting.air_in_line import InFront, told
from quotes.drafting.offers import Chosen

TRACE = HitTrace(
    cosine=0.9, bm25=None, coverage=0.0, vector_rank=1, text_rank=None, vector_part=0.5, text_part=0.0, named=False,
    relevance=None, terms=None,
)  # fmt: skip
DRYER = {"manufacturer": "M", "family": "dryer", "cfm": 450.0, "psi": 125.0}
DESICCANT = {**DRYER, "model": "D", "category": "desiccant air dryer", "dewpoint_f": -40.0}
REFRIGERATED = {**DRYER, "model": "R", "category": "refrigerated air dryer", "description": ""}
SWEPT = {**DESICCANT, "model": "S", "cfm": 900.0, "description": "Blower purge, 2 percent cooling sweep."}


def hit_of(row: dict[str, Any], text: str) -> Hit:
    [item] = understand(text, words=Vocabulary.shipped(), names=Names(), today=date(2026, 1, 1)).items
    return Hit(row, 0.9, "likely_good", (), TRACE, answer=Answered(0, judge(item, row)))


def said(row: dict[str, Any], *others: dict[str, Any], machine: InFront, text: str = "dryer") -> str | None:
    hits = [hit_of(each, text) for each in (row, *others)]
    return told([Chosen(hits[0])], hits, machine, units="us")


@pytest.mark.parametrize(
    "purge", ["7 % purge.", "Mit 7 % Spülluft.", "7 % de purga.", "7 % de purge.", "Purge air: 7 percent"]
)
def test_what_leaves_a_desiccant_dryer_is_told_with_the_one_that_takes_least(purge: str) -> None:
    notice = said({**DESICCANT, "description": purge}, SWEPT, machine=InFront("the scroll", 286.0, demand=278.0))
    assert notice == (
        "Of the 286 cfm of the scroll leave after purge: D 254.5 cfm (7 % of its 450), S 268 cfm (2 % of its 900); "
        "less than the 278 cfm asked."
    )


def test_a_purge_that_no_row_tells_is_asked_of_the_maker() -> None:
    notice = said({**DESICCANT, "description": "Twin tower."}, machine=InFront("the scroll", 286.0))
    assert notice == "The purge of D is not told: ask the maker."


def test_no_far_larger_dryer_that_is_not_offered_is_named_for_its_purge() -> None:
    notice = said(
        {**DESICCANT, "cfm": 70.0, "description": "Twin tower."}, SWEPT, machine=InFront("the scroll", 31.2)
    )
    assert notice == "The purge of D is not told: ask the maker."


def test_a_dryer_below_the_flow_of_its_machine_is_told_with_both_figures() -> None:
    machine = InFront("BRK-400V of item 1", 184.0)
    notice = said({**REFRIGERATED, "cfm": 177.0}, machine=machine)
    assert notice == "Too small for all the air of BRK-400V of item 1, 184 cfm: R 177 cfm."
    assert said({**REFRIGERATED, "cfm": 180.0}, machine=machine) is None


def test_a_machine_of_more_pressure_than_the_dryer_is_rated_for_is_a_question_to_the_maker() -> None:
    machine = InFront("A", 286.0, psi=145.0)
    assert said(REFRIGERATED, machine=machine) == (
        "R is rated at 125 psi, A at 145 psi: ask the maker for the highest allowed."
    )
    assert said(REFRIGERATED, machine=machine, text="dryer for 120 psi") is None


def test_a_tank_stands_in_no_ones_way() -> None:
    assert said({**REFRIGERATED, "family": "receiver", "cfm": 10.0}, machine=InFront("A", 286.0)) is None
