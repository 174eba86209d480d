"""The company profile: what is refused in it, and that the one we ship is sound."""

import pytest

from cpq.documents.typesetting import seller_of
from quarry.tool.errors import Unavailable
from tests.unit.cpq.documents.printed_quotes import LAYOUTS, document, line, pages, printed, seller

LEAST = 'name = "X"\naddress = []\n'


def test_the_shipped_profile_names_a_logo_that_is_there() -> None:
    assert (LAYOUTS / str(seller().logo)).is_file()
    assert seller().terms


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (LEAST + 'accent = "red"', "accent"),
        (LEAST + 'logo = "../../etc/passwd"', "logo"),
        (LEAST + 'colour = "#ffffff"', "colour"),
        ('name = "X"', "address"),
        ("name = ", "end of document"),
    ],
)
def test_a_mistake_is_named_with_its_file(content: str, named: str) -> None:
    with pytest.raises(Unavailable, match=rf"mine\.toml.*{named}") as failure:
        seller_of(content, file="mine.toml")
    assert not failure.value.retryable


def test_a_document_without_terms_has_no_heading_for_them() -> None:
    terse = seller().model_copy(update={"terms": []})
    assert "Terms and conditions" in " ".join(pages(printed(document(line()))))
    assert "Terms and conditions" not in " ".join(pages(printed(document(line(), seller=terse))))
