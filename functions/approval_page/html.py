"""HTML that is escaped by construction, and the frame of every page: head, landmarks, how amounts and times read."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from html import escape

from approval_page.style import STYLE
from cpq.approvals import notices


@dataclass(frozen=True, slots=True)
class Clock:
    """Moments in the reader's time zone; another moment reads in UTC."""

    zone: str = "UTC"
    local: Mapping[datetime, datetime] = field(default_factory=dict)


VOID = frozenset({"br", "hr", "input", "link", "meta"})


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


Child = str | None | Iterable["Child"]


def element(tag: str, /, *children: Child, **attributes: str | bool | None) -> Markup:
    """``class_`` and ``data_label`` become class and data-label; True writes the bare name, None nothing."""
    opening = "".join([tag, *(_attribute(key, value) for key, value in attributes.items())])
    if tag in VOID:
        return Markup(f"<{opening}>")
    return Markup(f"<{opening}>{fragment(*children)}</{tag}>")


def fragment(*children: Child) -> Markup:
    return Markup("".join(_rendered(child) for child in children))


def _rendered(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Markup):
        return child
    if isinstance(child, str):
        return escape(child)
    return "".join(_rendered(each) for each in child)


def _attribute(key: str, value: str | bool | None) -> str:
    name = key.rstrip("_").replace("_", "-")
    if value is None or value is False:
        return ""
    return f" {name}" if value is True else f' {name}="{escape(value)}"'


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


def time(moment: datetime, clock: Clock) -> Markup:
    local = clock.local.get(moment)
    text = f"{local:%d %B %Y, %H:%M} ({clock.zone})" if local else f"{moment:%d %B %Y, %H:%M} UTC"
    return element("time", text, datetime=moment.isoformat())


def said(text: str) -> Markup:
    """Somebody's words, in whichever direction their script runs."""
    return element("blockquote", element("p", text, dir="auto"))


def joined(*parts: Child) -> Markup:
    """Parts with a middle dot between them, absent ones left out."""
    present = [part for part in parts if part]
    return fragment(*(fragment(" · ", part) if index else part for index, part in enumerate(present)))
