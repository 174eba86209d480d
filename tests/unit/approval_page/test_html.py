"""HTML by construction: text cannot become markup, whatever it holds."""

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from approval_page.html import Markup, element, fragment


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


@given(content=TEXT, title=TEXT)
def test_any_text_is_read_back_as_it_was_and_makes_no_tag(content: str, title: str) -> None:
    page = read(element("p", content, title=title))
    assert page.tags == [("p", [("title", title)])]
    assert page.text == content


def test_attributes_take_pythons_names_and_leave_out_what_is_not_set() -> None:
    made = element("label", "x", class_="a", data_label="b", aria_invalid=None, hidden=False, required=True, for_="c")
    assert made == '<label class="a" data-label="b" required for="c">x</label>'


def test_void_elements_are_not_closed_and_children_may_be_nested_lists() -> None:
    assert element("p", ["a", element("br"), [None, "<"]]) == "<p>a<br>&lt;</p>"
    assert isinstance(fragment("a"), Markup)
