"""Renders the templates that lie beside this file, escaped, in the words of whoever reads the page."""

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from cpq.approvals.wording import ApproverWording
from cpq.documents import wording

FOLDER = Path(__file__).parent
TEMPLATES = Environment(
    loader=FileSystemLoader(FOLDER),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    auto_reload=False,
)


@cache
def style() -> str:
    return FOLDER.joinpath("style.css").read_text("utf-8")


def style_hash() -> str:
    """Returns the hash for the content security policy, so that a browser applies no other style sheet."""
    return "sha256-" + base64.b64encode(hashlib.sha256(style().encode()).digest()).decode()


@dataclass(frozen=True, slots=True)
class PageReader:
    """The person who reads a page: their wording, time zone, ``local`` times by moment, and the date there."""

    words: ApproverWording
    zone: str
    local: Mapping[datetime, datetime]
    today: date

    def time(self, moment: datetime) -> str:
        return self.words.moment(self.local[moment], self.zone)


def render(template: str, words: ApproverWording, **values: object) -> str:
    """Returns the page; ``say`` in templates gives the text of a label, in whose gaps may stand text or elements."""

    def say(label: str, /, **gaps: object) -> Markup:
        return escape(words.words[label]).format(**gaps)

    page = TEMPLATES.get_template(template)
    return page.render(values, words=words, wording=wording, say=say, style=style())
