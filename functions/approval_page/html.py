"""HTML that is escaped by construction, and the frame of every page: style, head, landmarks, amounts and times."""

import base64
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from html import escape

from cpq.approvals import notices

STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #4d5560; --line: #cfd5dc; --wash: #f4f6f8; --paper: #fff;
  --accent: #0b4f8a; --deep: #083a66; --on: #fff; --go: #17663a; --went: #edf7f0; --stop: #9b1c1c; --stopped: #fdf1f1;
  --warn: #7a4b00; --claim: #fffaf0; --dash: #8a6d3b; --field: #737c87; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --soft: #a9b2bd; --line: #3a424c; --wash: #14181d;
  --paper: #1c2127; --accent: #8ec5f5; --deep: #b5dafa; --on: #0d1b2a; --go: #7ed3a0; --went: #17301f;
  --stop: #ff9c94; --stopped: #381c1b; --warn: #eebd6b; --claim: #262119; --dash: #a98c58; --field: #8b95a1; } }
* { box-sizing: border-box; }
html { font: 100%/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; color: var(--ink);
  background: var(--wash); -webkit-text-size-adjust: 100%; }
body { margin: 0; overflow-wrap: anywhere; }
.skip { position: absolute; left: -100vw; background: var(--paper); padding: .75rem 1rem; }
.skip:focus { left: .5rem; top: .5rem; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
header, main, footer { max-width: 60rem; margin: 0 auto; padding: 0 1rem; }
header { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .25rem 1rem; padding-block: 1rem .5rem;
  color: var(--soft); font-size: .9rem; }
header strong { color: var(--ink); letter-spacing: .02em; }
h1 { font-size: clamp(1.5rem, 4.5vw, 2.1rem); line-height: 1.2; margin: .5rem 0 .5rem; }
h2 { font-size: 1.15rem; margin: 0 0 .75rem; }
h3 { font-size: 1rem; margin: 0; }
p { margin: 0 0 .75rem; max-width: 44rem; }
section { background: var(--paper); border: 1px solid var(--line); border-radius: .5rem; padding: 1.1rem 1.25rem;
  margin: 0 0 1rem; }
section > :last-child, blockquote > :last-child, li > :last-child { margin-bottom: 0; }
.lead { font-size: 1.05rem; }
.soft { color: var(--soft); font-size: .9rem; font-weight: 400; }
.whole { white-space: nowrap; }
.number { font-variant-numeric: tabular-nums; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: .9rem 1.5rem; margin: 0; }
dt { color: var(--soft); font-size: .85rem; }
dd { margin: 0; font-weight: 600; }
.note { margin-top: .9rem; }
ul.plain { list-style: none; margin: 0; padding: 0; }
ul.plain > li + li { margin-top: .9rem; padding-top: .9rem; border-top: 1px solid var(--line); }
.breach { border-left: .3rem solid var(--warn); padding-left: .8rem; }
.claim { border: 1px dashed var(--dash); background: var(--claim); }
.tag { display: inline-block; color: var(--warn); border: 1px solid currentColor; border-radius: 1rem;
  padding: 0 .6rem; font-size: .8rem; font-weight: 600; }
blockquote { margin: 0; white-space: pre-wrap; }
table { width: 100%; border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; padding: .55rem .75rem .55rem 0;
  border-bottom: 1px solid var(--line); }
thead th { color: var(--soft); font-size: .85rem; font-weight: 600; }
th.number, td.number { text-align: right; padding-right: 0; padding-left: .75rem; white-space: nowrap;
  overflow-wrap: normal; }
tbody th { font-weight: 600; }
.totals { margin: .75rem 0 0 auto; max-width: 22rem; }
.totals th { font-weight: 400; }
.totals tr:last-child th, .totals tr:last-child td { border-bottom: 0; font-weight: 700; font-size: 1.1rem; }
form { display: grid; gap: 1rem; }
fieldset { border: 0; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: .75rem; }
legend { font-weight: 600; margin-bottom: .5rem; padding: 0; }
.choice { flex: 1 1 12rem; display: flex; align-items: center; gap: .75rem; min-height: 3.25rem; padding: .6rem 1rem;
  border: 2px solid var(--line); border-radius: .5rem; cursor: pointer; font-weight: 600; }
.choice input { width: 1.3rem; height: 1.3rem; margin: 0; flex: none; accent-color: var(--accent); }
.choice.go:has(:checked) { border-color: var(--go); background: var(--went); }
.choice.stop:has(:checked) { border-color: var(--stop); background: var(--stopped); }
.choice:has(:focus-visible) { outline: 3px solid var(--accent); outline-offset: 2px; }
.choice input:focus-visible { outline: none; }
label.above { display: block; font-weight: 600; margin-bottom: .25rem; }
textarea { width: 100%; min-height: 6rem; font: inherit; color: inherit; padding: .6rem .75rem;
  border: 1px solid var(--field); border-radius: .4rem; background: var(--paper); }
#limit, #colleague, #until { width: 8rem; font: inherit; color: inherit; padding: .6rem .75rem;
  border: 1px solid var(--field); border-radius: .4rem; background: var(--paper); }
