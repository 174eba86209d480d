"""The whole draft, assembled through a real MCP client from recorded tool answers."""

import asyncio
import re
from collections.abc import Mapping
from datetime import date
from typing import Any

import pytest
from mcp import Client

from local.demo.__main__ import CUSTOMER, REQUEST, draft_quote
from tests.unit.local.demo_recording import DRYSTAR, INSTALLATION, Answers, found, golden, line_hit, replay


def draft(answers: Answers = golden, *, request: str = REQUEST, customer: str = CUSTOMER) -> str:
    async def run() -> str:
        async with Client(replay(answers)) as client:
            return await draft_quote(client, request=request, customer=customer, today=date(2026, 11, 21))

    return asyncio.run(run())


def letter(text: str) -> str:
    """What the customer would see: no blockquotes, no retrieval summary."""
    return re.sub(r"^>.*$", "", text.partition("## Retrieval summary")[0], flags=re.M)


def answering(tool: str, answer: dict[str, Any] | str) -> Answers:
    return lambda name, arguments: answer if name == tool else golden(name, arguments)


def test_the_letter_has_every_section_in_order() -> None:
    text = draft()
    marks = ["November 21, 2026", "Dear [SALUTATION]", "### Item 1", "CHARACTERISTICS", "### Installation (optional)"]
    marks += ["### Exclusions", "### Totals", "### Terms", "Net 30", "FOB Factory", "### About us", "Sincerely"]
    marks += ["Traverse City", "## Retrieval summary (internal)"]
    places = [text.index(mark) for mark in marks]
    assert places == sorted(places)


def test_the_copied_block_keeps_its_misspellings_and_its_attribution_stands_right_above() -> None:
    above = (
        "> **Attribution:** Alder Valley Creamery, Inc., quote Q-2210, 2024-03-11, line 1 · score 0.74 · likely_good"
    )
    assert f"{above}\n\nDRYSTAR Model DS-100 oil-free air compresser, 100HP, compleate w/ aftercooler.\n" in draft()


def test_no_other_customer_and_no_old_price_reaches_the_letter() -> None:
    body = letter(draft())
    assert "Alder" not in body
    assert not re.search(r"\$\d", body)
    assert "Factory startup for [NAME REMOVED] included. Adder for remote panel $[PRICE] net." in body


def test_an_addressee_who_is_the_source_keeps_its_name() -> None:
    assert "Factory startup for Alder Valley Creamery, Inc. included" in letter(
        draft(customer="Alder Valley Creamery")
    )


def test_prices_are_precedents_with_their_reasons_and_never_a_net_line() -> None:
    text = draft()
    assert "Net $[PRICE] Each" in text
    assert "won: Drystar DS100, 1 × $98,450.00. Why this price: List less 12, repeat buyer." in text
    assert "The quote as a whole: Matched a rival's package." in text


def test_what_was_loosened_to_find_a_machine_is_said() -> None:
    text = draft()
    assert "No oilless machine meets the rest of the request, so oil-free was searched." in text
    assert "asked oilless, this one oil-free" in text


def test_the_machine_sold_before_is_chosen_over_one_that_only_ranks_higher() -> None:
    text = draft()
    assert "Model DS-100 as described above" in text
    assert "fits as well: Drystar DS-100W" in text


def test_unknown_specifications_are_marked_and_listed() -> None:
    text = draft()
    assert "- Noise level: [NOT IN CATALOGUE – confirm]" in text
    assert "> - not in the catalogue: Noise level" in text
    assert "motor entry does not give service factor" in text


def test_the_summary_lists_every_call_in_order() -> None:
    calls: list[str] = []

    def recorded(tool: str, arguments: Mapping[str, Any]) -> dict[str, Any] | str:
        calls.append(tool)
        return golden(tool, arguments)

    rows = re.findall(r"^\| [^|]+ \| `(\w+)` ", draft(recorded), re.M)
    assert rows == calls


def test_an_oil_free_machine_gets_a_note_about_the_separator_left_out() -> None:
    assert "oil/water separator and oil-removal filters are left out" in draft()


def test_an_installation_nobody_asked_for_is_optional_and_its_scope_marked_for_scrubbing() -> None:
    text = draft()
    assert INSTALLATION in text
    assert "belong to the other site" in text
    assert "| 2 | Installation (optional) | 1 | $[PRICE] | $[PRICE] |" in text


def test_an_installation_that_was_asked_for_and_not_found_stays_open() -> None:
    text = draft(answering("search_line_items", found([])), request="100HP oil-free compressor, installed")
    assert "### Installation\n" in text
    assert "[INSTALLATION SCOPE]" in text


def test_oil_flooded_words_never_describe_an_oilless_request() -> None:
    hits = [line_hit(lubrication="oil-flooded", description="FLOODED TEXT")]
    text = draft(answering("search_line_items", found(hits)))
    assert "no proven language found for this item" in text
    assert "FLOODED TEXT" not in text.partition("### Installation")[0]


def test_a_probable_miss_is_never_copied() -> None:
    hits = [line_hit(score=0.21, confidence="probable_miss", description="UNRELATED")]
    text = draft(answering("search_line_items", found(hits)))
    assert "UNRELATED" not in text
    assert "The closest hit was Q-2210 line 1: probable_miss." in text


def test_a_degraded_search_is_flagged_at_the_top_and_in_the_summary() -> None:
    notice = "Embeddings are unavailable; text search only."
    hits = [line_hit(score=None, confidence=None, legs=["text"])]
    text = draft(answering("search_line_items", found(hits, degraded=True, notice=notice)))
    assert notice in text.partition("November 21")[0]
    assert "no score, matched by words only" in text
    assert "| – | – | degraded |" in text


def test_a_tool_that_fails_is_not_reported_as_finding_nothing() -> None:
    text = draft(answering("search_equipment", "UNAVAILABLE: the database does not answer"))
    assert "a tool could not answer, which is not the same as finding nothing" in text
    assert "UNAVAILABLE: the database does not answer" in text
    assert "| – | – | – | failed |" in text
    assert "so oil-free was searched" not in text


def test_a_dryer_without_a_flow_is_sized_to_the_compressor_before_it() -> None:
    asked: list[object] = []

    def recorded(tool: str, arguments: Mapping[str, Any]) -> dict[str, Any] | str:
        if arguments.get("family") == "dryer":
            asked.append(arguments["cfm_min"])
        return golden(tool, arguments)

    text = draft(recorded, request="two 100HP oil-free compressors with refrigerated dryer")
    assert asked == [824.0]
    assert "Sized to 824 CFM" in text


@pytest.mark.parametrize("voltage", ["460", "575"])
def test_a_voltage_the_product_does_not_offer_is_named(voltage: str) -> None:
    text = draft(request=f"100HP oil-free compressor {voltage}V")
    assert (f"voltage: asked {voltage}, this one {DRYSTAR['voltage']}" in text) == (voltage == "575")
