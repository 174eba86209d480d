"""Who decides: the highest role that a violation asks for, and the one above it."""

from dataclasses import replace
from decimal import Decimal

import pytest

from cpq.model import PolicyEvaluation, Violation
from cpq.pricing.policies import Routing
from tests.unit.cpq.pricing.orders import SMB


def evaluation(*roles: str | None) -> PolicyEvaluation:
    violations = [
        Violation(
            policy_id="pol_discount_cap_smb",
            policy_name="SMB Discount Cap",
            severity="approval_required",
            description="Too much.",
            threshold=Decimal(10),
            actual=Decimal(11),
            required_approver_role=role,
        )
        for role in roles
    ]
    return PolicyEvaluation(status="APPROVAL_REQUIRED", violations=violations, auto_approved=False)


@pytest.mark.parametrize(
    ("roles", "asked"),
    [
        (("sales_manager",), ["sales_manager"]),
        (("vp_sales", "sales_manager"), ["vp_sales"]),
        ((None,), []),
        ((), []),
    ],
)
def test_the_highest_role_of_the_chain_is_asked(roles: tuple[str | None, ...], asked: list[str]) -> None:
    assert SMB.deciders(evaluation(*roles)) == asked


@pytest.mark.parametrize("routing", ["serial", "parallel"])
def test_where_several_have_to_approve_each_is_asked_once_from_the_lowest_up(routing: Routing) -> None:
    wanted = evaluation("vp_sales", "sales_manager", None, "vp_sales")
    assert replace(SMB, routing=routing).deciders(wanted) == ["sales_manager", "vp_sales"]


@pytest.mark.parametrize(
    ("role", "above"),
    [("sales_manager", "vp_sales"), ("cfo", None)],
)
def test_a_request_is_passed_on_to_the_next_role_of_the_chain(role: str, above: str | None) -> None:
    assert SMB.above(role) == above
