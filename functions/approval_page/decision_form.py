"""What was sent of the decision form, and what is wrong with it."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal, InvalidOperation
from typing import Literal

from cpq.approvals.wording import ApproverWording

LONGEST_COMMENT = 2000
CHOICES = ("approve", "limit", "reject", "ask", "delegate")
"""Values of the field ``decision``; ``limit`` rejects this discount and names the one that would be approved."""

LONGEST_DELEGATION = timedelta(days=92)

DECIMAL_SIGNS = str.maketrans({",": ".", "\N{ARABIC DECIMAL SEPARATOR}": ".", "\N{ARABIC PERCENT SIGN}": "%"})
"""Signs that Decimal does not read, with their replacements; it does read the digits of all scripts."""


@dataclass(frozen=True, slots=True)
class FormFault:
    field: Literal["approve", "limit", "comment", "colleague", "until"]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """The form as it was submitted, or empty before that."""

    choice: str = ""
    limit: str = ""
    comment: str = ""
    colleague: str = ""
    until: str = ""
    fault: FormFault | None = None

    @property
    def up_to(self) -> Decimal | None:
        """Returns the entered limit in percent; None unless it is from 0 to 100 with at most four decimals."""
        try:
            value = Decimal(self.limit.translate(DECIMAL_SIGNS).removesuffix("%").strip())
        except InvalidOperation:
            return None
        return value if value.is_finite() and 0 <= value <= 100 and value == round(value, 4) else None

    @property
    def last_day(self) -> date | None:
        """Returns the last day of a delegation; None where the field holds no ISO date."""
        try:
            return date.fromisoformat(self.until)
        except ValueError:
            return None

    def checked(
        self,
        words: ApproverWording,
        *,
        requested: Decimal,
        colleagues: Collection[str],
        today: date,
        refusal: str | None = None,
        limit_objection: str | None = None,
    ) -> "Filled":
        """Returns the form with its first fault, if it has any. ``requested`` is the requested discount in percent,
        ``colleagues`` are the ids of those who may decide instead, ``refusal`` says why it may not be approved,
        ``limit_objection`` labels why not at the limit either.
        """
        fault, latest = None, today + LONGEST_DELEGATION
        if self.choice not in CHOICES:
            fault = FormFault("approve", words.say("fault.choice"))
        elif self.choice == "approve" and refusal:
            fault = FormFault("approve", refusal)
        elif self.choice == "limit" and (self.up_to is None or self.up_to >= requested):
            asked = words.share(requested, decimals=4)
            fault = FormFault("limit", words.say("fault.limit", discount=asked, such_as=words.number(Decimal("7.5"))))
        elif self.choice == "limit" and limit_objection:
            at = words.share(self.up_to or Decimal(0), decimals=4)
            fault = FormFault("limit", words.say(f"fault.{limit_objection}", discount=at))
        elif self.choice in ("reject", "ask") and not self.comment:
            fault = FormFault("comment", words.say(f"fault.{self.choice}"))
        elif self.choice == "delegate" and self.colleague not in colleagues:
            fault = FormFault("colleague", words.say("fault.colleague"))
        elif self.choice == "delegate" and not (self.last_day and today <= self.last_day <= latest):
            fault = FormFault("until", words.say("fault.until", latest=words.day(latest)))
        elif len(self.comment) > LONGEST_COMMENT:
            long = words.say("fault.comment", most=LONGEST_COMMENT, count=len(self.comment))
            fault = FormFault("comment", long)
        return self if fault is None else replace(self, fault=fault)
