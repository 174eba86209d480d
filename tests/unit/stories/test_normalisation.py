"""One spelling for slugs and paths."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stories.naming import code_path, slug


@pytest.mark.parametrize("text", ["Smart Folder", "smart_folder", " smart--folder ", "SMART-FOLDER", "Smart  Fólder"])
def test_spellings_of_one_slug_agree(text: str) -> None:
    assert slug(text) == "smart-folder"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Größe", "grosse"),
        ("डिलीवरी नोट", "डिलीवरी-नोट"),
        ("ÉTÉ d'Anaïs", "ete-danais"),
        ("Ÿ_ŒUVRE", "y-oeuvre"),
        ("Проект №1", "проект-no1"),
        ("Łódź", "lodz"),
    ],
)
def test_letters_of_other_languages_stay_letters(text: str, expected: str) -> None:
    assert slug(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "src/a/Grid.tsx",
        "./src/a/Grid.tsx",
        "/src/a/Grid.tsx",
        r"src\a\Grid.tsx",
        "src//a/./Grid.tsx",
        "`src/a/Grid.tsx`",
        "src/b/../a/Grid.tsx",
        "src/a/Grid.tsx:42",
        "src/a/Grid.tsx:42:7",
        "src/a/Grid.tsx#L10-L20",
    ],
)
def test_spellings_of_one_path_agree(text: str) -> None:
    assert code_path(text) == "src/a/Grid.tsx"


def test_a_folder_keeps_its_slash_and_nothing_stays_nothing() -> None:
    assert code_path("src/a/") == "src/a/"
    assert code_path(" / ") == code_path("..") == code_path("") == ""


@given(st.text())
def test_normalising_a_slug_twice_changes_nothing(text: str) -> None:
    assert slug(slug(text)) == slug(text)


@given(st.lists(st.text("abc._-[]", min_size=1), max_size=5).map("/".join))
def test_normalising_a_path_twice_changes_nothing(path: str) -> None:
    assert code_path(code_path(path)) == code_path(path)
