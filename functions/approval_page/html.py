"""HTML that is escaped by construction, and the frame of every page: style, head, landmarks, its reader's words."""

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from html import escape
from pathlib import Path
from string import Formatter

from cpq.approvals.wording import ApproverWording


@cache
def style() -> str:
    return Path(__file__).with_name("style.css").read_text("utf-8")


def style_hash() -> str:
    """By which a browser tells this style sheet from any other that might be slipped into a page."""
    return "sha256-" + base64.b64encode(hashlib.sha256(style().encode()).digest()).decode()


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


@dataclass(frozen=True, slots=True)
class PageReader:
    """Whoever reads: in which words, moments by the clock of their time zone, and what day it is there."""

    words: ApproverWording
    zone: str
    local: Mapping[datetime, datetime]
    today: date

    def time(self, moment: datetime) -> Markup:
        return element("time", self.words.moment(self.local[moment], self.zone), datetime=moment.isoformat())


def sentence(words: ApproverWording, label: str, /, **parts: Child) -> Markup:
    """A label with elements in its gaps, in whichever order the language has them."""
    pieces = Formatter().parse(words.words[label])
    return fragment(*((text, parts[gap] if gap else None) for text, gap, _, _ in pieces))


def page(words: ApproverWording, *content: Child, title: str, about: str | None = None) -> str:
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
        element("a", words.say("skip"), class_="skip", href="#content"),
        element("header", element("strong", words.say("site")), element("span", about)),
        element("main", *content, id="content"),
        element("footer", element("p", words.say("footer"))),
    )
    return "<!doctype html>" + element("html", head, body, lang=words.language)


def section(title: str, *content: Child, class_: str | None = None, anchor: str) -> Markup:
    heading = element("h2", title, id=anchor)
    return element("section", heading, *content, class_=class_, aria_labelledby=anchor)


def facts(words: ApproverWording, told: Mapping[str, Child]) -> Markup:
    """A description list by label; what has no value says so."""
    return element(
        "dl",
        [
            element("div", element("dt", words.say(label)), element("dd", value or words.say("not_on_record")))
            for label, value in told.items()
        ],
    )


def items(*each: Child) -> Markup:
    return element("ul", [element("li", one) for one in each], class_="plain")


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


def said(text: str) -> Markup:
    """Somebody's words, in whichever direction their script runs."""
    return element("blockquote", element("p", text, dir="auto"))


def joined(*parts: Child) -> Markup:
    """Parts with a middle dot between them, absent ones left out."""
    present = [part for part in parts if part]
    return fragment(*(fragment(" · ", part) if index else part for index, part in enumerate(present)))
