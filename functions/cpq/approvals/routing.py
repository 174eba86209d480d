"""Who has to decide: the role a policy evaluation asks for, and the one above it."""

from collections.abc import Mapping, Sequence
from typing import Any


def required_role(evaluation: Mapping[str, Any], *, chain: Sequence[str]) -> str | None:
    """The highest role that any violation requires; None when none requires one."""
    roles = [violation["required_approver_role"] for violation in evaluation["violations"]]
    return max((role for role in roles if role), key=lambda role: rank(role, chain=chain), default=None)


def rank(role: str, *, chain: Sequence[str]) -> int:
    """Place in the chain, from 0; a role outside of it is below all."""
    return chain.index(role) if role in chain else -1


def next_role(role: str, *, chain: Sequence[str]) -> str | None:
    """Whom a request is passed on to; None at the top, and for a role outside of the chain."""
    place = rank(role, chain=chain)
    return chain[place + 1] if 0 <= place < len(chain) - 1 else None