#colleague { width: 100%; }
#until { width: 11rem; }
.delegation :is(select, .error) + label { margin-top: .75rem; }
.limit p, .delegation p { margin: .25rem 0 0; }
@supports selector(:has(*)) { form:not(:has(#up-to:checked)) .limit { display: none; }
  form:not(:has(#delegate:checked)) .delegation { display: none; } }
textarea[aria-invalid], #limit[aria-invalid], .delegation [aria-invalid] { border: 2px solid var(--stop); }
button { justify-self: start; min-height: 3rem; padding: .6rem 1.6rem; font: inherit; font-weight: 700;
  color: var(--on); background: var(--accent); border: 0; border-radius: .4rem; cursor: pointer; }
button:hover { background: var(--deep); }
a { color: var(--accent); }
.reach { display: none; }
.under { display: block; }
.plot { display: block; margin-left: auto; max-width: 100%; }
.axis { stroke: var(--line); stroke-width: 2; }
.here { stroke: var(--stop); stroke-width: 3; }
.dot { fill: var(--paper); stroke: var(--accent); stroke-width: 1.5; }
.dot.sold { fill: var(--accent); }
.prices td.number { white-space: normal; }
@media (min-width: 64rem) {
  header, main, footer { max-width: 80rem; }
  main:has(.decision) { display: grid; grid-template-columns: minmax(0, 1fr) 22rem; column-gap: 1.25rem;
    align-items: start; }
  main:has(.decision) > * { grid-column: 1 / -1; }
  main > .evidence { grid-column: 1; }
  main > .decision { grid-column: 2; position: sticky; top: 1rem; order: 1; }
}
.fault { background: var(--paper); border: 2px solid var(--stop); border-radius: .5rem; padding: .8rem 1rem;
  margin: .5rem 0; }
.fault a { color: var(--stop); }
.error { color: var(--stop); font-weight: 600; margin: .4rem 0 0; }
.banner { border-left: .4rem solid var(--accent); }
.banner.approved { border-color: var(--go); }
.banner.rejected, .banner.problem { border-color: var(--stop); }
footer { color: var(--soft); font-size: .85rem; padding-block: .5rem 2rem; }
code { font-size: .9em; }
@media (max-width: 40rem) {
  section { padding: 1rem; border-radius: 0; margin-inline: -1rem; border-inline: 0; }
  dl { grid-template-columns: 1fr 1fr; gap: .8rem 1rem; }
  .lines thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .lines, .lines tbody, .lines tr, .lines th, .lines td { display: block; }
  .lines tr { padding: .8rem 0; border-bottom: 1px solid var(--line); }
  .lines tr:first-child { padding-top: 0; }
  .lines th, .lines td { border: 0; padding: .1rem 0; }
  .lines td.number { display: flex; justify-content: space-between; gap: 1rem; padding: .1rem 0; }
  .lines td.number::before { content: attr(data-label); color: var(--soft); font-size: .9rem; }
  .totals { max-width: none; }
  button { width: 100%; }
  .evidence > .reach { display: block; position: sticky; bottom: 0; margin-inline: -1rem; padding: .9rem 1rem;
    text-align: center; font-weight: 700; color: var(--on); background: var(--accent); }
  .plot { margin: 0; }
}
@media print {
  :root { color-scheme: light; --ink: #1b1f24; --soft: #4d5560; --paper: #fff; --claim: #fff; --accent: #0b4f8a; }
  html { background: #fff; font-size: 10pt; }
  main:has(.decision) { display: block; }
  section { border: 0; border-radius: 0; padding: 0; margin: 0 0 1.2em; break-inside: avoid; }
  section.lined { break-inside: auto; }
  tr { break-inside: avoid; }
  thead { display: table-header-group; }
  section.claim { padding: .8em 1em; border: 1px dashed #8a6d3b; }
  .decision, .fault, .skip, .evidence > .reach { display: none; }
  header, main, footer { max-width: none; padding-inline: 0; }
}
@page { margin: 16mm; }
"""

STYLE_HASH = "sha256-" + base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()


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
