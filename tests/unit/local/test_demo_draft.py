"""The demo's draft, put together through a real MCP client from recorded tool answers."""

import asyncio
import re
from collections.abc import Mapping
from datetime import date
from typing import Any

import pytest
from mcp import Client

from local.demo import ANNEX, MISSING, draft, fill
from local.failure import LocalError
from tests.unit.local.demo_recording import Answers, answer, golden, item, replay


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


def test_prices_are_precedents_with_their_reasons() -> None:
    told = "> - Alder Valley Creamery, Inc., Q-2210, 2024-03-11: 98450 (sold). Why: List less 12, repeat buyer"
    assert told in written()


def test_the_annex_has_a_row_for_each_item_with_what_quote_create_takes() -> None:
    rows = written().partition(ANNEX)[2].strip().splitlines()
    assert rows == [
        "| 1 | Drystar DS-100 | prod_ds_100 | Alder Valley Creamery, Inc., Q-2210, 2024-03-11, line 1 | Q-2210 "
        "| likely_good / likely_good | used with review |"
    ]


def test_notes_are_numbered_and_name_alternates_and_missing_values() -> None:
    text = written()
    numbers = re.findall(r"^> \*\*SALESPERSON REVIEW:\*\* (\d+)\. ", text, re.M)
    assert numbers == [str(number) for number in range(1, len(numbers) + 1)]
    assert "> - alternate: 2 × Drystar DS-50, 50 HP, 200 cfm" in text
    assert f"> - values marked {MISSING} come from the maker" in text


def test_a_degraded_search_is_flagged_at_the_top_and_in_the_annex() -> None:
    text = written(answering(answer(item(degraded=True), degraded=True)))
    assert "ran degraded" in text.partition("November 21")[0]
    assert text.rstrip().endswith("| degraded |")


def test_one_call_finds_all_that_the_letter_is_made_of() -> None:
    calls: list[str] = []

    def recorded(tool: str, arguments: Mapping[str, Any]) -> dict[str, Any] | str:
        calls.append(tool)
        return golden(tool, arguments)

    written(recorded)
    assert calls == ["find_for_request"]


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
