"""How rows answer needs: with their own values, a quote with those of its lines."""

from collections.abc import Mapping
from typing import Any

from quarry.attributes.model import Attribute, Attributes
from quarry.corpora import LINE_ITEMS, PRODUCTS
from quarry.needs.grammar import read_need
from quarry.needs.model import Need
from quarry.retrieval.corpus import Corpus
from quarry.retrieval.judging import Judge, figures_of, read_words
from quotes.queries import PAST_QUOTES

ATTRIBUTES = Attributes(
    {
        "flow": Attribute("flow", kind="number", sense="at_least", adds="sum"),
        "body": Attribute("body"),
        "coating": Attribute("coating"),
        "tread": Attribute("tread", kind="number", families=frozenset(("ladder",))),
    }
)


def need(name: str, asked: str) -> Need:
    found = read_need(name, asked, attributes=ATTRIBUTES)
    assert isinstance(found, Need)
    return found


def signs(corpus: Corpus, row: Mapping[str, Any], *needs: Need, **more: Any) -> str:
    return Judge(corpus, needs, ATTRIBUTES, **more).of(row).signs


def test_a_value_that_a_row_does_not_say_is_unknown() -> None:
    assert signs(PRODUCTS, {"attributes": {"body": "iron"}}, need("flow", "40"), need("body", "iron")) == "?+"


def test_what_goods_of_a_kind_do_not_have_is_not_denied_and_ranks_behind() -> None:
    found = Judge(PRODUCTS, [need("tread", "40")], ATTRIBUTES).of({"family": "pump", "attributes": {}})
    assert ([str(each) for each in found.findings], found.contradicted) == (["tread unknown"], 1)
    assert signs(PRODUCTS, {"family": "pump", "attributes": {"tread": 10}}, need("tread", "40")) == "-"


def test_a_line_answers_with_its_own_value_before_that_of_its_catalogue_row() -> None:
    row = {"attributes": {"flow": 10}, "_catalogue": {"flow": 50, "body": "iron"}}
    assert signs(LINE_ITEMS, row, need("flow", "40"), need("body", "iron")) == "-+"


def test_several_machines_answer_together_and_those_that_are_down_do_not() -> None:
    row = {"attributes": {"flow": 20}}
    set_up: list[dict[str, int]] = [{}, {"machines": 2}, {"machines": 2, "down": 1}]
    assert [signs(PRODUCTS, row, need("flow", "40"), **how) for how in set_up] == ["-", "+", "-"]


def test_a_quote_answers_what_is_asked_of_goods_by_the_best_of_its_lines() -> None:
    lines = [{"attributes": {"flow": 10, "body": "iron"}}, {"attributes": {"flow": 50, "body": "steel"}}]
    quote = {"customer": "Acme", "_lines": lines}
    asked = (need("customer", "Acme"), need("flow", "40"))
    assert signs(PAST_QUOTES, quote, *asked, need("body", "steel")) == "+++"
    assert "-" in signs(PAST_QUOTES, quote, *asked, need("body", "iron")), "no line has both"


def test_a_word_is_known_in_another_form_and_at_the_head_of_a_compound() -> None:
    words = read_words("Edelstahlpumpen with flanges")
    assert words.have("flange")
    assert words.have("Edelstahl".casefold())
    assert not words.have("iron")


def test_of_needs_that_mean_one_thing_the_one_that_a_row_answers_best_counts() -> None:
    asked = need("flow", "40"), need("body", "iron"), need("coating", "iron")
    rows = [{"body": "iron", "coating": "none"}, {"body": "steel", "coating": "iron"}, {"body": "steel"}]
    found = [signs(PRODUCTS, {"attributes": {"flow": 50, **row}}, *asked, either=[[1, 2]]) for row in rows]
    assert found == ["++w", "+w+", "+w?"]


def test_a_row_says_figures_in_words_and_in_values_with_their_unit_or_attribute() -> None:
    row = {"description": "Rod 1.200 mm", "attributes": {"flow": 2.4}, "_lines": [{"model": "T 3,2x350"}]}
    said = figures_of(row)
    assert {"1.2", "1200", "1200 mm", "2.4", "flow 2.4", "3.2", "350"} <= said
