"""Filters as conditions: one clause a need, with parameters of its own."""

import pytest

from quarry.attributes.model import Attribute, Attributes
from quarry.corpora import LINE_ITEMS, PRODUCTS
from quarry.needs.grammar import read_need
from quarry.needs.model import Need
from quarry.retrieval.clauses import compiled, of_filters
from quarry.retrieval.condition import Condition
from quarry.retrieval.corpus import Corpus
from quotes.queries import PAST_QUOTES

HEAD = Attribute("head", kind="number", unit="m", sense="at_least", met=0.05, close=0.2)
BODY = Attribute("body")
ATTRIBUTES = Attributes(
    {"head": HEAD, "body": BODY, "portable": Attribute("portable", kind="flag")},
    families={"pump": ("waterpump",)},
    listed={"body": frozenset(("Stainless steel", "Cast iron"))},
    terms={("body", "inox"): ("Stainless steel",)},
)


def need(name: str, asked: str) -> Need:
    found = read_need(name, asked, attributes=ATTRIBUTES)
    assert isinstance(found, Need)
    return found


def condition(corpus: Corpus, *asked: tuple[str, str]) -> Condition:
    return of_filters(corpus, [need(*one) for one in asked], attributes=ATTRIBUTES)


@pytest.mark.parametrize("corpus", [PRODUCTS, LINE_ITEMS, PAST_QUOTES])
@pytest.mark.parametrize(
    "asked", [("head", "40..50 m"), ("body", "not Cast iron"), ("portable", "yes"), ("manufacturer", "Ebro | Kova")]
)
def test_every_placeholder_has_its_parameter(corpus: Corpus, asked: tuple[str, str]) -> None:
    found = condition(corpus, asked, asked)
    everything = dict.fromkeys((*found.parameters, "tenant"))
    assert found.sql % dict.fromkeys(everything, "NULL")
    assert len(found.parameters) == 2 * len(condition(corpus, asked).parameters), "the same filter twice is two"


def test_a_term_asks_for_the_values_that_it_stands_for() -> None:
    assert ["inox", "stainless steel"] in condition(PRODUCTS, ("body", "inox")).parameters.values()


def test_what_is_close_passes_where_close_will_do() -> None:
    bounds = [
        min(value for value in parameters.values() if isinstance(value, float))
        for close in (False, True)
        for _, parameters in [
            compiled(PRODUCTS, [need("head", "40")], attributes=ATTRIBUTES, prefix="n", close=close)
        ]
    ]
    assert bounds == [pytest.approx(38.0), pytest.approx(32.0)]


def test_what_a_corpus_cannot_be_asked_for_is_met_by_no_row() -> None:
    assert condition(PRODUCTS, ("customer", "Acme")).sql == "false"


def test_every_filter_is_asked_however_many_rows_and_arguments_say() -> None:
    many = [("head", f">= {number}") for number in range(1, 30)]
    assert len(condition(PRODUCTS, *many).parameters) == len(many) * len(condition(PRODUCTS, many[0]).parameters)


def test_without_filters_every_row_is_eligible() -> None:
    assert not condition(PRODUCTS)
