"""Models in a query: what is named comes first, and what is misspelt is found and said."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from equipment.search_equipment import handler
from quotes import search_line_items
from tests.deployment import Deployment, invoke
from tests.sample_rows import PRODUCTS, line, product, quote

READ_AS = "was read as"
MODELS = ("QMB25", "QMB30", "KRSP100", "TN-2110", "Q$ync 100", "2475N7.5")


@pytest.fixture(scope="module", autouse=True)
def serving(deployment: Deployment) -> Iterator[None]:
    deployment.put_products(*(product(model) for model in MODELS))
    deployment.put_products(*PRODUCTS, tenant="other")
    deployment.embed()
    with deployment.serving("quarry_read"):
        yield


def search(query: str, **arguments: object) -> dict[str, Any]:
    return invoke(handler, {"query": query, "full": True, **arguments})


def models(answer: dict[str, Any]) -> list[str]:
    return [hit["product"]["model"] for hit in answer["results"]]


@pytest.mark.parametrize(
    ("query", "model"),
    [
        ("QMB30", "QMB30"),
        ("qmb 30", "QMB30"),
        ("oilless scroll compressor like the QMB-30, with dryer", "QMB30"),
        ("TN 2110", "TN-2110"),
        ("tn2110 spare parts", "TN-2110"),
        ("Qsync 100", "Q$ync 100"),
        ("2475N7.5", "2475N7.5"),
    ],
)
def test_a_model_that_the_query_names_comes_first(query: str, model: str) -> None:
    answer = search(query)
    assert models(answer)[0] == model
    assert READ_AS not in (answer.get("notice") or "")


def test_lines_of_the_named_model_come_before_lines_that_mention_it(deployment: Deployment) -> None:
    deployment.put_quotes(quote("Q1"))
    deployment.put_lines(
        line("Q1", 1, "QMB30 QMB30 QMB30 spare parts kit for QMB30."),
        line("Q1", 2, "Rotary screw, flooded.", manufacturer="Quincy", model="QMB 30"),
    )
    answer = invoke(search_line_items.handler, {"query": "QMB30"})
    assert [hit["line_item"]["position"] for hit in answer["results"]] == [2, 1]


CONFUSED = str.maketrans({"0": "O", "1": "I", "5": "S", "8": "B", "2": "Z"})


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(letters=st.text("ABCDEGHKMNPRTVWXY", min_size=2, max_size=5), number=st.integers(100, 99999), data=st.data())
def test_any_model_is_found_with_its_digits_mistaken_for_letters(
    deployment: Deployment, letters: str, number: int, data: st.DataObject
) -> None:
    model = f"{letters}{number}"
    place = data.draw(st.integers(len(letters), len(model) - 1))
    typed = model[:place] + model[place].translate(CONFUSED) + model[place + 1 :]
    deployment.rows("DELETE FROM equipment.products", tenant="any")
    deployment.put_products(product(model), tenant="any")
    assert models(invoke(handler, {"query": typed}, tenant="any")) == [model]


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(letters=st.text("KMNRTWXY", min_size=4, max_size=6), number=st.integers(100, 99999), data=st.data())
def test_any_model_is_found_with_one_slip_in_its_letters(
    deployment: Deployment, letters: str, number: int, data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(letters) - 1))
    before, after = letters[:place], letters[place + 1 :]
    turned = letters[: max(place - 1, 0)] + letters[max(place - 1, 0) : place + 1][::-1] + after
    slip = data.draw(st.sampled_from([before + after, f"{before}Q{after}", f"{before}Q{letters[place:]}", turned]))
    front = data.draw(st.booleans())
    model, typed = (f"{text}{number}" if front else f"{number}{text}" for text in (letters, slip))
    deployment.rows("DELETE FROM equipment.products", tenant="any")
    deployment.put_products(product(model, description="Plain."), tenant="any")
    assert models(invoke(handler, {"query": typed}, tenant="any")) == [model]


def test_two_figures_that_became_one_are_no_slip(deployment: Deployment) -> None:
    deployment.rows("DELETE FROM equipment.products", tenant="any")
    deployment.put_products(product("LTKS7K1X6", description="Plain."), tenant="any")
    assert models(invoke(handler, {"query": "LTKS7K1XX6"}, tenant="any")) == ["LTKS7K1X6"]
    assert models(invoke(handler, {"query": "LTKS7K16"}, tenant="any")) == []
