"""Pages without a form: what was decided, what has become of a request, and notices."""

from approval_page.html import (
    Clock,
    Markup,
    element,
    fragment,
    joined,
    page,
    role_name,
    said,
    section,
    time,
)
from approval_page.review import Ended
from approval_page.views import differences
from cpq.approvals.deciding import RequestStanding, State
from cpq.pricing.arithmetic import shown

CLOSED: dict[State, tuple[int, str, str]] = {
    "expired": (410, "This request has expired", "Nobody decided in time. Whoever asked can ask again."),
    "escalated": (410, "This request was passed on", "It was passed on to the next role, which decides now."),
    "void": (409, "This request no longer counts", "The quote was changed, or the request withdrawn."),
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


def standing_page(found: Ended) -> tuple[int, str]:
    """(status, page) of a request that is not open."""
    standing, approval = found.standing, found.standing.approval
    if standing.state == "decided":
        return 200, _decided(standing, found.clock)
    status, title, why = CLOSED[standing.state]
    said = [element("p", why)]
    if approval.voided_at and approval.void_reason:
        said = [element("p", approval.void_reason, dir="auto"), element("p", time(approval.voided_at, found.clock))]
    return status, page(
        element("h1", title),
        section("What happened", said, element("p", NOTHING_TO_DO), class_="banner problem", anchor="what"),
        _amendment(found),
        title=title,
        about=approval.id,
    )


def _amendment(found: Ended) -> Markup | None:
    """What whoever asked has changed since."""
    if found.changes is None:
        return None
    after = found.changes.later
    return section(
        "What was changed",
        element("p", f"Version {after} of the quote took its place: {found.by} made it.", class_="soft"),
        differences(found.changes.comparison),
        anchor="changes",
    )


def notice_page(title: str, *paragraphs: str) -> str:
    return page(
        element("h1", title),
        section(
            "What happened", *(element("p", text) for text in paragraphs), class_="banner problem", anchor="what"
        ),
        title=title,
    )


def _decided(standing: RequestStanding, clock: Clock) -> str:
    approval = standing.approval
    waits = approval.status == "approved" and standing.others
    title = f"Quote {approval.quote_id} {'waits for others' if waits else f'is {approval.status}'}"
    by = "by you" if standing.mine else f"by {approval.approver_name}"
    when = fragment("on ", time(approval.decided_at, clock)) if approval.decided_at else None
    comment, agreed = approval.decision_comment, approval.approved_up_to_pct
    return page(
        element("h1", title),
        section(
            f"{approval.status.capitalize()} {by}",
            element("p", joined(f"Version {approval.version}", role_name(approval.approver_role), when)),
            said(comment) if comment else element("p", "Without a comment.", class_="soft"),
            element("p", f"A discount of up to {shown(agreed)}% would be approved.") if agreed is not None else None,
            element("p", f"Still to decide: {', '.join(map(role_name, standing.others))}.") if waits else None,
            class_=f"banner {approval.status}",
            anchor="outcome",
        ),
        element("p", "This link has done its work. You can close the page.", class_="soft"),
        title=title,
        about=approval.id,
    )
