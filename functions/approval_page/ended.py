"""The pages without a form: a decision that was made, a request that ended without one, and notices."""

from approval_page.html import Markup, PageReader, element, joined, page, said, section, sentence
from approval_page.review import Ended
from approval_page.views import differences
from cpq.approvals.deciding import RequestStanding, State
from cpq.approvals.wording import ApproverWording

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


def standing_page(found: Ended) -> tuple[int, str]:
    """Returns (HTTP status, page) for a request that is not open."""
    standing, approval, words = found.standing, found.standing.approval, found.reader.words
    if standing.state == "decided":
        return 200, _decided(standing, found.reader)
    told = [element("p", words.say(f"closed.{standing.state}.why"))]
    if approval.voided_at and approval.void_reason:
        reason = element("p", words.told(approval.void_reason), dir="auto")
        told = [reason, element("p", found.reader.time(approval.voided_at))]
    told.append(element("p", words.say("nothing_to_do")))
    title = words.say(f"closed.{standing.state}.title")
    return CLOSED[standing.state], _message_page(words, title, told, _amendment(found), about=approval.id)


def notice_page(words: ApproverWording, kind: str) -> str:
    """Returns a page that belongs to no request; ``kind`` selects its title and text."""
    return _message_page(words, words.say(f"notice.{kind}.title"), [element("p", words.say(f"notice.{kind}.why"))])


def _message_page(
    words: ApproverWording, title: str, told: list[Markup], below: Markup | None = None, *, about: str | None = None
) -> str:
    what = section(words.say("what_happened"), told, class_="banner problem", anchor="what")
    return page(words, element("h1", title), what, below, title=title, about=about)


def _amendment(found: Ended) -> Markup | None:
    """Shows how the quote's newest version differs from the one the request was about."""
    if found.changes is None:
        return None
    words, changes = found.reader.words, found.changes
    return section(
        words.say("what_changed"),
        element("p", words.say("newer_version", version=changes.later, who=found.by), class_="soft"),
        differences(changes.comparison, words, currency=changes.currency),
        anchor="changes",
    )


def _decided(standing: RequestStanding, reader: PageReader) -> str:
    approval, words = standing.approval, reader.words
    waits = approval.status == "approved" and standing.others
    title = words.say("waits_title" if waits else f"{approval.status}_title", quote=approval.quote_id)
    whose = "by_you" if standing.mine else "by"
    when = sentence(words, "on", when=reader.time(approval.decided_at)) if approval.decided_at else None
    comment, agreed = approval.decision_comment, approval.approved_up_to_pct
    others = ", ".join(map(words.role, standing.others))
    return page(
        words,
        element("h1", title),
        section(
            words.say(f"{approval.status}_{whose}", name=approval.approver_name),
            element(
                "p", joined(words.say("version", number=approval.version), words.role(approval.approver_role), when)
            ),
            said(comment) if comment else element("p", words.say("no_comment"), class_="soft"),
            element("p", words.say("agreed", discount=words.share(agreed, decimals=4)))
            if agreed is not None
            else None,
            element("p", words.say("still_to_decide", roles=others)) if waits else None,
            class_=f"banner {approval.status}",
            anchor="outcome",
        ),
        element("p", words.say("link_done"), class_="soft"),
        title=title,
        about=approval.id,
    )
