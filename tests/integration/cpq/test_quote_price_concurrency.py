"""Several agents price one quote at once, each on a connection of its own."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from threading import Barrier

import pytest

from cpq import idempotency
from cpq.pricing_run import Request, price_quote
from cpq.quote_price import QuotePriceArgs, QuotePriceResult, answer_of
from quarry.database import Connection
from quarry.errors import Conflict, ToolError
from quarry.identity import Caller
from tests.deployment import TENANT, Deployment, as_tenant
from tests.integration.cpq.drafts import draft, rows
from tests.integration.cpq.test_quote_price_versions import ASK
from tests.sample_catalogue import put_catalogue

AGENTS = 6


@pytest.fixture(scope="module", autouse=True)
def catalogue(deployment: Deployment) -> None:
    put_catalogue(deployment)


def caller(number: int) -> Caller:
    return Caller(tenant=TENANT, request_id=f"r-{number}", subject=f"agent:{number}")


def at_once[A](deployment: Deployment, work: Callable[[Connection, int], A]) -> list[A | ToolError]:
    """What each agent got; all begin together."""
    gate = Barrier(AGENTS)

    def one(number: int) -> A | ToolError:
        with deployment.connect("quarry_write") as connection:
            gate.wait(30)
            try:
                with as_tenant(connection, TENANT):
                    return work(connection, number)
            except ToolError as error:
                return error

    with ThreadPoolExecutor(AGENTS) as pool:
        return list(pool.map(one, range(AGENTS)))


def request(quote: str, number: int, expected_version: int | None = None) -> Request:
    return Request(
        quote_id=quote, discount_pct=Decimal(number), price_book_id=None, expected_version=expected_version
    )


def test_of_agents_that_have_read_an_approved_version_one_wins(deployment: Deployment) -> None:
    quote = draft(deployment)
    with deployment.connect("quarry_write") as connection, as_tenant(connection, TENANT):
        price_quote(connection, request(quote, 10), caller=caller(0))
    rows(deployment, ASK, "approved", quote)
    outcomes = at_once(
        deployment, lambda connection, n: price_quote(connection, request(quote, n, 1), caller=caller(n))
    )
    lost = [outcome for outcome in outcomes if isinstance(outcome, Conflict)]
    assert len(lost) == AGENTS - 1
    assert all(error.details["current_version"] == 2 for error in lost)
    assert len(rows(deployment, "SELECT 1 FROM cpq.quote_versions WHERE quote_id = %s", quote)) == 2


def test_agents_without_a_version_follow_one_another_and_none_is_lost(deployment: Deployment) -> None:
    quote = draft(deployment)
    at_once(deployment, lambda connection, n: price_quote(connection, request(quote, n), caller=caller(n)))
    trail = rows(deployment, "SELECT before, after FROM cpq.audit WHERE subject_id = %s ORDER BY seq", quote)
    assert len(trail) == AGENTS
    assert [row["before"]["total"] for row in trail[1:]] == [row["after"]["total"] for row in trail[:-1]]
    [stored] = rows(
        deployment,
        """SELECT v.total::text, v.total = (SELECT sum(line_total + tax_amount) FROM cpq.quote_lines l
               WHERE l.quote_id = v.quote_id AND l.version = v.version) AS sums, t.trace ->> 'total' AS traced
           FROM cpq.quote_versions v JOIN cpq.pricing_traces t ON t.id = v.pricing_trace_id
           WHERE v.quote_id = %s""",
        quote,
    )
    assert stored == {"total": trail[-1]["after"]["total"], "sums": True, "traced": stored["total"]}


def test_agents_with_one_key_write_once_and_get_one_answer(deployment: Deployment) -> None:
    quote = draft(deployment)
    args = QuotePriceArgs.model_validate({"quote_id": quote, "idempotency_key": "shared"})
    answers = at_once(
        deployment,
        lambda connection, n: idempotency.once(
            connection,
            caller=caller(n),
            tool="quote_price",
            key="shared",
            args=args,
            answer=QuotePriceResult,
            write=lambda: answer_of(connection, args, caller=caller(n)),
        ),
    )
    assert all(answer == answers[0] for answer in answers)
    assert isinstance(answers[0], QuotePriceResult)
    assert len(rows(deployment, "SELECT 1 FROM cpq.pricing_traces WHERE quote_id = %s", quote)) == 1
