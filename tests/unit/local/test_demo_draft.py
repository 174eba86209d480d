"""The demo's draft, put together through a real MCP client from recorded tool answers."""

import asyncio
import re
from collections.abc import Mapping
from datetime import date
from typing import Any

import pytest
from mcp import Client

from local.demo import MISSING, characteristics, draft, fill
from local.failure import LocalError
from tests.unit.local.demo_recording import Answers, found, golden, line_hit, replay


def written(answers: Answers = golden) -> str:
    async def run() -> str:
        async with Client(replay(answers)) as client:
            return await draft(client, today=date(2026, 11, 21))

    return asyncio.run(run())


def answering(tool: str, answer: dict[str, Any] | str) -> Answers:
    return lambda name, arguments: answer if name == tool else golden(name, arguments)


def test_the_letter_has_every_section_in_order() -> None:
    text = written()
    marks = ["November 21, 2026", "Dear [SALUTATION]", "### Item 1", "CHARACTERISTICS", "### Exclusions"]
    marks += ["### Totals", "### Terms", "Net 30", "FOB Factory", "### About us", "Sincerely", "Traverse City"]
    marks += ["## Retrieval summary (internal)"]
    places = [text.index(mark) for mark in marks]
    assert places == sorted(places)


def test_the_copied_block_keeps_its_misspellings_and_its_attribution_stands_right_above() -> None:
    above = (
        "> **Attribution:** Alder Valley Creamery, Inc., quote Q-2210, 2024-03-11, line 1 · score 0.74 · likely_good"
    )
    assert f"{above}\n\nDRYSTAR Model DS-100 oilless air compresser, 100HP, compleate w/ aftercooler.\n" in written()


def test_no_other_customer_and_no_old_price_reaches_the_letter() -> None:
    body = re.sub(r"^>.*$", "", written().partition("## Retrieval summary")[0], flags=re.M)
    assert "Alder" not in body
    assert not re.search(r"\$\d", body)
    assert "Factory startup for [NAME REMOVED] included. Adder for remote panel $[PRICE] net." in body


def test_what_was_taken_out_of_the_copied_block_is_said() -> None:
    text = written()
    assert "> - `$1,250.00`, now `$[PRICE]`" in text
    assert "> - `Alder Valley Creamery, Inc.`, now `[NAME REMOVED]`" in text


def test_prices_are_precedents_with_their_reasons_and_never_a_net_line() -> None:
    text = written()
    assert "Net $[PRICE] Each" in text
    assert "> - Alder Valley Creamery, Inc., Q-2210: DS100, $98450.00. Why: List less 12, repeat buyer" in text


def test_unknown_specifications_are_marked_without_their_unit() -> None:
    text = written()
    assert f"- Noise level: {MISSING}\n" in text
    assert "- Weight: 5200 lb\n" in text


def test_the_summary_lists_every_call_in_order() -> None:
    calls: list[str] = []

    def recorded(tool: str, arguments: Mapping[str, Any]) -> dict[str, Any] | str:
        calls.append(tool)
        return golden(tool, arguments)

    assert re.findall(r"^\| [^|]+ \| `(\w+)` ", written(recorded), re.M) == calls


def test_a_probable_miss_is_never_copied() -> None:
    hits = [line_hit(score=0.21, confidence="probable_miss", description="UNRELATED"), line_hit()]
    assert "UNRELATED" not in written(answering("search_line_items", found(hits)))


def test_a_degraded_search_is_flagged_at_the_top_and_in_the_summary() -> None:
    notice = "Embeddings are unavailable; text search only."
    hits = [line_hit(score=None, confidence=None, legs=["text"])]
    text = written(answering("search_line_items", found(hits, degraded=True, notice=notice)))
    assert notice in text.partition("November 21")[0]
    assert "| – | – | degraded |" in text


def test_a_search_without_hits_is_a_row_of_its_own() -> None:
    text = written(answering("search_past_quotes", found([])))
    assert "| – | – | – | no match |" in text


@pytest.mark.parametrize(
    ("tool", "answer", "reason"),
    [
        ("search_equipment", "UNAVAILABLE: the database does not answer", "not the same as finding nothing: UNAVAIL"),
        ("search_line_items", found([]), "needs the sample corpus"),
    ],
)
def test_without_evidence_there_is_no_draft(tool: str, answer: dict[str, Any] | str, reason: str) -> None:
    with pytest.raises(ExceptionGroup) as caught:
        written(answering(tool, answer))
    assert caught.group_contains(LocalError, match=reason)


def test_a_specification_in_several_parts_is_whole_or_missing() -> None:
    partial = "**[CATEGORY IN CAPS]**\n- Size: [length_in] x [width_in] in\n- Pressure: [psi] PSIG\nModel [model]"
    product = {"category": "dryer", "length_in": 20.0, "width_in": None, "psi": 125.5, "model": "D-1"}
    text = characteristics(partial, product)
    assert text == f"**DRYER**\n- Size: {MISSING}\n- Pressure: 125.5 PSIG\nModel D-1"


def test_text_that_was_filled_in_is_not_read_for_placeholders() -> None:
    assert fill("[DATE] and [PROJECT]", {"DATE": "[PROJECT]", "PROJECT": "air"}) == "[PROJECT] and air"
