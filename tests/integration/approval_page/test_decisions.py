"""Postgres lets the approval page's role decide, and nobody else: a tool could not even if its code said so."""

from collections.abc import Iterator

import psycopg
import pytest

from tests.deployment import TENANT, Deployment, as_tenant
from tests.inbox import open_inbox
from tests.integration.cpq.approving import asked, priced, variables

OPEN = "id = %(request)s"
DECIDE = f"""
    UPDATE cpq.approval_requests SET status = 'approved', decided_at = now(), decided_by = 'apr_john_smith',
        approver_name = 'John Smith' WHERE {OPEN}
"""  # noqa: S608
COPY = """
    INSERT INTO cpq.approval_requests (tenant, id, quote_id, version, content_hash, status, approver_role,
        justification, context, requested_by, expires_at)
    SELECT tenant, 'APR-2020-9999', quote_id, version, content_hash, 'approved', approver_role, justification,
        context, requested_by, expires_at FROM cpq.approval_requests WHERE id = %(request)s
"""
STATUS = "UPDATE cpq.quote_versions SET status = 'approved' WHERE quote_id = %(quote)s"
RECORD = """
    INSERT INTO cpq.audit (tenant, actor, request_id, action, subject_kind, subject_id)
    VALUES ('acme', 'approver:me', 'r', 'approval.approved', 'quote', %(quote)s)
"""
TAKING_PART = {
    "decide": DECIDE,
    "decide without a name": f"UPDATE cpq.approval_requests SET status = 'approved' WHERE {OPEN}",  # noqa: S608
    "reject": f"UPDATE cpq.approval_requests SET status = 'rejected' WHERE {OPEN}",  # noqa: S608
    "sign": f"UPDATE cpq.approval_requests SET approver_name = 'Me' WHERE {OPEN}",  # noqa: S608
    "point it elsewhere": f"UPDATE cpq.approval_requests SET quote_id = quote_id, content_hash = '' WHERE {OPEN}",  # noqa: S608
    "make one that is decided": COPY,
    "approve the quote": STATUS,
    "reject the quote": STATUS.replace("approved", "rejected"),
    "use a link": "UPDATE cpq.approval_links SET used_at = now() WHERE request_id = %(request)s",
    "write into the record": RECORD,
}


@pytest.fixture(scope="module")
def pending(deployment: Deployment, aws_url: str, aws_variables: dict[str, str]) -> Iterator[dict[str, str]]:
    """A quote that waits, and the request it waits for."""
    with open_inbox(aws_url) as inbox, deployment.serving("quarry_write", **variables(inbox, aws_variables)):
        quote = priced(deployment)
        yield {"quote": quote, "request": asked(quote)["id"]}


def attempt(deployment: Deployment, role: str, statement: str, values: dict[str, str]) -> int:
    """Rows it reaches; undone."""
    reached = -1
    with deployment.connect(role) as connection, as_tenant(connection, TENANT):
        reached = connection.execute(statement.encode(), values).rowcount
        raise psycopg.Rollback
    return reached


@pytest.mark.parametrize("deed", TAKING_PART)
@pytest.mark.parametrize("role", ["quarry_read", "quarry_write", "quarry_ingest"])
def test_a_role_that_tools_connect_as_has_no_part_in_a_decision(
    deployment: Deployment, pending: dict[str, str], role: str, deed: str
) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        attempt(deployment, role, TAKING_PART[deed], pending)


@pytest.mark.parametrize(
    "deed", ["decide", "approve the quote", "reject the quote", "use a link", "write into the record"]
)
def test_the_pages_role_decides_what_is_open(deployment: Deployment, pending: dict[str, str], deed: str) -> None:
    assert attempt(deployment, "quarry_approve", TAKING_PART[deed], pending) >= 1


@pytest.mark.parametrize(
    "statement",
    [
        TAKING_PART["decide without a name"],
        TAKING_PART["point it elsewhere"],
        TAKING_PART["make one that is decided"],
        "UPDATE cpq.quote_versions SET status = 'priced' WHERE quote_id = %(quote)s",
        "UPDATE cpq.quote_versions SET total = 1 WHERE quote_id = %(quote)s",
        "UPDATE cpq.quote_lines SET quantity = 1",
        "UPDATE cpq.quotes SET current_version = 2",
        "UPDATE cpq.quotes SET tenant = 'rival'",
        "INSERT INTO cpq.approval_links SELECT * FROM cpq.approval_links",
        "UPDATE cpq.approvers SET active = true",
        RECORD.replace("approval.approved", "quote.priced"),
    ],
)
def test_the_pages_role_does_nothing_else(deployment: Deployment, pending: dict[str, str], statement: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        attempt(deployment, "quarry_approve", statement, pending)


@pytest.mark.parametrize("state", ["status = 'void'", "status = 'escalated'", "expires_at = now() - interval '1 s'"])
def test_what_is_closed_or_overdue_is_beyond_the_page_too(
    deployment: Deployment, pending: dict[str, str], state: str
) -> None:
    change = f"UPDATE cpq.approval_requests SET {state} WHERE id = %(request)s"  # noqa: S608 - of this test's own
    back = "UPDATE cpq.approval_requests SET status = 'pending', expires_at = now() + interval '1 h'"
    with deployment.connect("quarry_owner") as owner:
        with as_tenant(owner, TENANT):
            owner.execute(change.encode(), pending)
        assert attempt(deployment, "quarry_approve", DECIDE, pending) == 0
        with as_tenant(owner, TENANT):
            owner.execute(back)
