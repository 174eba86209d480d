"""The pages as HTML: the one an approver decides on, and those without a form."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from approval_page.decision_form import Filled, decision_form, fault_banner
from approval_page.html import (
    Child,
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
from approval_page.review import Review
from cpq.approvals.deciding import Standing, State
from cpq.model import QuoteVersion, VersionLine
from cpq.pricing.arithmetic import shown
from cpq.pricing.trace import Trace
from quarry.retrieval import Hit

LONGEST_EXCERPT = 280


def review_page(review: Review, *, form_token: str, filled: Filled) -> str:
    approval, version = review.standing.approval, review.version
    title = f"Approve quote {approval.quote_id}?"
    return page(
        fault_banner(filled),
        element("h1", "Approve quote ", element("span", approval.quote_id, class_="whole"), "?"),
        element(
            "p",
            element("strong", approval.requested_by),
            f" asks you, {review.standing.approver_name} ({role_name(approval.approver_role)}), to approve a "
            f"discount of {approval.context['requested_discount']} for {version.account['name']}. "
            "You can decide until ",
            time(approval.expires_at),
            ".",
            class_="lead",
        ),
        _glance(review),
        _violations(review),
        _price_notes(review),
        _justification(review),
        _record(review),
        lines_section(review.version, review.lines),
        _precedents(review),
        _earlier(review),
        decision_form(filled, form_token=form_token, name=review.standing.approver_name),
        title=f"Error: {title}" if filled.fault else title,
        about=f"{approval.id} · version {approval.version}",
    )


def _glance(review: Review) -> Markup:
    version, context = review.version, review.standing.approval.context
    currency, margin = version.currency, context["margin_pct"]
    term = f"{version.term_months} months" if version.term_months else "One-time purchase"
    return section(
        "At a glance",
        facts(
            ("Total with tax", money(version.total, currency)),
            ("Discount", f"{context['requested_discount']} ({amount(version.discount_total)} {currency})"),
            ("Margin before tax", context.get("margin_note") if margin is None else f"{margin:g}%"),
            ("Value of the first year, net", money(Decimal(context["annual_value"]), currency)),
            ("Term", term),
            ("Payment", version.payment_terms.replace("_", " ").capitalize()),
            ("Quote valid until", f"{version.valid_until:%d %B %Y}"),
        ),
        element("p", f"Note: {version.notes}", class_="note", dir="auto") if version.notes else None,
        anchor="glance",
    )


def _violations(review: Review) -> Markup:
    items = [
        element(
            "li",
            element("strong", violation.description),
            element(
                "p",
                violation.policy_name,
                class_="soft",
            ),
            class_="breach",
        )
        for violation in review.violations
    ]
    return section("Why approval is needed", element("ul", items, class_="plain"), anchor="policies")


def _price_notes(review: Review) -> Markup | None:
    notes = Trace.model_validate(review.version.trace).price_notes if review.version.trace else []
    if not notes:
        return None
    items = [element("li", note.description) for note in notes]
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
        class_="claim",
        anchor="justification",
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


def _precedents(review: Review) -> Markup:
    found = review.precedents
    return section(
        "What comparable goods were sold for",
        element("p", found.notice, class_="soft") if found.notice else None,
        element("ul", [element("li", _precedent(hit)) for hit in found.hits], class_="plain") if found.hits else None,
        anchor="precedents",
    )


def _precedent(hit: Hit) -> Markup:
    row = hit.row
    price = None if row["unit_price"] is None else f"{_past_price(row['unit_price'])} {row['currency']} each"
    excerpt = row["description"]
    if len(excerpt) > LONGEST_EXCERPT:
        excerpt = f"{excerpt[:LONGEST_EXCERPT].rpartition(' ')[0]} …"
    return fragment(
        element("h3", joined(row["quote_number"], row["customer"])),
        element("p", joined(f"{row['quote_date']:%d %B %Y}", row["status"], price, row["price_note"]), class_="soft"),
        element("p", excerpt, dir="auto"),
    )


def _past_price(value: Decimal) -> str:
    """Past prices are kept with four decimals, whatever the currency; zeros beyond the second say nothing."""
    cents = value.quantize(Decimal("0.01"))
    return amount(cents if cents == value else value)


def _earlier(review: Review) -> Markup | None:
    if not review.earlier:
        return None
    items = [
        element(
            "li",
            element("strong", f"{row.quote_id}: {row.context['requested_discount']} {row.status}"),
            element("p", joined(row.approver_name, time(row.decided_at)), class_="soft"),
            said(row.decision_comment) if row.decision_comment else None,
        )
        for row in review.earlier
    ]
    return section("Decided before for this customer", element("ul", items, class_="plain"), anchor="earlier")


def lines_section(version: QuoteVersion, lines: list[VersionLine]) -> Markup:
    currency = version.currency
    heads = ("Product", "Quantity", f"Unit price, {currency}", "Discount", f"Net, {currency}")
    table = element(
        "table",
        element("thead", element("tr", [_head(text, index) for index, text in enumerate(heads)], role="row")),
        element("tbody", [_line(line, heads) for line in lines]),
        class_="lines",
        role="table",
        aria_labelledby="lines",
    )
    sums = [
        ("Before discount", amount(version.subtotal)),
        ("Discount", f"−{amount(version.discount_total)}"),
        ("Tax", amount(version.tax_total)),
        (f"Total, {currency}", amount(version.total)),
    ]
    totals = element(
        "table",
        element(
            "tbody",
            [
                element("tr", element("th", name, scope="row"), element("td", value, class_="number"))
                for name, value in sums
            ],
        ),
        class_="totals",
        aria_label="Totals",
    )
    return section("Lines", table, totals, class_="lined", anchor="lines")


def _head(text: str, index: int) -> Markup:
    return element("th", text, scope="col", role="columnheader", class_="number" if index else None)


def _line(line: VersionLine, heads: tuple[str, ...]) -> Markup:
    unit = (line.unit or "").removeprefix("per_").replace("_per_", " and ").replace("_", " ")
    figures: tuple[Child, ...] = (
        f"{line.quantity:,}",
        fragment(amount(line.unit_price), element("span", f" per {unit}", class_="soft")),
        f"{shown(_pct(line))}%",
        amount(line.line_total),
    )
    details = joined(line.sku, _configuration(line.attributes))
    return element(
        "tr",
        element("th", line.product_name, element("div", details, class_="soft"), scope="row", role="rowheader"),
        [
            element("td", element("span", figure), class_="number", role="cell", data_label=head)
            for figure, head in zip(figures, heads[1:], strict=True)
        ],
        role="row",
    )


def _pct(line: VersionLine) -> Decimal:
    return Decimal(line.discount_pct if line.effective_discount_pct is None else line.effective_discount_pct)


def _configuration(attributes: Mapping[str, Any]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in attributes.items())


CLOSED: dict[State, tuple[int, str, str]] = {
    "expired": (410, "This request has expired", "Nobody decided in time. Whoever asked can ask again."),
    "escalated": (410, "This request was passed on", "It was passed on to the next role, which decides now."),
    "void": (409, "This request no longer counts", "The quote was changed after approval was asked for."),
    "superseded": (
        409,
        "There is a newer version",
        "The quote has a newer version than the one you were asked about.",
    ),
    "changed": (409, "The quote has changed", "It is no longer what you were asked about."),
    "quote_expired": (409, "The offer has run out", "The quote's own validity has ended, so it cannot be approved."),
    "own_request": (403, "You asked for this yourself", "Somebody else of your role has to decide it."),
    "not_an_approver": (403, "You cannot decide this any more", "Your name no longer stands for this role."),
}
NOTHING_TO_DO = "You have nothing to do: no decision was taken through this link."


def standing_page(standing: Standing) -> tuple[int, str]:
    """(status, page) of a request that is not open."""
    if standing.state == "decided":
        return 200, _decided(standing)
    status, title, why = CLOSED[standing.state]
    return status, notice_page(title, why, NOTHING_TO_DO, about=standing.approval.id)


def notice_page(title: str, *paragraphs: str, about: str | None = None) -> str:
    return page(
        element("h1", title),
        section(
            "What happened", *(element("p", text) for text in paragraphs), class_="banner problem", anchor="what"
        ),
        title=title,
        about=about,
    )


def _decided(standing: Standing) -> str:
    approval = standing.approval
    waits = approval.status == "approved" and standing.others
    title = f"Quote {approval.quote_id} {'waits for others' if waits else f'is {approval.status}'}"
    by = "by you" if standing.mine else f"by {approval.approver_name}"
    when = fragment("on ", time(approval.decided_at)) if approval.decided_at else None
    comment = approval.decision_comment
    return page(
        element("h1", title),
        section(
            f"{approval.status.capitalize()} {by}",
            element("p", joined(f"Version {approval.version}", role_name(approval.approver_role), when)),
            said(comment) if comment else element("p", "Without a comment.", class_="soft"),
            element("p", f"Still to decide: {', '.join(map(role_name, standing.others))}.") if waits else None,
            class_=f"banner {approval.status}",
            anchor="outcome",
        ),
        element("p", "This link has done its work. You can close the page.", class_="soft"),
        title=title,
        about=approval.id,
    )
