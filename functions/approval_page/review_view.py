"""The page an approver decides on."""

from decimal import Decimal

from approval_page.decision_form import Filled, decision_form, fault_banner
from approval_page.frame import amount, facts, joined, money, page, role_name, said, section, time
from approval_page.html import Markup, element, fragment
from approval_page.lines_view import lines_section
from approval_page.review import Review
from cpq.pricing.arithmetic import shown
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
            ("Margin before tax", None if margin is None else f"{margin:g}%"),
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
                f"{violation.policy_name}: cap {shown(violation.threshold)}%, asked {shown(violation.actual)}%.",
                class_="soft",
            ),
            class_="breach",
        )
        for violation in review.violations
    ]
    return section("Why approval is needed", element("ul", items, class_="plain"), anchor="policies")


def _justification(review: Review) -> Markup:
    approval = review.standing.approval
    return section(
        "Justification",
        element("p", element("span", "Claim of the agent", class_="tag")),
        said(approval.justification),
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
