"""Pages without a form: what became of the request, and what is wrong with a link or a submission."""

from approval_page.frame import joined, page, role_name, said, section, time
from approval_page.html import element, fragment
from cpq.approvals.deciding import Standing, State

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
    title = f"Quote {approval.quote_id} is {approval.status}"
    by = "by you" if standing.mine else f"by {approval.approver_name}"
    when = fragment("on ", time(approval.decided_at)) if approval.decided_at else None
    comment = approval.decision_comment
    return page(
        element("h1", title),
        section(
            f"{approval.status.capitalize()} {by}",
            element("p", joined(f"Version {approval.version}", role_name(approval.approver_role), when)),
            said(comment) if comment else element("p", "Without a comment.", class_="soft"),
            class_=f"banner {approval.status}",
            anchor="outcome",
        ),
        element("p", "This link has done its work. You can close the page.", class_="soft"),
        title=title,
        about=approval.id,
    )
