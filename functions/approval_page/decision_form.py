"""The form: approve or reject, a comment, and a button that means it."""

from dataclasses import dataclass
from typing import Literal

from approval_page.html import Markup, element, section
from cpq.approvals.deciding import Decision

LONGEST_COMMENT = 2000
CHOICES: dict[str, Decision] = {"approve": "approved", "reject": "rejected"}
"""What the form sends, and what it stands for."""


@dataclass(frozen=True, slots=True)
class FormFault:
    field: Literal["approve", "comment"]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """The form as somebody sent it, or as it is at first."""

    choice: str = ""
    comment: str = ""
    fault: FormFault | None = None

    def checked(self) -> "Filled":
        """With the first fault, if it has any."""
        if self.choice not in CHOICES:
            fault = FormFault("approve", "Choose whether you approve or reject.")
        elif self.choice == "reject" and not self.comment:
            fault = FormFault("comment", "Say why you reject it: whoever asked will read it.")
        elif len(self.comment) > LONGEST_COMMENT:
            fault = FormFault("comment", f"Shorten it to {LONGEST_COMMENT} characters; it has {len(self.comment)}.")
        else:
            return self
        return Filled(choice=self.choice, comment=self.comment, fault=fault)


def fault_banner(filled: Filled) -> Markup | None:
    """Stands on top of the page, where a browser shows it first; the link leads to the field."""
    if filled.fault is None:
        return None
    link = element("a", filled.fault.text, href=f"#{filled.fault.field}")
    return element("div", element("strong", "Nothing was recorded yet. "), link, class_="fault", role="alert")


def decision_form(filled: Filled, *, form_token: str, name: str) -> Markup:
    form = element(
        "form",
        element("input", type="hidden", name="form_token", value=form_token),
        element(
            "fieldset",
            element("legend", "What do you decide?"),
            _choice("approve", "Approve the quote", filled, class_="go"),
            _choice("reject", "Reject the quote", filled, class_="stop"),
            _problem(filled, field="approve"),
        ),
        _comment(filled),
        element("p", f"Your decision is recorded under your name, {name}, and cannot be taken back.", class_="soft"),
        element("button", "Record my decision", type="submit"),
        method="post",
        autocomplete="off",
    )
    return section("Your decision", form, class_="decision", anchor="decision")


def _choice(value: str, text: str, filled: Filled, *, class_: str) -> Markup:
    box = element(
        "input",
        type="radio",
        id=value,
        name="decision",
        value=value,
        required=True,
        checked=filled.choice == value,
        aria_describedby="problem" if filled.fault and filled.fault.field == "approve" else None,
    )
    return element("label", box, text, class_=f"choice {class_}")


def _comment(filled: Filled) -> Markup:
    faulty = filled.fault is not None and filled.fault.field == "comment"
    return element(
        "div",
        element("label", "Comment", class_="above", for_="comment"),
        element("p", "Required if you reject. Whoever asked will read it.", class_="soft", id="comment-hint"),
        element(
            "textarea",
            "\n",  # a parser drops the first line break, which may be the writer's
            filled.comment,
            id="comment",
            name="comment",
            rows="4",
            maxlength=str(LONGEST_COMMENT),
            dir="auto",
            aria_describedby="comment-hint problem" if faulty else "comment-hint",
            aria_invalid="true" if faulty else None,
        ),
        _problem(filled, field="comment"),
    )


def _problem(filled: Filled, *, field: str) -> Markup | None:
    if filled.fault is None or filled.fault.field != field:
        return None
    return element("p", filled.fault.text, id="problem", class_="error")
