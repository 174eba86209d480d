"""The pages as HTML: the one an approver decides on, and those without a form."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from approval_page.decision_form import Filled, decision_form, fault_banner
from approval_page.html import (
    Child,
    Clock,
    Markup,
    amount,
    element,
    facts,
    fragment,
    joined,
    money,
    page,
    role_name,
    said,
    section,
    time,
)
from approval_page.lines import lines_section
from approval_page.prices import prices_section
from approval_page.review import Deputies, EarlierDecision, Review
from cpq import payment
from cpq.approvals.deciding import RequestStanding
from cpq.approvals.model import Approval
from cpq.approvals.questions import AskedQuestion
from cpq.pricing.arithmetic import shown
from cpq.pricing.rules import OF_COST
from cpq.quotes.comparison import AmountChange, Comparison, LineDifference


def review_page(review: Review, *, form_token: str, filled: Filled) -> str:
    """The decision stands first; what it is decided by follows in the order of how much it decides."""
    approval, version = review.standing.approval, review.version
    title = f"Approve quote {approval.quote_id}?"
    return page(
        fault_banner(filled),
        element("h1", "Approve quote ", element("span", approval.quote_id, class_="whole"), "?"),
        element(
            "p",
            element("strong", review.requester),
            f" asks you, {review.standing.approver_name} ({_capacity(review.standing)}), to approve a "
            f"discount of {approval.context['requested_discount']} for {version.account['name']}. "
            "You can decide until ",
            time(approval.expires_at, review.clock),
            ".",
            class_="lead",
        ),
        _delegated(review.deputies),
        decision_form(
            filled,
            form_token=form_token,
            name=review.standing.approver_name,
            colleagues=review.deputies.colleagues,
            today=review.deputies.today,
            refusal=refusal(review.standing),
        ),
        element(
            "div",
            _glance(review),
            _violations(review),
            _price_notes(review),
            _changes(review),
            _justification(review),
            prices_section(review),
            lines_section(version, review.lines, review.trace),
            _record(review),
            _undecided(review),
            _earlier(review),
            # On a phone it stays in sight as long as what it stands below does.
            element("a", "Decide", class_="reach", href="#decision"),
            class_="evidence",
        ),
        title=f"Error: {title}" if filled.fault else title,
        about=f"{approval.id} · version {approval.version}",
    )


def _capacity(standing: RequestStanding) -> str:
    role = role_name(standing.role)
    return f"in the place of {standing.in_place_of}, {role}" if standing.in_place_of else role


def refusal(standing: RequestStanding) -> str | None:
    """Why the link's approver may not approve the request as it is."""
    if standing.may_approve:
        return None
    if standing.approving_role is None:
        return "At this margin nobody may approve it: reject it, or name a smaller discount."
    return (
        f"At this margin {role_name(standing.approving_role)} has to approve it and is told: you may reject it, or "
        "name a smaller discount."
    )


def _delegated(deputies: Deputies) -> Markup | None:
    if deputies.now is None:
        return None
    return element("p", f"{deputies.now.name} decides in your place, too, until {deputies.now.until:%d %B %Y}.")


def _glance(review: Review) -> Markup:
    version, context = review.version, review.standing.approval.context
    currency = version.currency
    term = f"{version.term_months} months" if version.term_months else "One-time purchase"
    pdf = element("a", "Open the PDF", href=review.document) if review.document else None
    return section(
        "At a glance",
        facts(
            ("Total with tax", money(version.total, currency)),
            ("Discount", f"{context['requested_discount']} ({amount(version.discount_total)} {currency})"),
            ("Margin before tax", _margin(review)),
            ("Value of the first year, net", money(Decimal(context["annual_value"]), currency)),
            ("Term", term),
            ("Payment", payment.worded(version.payment_terms)),
            ("Quote valid until", f"{version.valid_until:%d %B %Y}"),
            ("Document", pdf or "Not printed yet"),
        ),
        element("p", f"Note: {version.notes}", class_="note", dir="auto") if version.notes else None,
        anchor="glance",
    )


def _margin(review: Review) -> Child:
    """At the quote's prices, at list, and the floor of the policy."""
    trace = review.trace
    if trace.margin_pct is None:
        return f"Not known: {trace.margin_note}" if trace.margin_note else None
    floors = [
        rule.at_least
        for rule in trace.policy.rules
        if rule.measure == "margin_pct" and rule.scope == "quote" and rule.at_least is not None
    ]
    beside = [
        f"at list {trace.list_margin_pct:.1f}%" if trace.list_margin_pct is not None else None,
        f"floor {shown(max(floors))}%" if floors else None,
    ]
    return fragment(f"{trace.margin_pct:.1f}% ", element("span", joined(*beside), class_="soft"))


def _violations(review: Review) -> Markup:
    """A sentence that is the section's heading already would only be said twice."""
    items = [
        element(
            "li",
            element("strong", _without_line_id(violation.description, review.product_names)),
            element("p", violation.policy_name, class_="soft"),
            class_="breach",
        )
        for violation in review.violations
    ]
    reviewed = review.version.evaluation.reviewed if review.version.evaluation else []
    if reviewed and not any(violation.measure in OF_COST for violation in review.violations):
        items.append(element("li", f"Kept, and looked at by you alone: {', '.join(reviewed)}"))
    return section("Why approval is needed", element("ul", items, class_="plain"), anchor="policies")


