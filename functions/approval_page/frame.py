"""The frame of every page: head, landmarks, and how amounts and times read."""

from datetime import datetime
from decimal import Decimal

from approval_page.html import Child, Markup, element, fragment
from approval_page.style import STYLE
from cpq.approvals import notices

amount, role_name = notices.amount, notices.role_name


def page(*content: Child, title: str, about: str | None = None) -> str:
    """A whole document; ``about`` is the reference at its head, such as the request's id."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", f"{title} – Quarry"),
        element("link", rel="icon", href="data:,"),
        element("style", Markup(STYLE)),
    )
    body = element(
        "body",
        element("a", "Skip to the content", class_="skip", href="#content"),
        element("header", element("strong", "Quarry approvals"), element("span", about)),
        element("main", *content, id="content"),
        element("footer", element("p", "Quarry shows what is on record and records what you decide.")),
    )
    return "<!doctype html>" + element("html", head, body, lang="en")


def section(title: str, *content: Child, class_: str | None = None, anchor: str) -> Markup:
    heading = element("h2", title, id=anchor)
    return element("section", heading, *content, class_=class_, aria_labelledby=anchor)


def facts(*pairs: tuple[str, Child]) -> Markup:
    """A description list; what has no value says so."""
    items = [element("div", element("dt", term), element("dd", value or "Not on record")) for term, value in pairs]
    return element("dl", items)


def money(value: Decimal, currency: str) -> Markup:
    return element("span", f"{amount(value)} {currency}", class_="number")


def time(moment: datetime) -> Markup:
    return element("time", f"{moment:%d %B %Y, %H:%M} UTC", datetime=moment.isoformat())


def said(text: str) -> Markup:
    """Somebody's words, in whichever direction their script runs."""
    return element("blockquote", element("p", text, dir="auto"))


def joined(*parts: Child) -> Markup:
    """Parts with a middle dot between them, absent ones left out."""
    present = [part for part in parts if part]
    return fragment(*(fragment(" · ", part) if index else part for index, part in enumerate(present)))
