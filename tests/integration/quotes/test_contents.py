"""The commercial memory: what a quote's lines hold stands in its own document, kept by their triggers."""

import pytest

from quotes.get_quote import handler as get_quote
from quotes.search_past_quotes import handler
from tests.deployment import Deployment, invoke
from tests.sample_rows import line, quote


def contents(deployment: Deployment, number: str) -> str | None:
    query = "SELECT contents FROM quotes.past_quotes WHERE quote_number = %(number)s"
    [row] = deployment.rows(query, {"number": number})
    found: str | None = row["contents"]
    return found


def queued(deployment: Deployment) -> set[str]:
    """Quotes that wait to be embedded anew."""
    rows = deployment.rows(
        "SELECT q.quote_number FROM quarry.embedding_queue e JOIN quotes.past_quotes q ON q.id = e.doc "
        "WHERE e.corpus = 'quotes.past_quotes'"
    )
    return {row["quote_number"] for row in rows}


def test_contents_follow_lines_that_come_change_and_go(deployment: Deployment) -> None:
    deployment.put_quotes(quote("Q1"), quote("Q2"))
    assert contents(deployment, "Q1") is None
    deployment.put_lines(
        line("Q1", 2, "Freight.", category="FREIGHT", family="service"),
        line("Q1", 1, "Screw.", manufacturer="Quincy", model="QMB30", price_note="List less 8%."),
    )
    assert contents(deployment, "Q1") == "rotary screw air compressor Quincy QMB30: List less 8%.\nfreight"
    assert contents(deployment, "Q2") is None
    deployment.put_lines(line("Q1", 1, "Screw.", manufacturer="Quincy", model="QMB25"))
    assert contents(deployment, "Q1") == "rotary screw air compressor Quincy QMB25\nfreight"
    deployment.rows("DELETE FROM quotes.line_items WHERE position = 1")
    assert contents(deployment, "Q1") == "freight"
    deployment.rows("DELETE FROM quotes.line_items")
    assert contents(deployment, "Q1") is None


def test_only_quotes_whose_contents_changed_are_indexed_anew(deployment: Deployment) -> None:
    deployment.put_quotes(quote("A1"), quote("A2"))
    deployment.put_lines(line("A1", 1, "One."), line("A2", 1, "Two."))
    deployment.rows("DELETE FROM quarry.embedding_queue")
    deployment.put_lines(line("A1", 1, "One, in other words.", unit_price="5"), line("A2", 1, "Two.", model="X-1"))
    assert queued(deployment) == {"A2"}


def test_a_quote_ingested_again_keeps_the_contents_of_its_lines(deployment: Deployment) -> None:
    deployment.put_quotes(quote("B1"))
    deployment.put_lines(line("B1", 1, "One.", model="X-1"))
    deployment.put_quotes(quote("B1", summary="Another summary."))
    assert contents(deployment, "B1") == "rotary screw air compressor X-1"


def test_a_quote_is_deleted_with_its_lines(deployment: Deployment) -> None:
    deployment.put_quotes(quote("C1"))
    deployment.put_lines(line("C1", 1, "One."))
    deployment.rows("DELETE FROM quotes.past_quotes WHERE quote_number = 'C1'")
    assert deployment.rows("SELECT FROM quotes.past_quotes WHERE quote_number = 'C1'") == []


def test_contents_are_bounded(deployment: Deployment) -> None:
    deployment.put_quotes(quote("D1"))
    deployment.put_lines(*(line("D1", n, "One.", price_note="much " * 900) for n in range(1, 300)))
    assert 3000 < len(contents(deployment, "D1") or "") <= 4000


def test_a_quote_that_nobody_summed_up_is_found_and_told_by_its_lines(deployment: Deployment) -> None:
    bare = {name: value for name, value in quote("E1").items() if name not in ("project", "summary")}
    deployment.put_quotes(bare, quote("E2"))
    deployment.put_lines(line("E1", 1, "Pump.", manufacturer="Becker", model="ORCA"))
    deployment.put_quotes({**bare, "terms": "Net 30"})
    deployment.embed()
    with deployment.serving("quarry_read"):
        [found, *_] = invoke(handler, {"query": "Becker ORCA", "full": True})["results"]
        told = invoke(get_quote, {"quote_id": "E1"})["quote"]
    assert (found["quote"]["quote_number"], found["summary"]) == ("E1", "rotary screw air compressor Becker ORCA")
    assert told["terms"] == "Net 30"
    assert not told.keys() & {"project", "summary"}


@pytest.mark.parametrize(
    ("query", "number"),
    [
        ("lost on price", "M-2"),
        ("Karl Oesterle", "M-1"),
        ("utility rebate", "M-3"),
        ("what we priced for Ms. Vandam", "M-2"),
        ("quotes with a COBRA", "M-1"),
        ("list less 12 for a pilot job", "M-3"),
    ],
)
def test_what_was_decided_sold_and_by_whom_is_found(deployment: Deployment, query: str, number: str) -> None:
    deployment.put_quotes(
        quote("M-1", customer="Sunny Dairy", salesperson="Karl Oesterle", summary="Dairy air.", project="Dairy"),
        quote("M-2", customer="Grand Hospital", contact="Ms. Vandam", status="lost", project="Medical air",
              summary="Air for a hospital.", price_rationale="Lost on price to a competitor."),
        quote("M-3", customer="Shop", project="Plant air", summary="Air for a shop.",
              price_rationale="Utility rebate of 20 % counted in."),
        quote("M-4", customer="Mill", project="Mill air", summary="Air for a mill."),
    )  # fmt: skip
    deployment.put_lines(
        line("M-1", 1, "Pump.", manufacturer="Busch", model="COBRA", category="SCREW VACUUM PUMP"),
        line("M-3", 1, "Screw.", price_note="List less 12, pilot job"),
        line("M-4", 1, "Screw."),
    )
    deployment.embed()
    with deployment.serving("quarry_read"):
        found = invoke(handler, {"query": query})["results"]
    assert found[0]["quote"]["quote_number"] == number
