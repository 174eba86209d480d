"""A row that says in its own words what is asked for is that, whatever its words were read into."""

import pytest

from quarry.attributes.model import Attribute
from quarry.needs.model import BUILT_IN, Choice, Finding, Judgement, Need, Verdict
from quarry.retrieval.judging import read_words
from quarry.retrieval.own_words import OwnWords

SIZE = Attribute("size", families=frozenset(("pump",)))
PUMP = Need(BUILT_IN["family"], (Choice(value="pump"),), "pump")
NEED = Need(SIZE, (Choice(value="DN 50"),), "DN 50")

STRAINER, PUMP_SET, MANUAL = [
    ({"description": text}, read_words(text))
    for text in ("Basket strainer DN 50", "Centrifugal pump DN 50", "Strainer for cooling water")
]
ROWS = [words for _, words in (STRAINER, PUMP_SET, MANUAL)]


def judged(verdict: Verdict = "contradicted", *, need: Need = NEED, has: str = "") -> Judgement:
    return Judgement((Finding(need, verdict, has),))


@pytest.mark.parametrize(
    ("query", "rest"),
    [
        ("strainer DN 50", "strainer"),
        ("basket strainer for a pump DN 50", "basket strainer"),
        ("Siebkorb strainer für eine Pumpe DN 50", "Siebkorb strainer"),
        ("strainer per la pompa DN 50", "strainer"),
    ],
)
def test_what_was_read_from_the_name_of_a_row_or_its_purpose_is_left_open(query: str, rest: str) -> None:
    own = OwnWords.of(query, rest, ROWS)
    opened = own.opened(judged(), *STRAINER)
    assert opened is not None
    assert opened.signs == "?"
    family = own.opened(judged(need=PUMP, has="strainer"), *STRAINER)
    assert family is not None
    assert family.signs == "?"


def test_a_row_that_lacks_a_word_of_the_goods_or_most_of_their_purpose_does_not_say_it() -> None:
    assert OwnWords.of("basket strainer DN 50", "basket strainer", ROWS).opened(judged(), *MANUAL) is None
    cooling = OwnWords.of("strainer for cooling water", "strainer cooling water", ROWS)
    assert cooling.opened(judged(), *STRAINER) is None
    assert cooling.opened(judged(), *MANUAL) is not None


def test_where_all_that_names_the_goods_was_read_needs_judge() -> None:
    assert OwnWords.of("pump DN 50", "", ROWS).opened(judged(), *PUMP_SET) is None
    assert OwnWords.of("pump DN 50 for cooling", "cooling", ROWS).opened(judged(), *PUMP_SET) is None
    assert OwnWords.of("pump DN 50", "50", ROWS).opened(judged(), *PUMP_SET) is None


def test_another_value_of_its_own_still_contradicts_and_so_does_what_is_denied() -> None:
    own = OwnWords.of("strainer DN 50", "strainer", ROWS)
    assert own.opened(judged(has="DN 80"), *STRAINER) is None
    assert own.opened(judged("met", need=PUMP._replace(negated=True)), *STRAINER) is None


@pytest.mark.parametrize(
    ("query", "is_name"),
    [
        ("Drive FA-4 4 kW", True),
        ("drive fa 4, 4 kw", True),
        ("Drive FA-4 4", False),
        ("Drive", False),
        ("FA-4 4 kW", False),
    ],
)
def test_goods_whose_whole_name_was_written_are_meant_whatever_its_words_mean(query: str, is_name: bool) -> None:
    row = {"description": "Drive FA-4 4 kW; IP55"}
    opened = OwnWords.of(query, "", ()).opened(judged(has="3 kW"), row, None)
    assert (opened is not None and opened.signs == "?") is is_name
    quote = {"description": "Two drives.", "_lines": [row]}
    assert (OwnWords.of(query, "", ()).opened(judged(), quote, None) is not None) is is_name
