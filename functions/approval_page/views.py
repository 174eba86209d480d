"""The page that an approver decides on, as HTML."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from approval_page.decision_form import Filled, decision_form, fault_banner
from approval_page.html import (
    Child,
    Markup,
    PageReader,
    element,
    facts,
    fragment,
    items,
    joined,
    page,
    said,
    section,
    sentence,
)
from approval_page.prices import lines_section, prices_section
from approval_page.review import Review
from cpq.approvals.deciding import RequestStanding
from cpq.approvals.model import Approval, broken, requested_pct
from cpq.approvals.questions import AskedQuestion
from cpq.approvals.wording import ApproverWording
from cpq.documents import wording
from cpq.pricing.earlier_prices import PriceNote
from cpq.quotes.comparison import AmountChange, Comparison, Difference, LineDifference


def review_page(review: Review, *, form_token: str, filled: Filled) -> str:
    """Puts the decision form first and the evidence below it, the most important first."""
    approval, words, deputy = review.standing.approval, review.words, review.deputy
    title = words.say("title", quote=approval.quote_id)
    notes = [_price_note(note, review) for note in review.trace.price_notes if note.under]
    return page(
        words,
        fault_banner(filled, words),
        element("h1", sentence(words, "title", quote=element("span", approval.quote_id, class_="whole"))),
        element("p", _lead(review), class_="lead"),
        element("p", words.say("delegated", name=deputy.name, until=words.day(deputy.until))) if deputy else None,
        decision_form(
            filled,
            words,
            form_token=form_token,
            name=review.standing.approver_name,
            colleagues=review.colleagues,
            today=review.reader.today,
            refusal=refusal(review.standing, words),
        ),
        element(
            "div",
            _glance(review),
            _reasons(review),
            section(review.words.say("below"), items(*notes), anchor="before") if notes else None,
            _changes(review),
            _justification(review),
            prices_section(review),
            lines_section(review),
            _record(review),
            _undecided(review),
            _earlier(review),
            # On a phone this link stays in sight while any of the evidence does.
            element("a", words.say("decide"), class_="reach", href="#decision"),
            class_="evidence",
        ),
        title=words.say("error", title=title) if filled.fault else title,
        about=joined(approval.id, words.say("version", number=approval.version)),
    )


def _lead(review: Review) -> Markup:
    standing, words = review.standing, review.words
    role = words.role(standing.role)
    if standing.in_place_of:
        role = words.say("in_place_of", name=standing.in_place_of, role=role)
    return sentence(
        words,
        "lead",
        requester=element("strong", review.requester),
        name=standing.approver_name,
        role=role,
        discount=_share(standing.approval.context, words),
        customer=review.version.account["name"],
        until=review.reader.time(standing.approval.expires_at),
    )


def _share(context: Mapping[str, Any], words: ApproverWording) -> str:
    return words.share(requested_pct(context), decimals=4)


def refusal(standing: RequestStanding, words: ApproverWording) -> str | None:
    """Returns why the link's approver may not approve the request as it is, else None."""
    if standing.may_approve:
        return None
    if standing.approving_role is None:
        return words.say("margin_for_nobody")
    return words.say("margin_for_role", role=words.role(standing.approving_role))


def _glance(review: Review) -> Markup:
    version, words = review.version, review.words
    context, currency = review.standing.approval.context, version.currency
    pdf = element("a", words.say("open_pdf"), href=review.document) if review.document else None
    told: dict[str, Child] = {
        "total": words.total(version.total, currency, tax=version.tax_total),
        "discount": f"{_share(context, words)} ({words.money(version.discount_total, currency)})",
        "margin": _margin(review),
        "annual_value": words.money(Decimal(context["annual_value"]), currency),
        "term": wording.months(version.term_months, labels=words.labels) or words.say("one_time"),
        "payment": wording.payment(version.payment_terms, labels=words.labels),
        "fields.valid_until": words.day(version.valid_until),
        "document": pdf or words.say("not_printed"),
    }
    note = element("p", words.say("note", text=version.notes), class_="note", dir="auto") if version.notes else None
    return section(words.say("glance"), facts(words, told), note, anchor="glance")


def _margin(review: Review) -> Child:
    """Shows the margin at the quote's prices, beside it the margin at list prices and the policy's floor."""
    trace, words = review.trace, review.words
    if trace.margin_pct is None:
        return words.say("margin_unknown", why=words.told(trace.margin_note)) if trace.margin_note else None
    floors = [
        rule.at_least
        for rule in trace.policy.rules
        if rule.measure == "margin_pct" and rule.scope == "quote" and rule.at_least is not None
    ]
    beside = [
        words.say(label, margin=words.share(margin, decimals=1))
        for label, margin in (("at_list", trace.list_margin_pct), ("floor", max(floors, default=None)))
        if margin is not None
    ]
    margin = words.share(trace.margin_pct, decimals=1)
    return fragment(margin, " ", element("span", joined(*beside), class_="soft"))


def _reasons(review: Review) -> Markup:
    words, trace = review.words, review.trace
    policy = element("p", trace.policy.name, class_="soft")
    told: list[Child] = [element("div", element("strong", each), policy, class_="breach") for each in review.reasons]
    if trace.reviewed and not broken(trace):
        told.append(words.say("looked_at"))
    return section(words.say("why"), items(*told), anchor="policies")


def _changes(review: Review) -> Markup | None:
    if review.changes is None:
        return None
    label = "changes_approved" if review.changes.approved else "changes_asked"
    title = review.words.say(label, version=review.changes.version)
    told = differences(review.changes.comparison, review.words, currency=review.changes.currency)
    return section(title, told, anchor="changes")


