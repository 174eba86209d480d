"""What a tenant's house says today, and the rows that its answers make of it, for the kinds that ingest takes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from typing import Any

import psycopg

from local.setup.answers import Answers, ApproverAnswer, Discounts, TaxAnswer
from operations.ingest import KINDS
from quarry.text import slug

ROWS = ("house", "discount_policies", "approvers", "tax_rules")
"""Kinds that answers become, in the order in which they are loaded."""

HOUSE = ("country", "currency", "language", "units", "payment_terms", "quote_numbers")
"""Answers that stand in the row of the kind house."""

CURRENCIES = "SELECT currency, minor_units FROM cpq.currencies"

Rows = dict[str, list[dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Standing:
    """A tenant's rows by kind, as files have them, and its own company profile."""

    rows: Rows = field(default_factory=dict)
    profile: Mapping[str, Any] = field(default_factory=dict)

    @property
    def house(self) -> dict[str, Any]:
        return next(iter(self.rows.get("house", ())), {})

    @property
    def approvers(self) -> list[dict[str, Any]]:
        return [row for row in self.rows.get("approvers", ()) if row.get("active", True)]

    @property
    def roles(self) -> frozenset[str]:
        return frozenset(row["role"] for row in self.approvers)

    @property
    def taxes(self) -> list[dict[str, Any]]:
        """Rules that hold for all goods; one for a category of goods is no answer to a question about the house."""
        rules = self.rows.get("tax_rules", ())
        return [rule for rule in rules if rule.get("tax_category") is None and rule.get("valid_to") is None]

    def policy(self, segment: str) -> dict[str, Any] | None:
        return next((row for row in self.rows.get("discount_policies", ()) if row["segment"] == segment), None)


def read(connection: psycopg.Connection[Any], *, tenant: str, profile: Mapping[str, Any]) -> Standing:
    rows: Rows = {}
    for name in ROWS:
        columns = KINDS[name].row.model_fields
        held = connection.execute(KINDS[name].rows_held, {"tenant": tenant}).fetchall()
        rows[name] = [
            {column: value for column, value in content.items() if column in columns and value is not None}
            for (content,) in held
        ]
    return Standing(rows, profile)


def rows_of(answers: Answers, standing: Standing) -> Rows:
    """The rows to load: what no answer is about, such as a policy's other rules, stays as it stands."""
    return {
        "house": [_house(answers, standing)],
        "discount_policies": [
            _policy(segment, discounts, standing) for segment, discounts in answers.discounts.items()
        ],
        "approvers": _approvers(answers.approvers, standing),
        "tax_rules": [_tax(tax, answers.country, standing) for tax in answers.taxes],
    }


def _house(answers: Answers, standing: Standing) -> dict[str, Any]:
    said = {name: getattr(answers, name) for name in HOUSE}
    return {**standing.house, **{name: value for name, value in said.items() if value is not None}}


def _policy(segment: str, discounts: Discounts, standing: Standing) -> dict[str, Any]:
    stood = standing.policy(segment) or {
        "id": f"pol_{segment}",
        "name": f"Discounts of {segment}",
        "segment": segment,
        "segment_name": segment.replace("_", " ").capitalize(),
    }
    last = discounts.steps[-1].up_to_pct if discounts.steps else discounts.free_pct
    chain = [*(step.role for step in discounts.steps), *stood.get("escalation_chain", ())]
    return {
        **stood,
        "auto_approve_pct": str(discounts.free_pct),
        "bands": [{"max_pct": str(step.up_to_pct), "approver_role": step.role} for step in discounts.steps],
        "hard_max_pct": str(last),
        "escalation_chain": list(dict.fromkeys(chain)),
    }


def _approvers(people: Sequence[ApproverAnswer], standing: Standing) -> list[dict[str, Any]]:
    known = {row["email"].casefold(): row for row in standing.rows.get("approvers", ())}
    for person in people:
        name, taken = f"apr_{slug(person.name)[:80] or 'other'}", {row["id"] for row in known.values()}
        ids = chain([name], (f"{name}_{number}" for number in count(2)))
        stood = known.get(person.email.casefold()) or {"id": next(each for each in ids if each not in taken)}
        known[person.email.casefold()] = {**stood, **person.model_dump(), "active": True}
    return [known[person.email.casefold()] for person in people]


def _tax(tax: TaxAnswer, country: str, standing: Standing) -> dict[str, Any]:
    stood = next((r for r in standing.taxes if r["country"] == country and r.get("region") == tax.region), None)
    name = "_".join(filter(None, ("tax", country.lower(), slug(tax.region)[:80] if tax.region else "")))
    return {"id": name, **(stood or {}), **tax.model_dump(mode="json", exclude_none=True), "country": country}
