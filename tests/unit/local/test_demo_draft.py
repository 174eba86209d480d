"""The demo's draft, put together through a real MCP client from recorded tool answers."""

import asyncio
import re
from collections.abc import Mapping
from datetime import date
from typing import Any

import pytest
from mcp import Client

from local.demo import draft
from local.drafting import cheapest_first
from local.failure import LocalError
from local.letter import ANNEX, Offered, compose, fill
from tests.unit.local.demo_recording import (
    BLOCK,
    TEMPLATES,
    Answers,
    answer,
    candidate,
    golden,
    item,
    past_line,
    replay,
    table,
)

TEMPLATE = (TEMPLATES / "quote.md").read_text("utf-8")


def written(answers: Answers = golden) -> str:
    async def run() -> str:
        async with Client(replay(answers)) as client:
            return await draft(client, today=date(2026, 11, 21))

    return asyncio.run(run())


def answering(found: dict[str, Any] | str) -> Answers:
    return lambda tool, arguments: found if tool == "find_for_request" else golden(tool, arguments)


def composed(*items: Offered) -> str:
    return compose(TEMPLATE, items, customer="Acme", today=date(2026, 1, 1))


def body(text: str) -> str:
    """What the customer would read."""
    return re.sub(r"^>.*\n?", "", text.partition("## Sources (internal)")[0], flags=re.M)


def test_the_letter_has_its_sections_in_order_and_the_annex_behind_them() -> None:
    text = written()
    marks = [
        "November 21, 2026",
        "Dear [SALUTATION]",
        "### Item 1",
        BLOCK,
        "Model DS-100 as described",
        "### Exclusions",
    ]
    marks += ["### Totals", "### Terms", "Net 30", "FOB Factory", "### About us", "Sincerely", "Traverse City"]
    marks += ["## Sources (internal)", ANNEX, "## Check (internal)"]
    places = [text.index(mark) for mark in marks]
    assert places == sorted(places)


def test_proven_words_keep_their_misspellings_and_lose_sentences_with_names_and_amounts() -> None:
    letter = body(written())
    assert "DRYSTAR Model DS-100 oilless air compresser, 100HP, compleate w/ aftercooler." in letter
    assert "12 month warrenty; oil/water separator by others." in letter
    assert "Alder" not in letter
    assert not re.search(r"\$\d", letter)


def test_the_annex_has_a_row_for_each_item_with_what_quote_create_takes() -> None:
    rows = written().partition(ANNEX)[2].partition("## Check")[0].strip().splitlines()
    assert rows == [
        "| 1 | DS-100 | prod_ds-100 | Alder Valley Creamery, Inc., Q-2210, 2024-03-11, line 1 "
        "| 98,450.00 USD 2024-03 won Q-2210/1 | ++ | used with review |"
    ]


def test_notes_are_numbered_and_name_alternates_and_what_goes_with_it() -> None:
    text = written()
    numbers = re.findall(r"^> \*\*SALESPERSON REVIEW:\*\* (\d+)\. ", text, re.M)
    assert numbers == [str(number) for number in range(1, len(numbers) + 1)]
    assert "> - alternate: id DS-50, list price" in text
    assert "> - installation, 7 of 12, Q-2210/2" in text


def test_a_draft_is_found_described_and_checked_in_four_calls() -> None:
    calls: dict[str, Mapping[str, Any]] = {}

    def recorded(tool: str, arguments: Mapping[str, Any]) -> dict[str, Any] | str:
        calls[tool] = arguments
        return golden(tool, arguments)

    text = written(recorded)
    assert list(calls) == ["find_for_request", "get_specs", "get_quote", "check_draft"]
    assert calls["get_specs"]["models"] == ["DS-100"]
    assert (calls["get_quote"]["quote_id"], calls["get_quote"]["lines"]) == ("Q-2210", [1])
    assert text.startswith(calls["check_draft"]["draft"])
    assert "1 of its statements are not supported.\n- line 7, contradicted: 99 HP\n" in text


def test_the_cheapest_that_meets_every_must_comes_first() -> None:
    rows = [candidate("A"), candidate("B", **{"list price": "9,000.00 USD"}), candidate("C", **{"list price": ""})]
    assert [row["id"] for row in cheapest_first(rows)] == ["B", "A", "C"]
    close = [candidate("A"), candidate("B", fit="+~", **{"list price": "9,000.00 USD"})]
    assert [row["id"] for row in cheapest_first(close)] == ["A", "B"]


def test_words_are_those_of_what_is_offered_the_customers_own_first() -> None:
    lines = table(
        past_line("Q-1/1", model="DS-50"),
        past_line("Q-2/1", customer="Other Ltd"),
        past_line("Q-3/1", customer="Meadowbrook Foods", status="lost"),
    )
    asked: list[str] = []

    def recorded(tool: str, arguments: Mapping[str, Any]) -> dict[str, Any] | str:
        asked.extend([arguments["quote_id"]] if tool == "get_quote" else [])
        found = answer(item(lines=lines), customer={"name": "Meadowbrook Foods"})
        return found if tool == "find_for_request" else golden(tool, arguments)

    written(recorded)
    assert asked == ["Q-3"]


def test_a_degraded_search_is_flagged_in_the_annex() -> None:
    assert "| degraded |\n" in written(answering(answer(item(degraded=True))))


def test_an_item_that_nothing_fits_is_a_gap_and_a_question_is_for_a_person() -> None:
    gap = Offered(1, "a 900 HP scroll", row=candidate("DS-50", fit="-+"), notice="Nothing meets all of it.")
    text = composed(gap, Offered(2, "what did we pay?", kind="question"))
    assert 'nothing fits "a 900 HP scroll".\n> - nearest: DS-50, -+\n> - Nothing meets all of it.' in text
    assert "| 1 | – | – | – |" in text
    assert 'to be answered: "what did we pay?".' in text
    assert "### Item 2" not in text


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        ("UNAVAILABLE: the database does not answer", "not the same as finding nothing: UNAVAIL"),
        (answer(item(candidates=None)), "needs the sample corpus"),
        (answer(item(lines=None)), "needs the sample corpus"),
    ],
)
def test_without_evidence_there_is_no_draft(found: dict[str, Any] | str, reason: str) -> None:
    with pytest.raises(ExceptionGroup) as caught:
        written(answering(found))
    assert caught.group_contains(LocalError, match=reason)


def test_text_that_was_filled_in_is_not_read_for_placeholders() -> None:
    assert fill("[DATE] and [PROJECT]", {"DATE": "[PROJECT]", "PROJECT": "air"}) == "[PROJECT] and air"