def _without_line_id(description: str, names: Mapping[str, str]) -> str:
    """An approver knows products, not ids of lines."""
    for line_id in names:
        description = description.replace(f" ({line_id})", "")
    return description


def _changes(review: Review) -> Markup | None:
    if review.changes is None:
        return None
    what = "approved" if review.changes.approved else "asked about before"
    return section(
        f"What changed since version {review.changes.version}, which was {what}",
        differences(review.changes.comparison),
        anchor="changes",
    )


def differences(found: Comparison) -> Markup:
    items = [
        *(f"{change.field.replace('_', ' ').capitalize()}: {_from_to(change)}" for change in found.money),
        *(said for line in found.lines if (said := _changed_line(line))),
        *(
            f"{term.field.replace('_', ' ').capitalize()}: {term.before} → {term.after}"
            for term in found.terms
            if term.field != "status"
        ),
    ]
    if not items:
        return element("p", "Nothing but the status.")
    return element("ul", [element("li", item) for item in items], class_="plain")


def _from_to(change: AmountChange) -> str:
    before, after = (amount(value) if value is not None else "none" for value in (change.before, change.after))
    pct = f" ({shown(change.change_pct)}%)" if change.change_pct is not None else ""
    return f"{before} → {after}{pct}"


def _changed_line(line: LineDifference) -> str | None:
    """None where only amounts differ, which the totals say."""
    if line.change != "changed":
        return f"{line.product_name}: {line.change}"
    fields = (
        f"{each.field.replace('_', ' ')} {each.before or 'none'} → {each.after or 'none'}"
        for each in line.differences
        if each.field not in ("discount_amount", "line_total")
    )
    said = ", ".join(fields)
    return f"{line.product_name}: {said}" if said else None


def _price_notes(review: Review) -> Markup | None:
    notes = [note for note in review.trace.price_notes if note.under]
    if not notes:
        return None
    items = [element("li", _without_line_id(note.description, review.product_names)) for note in notes]
    return section("Below what was paid before", element("ul", items, class_="plain"), anchor="before")


def _claimed_offer(claim: Mapping[str, Any] | None, *, currency: str) -> Markup | None:
    """The competing offer as the request tells it."""
    if claim is None:
        return None
    price = f"{amount(Decimal(claim['price']))} {currency}" if claim["price"] else None
    return element("p", "Competing offer, as claimed: ", joined(claim["name"], price, claim["scope"]), dir="auto")


def _justification(review: Review) -> Markup:
    approval = review.standing.approval
    return section(
        "Justification",
        element("p", element("span", "Claim of the agent", class_="tag")),
        said(approval.justification),
        _claimed_offer(approval.context.get("competitor_claim"), currency=review.version.currency),
        element("p", f"Written by {approval.requested_by}. Nobody has checked it.", class_="soft"),
        [_question(asked, review.clock) for asked in review.questions],
        class_="claim",
        anchor="justification",
    )


def _question(asked: AskedQuestion, clock: Clock) -> Markup:
    return fragment(
        element("h3", f"{asked.approver_name} asked: ", time(asked.asked_at, clock)),
        said(asked.question),
        element("p", "Answer:", class_="soft") if asked.answer else element("p", "Not answered yet.", class_="soft"),
        said(asked.answer) if asked.answer else None,
    )


def _record(review: Review) -> Markup:
    context = review.standing.approval.context
    tenure = context["customer_tenure_months"]
    return section(
        "What is on record",
        facts(
            ("Customer", review.version.account["name"]),
            ("Customer for", None if tenure is None else f"{tenure} months"),
            ("Payment history", context["payment_history"]),
            ("Competing offer", context["competitor_discount"]),
        ),
        anchor="record",
    )


def _earlier(review: Review) -> Markup | None:
    if not review.earlier:
        return None
    items = [
        element(
            "li",
            element("strong", f"{row.quote_id}: {row.context['requested_discount']} {row.status}{_up_to(row)}"),
            element("p", joined(row.approver_name, time(row.decided_at, review.clock)), class_="soft"),
            said(row.decision_comment) if row.decision_comment else None,
        )
        for row in review.earlier
    ]
    return section("Decided before for this customer", element("ul", items, class_="plain"), anchor="earlier")


def _undecided(review: Review) -> Markup | None:
    """Requests about this very quote that nobody decided, with what became of them."""
    if not review.undecided:
        return None
    items = [
        element(
            "li",
            element("strong", f"{one.id}: version {one.version}, {role_name(one.approver_role)}"),
            element("p", joined(_ending(one), time(one.ended_at, review.clock)), class_="soft", dir="auto"),
        )
        for one in review.undecided
    ]
    return section("Asked before about this quote", element("ul", items, class_="plain"), anchor="before-this")


def _ending(request: Approval) -> str:
    if request.escalated_to:
        return f"Passed on as {request.escalated_to}."
    return request.void_reason or "Nobody decided in time."


def _up_to(row: EarlierDecision) -> str:
    return "" if row.approved_up_to_pct is None else f", up to {shown(row.approved_up_to_pct)}% agreed"
