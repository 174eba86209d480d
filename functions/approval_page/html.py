"""HTML that is escaped by construction, and the frame of every page: style, head, landmarks, amounts and times."""

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from functools import cache
from html import escape
from pathlib import Path

from cpq.approvals import notices


@cache
def style() -> str:
    return Path(__file__).with_name("style.css").read_text("utf-8")


def style_hash() -> str:
    """By which a browser tells this style sheet from any other that might be slipped into a page."""
    return "sha256-" + base64.b64encode(hashlib.sha256(style().encode()).digest()).decode()


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
LineRow = tuple[str, Child, Sequence[Child]]
"""What a line of the quote is called, what is told below that, and its cells."""


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
        element("style", Markup(style())),
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


def lines_table(heads: Sequence[str], rows: Iterable[LineRow], *, class_: str, labelled_by: str) -> Markup:
    """A row for each line of the quote; on a phone it is a list with ``heads`` beside its cells."""
    columns = [
        element("th", text, scope="col", role="columnheader", class_="number" if place else None)
        for place, text in enumerate(heads)
    ]
    return element(
        "table",
        element("thead", element("tr", columns, role="row")),
        element("tbody", [_line_row(row, heads[1:]) for row in rows]),
        class_=class_,
        role="table",
        aria_labelledby=labelled_by,
    )


def _line_row(row: LineRow, heads: Sequence[str]) -> Markup:
    name, details, figures = row
    return element(
        "tr",
        element("th", name, element("div", details, class_="soft"), scope="row", role="rowheader"),
        [
            element("td", element("span", figure), class_="number", role="cell", data_label=head)
            for figure, head in zip(figures, heads, strict=True)
        ],
        role="row",
    )


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
