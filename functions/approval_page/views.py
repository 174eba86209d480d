"""Works out what the pages say beyond the rows they show, and renders the templates that lie beside this file."""

import base64
import hashlib
from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal
from functools import cache, partial
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from approval_page.decision_form import LONGEST_COMMENT, LONGEST_DELEGATION, Filled
from approval_page.review import Changes, Ended, Review
from cpq.approvals.deciding import RequestStanding, State
from cpq.approvals.model import ApprovalContext, broken, requested_pct
from cpq.approvals.wording import ApproverWording
from cpq.documents import wording
from cpq.pricing.trace import Trace
from cpq.quotes.comparison import AmountChange, Difference, LineDifference, compare

FOLDER = Path(__file__).parent
TEMPLATES = Environment(
    loader=FileSystemLoader(FOLDER),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    auto_reload=False,
)

CLOSED: dict[State, int] = {
    "expired": 410,
    "escalated": 410,
    "void": 409,
    "superseded": 409,
    "changed": 409,
    "quote_expired": 409,
    "own_request": 403,
    "not_an_approver": 403,
}
"""The HTTP status for each state; the wording of the pages is labelled by the same states."""


@cache
def style() -> str:
    return FOLDER.joinpath("style.css").read_text("utf-8")


def style_hash() -> str:
    """Returns the hash for the content security policy, so that a browser applies no other style sheet."""
    return "sha256-" + base64.b64encode(hashlib.sha256(style().encode()).digest()).decode()


def render(template: str, words: ApproverWording, **values: object) -> str:
    """Returns the page; ``say`` in templates gives the text of a label, in whose gaps may stand text or elements."""

    def say(label: str, /, **gaps: object) -> Markup:
        return wording.one_point(escape(words.words[label]).format(**gaps))

    page = TEMPLATES.get_template(template)
    return page.render(values, words=words, wording=wording, say=say, style=style())


def review_page(review: Review, *, form_token: str, filled: Filled) -> str:
    standing, words, trace, today = review.standing, review.words, review.trace, review.reader.today
    return render(
        "review.html",
        words,
        reader=review.reader,
        review=review,
        standing=standing,
        approval=standing.approval,
        facts=ApprovalContext.model_validate(standing.approval.context),
        version=review.version,
        currency=review.version.currency,
        requested_pct=requested_pct,
        trace=trace,
        traced={line.line_id: line for line in trace.lines},
        floor=_floor(trace),
        only_looked_at=trace.reviewed and not broken(trace),
        notes=[note for note in trace.price_notes if note.under],
        differences=_differences(review.changes, words),
        payments=_payments(review),
        filled=filled,
        form_token=form_token,
        refusal=refusal(standing, words),
        others=", ".join(map(words.role, standing.others)),
        today=today,
        latest=today + LONGEST_DELEGATION,
        longest_comment=LONGEST_COMMENT,
    )


def standing_page(found: Ended) -> tuple[int, str]:
    """Returns (HTTP status, page) for a request that is not open."""
    standing, words = found.standing, found.reader.words
    approval, shown = standing.approval, {"approval": standing.approval, "reader": found.reader}
    if standing.state != "decided":
        label, differences = f"closed.{standing.state}", _differences(found.changes, words)
        page = render("closed.html", words, label=label, found=found, differences=differences, **shown)
        return CLOSED[standing.state], page
    others = standing.others if approval.status == "approved" else ()
    title = words.say(f"{'waits' if others else approval.status}_title", quote=approval.quote_id)
    waits_for = ", ".join(map(words.role, others))
    return 200, render("decided.html", words, title=title, mine=standing.mine, waits_for=waits_for, **shown)


def refusal(standing: RequestStanding, words: ApproverWording) -> str | None:
    """Returns why the link's approver may not approve the request as it is, else None."""
    if standing.may_approve:
        return None
    if standing.approving_role is None:
        return words.say("margin_for_nobody")
    if standing.role == standing.approving_role:
        return words.say("approved_before", request=standing.link.approved_before)
    return words.say("margin_for_role", role=words.role(standing.approving_role))


def _floor(trace: Trace) -> Decimal | None:
    """Returns the highest margin in percent that the policy asks of the whole quote."""
    of_quote = [rule for rule in trace.policy.rules if (rule.measure, rule.scope) == ("margin_pct", "quote")]
    return max((rule.at_least for rule in of_quote if rule.at_least is not None), default=None)


def _payments(review: Review) -> str | None:
    paid, on_time = review.record.invoices_paid, review.record.invoices_paid_on_time
    if not paid or on_time is None:
        return None
    # Rounded down, so that one late invoice in a thousand does not read as 100%.
    share = review.words.share(Decimal(on_time * 100 // paid))
    return review.words.say("on_time", share=share, on_time=on_time, paid=paid)


def _differences(changes: Changes | None, words: ApproverWording) -> list[str]:
    if changes is None:
        return []
    found = compare(changes.before, changes.after)
    currencies = (changes.before.header.currency, changes.after.header.currency)
    return [
        *(
            _difference(each, words, currencies)
            + (f" ({words.share(each.change_pct)})" if each.change_pct is not None else "")
            for each in found.money
        ),
        *(line for each in found.lines for line in _changed_line(each, words, currencies)),
        *(_difference(each, words, currencies) for each in found.terms if each.field != "status"),
    ]


def _changed_line(line: LineDifference, words: ApproverWording, currencies: tuple[str, str]) -> Iterator[str]:
    """Yields nothing where only amounts differ, because the totals show that."""
    fields = (each for each in line.differences if each.field not in ("discount_amount", "line_total"))
    told = "; ".join(_difference(each, words, currencies) for each in fields)
    if line.change != "changed":
        told = words.say(f"changed.{line.change}")
    if told:
        yield f"{line.product_name}: {told}"


def _difference(found: Difference | AmountChange, words: ApproverWording, currencies: tuple[str, str]) -> str:
    """Says what a field was and is; amounts of two currencies name theirs."""
    amount = words.amount if len(set(currencies)) == 1 else words.money
    before, after = (
        words.say("none") if value is None else _value(found.field, value, words, partial(amount, currency=currency))
        for value, currency in zip((found.before, found.after), currencies, strict=True)
    )
    return f"{words.say(f'fields.{found.field}')}: {before} → {after}"


def _value(name: str, value: str | Decimal, words: ApproverWording, amount: Callable[[Decimal], str]) -> str:
    if isinstance(value, Decimal) or name == "unit_price":
        return amount(Decimal(value))
    match name:
        case "discount_pct":
            return words.share(Decimal(value), decimals=4)
        case "start_date" | "end_date" | "valid_until":
            return words.day(date.fromisoformat(value))
        case "payment_terms":
            return wording.payment(value, labels=words.labels)
        case "billing_frequency":
            return wording.billing(value, labels=words.labels)
    return value
