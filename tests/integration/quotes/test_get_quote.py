"""get_quote on real Postgres."""

from collections.abc import Iterator
from typing import Any

import pytest

from quotes.get_quote import handler
from tests.deployment import Deployment, invoke
from tests.sample_rows import LINES, LONG_INSTALLATION, PRODUCTS, QUOTES, line, quote


@pytest.fixture(scope="module", autouse=True)
def serving(deployment: Deployment) -> Iterator[None]:
    deployment.put_products(*PRODUCTS)
    deployment.put_quotes(*QUOTES, quote("Q-24-109"), quote("k-1", customer="Lower"), quote("K-1", customer="Upper"))
    term = {"quantity": "1", "unit_price": "1900", "extended_price": "5700"}
    deployment.put_quotes(quote("term"))
    deployment.put_lines(line("term", 1, "Start-up.", unit_price="90"), line("term", 2, "Support, 3 years.", **term))
    deployment.put_lines(*reversed(LINES), line("k-1", 1, "lower line"), line("K-1", 1, "upper line"))
    deployment.put_quotes(quote("long summary", summary=LONG_INSTALLATION))
    deployment.put_lines(line("long summary", 1, "Compressor as quoted."))
    with deployment.serving("quarry_read"):
        yield


def get(number: str, **arguments: object) -> dict[str, Any]:
    return invoke(handler, {"quote_id": number, "max_tokens": 20_000, **arguments})


def test_a_quote_comes_with_all_its_facts() -> None:
    found = get("Q-24-101")["quote"]
    assert found == {**QUOTES[0], "total_price": "182500.50", "currency": "USD"}


def test_a_line_that_comes_to_more_than_its_unit_price_says_what_it_comes_to() -> None:
    once, term = get("term")["line_items"]
    assert "extended_price" not in once
    assert (term["unit_price"], term["extended_price"]) == ("1900.00", "5700.00")


def test_its_lines_come_verbatim_in_the_order_of_the_quote() -> None:
    lines = get("Q-24-101")["line_items"]
    assert [item["position"] for item in lines] == [1, 2]
    assert lines[1]["description"] == LONG_INSTALLATION
    assert lines[1]["unit_price"] == "31250.50"
    assert (lines[0]["model"], "catalogue_model" in lines[0]) == ("SES100", False)


def test_what_says_nothing_is_left_out() -> None:
    answer = get("Q-24-101")
    assert None not in [*answer.values(), *answer["quote"].values(), *answer["line_items"][1].values()]
    assert "next_cursor" not in answer


def test_single_lines_can_be_asked_for() -> None:
    assert [item["position"] for item in get("Q-24-101", lines=[2])["line_items"]] == [2]
    refused = get("Q-24-101", lines=[2, 7])
    assert (refused["code"], refused["details"]) == ("NOT_FOUND", {"lines": [1, 2]})
    assert "No line 7" in refused["message"]


def test_a_quote_without_lines_has_an_empty_list() -> None:
    assert get("Q-24-109")["line_items"] == []


def test_quantity_and_currency_are_those_of_the_line() -> None:
    assert get("Q-24-102")["line_items"][0]["quantity"] == "2.5"
    assert get("Q-24-103")["line_items"][2]["currency"] == "CAD"


def test_case_does_not_matter_unless_two_quotes_differ_by_it() -> None:
    assert get("q-24-101")["quote"]["quote_number"] == "Q-24-101"
    for number, customer, text in (("k-1", "Lower", "lower line"), ("K-1", "Upper", "upper line")):
        answer = get(number)
        assert answer["quote"]["customer"] == customer
        assert [item["description"] for item in answer["line_items"]] == [text]


@pytest.mark.parametrize("number", ["q 24 101", "Q24101", " q-24 101", "Q_24_101"])
def test_blanks_and_hyphens_do_not_matter(number: str) -> None:
    assert get(number)["quote"]["quote_number"] == "Q-24-101"


def test_a_number_that_is_one_of_several_but_for_hyphens_is_not_guessed() -> None:
    answer = get("k 1")
    assert (answer["code"], answer["details"]["nearest"]) == ("NOT_FOUND", ["K-1", "k-1"])


def test_a_line_says_by_attribute_what_its_own_text_says() -> None:
    compressor, scope = get("Q-24-101")["line_items"]
    assert compressor["attributes"] == {"hp": "100 hp", "cfm": "330 cfm", "psi": "116 psi", "lubrication": "oilless"}
    assert "attributes" not in scope


def test_a_missing_quote_is_not_found_with_the_nearest() -> None:
    answer = get("Q-24-110")
    assert answer["code"] == "NOT_FOUND"
    assert "quote_get" in answer["message"]
    assert "Q-24-101" in answer["details"]["nearest"]
    assert "Nearest: Q-24-10" in answer["message"]


def test_a_number_like_no_other_is_not_found_with_another_way() -> None:
    answer = get("xxxxxxxx")
    assert answer["details"] == {"nearest": []}
    assert "search_line_items" in answer["message"]


def test_a_call_that_names_neither_lines_nor_a_budget_has_a_page() -> None:
    page = invoke(handler, {"quote_id": "Q-24-101"})
    assert page["next_cursor"]
    picked = invoke(handler, {"quote_id": "Q-24-101", "lines": [1, 2]})
    assert "next_cursor" not in picked
