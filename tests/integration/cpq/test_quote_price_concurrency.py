"""Sixteen agents price, ask about, withdraw and print one quote at once, each on a connection of its own."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from threading import Barrier

from cpq import audit
from cpq.approvals import requesting
from cpq.documents import queries as documents
from cpq.pricing.run import price_quote
from cpq.quote_withdraw import QuoteWithdrawArgs, withdrawn
from quarry.data.database import Connection
from quarry.tool.errors import Conflict, ToolError
from quarry.tool.identity import Caller
from tests.deployment import TENANT, Deployment, as_tenant
from tests.integration.cpq.drafts import draft, rows
from tests.integration.cpq.processes import Calls
from tests.integration.cpq.test_quote_price_versions import ASK

AGENTS = 16
REVISION = {
    "account_id": "acct_acme_001",
    "term_months": 12,
    "line_items": [{"product_id": "prod_sso", "quantity": 9}],
}

Work = Callable[[Connection, int], object]


def caller(number: int) -> Caller:
    return Caller(tenant=TENANT, request_id=f"r-{number}", subject=f"agent:{number}")


def at_once(deployment: Deployment, *work: Work) -> list[object]:
    """What each of AGENTS got, who take turns in what they do; all begin together."""
    gate = Barrier(AGENTS)

    def one(number: int) -> object:
        with deployment.connect("quarry_write") as connection:
            gate.wait(60)
            try:
                with as_tenant(connection, TENANT):
                    return work[number % len(work)](connection, number)
            except ToolError as error:
                return error

    with ThreadPoolExecutor(AGENTS) as pool:
        return list(pool.map(one, range(AGENTS)))


def pricing(quote: str, expected_version: int | None = None) -> Work:
    """Each agent asks for a discount of its own."""

    def price(connection: Connection, number: int) -> object:
        return price_quote(
            connection,
            quote_id=quote,
            requested_discount_pct=Decimal(number + 1),
            price_book_id=None,
            account_id="acct_acme_001",
            expected_version=expected_version,
            caller=caller(number),
        )

    return price


def asking(quote: str) -> Work:
    return lambda connection, number: requesting.request(
        connection, requesting.Plea(caller=caller(number), quote_id=quote, justification="why")
    )


def withdrawing(quote: str, *, discard: bool = False) -> Work:
    def withdraw(connection: Connection, number: int) -> object:
        args = QuoteWithdrawArgs(quote_id=quote, reason="why", discard=discard)
        return withdrawn(connection, args, caller=caller(number))

    return withdraw


def printed(quote: str) -> Work:
    """The same layout of the same version: the same bytes, and so the same key."""
    made = {
        "bucket": "b",
        "key": "k",
        "sha256": "0" * 64,
        "bytes": 1,
        "template": "standard",
        "options_sha256": "0" * 64,
    }
    return lambda connection, number: documents.store(
        connection, quote_id=quote, version=1, options={}, generated_by=f"agent:{number}", **made
    )


def approved(deployment: Deployment) -> str:
    quote = draft(deployment)
    with deployment.connect("quarry_write") as connection, as_tenant(connection, TENANT):
        pricing(quote)(connection, 9)
    rows(deployment, ASK, "approved", quote)
    return quote


def test_of_agents_that_have_read_an_approved_version_one_wins(deployment: Deployment) -> None:
    quote = approved(deployment)
    outcomes = at_once(deployment, pricing(quote, expected_version=1))
    lost = [outcome for outcome in outcomes if isinstance(outcome, Conflict)]
    assert len(lost) == AGENTS - 1
    assert all(error.details["current_version"] == 2 for error in lost)
    assert len(rows(deployment, "SELECT 1 FROM cpq.quote_versions WHERE quote_id = %s", quote)) == 2


def test_one_who_prices_and_one_who_revises_do_not_both_win(deployment: Deployment, in_processes: Calls) -> None:
    quote = approved(deployment)
    price = {"quote_id": quote, "expected_version": 1}
    revise = {**REVISION, "revises": quote, "expected_version": 1}
    answers = in_processes([("quote_price", price), ("quote_create", revise)] * 5)
    assert Counter(answer.get("code") for answer in answers) == {None: 1, "CONFLICT": 9}


def test_agents_without_a_version_follow_one_another_and_none_is_lost(deployment: Deployment) -> None:
    quote = draft(deployment)
    at_once(deployment, pricing(quote))
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


def test_what_waits_for_approval_is_what_the_quote_says(deployment: Deployment) -> None:
    for _ in range(5):
        quote = draft(deployment)
        at_once(deployment, pricing(quote), asking(quote))
        waiting = rows(
            deployment,
            """SELECT r.version = q.current_version AND r.content_hash = v.content_hash
                   AND v.status = 'pending_approval' AS sound
               FROM cpq.approval_requests r JOIN cpq.quotes q ON q.id = r.quote_id
               JOIN cpq.quote_versions v ON v.quote_id = r.quote_id AND v.version = r.version
               WHERE r.quote_id = %s AND r.status = 'pending'""",
            quote,
        )
        assert [row["sound"] for row in waiting] in ([], [True])


def test_what_is_withdrawn_while_others_price_and_ask_is_withdrawn_once(deployment: Deployment) -> None:
    for _ in range(3):
        quote = draft(deployment)
        at_once(deployment, pricing(quote), asking(quote), withdrawing(quote))
        taken_back = rows(
            deployment,
            """SELECT a.id, r.status FROM cpq.audit t, jsonb_array_elements_text(t.after -> 'approvals') a (id)
               JOIN cpq.approval_requests r ON r.id = a.id
               WHERE t.subject_id = %s AND t.action = 'approval.withdrawn'""",
            quote,
        )
        assert all(row["status"] == "void" for row in taken_back)
        assert len({row["id"] for row in taken_back}) == len(taken_back)
        [row] = rows(
            deployment,
            """SELECT v.status = 'pending_approval' AS waits,
                   (SELECT count(*) FROM cpq.approval_requests r
                    WHERE r.quote_id = q.id AND r.status = 'pending') AS open
               FROM cpq.quotes q
               JOIN cpq.quote_versions v ON v.quote_id = q.id AND v.version = q.current_version WHERE q.id = %s""",
            quote,
        )
        assert row["open"] == int(row["waits"])


def test_a_quote_is_discarded_once_and_nobody_prices_it_after(deployment: Deployment) -> None:
    quote = draft(deployment)
    at_once(deployment, withdrawing(quote, discard=True), pricing(quote))
    trail = rows(deployment, "SELECT action FROM cpq.audit WHERE subject_id = %s ORDER BY seq", quote)
    assert [row["action"] for row in trail].count("quote.discarded") == 1
    assert trail[-1]["action"] == "quote.discarded"


def test_a_document_that_all_print_at_once_is_recorded_once(deployment: Deployment) -> None:
    outcomes = at_once(deployment, printed(draft(deployment)))
    assert Counter(outcome[1] for outcome in outcomes if isinstance(outcome, tuple)) == {True: 1, False: AGENTS - 1}
    with deployment.connect("quarry_write") as connection, as_tenant(connection, TENANT):
        assert audit.verify(connection).broken_seq is None


def test_agents_with_one_key_write_once_and_get_one_answer(deployment: Deployment, in_processes: Calls) -> None:
    quote = draft(deployment)
    answers = in_processes([("quote_price", {"quote_id": quote, "idempotency_key": "shared"})] * 12)
    assert all(answer == answers[0] for answer in answers)
    assert answers[0]["pricing"]["total"] == "14400.00"
    assert len(rows(deployment, "SELECT 1 FROM cpq.pricing_traces WHERE quote_id = %s", quote)) == 1
