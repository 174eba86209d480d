"""What of a past line may go to somebody else, as the tools give it, and which of several lines is taken."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from quotes import find_for_request, get_quote, search_line_items
from tests.deployment import Deployment, invoke
from tests.sample_rows import line, product, quote

SELLING = "Zephyr blower of 15 HP for ponds, relief valve set 4.5. Pads poured by Lakewood crew past column 12. "
TEXT = (
    f"{SELLING}As walked with Hank Pruss.\nMFR          Maumee\nHP           15HP\n"
    "Maumee: 30 months bearings incl., no labor.\nNET $4,090.00 EACH\nDelivery: 12-14 weeks A.R.O."
)
ZB = {"manufacturer": "Maumee", "model": "ZB-15", "category": "REGENERATIVE BLOWER", "family": "blower", "hp": 15}


@pytest.fixture(scope="module", autouse=True)
def library(deployment: Deployment) -> Iterator[None]:
    deployment.put_products(product("ZB-15", **{name: value for name, value in ZB.items() if name != "model"}))
    deployment.put_quotes(
        quote("Z-1", customer="Lakewood Fish", contact="Dale Trevino", status="lost", quote_date="2026-03-01"),
        quote("Z-2", customer="Other Fish", status="won", quote_date="2024-03-01"),
        quote("Z-3", customer="Third Fish", status="open", quote_date="2025-03-01"),
    )
    deployment.put_lines(
        line("Z-1", 1, TEXT, **ZB),
        line("Z-2", 1, "Zephyr blower of 15 HP for ponds, proven words of a won plain line.", **ZB),
        line("Z-2", 2, "OPTION: Zephyr blower of 15 HP for ponds, a second one.", optional=True, **ZB),
        line("Z-3", 1, "ALTERNATE TO ITEM 1: Zephyr blower of 15 HP for ponds, another.", **ZB),
    )
    deployment.embed()
    with deployment.serving("quarry_read"):
        yield


def found(number: str, position: int = 1, **arguments: object) -> dict[str, Any]:
    answer = invoke(search_line_items.handler, {"query": "Zephyr blower 15 HP for ponds", **arguments})
    lines = [hit["line_item"] for hit in answer["results"]]
    return next(each for each in lines if (each["quote_number"], each["position"]) == (number, position))


def test_a_hit_shows_what_sells_and_has_the_rest_as_fields() -> None:
    item = found("Z-1")
    assert item["description"].strip() in SELLING
    assert "NET" not in item["description"]
    assert (item["delivery_weeks"], item["warranty"]) == ("12-14", "Maumee: 30 months bearings incl., no labor.")
    assert "cuts" not in item


@pytest.mark.parametrize("of", ["search", "quote"])
def test_the_text_in_full_comes_once_beside_what_is_cut_from_it(of: str) -> None:
    item = found("Z-1", full=True) if of == "search" else whole("Z-1")
    assert item["description"] == TEXT
    sold = item["description"]
    for cut in item["cuts"]:
        begin, _, end = cut.partition(" … ")
        start = sold.index(begin)
        stop = sold.index(end, start) + len(end) if end else start + len(begin)
        sold = sold[:start] + sold[stop:]
    assert sold.split() == SELLING.split()
    assert json.dumps(item).count("Zephyr blower of 15 HP") == 1
    assert "cuts" not in found("Z-2", full=True)


def test_what_has_to_be_replaced_is_listed_with_its_place() -> None:
    for text, item in ((item["description"], item) for item in (found("Z-1", full=True), whole("Z-1"))):
        named = [(each["kind"], each["text"]) for each in item["mentions"]]
        assert named == [("company", "Lakewood"), ("place", "column 12")]
        assert all(text[each["start"] :].startswith(each["text"]) for each in item["mentions"])


def whole(number: str) -> dict[str, Any]:
    answer: dict[str, Any] = invoke(get_quote.handler, {"quote_id": number})["line_items"][0]
    return answer


def test_options_and_alternates_are_marked() -> None:
    assert found("Z-2", 2)["alternate"] is True
    assert found("Z-3")["alternate"] is True
    assert "alternate" not in found("Z-2")


def test_a_plain_line_goes_before_options_and_a_won_one_before_a_lost_one() -> None:
    answer = invoke(find_for_request.handler, {"items": [{"query": "Zephyr blower 15 HP for ponds"}]})
    (item,) = answer["items"]
    assert (item["source"]["quote_number"], item["source"]["position"]) == ("Z-2", 1)
    assert item["text"] == "Zephyr blower of 15 HP for ponds, proven words of a won plain line."
