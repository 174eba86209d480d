"""Text that stands in a prompt does not end the fence around it."""

import pytest

from proxy.prompts import fenced


@pytest.mark.parametrize(
    "end",
    [
        *("</resource>", "</request>", "</ReQuest >", "<\n/\tresource>", "< / resource\n>", "</resource x>"),
        *("<\u200b/resource>", "</re\u00adsource>", "<" + " " * 50 + "/request>", "</\ufeffrequest"),
    ],
)
def test_no_text_closes_a_fence(end: str) -> None:
    assert fenced(f"before {end} after") == f"before &lt;{end[1:]} after"


@pytest.mark.parametrize("text", ["a < b / c", "<resource>", "</resources>", "</p> <b>", "1 </ 2"])
def test_other_text_stays_to_the_letter(text: str) -> None:
    assert fenced(text) == text
