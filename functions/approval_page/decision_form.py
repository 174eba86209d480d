"""The form in which an approver approves, names a smaller discount, rejects, asks a question or delegates."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal, InvalidOperation
from typing import Literal

from approval_page.html import Child, Markup, element, fragment, section
from cpq.approvals.deciding import Colleague
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
    ) -> "Filled":
        """Returns the form with its first fault, if it has any. ``requested`` is the requested discount in percent,
        ``colleagues`` are the ids of those who may decide instead, ``refusal`` says why it may not be approved.
        """
        fault = None
        if self.choice not in CHOICES:
            fault = FormFault("approve", words.say("fault.choice"))
        elif self.choice == "approve" and refusal:
            fault = FormFault("approve", refusal)
        elif self.choice == "limit" and (self.up_to is None or self.up_to >= requested):
            asked = words.share(requested, decimals=4)
            fault = FormFault("limit", words.say("fault.limit", discount=asked, such_as=words.number(Decimal("7.5"))))
        elif self.choice in ("reject", "ask") and not self.comment:
            fault = FormFault("comment", words.say(f"fault.{self.choice}"))
        elif self.choice == "delegate" and self.colleague not in colleagues:
            fault = FormFault("colleague", words.say("fault.colleague"))
        elif self.choice == "delegate" and not _within(self.last_day, today):
            fault = FormFault("until", words.say("fault.until", latest=words.day(today + LONGEST_DELEGATION)))
        elif len(self.comment) > LONGEST_COMMENT:
            long = words.say("fault.comment", most=LONGEST_COMMENT, count=len(self.comment))
            fault = FormFault("comment", long)
        return self if fault is None else replace(self, fault=fault)


def _within(day: date | None, today: date) -> bool:
    return day is not None and today <= day <= today + LONGEST_DELEGATION


def fault_banner(filled: Filled, words: ApproverWording) -> Markup | None:
    """Returns the alert for the top of the page, which links to the faulty field."""
    if filled.fault is None:
        return None
    link = element("a", filled.fault.text, href=f"#{filled.fault.field}")
    return element("div", element("strong", words.say("not_recorded")), " ", link, class_="fault", role="alert")


def decision_form(
    filled: Filled,
    words: ApproverWording,
    *,
    form_token: str,
    name: str,
    colleagues: Sequence[Colleague],
    today: date,
    refusal: str | None,
) -> Markup:
    # The style sheet shows this box only while its choice is selected.
    box = {"type": "text", "inputmode": "decimal", "value": filled.limit, "maxlength": "9"}
    hint = element("p", words.say("limit_hint"), class_="soft", id="limit-hint")
    form = element(
        "form",
        element("input", type="hidden", name="form_token", value=form_token),
        element(
            "fieldset",
            element("legend", words.say("legend")),
            element("p", refusal) if refusal else _choice("approve", words, filled, class_="go"),
            _choice("limit", words, filled, class_="go"),
            _choice("reject", words, filled, class_="stop"),
            _choice("ask", words, filled),
            _choice("delegate", words, filled) if colleagues else None,
            _problem(filled, field="approve"),
        ),
        element("div", _field(filled, words, "limit", hint="limit-hint", **box), hint, class_="limit"),
        _delegation(filled, colleagues, words, today=today) if colleagues else None,
        _comment(filled, words),
        element("p", words.say("under_your_name", name=name), class_="soft"),
        element("button", words.say("record"), type="submit"),
        method="post",
        autocomplete="off",
    )
    return section(words.say("your_decision"), form, class_="decision", anchor="decision")


def _choice(value: str, words: ApproverWording, filled: Filled, *, class_: str = "") -> Markup:
    box = element(
        "input",
        type="radio",
        id="up-to" if value == "limit" else value,
        name="decision",
        value=value,
        required=True,
        checked=filled.choice == value,
        aria_describedby="problem" if filled.fault and filled.fault.field == "approve" else None,
    )
    return element("label", box, words.say(f"choice.{value}"), class_=f"choice {class_}".rstrip())


def _delegation(filled: Filled, colleagues: Sequence[Colleague], words: ApproverWording, *, today: date) -> Markup:
    """The style sheet shows these fields only while their choice is selected."""
    options = [element("option", words.say("choose"), value="")]
    for each in colleagues:
        name, is_chosen = f"{each.name}, {words.role(each.role)}", each.id == filled.colleague
        options.append(element("option", name, value=each.id, selected=is_chosen))
    days = {"min": today.isoformat(), "max": (today + LONGEST_DELEGATION).isoformat()}
    return element(
        "div",
        _field(filled, words, "colleague", *options, tag="select", hint="delegation-hint"),
        _field(filled, words, "until", hint="delegation-hint", type="date", value=filled.until, **days),
        element("p", words.say("delegation_hint"), class_="soft", id="delegation-hint"),
        class_="delegation",
    )


def _comment(filled: Filled, words: ApproverWording) -> Markup:
    # An HTML parser drops the first line break in a textarea: an extra one keeps the writer's.
    text, size = ("\n", filled.comment), {"rows": "3", "maxlength": str(LONGEST_COMMENT), "dir": "auto"}
    box = _field(filled, words, "comment", *text, tag="textarea", hint="comment-hint", **size)
    hint = element("p", words.say("comment_hint"), class_="soft", id="comment-hint")
    return element("div", box, hint, class_="comment")


def _field(
    filled: Filled,
    words: ApproverWording,
    name: str,
    *inside: Child,
    hint: str,
    tag: str = "input",
    **attributes: str,
) -> Markup:
    """Returns a field between its label and its fault, if any; a screen reader reads hint and fault with it."""
    faulty = filled.fault is not None and filled.fault.field == name
    described = {
        "aria_describedby": f"{hint} problem" if faulty else hint,
        "aria_invalid": "true" if faulty else None,
    }
    return fragment(
        element("label", words.say(f"form.{name}"), class_="above", for_=name),
        element(tag, *inside, id=name, name=name, **attributes, **described),
        _problem(filled, field=name),
    )


def _problem(filled: Filled, *, field: str) -> Markup | None:
    if filled.fault is None or filled.fault.field != field:
        return None
    return element("p", filled.fault.text, id="problem", class_="error")
