"""The form: approve or reject, a comment, and a button that means it."""

from approval_page.frame import section
from approval_page.html import Markup, element

LONGEST_COMMENT = 2000


def decision_form(*, form_token: str, name: str, comment: str, chosen: str, error: str | None) -> Markup:
    problem = element("p", error, id="problem", class_="error", role="alert") if error else None
    form = element(
        "form",
        element("input", type="hidden", name="form_token", value=form_token),
        element(
            "fieldset",
            element("legend", "What do you decide?"),
            _choice("approve", "Approve the quote", chosen=chosen, class_="go"),
            _choice("reject", "Reject the quote", chosen=chosen, class_="stop"),
        ),
        element(
            "div",
            element("label", "Comment", class_="above", for_="comment"),
            element(
                "p",
                "Required if you reject. Whoever asked will read it.",
                class_="soft",
                id="comment-hint",
            ),
            element(
                "textarea",
                comment,
                id="comment",
                name="comment",
                rows="4",
                maxlength=str(LONGEST_COMMENT),
                dir="auto",
                aria_describedby="comment-hint problem" if error else "comment-hint",
                aria_invalid="true" if error else None,
            ),
            problem,
        ),
        element(
            "p",
            f"Your decision is recorded under your name, {name}, and cannot be taken back.",
            class_="soft",
        ),
        element("button", "Record my decision", type="submit"),
        method="post",
        autocomplete="off",
    )
    return section("Your decision", form, anchor="decision")


def _choice(value: str, text: str, *, chosen: str, class_: str) -> Markup:
    box = element("input", type="radio", name="decision", value=value, required=True, checked=chosen == value)
    return element("label", box, text, class_=f"choice {class_}")
