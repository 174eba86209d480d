"""Builds HTML that is escaped by construction, and the frame of every page: style, head, landmarks, language."""

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
    """Returns the hash for the content security policy, so that a browser applies no other style sheet."""
    return "sha256-" + base64.b64encode(hashlib.sha256(style().encode()).digest()).decode()


VOID = frozenset({"br", "hr", "input", "link", "meta"})


class Markup(str):
    """Text that is already HTML and is not escaped again."""

    __slots__ = ()


Child = str | None | Iterable["Child"]
LineRow = tuple[str, Child, Sequence[Child]]
"""The name of a quote's line, the details below the name, and the cells of the other columns."""


def element(tag: str, /, *children: Child, **attributes: str | bool | None) -> Markup:
    """Writes ``class_`` as class, ``data_label`` as data-label; True writes the bare name, None and False nothing."""
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
    """The person who reads a page: their wording, time zone, ``local`` times by moment, and the date there."""

    words: ApproverWording
    zone: str
    local: Mapping[datetime, datetime]
    today: date

    def time(self, moment: datetime) -> Markup:
        return element("time", self.words.moment(self.local[moment], self.zone), datetime=moment.isoformat())


def sentence(words: ApproverWording, label: str, /, **parts: Child) -> Markup:
    """Returns the text of a label with elements in its placeholders, in the order of the language."""
    pieces = Formatter().parse(words.words[label])
    return fragment(*((text, parts[gap] if gap else None) for text, gap, _, _ in pieces))


def page(words: ApproverWording, *content: Child, title: str, about: str | None = None) -> str:
    """Returns a whole document; ``about`` is a reference in the page's header, such as the request's id."""
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
    """Returns a description list of values by label; an empty value is shown as not on record."""
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
    """Returns a table with a row per line of the quote; a phone shows a list with ``heads`` beside the cells."""
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
    """Quotes a person's words; the browser takes the writing direction from their script."""
    return element("blockquote", element("p", text, dir="auto"))


def joined(*parts: Child) -> Markup:
    """Joins the parts that are present with a middle dot."""
    present = [part for part in parts if part]
    return fragment(*(fragment(" · ", part) if index else part for index, part in enumerate(present)))
