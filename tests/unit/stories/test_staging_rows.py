"""The staging file: repair of unquoted titles, normalisation, rejects."""

import io
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operations.reading import read
from quarry.ingestion import Accepted, Rejected, Row
from quarry.tool.errors import ValidationFailed
from stories.ingestion import STORIES, StoryRow

HEADER = "story_key,section,title,narrative,actor,status,entity_slugs,code_paths"


def rows(*lines: str, header: str = HEADER) -> list[Accepted[Row] | Rejected]:
    return list(read(io.BytesIO("\n".join([header, *lines]).encode()), STORIES, file_name="stories.csv"))


def story(line: str) -> tuple[StoryRow, str | None]:
    (item,) = rows(line)
    assert isinstance(item, Accepted), item
    return cast(StoryRow, item.row), item.repair


def test_a_title_with_unquoted_commas_is_mended_and_reported() -> None:
    row, repair = story(
        'F-1,Folders,Rename, merge, and split folders,"Two, not one.",photographer,production,folder,a.ts'
    )
    assert row.title == "Rename, merge, and split folders"
    assert (row.narrative, row.actor, row.code_paths) == ("Two, not one.", "photographer", ["a.ts"])
    assert repair is not None
    assert "3 cells" in repair


def test_a_proper_row_is_not_repaired() -> None:
    row, repair = story('F-1,Folders,"Rename, merge",Text.,photographer,production,folder,a.ts')
    assert (row.title, repair) == ("Rename, merge", None)


@given(st.lists(st.text("abc xyz-!?", min_size=1).filter(str.strip), min_size=2, max_size=6))
def test_whatever_stood_between_the_commas_comes_back(parts: list[str]) -> None:
    title = ", ".join(parts).lstrip()
    row, repair = story(f"F-1,Folders,{title},Text.,photographer,production,folder,a.ts")
    assert row.title == title.strip()
    assert repair


GOOD = "F-0,Folders,T,N,photographer,planned,folder,src/a.ts"


@pytest.mark.parametrize(
    ("line", "title", "narrative"),
    [
        ("F-1,Folders,Title,As a guest, I want x, y and z,photographer,planned,export,src/q.ts", "Title",
         "As a guest, I want x, y and z"),
        ("F-1,Folders,A trailing comma,As a guest I want x,photographer,planned,export,src/q.ts,", "A trailing comma",
         "As a guest I want x"),
    ],
)  # fmt: skip
def test_unquoted_commas_go_where_the_rest_stays_plausible(line: str, title: str, narrative: str) -> None:
    _, item = rows(GOOD, line)
    assert isinstance(item, Accepted), item
    row = cast(StoryRow, item.row)
    assert (row.title, row.narrative, row.actor, row.status) == (title, narrative, "photographer", "planned")
    assert item.repair


@pytest.mark.parametrize(
    "line",
    [
        "F-1,Folders,T,Text.,photographer,planned,fol,der,src/a.ts",
        "F-1,Fol,ders,T,Text.,photographer,planned,folder,src/a.ts",
        "F-1,Folders,T,Text.,photographer,nonsense, planned,folder,src/a.ts",
        "F-1,Folders,Rename, merge,As a guest I want x, y,photographer,planned,,",
        "F-1,Folders,T,Text.,photographer,planned,folder,src/a.tsF-2,Folders,T,Text.,photographer,planned,folder,src/b.ts",
    ],
)
def test_what_cannot_be_split_plausibly_is_rejected_with_the_reason(line: str) -> None:
    _, item = rows(GOOD, line)
    assert isinstance(item, Rejected)
    assert "8 cells" in item.reason


FILE = [
    f"F-{n},{section},T,N,photographer,planned,folder,src/a.ts" for n in range(4) for section in ("Folders", "Cart")
]


