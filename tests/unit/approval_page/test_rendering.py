"""Templates of the page: text cannot become markup, whatever it holds, and every label that they name has a text."""

import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from approval_page.views import FOLDER, TEMPLATES, render
from cpq.approvals.wording import ApproverWording, in_language
from local.files import ROOT
from tests.deployment import fresh_environment

SOURCES = {path.name: path.read_text("utf-8") for path in FOLDER.glob("*.html")}


@pytest.fixture
def english(monkeypatch: pytest.MonkeyPatch) -> Iterator[ApproverWording]:
    monkeypatch.setenv("TEMPLATES_DIR", str(ROOT / "templates"))
    with fresh_environment():
        yield in_language("en")


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, list[tuple[str, str | None]]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, attrs))

    def handle_data(self, data: str) -> None:
        self.text += data


def read(markup: str) -> Reader:
    reader = Reader()
    reader.feed(markup)
    reader.close()
    return reader


# A parser replaces these two by rule, in any document.
TEXT = st.text(st.characters(exclude_characters="\r\x00", exclude_categories=["Cs"]))


@given(text=TEXT)
def test_any_text_is_read_back_as_it_was_and_makes_no_tag(text: str) -> None:
    page = read(TEMPLATES.from_string('<p title="{{ text }}">{{ text }}.</p>').render(text=text))
    assert page.tags == [("p", [("title", text)])]
    assert page.text == f"{text}."


def test_a_label_is_text_whatever_it_holds(english: ApproverWording) -> None:
    odd = {"notice.odd.title": "<b> & 'x'", "notice.odd.why": '"<script>"'}
    page = read(render("notice.html", replace(english, words={**english.words, **odd}), label="notice.odd"))
    assert "<b> & 'x' – Quarry" in page.text
    assert '"<script>"' in page.text
    assert {"b", "script"}.isdisjoint(tag for tag, _ in page.tags)


def test_nothing_but_the_style_sheet_passes_unescaped_and_no_template_has_what_the_policy_forbids() -> None:
    unescaped = re.compile(r"\|\s*safe|Markup|autoescape")
    assert {name: found for name, text in SOURCES.items() if (found := unescaped.findall(text))} == {
        "base.html": ["| safe"]
    }
    assert [name for name, text in SOURCES.items() if re.search(r"<script|<img|\sstyle=|\son\w+=", text)] == []


def test_every_label_that_a_template_names_has_a_text(english: ApproverWording) -> None:
    source = "\n".join(SOURCES.values())
    named = re.findall(r"\b(?:say|fact|cell|spread|margin|total)\('([\w.]+)'[,)]", source)
    named += [label for row in re.findall(r"\bcolumns\(\[(.*?)\]\)", source) for label in re.findall(r"'(\w+)'", row)]
    assert len(named) > 80
    assert set(named) - english.words.keys() == set()