def differences(found: Comparison, words: ApproverWording, *, currency: str) -> Markup:
    told = [
        *(
            _difference(each, words, currency)
            + (f" ({words.share(each.change_pct)})" if each.change_pct is not None else "")
            for each in found.money
        ),
        *(line for each in found.lines if (line := _changed_line(each, words, currency))),
        *(_difference(each, words, currency) for each in found.terms if each.field != "status"),
    ]
    return items(*told) if told else element("p", words.say("only_status"))


def _changed_line(line: LineDifference, words: ApproverWording, currency: str) -> str | None:
    """Returns None where only amounts differ, because the totals show that."""
    if line.change != "changed":
        return f"{line.product_name}: {words.say(f'changed.{line.change}')}"
    fields = (each for each in line.differences if each.field not in ("discount_amount", "line_total"))
    told = "; ".join(_difference(each, words, currency) for each in fields)
    return f"{line.product_name}: {told}" if told else None


def _difference(found: Difference | AmountChange, words: ApproverWording, currency: str) -> str:
    before, after = (
        words.say("none") if value is None else _value(found.field, value, words, currency)
        for value in (found.before, found.after)
    )
    return f"{words.say(f'fields.{found.field}')}: {before} → {after}"


def _value(name: str, value: str | Decimal, words: ApproverWording, currency: str) -> str:
    if isinstance(value, Decimal) or name == "unit_price":
        return words.amount(Decimal(value), currency)
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


def _price_note(note: PriceNote, review: Review) -> str:
    words, currency = review.words, review.version.currency
    return words.say(
        f"below_{note.under}",
        product=review.product_names[note.line_id],
        price=words.money(note.price, currency),
        earlier=words.money(note.earlier, currency),
        day=words.day(note.sold_on),
        source=note.source,
    )


def _claimed_offer(claim: Mapping[str, Any] | None, words: ApproverWording, *, currency: str) -> Markup | None:
    if claim is None:
        return None
    price = words.money(Decimal(claim["price"]), currency) if claim["price"] else None
    return element("p", words.say("claimed_offer"), " ", joined(claim["name"], price, claim["scope"]), dir="auto")


def _justification(review: Review) -> Markup:
    approval, words = review.standing.approval, review.words
    return section(
        words.say("justification"),
        element("p", element("span", words.say("claim"), class_="tag")),
        said(approval.justification),
        _claimed_offer(approval.context.get("competitor_claim"), words, currency=review.version.currency),
        element("p", words.say("unchecked", who=approval.requested_by), class_="soft"),
        [_question(asked, review.reader) for asked in review.questions],
        class_="claim",
        anchor="justification",
    )


def _question(asked: AskedQuestion, reader: PageReader) -> Markup:
    words = reader.words
    return fragment(
        element("h3", sentence(words, "asked", name=asked.approver_name, when=reader.time(asked.asked_at))),
        said(asked.question),
        element("p", words.say("answer" if asked.answer else "no_answer"), class_="soft"),
        said(asked.answer) if asked.answer else None,
    )


def _record(review: Review) -> Markup:
    words, record = review.words, review.record
    tenure = review.standing.approval.context["customer_tenure_months"]
    paid, on_time, offer = record.invoices_paid, record.invoices_paid_on_time, record.competitor_discount_pct
    payments = None
    if paid and on_time is not None:
        # Rounded down, so that one late invoice in a thousand does not read as 100%.
        payments = words.say("on_time", share=words.share(Decimal(on_time * 100 // paid)), on_time=on_time, paid=paid)
    told: dict[str, Child] = {
        "customer": review.version.account["name"],
        "tenure": wording.months(tenure, labels=words.labels),
        "payments": payments,
        "competing_offer": None if offer is None else words.share(offer),
    }
    return section(words.say("on_record"), facts(words, told), anchor="record")


def _earlier(review: Review) -> Markup | None:
    if not review.earlier:
        return None
    words = review.words
    rows = [
        fragment(
            element("strong", _decided_before(row, words)),
            element("p", joined(row.approver_name, review.reader.time(row.ended_at)), class_="soft"),
            said(row.decision_comment) if row.decision_comment else None,
        )
        for row in review.earlier
    ]
    return section(words.say("decided_before"), items(*rows), anchor="earlier")


def _decided_before(row: Approval, words: ApproverWording) -> str:
    agreed = row.approved_up_to_pct
    told = [
        words.say(f"before_{row.status}", quote=row.quote_id, discount=_share(row.context, words)),
        None if agreed is None else words.say("before_up_to", discount=words.share(agreed, decimals=4)),
    ]
    return ", ".join(filter(None, told))


def _undecided(review: Review) -> Markup | None:
    """Lists earlier requests about this quote that nobody decided, and how each ended."""
    if not review.undecided:
        return None
    words = review.words
    rows = [
        fragment(
            element(
                "strong", joined(one.id, words.say("version", number=one.version), words.role(one.approver_role))
            ),
            element("p", joined(_ending(one, words), review.reader.time(one.ended_at)), class_="soft", dir="auto"),
        )
        for one in review.undecided
    ]
    return section(words.say("asked_before"), items(*rows), anchor="before-this")


def _ending(request: Approval, words: ApproverWording) -> str:
    if request.escalated_to:
        return words.say("passed_on", request=request.escalated_to)
    return words.told(request.void_reason) if request.void_reason else words.say("nobody_decided")