@pytest.mark.parametrize(
    ("damaged", "reason"),
    [
        (['F-9,Cart"Pay by card, wallet","Card, or it.",client,planned,folder,src/a.ts'], "a quote stands within"),
        (["F-8,Ca", "rt-9,T,N,M,photographer,planned,folder,src/a.ts"], "does not have the header's"),
        (['F-8,Cart,T,"Strike out the silly', 'F-9,Cart,T,It is, all of it.",photographer,planned,folder,src/a.ts'],
         "a quote is not closed"),
    ],
)  # fmt: skip
def test_a_row_of_the_right_length_whose_cells_are_not_its_own_is_rejected(damaged: list[str], reason: str) -> None:
    items = rows(*FILE, *damaged)
    kept = [cast(StoryRow, item.row).story_key for item in items if isinstance(item, Accepted)]
    told = [item.reason for item in items if isinstance(item, Rejected)]
    assert (len(kept), "F-9" in kept) == (len(FILE), False)
    assert reason in told[0]


@pytest.mark.parametrize(
    "line",
    [
        "F-9,Baskets,T,N,photographer,planned,folder,src/a.ts",
        "F-9,Cart,T,N,photographer,uat,folder,src/a.ts",
        "F-9,Cart,T,N,a curator,planned,folder,src/a.ts",
        "F-9a,Cart,T,N,photographer,planned,folder,src/a.ts",
        "EPIC-9,Cart,T,N,photographer,planned,folder,src/a.ts",
        'F-9,"Cart ""new""",T,A 6" print,photographer,planned,folder,src/a.ts',
    ],
)
def test_a_row_that_is_new_in_one_respect_is_taken(line: str) -> None:
    assert isinstance(rows(*FILE, line)[-1], Accepted)


def test_too_few_cells_are_no_reason_to_guess() -> None:
    (item,) = rows("F-1,Folders,Rename,Text.")
    assert isinstance(item, Rejected)
    assert "8 cells" in item.reason


def test_slugs_paths_actor_status_and_section_key_are_normalised() -> None:
    row, _ = story(
        "F-1,Client Proofing,T,N,Studio Owner,In Progress,"
        "Smart Folder; smart_folder;;gallery,./src/b.ts | src\\a.ts; src/a.ts"
    )
    assert row.section_key == "client-proofing"
    assert (row.actor, row.status) == ("studio-owner", "in-progress")
    assert row.entity_slugs == ["gallery", "smart-folder"]
    assert row.code_paths == ["src/a.ts", "src/b.ts"]


def test_a_story_may_have_neither_entities_nor_paths() -> None:
    row, _ = story("F-1,Folders,T,N,photographer,production,,")
    assert (row.entity_slugs, row.code_paths) == ([], [])


def test_a_section_key_of_its_own_is_kept() -> None:
    (item,) = rows(
        "F-1,flds,Folders,T,N,photographer,planned",
        header="story_key,section_key,section,title,narrative,actor,status",
    )
    assert isinstance(item, Accepted)
    assert cast(StoryRow, item.row).section_key == "flds"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (",Folders,T,N,photographer,production,,", "story_key"),
        ("  ,Folders,T,N,photographer,production,,", "story_key"),
        ("F-1,Folders,T,N,!!!,production,,", "letter or digit"),
        ("F-1,Folders,T,N,photographer,production,,src/\x07bell.ts", "not a path"),
    ],
)
def test_what_cannot_be_read_is_rejected_with_its_reason(line: str, reason: str) -> None:
    (item,) = rows(line)
    assert isinstance(item, Rejected)
    assert reason in item.reason


def test_lists_come_as_lists_in_json_lines() -> None:
    line = (
        '{"story_key": "F-1", "section": "Folders", "title": "T", "narrative": "N", "actor": "guest",'
        ' "status": "beta", "entity_slugs": ["A b"], "code_paths": ["x/../y.ts"]}'
    )
    (item,) = read(io.BytesIO(line.encode()), STORIES, file_name="stories.jsonl")
    assert isinstance(item, Accepted)
    row = cast(StoryRow, item.row)
    assert (row.entity_slugs, row.code_paths) == (["a-b"], ["y.ts"])


def test_a_header_without_titles_is_refused_whole() -> None:
    with pytest.raises(ValidationFailed, match="missing columns"):
        rows("F-1,Folders", header="story_key,section")
