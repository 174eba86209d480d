"""What approvers are told: the facts, the agent's claim marked as one, and the link."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

LONGEST_SUBJECT = 100
"""SNS's limit; it also refuses control characters and, for e-mail, anything beyond ASCII."""

LONGEST_CLAIM = 500


def subject(facts: Mapping[str, Any]) -> str:
    said = f"Approval {facts['id']} needed: quote {facts['quote_id']} for {facts['account_name']}"
    return "".join(character if 31 < ord(character) < 127 else "?" for character in said)[:LONGEST_SUBJECT]


def body(facts: Mapping[str, Any], *, link: str | None) -> str:
    """Plain text; without a link it is for a channel, where everybody could click it."""
    lines = [
        *([f"To {facts['approver_name']}:", ""] if link else []),
        f"{facts['requested_by']} asks for approval of quote {facts['quote_id']}, version {facts['version']}.",
        "",
        f"Customer: {facts['account_name']}",
        f"Total: {amount(facts['total'])} {facts['currency']}",
        f"Discount: {facts['context']['requested_discount']}",
        *(f"Policy: {violation['description']}" for violation in facts["policy_evaluation"]["violations"]),
        f"Decides: {role_name(facts['approver_role'])}, until {facts['expires_at']:%Y-%m-%d %H:%M} UTC",
        "",
        f"Justification as the agent gives it, unchecked: {_cut(facts['justification'])}",
        "",
    ]
    if link is None:
        lines.append("Each approver has been sent a link of their own.")
    else:
        lines += [f"Decide here: {link}", "The link is yours alone and works once; do not pass it on."]
    return "\n".join(lines)


def amount(value: Decimal) -> str:
    """With thousands separated: 12,960.00."""
    return f"{value:,f}"


def role_name(role: str) -> str:
    return role.replace("_", " ")


def _cut(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= LONGEST_CLAIM else f"{flat[:LONGEST_CLAIM]} …"
