"""The demo's draft, put together through a real MCP client from recorded tool answers."""

import asyncio
import re
from collections.abc import Mapping
from datetime import date
from typing import Any

import pytest
from mcp import Client

from local.demo import draft
from local.failure import LocalError
from local.letter import ANNEX, compose, fill
from tests.unit.local.demo_recording import TEMPLATES, Answers, answer, golden, item, replay

TEMPLATE = (TEMPLATES / "quote.md").read_text("utf-8")


def written(answers: Answers = golden) -> str:
    async def run() -> str:
        async with Client(replay(answers)) as client:
            return await draft(client, today=date(2026, 11, 21))

    return asyncio.run(run())


def answering(found: dict[str, Any] | str) -> Answers:
    return lambda tool, arguments: found if tool == "find_for_request" else golden(tool, arguments)


def body(text: str) -> str:
    """What the customer would read."""
    return re.sub(r"^>.*\n?", "", text.partition("## Sources (internal)")[0], flags=re.M)


def test_the_letter_has_every_section_in_order_and_the_annex_behind_it() -> None:
    text = written()
    marks = [
        "November 21, 2026",
        "Dear [SALUTATION]",
        "### What we need to know",
        "- At which pressure?",
        "### Item 1",
    ]
    marks += ["CHARACTERISTICS", "### Exclusions", "### Totals", "### Terms", "Net 30", "FOB Factory", "### About us"]
    marks += ["Sincerely", "Traverse City", "## Sources (internal)", ANNEX]
    places = [text.index(mark) for mark in marks]
    assert places == sorted(places)


def test_the_copied_block_keeps_its_misspellings_and_its_line_breaks() -> None:
    assert "DRYSTAR Model DS-100 oilless air compresser, 100HP, compleate w/ aftercooler.\\\n\\\nFactory" in written()


def test_what_was_assumed_is_no_requirement_but_a_note() -> None:
    found = answer(item(understood=["dryer", "400 cfm (11.3 m³/min)"], assumed=["400 cfm (item 1)"]))
    text = written(answering(found))
    assert "requirements as we understand them: dryer. " in text
    assert "> - assumed, not asked for: 400 cfm (item 1)" in text


def test_no_other_customer_and_no_old_price_reaches_the_letter() -> None:
    letter = body(written())
    assert "Alder" not in letter
    assert not re.search(r"\$\d", letter)
    assert "Factory startup for [NAME REMOVED] included. Adder for remote panel $[PRICE] net." in letter
    assert "Net $[PRICE] Each" in letter


def test_what_was_taken_out_of_the_copied_block_is_said() -> None:
    text = written()
    assert "> - `$1,250.00`, now `$[PRICE]`" in text
    assert "> - `Alder Valley Creamery, Inc.`, now `[NAME REMOVED]`" in text


def test_what_was_told_then_of_delivery_and_warranty_is_for_the_salesperson_alone() -> None:
    found = item()
    found["source"] |= {"delivery_weeks": "14-16", "warranty": "Two years on parts."}
    text = written(answering(answer(found)))
    assert "> - weeks of delivery told then: 14-16\n> - warranty told then: Two years on parts." in text


def test_prices_are_precedents_with_their_reasons() -> None:
    told = "> - Q-2210/1, 2024-03-11, Alder Valley Creamery, Inc., sold 98,450.00 USD: List less 12, repeat buyer"
    assert told in written()


def test_the_annex_has_a_row_for_each_item_with_what_quote_create_takes() -> None:
    rows = written().partition(ANNEX)[2].partition("## Check")[0].strip().splitlines()
    assert rows == [
        "| 1 | Drystar DS-100 | prod_ds_100 | Alder Valley Creamery, Inc., Q-2210, 2024-03-11, line 1 | Q-2210 "
        "| likely_good / likely_good | used with review |"
    ]


def test_notes_are_numbered_and_name_alternates() -> None:
    text = written()
    numbers = re.findall(r"^> \*\*SALESPERSON REVIEW:\*\* (\d+)\. ", text, re.M)
    assert numbers == [str(number) for number in range(1, len(numbers) + 1)]
    assert "> - alternate: 2 × Drystar DS-50, 50 HP, 200 cfm" in text


def test_a_degraded_search_is_flagged_at_the_top_and_in_the_annex() -> None:
    text = written(answering(answer(item(degraded=True), degraded=True)))
    assert "ran degraded" in text.partition("November 21")[0]
    assert "| degraded |\n" in text


def test_one_call_finds_all_that_the_letter_is_made_of_and_one_checks_it() -> None:
    calls: list[str] = []
    checked: dict[str, Any] = {}

    def recorded(tool: str, arguments: Mapping[str, Any]) -> dict[str, Any] | str:
        calls.append(tool)
        checked.update(arguments)
        return golden(tool, arguments)

    text = written(recorded)
    assert calls == ["find_for_request", "check_draft"]
    assert text.startswith(checked["draft"])
    assert (checked["products"], checked["past_quotes"]) == (["DS-100", "DS-50"], ["Q-2210"])
    assert "1 of its statements are not supported.\n- line 7, contradicted: 99 HP\n" in text


def test_an_item_that_nothing_fits_is_a_gap_in_the_letter_and_in_the_annex() -> None:
    gap = {"item": 2, "query": "a 900 HP scroll", "notice": "Nothing meets all of it."}
    text = compose(TEMPLATE, answer(item(), gap), request="air", customer="Acme", today=date(2026, 1, 1))
    assert '**SALESPERSON REVIEW:** 5. nothing fits "a 900 HP scroll".\n> - Nothing meets all of it.' in text
    assert "| 2 | – | – | – | – | – | no match |" in text


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        ("UNAVAILABLE: the database does not answer", "not the same as finding nothing: UNAVAIL"),
        (answer(item(offers=None)), "needs the sample corpus"),
        (answer(item(text=None)), "needs the sample corpus"),
    ],
)
def test_without_evidence_there_is_no_draft(found: dict[str, Any] | str, reason: str) -> None:
    with pytest.raises(ExceptionGroup) as caught:
        written(answering(found))
    assert caught.group_contains(LocalError, match=reason)


def test_text_that_was_filled_in_is_not_read_for_placeholders() -> None:
    assert fill("[DATE] and [PROJECT]", {"DATE": "[PROJECT]", "PROJECT": "air"}) == "[PROJECT] and air"
