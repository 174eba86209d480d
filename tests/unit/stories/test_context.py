"""Reading a task's context: code or prose, the paths and slugs in it."""

import time

import pytest

from stories.naming import named_paths, names, possible_slugs, stem
from stories.relation import looks_like_code, read_context

DIFF = """\
diff --git a/src/watermark/tiling.ts b/src/watermark/tiling.ts
index 83db48f..bf2a1c3 100644
--- a/src/watermark/tiling.ts
+++ b/src/watermark/tiling.ts
@@ -10,2 +10,2 @@
-const STEP = 120;
+const STEP = 90;
"""
SNIPPET = """\
import { tile } from "@/watermark/tiling";
export function stamp(image: Image): Image {
  return tile(image, STEP);
}
"""
PYTHON = """\
def move_photos(ids, folder):
    for photo in photos(ids):
        photo.folder = folder
    return folder
"""
IDEA = """\
Parents keep asking whether grandparents abroad can order prints without an account.
We would need guest checkout, and prices in their own currency; shipping is another matter.
"""


@pytest.mark.parametrize(
    "context",
    [
        DIFF,
        SNIPPET,
        PYTHON,
        "src/folders/folder_tree.ts\nsrc/folders/FolderPanel.tsx",
        'user = User(name="x")\nsession.add(user)\nsession.commit()',
        "result = await session.execute(select(User).order_by(User.name))\nreturn result.scalars().all()",
    ],
)
def test_code_is_recognised(context: str) -> None:
    assert looks_like_code(context)


@pytest.mark.parametrize(
    "context",
    [
        IDEA,
        "watermark",
        "The file src/watermark/tiling.ts is slow when a frame is large; why?",
        "Import a class list from a spreadsheet",
        "Return of the folder: clients want it back (see the last call)",
        "- folders\n- uploads\n- e.g. a card, or two",
        "- bump the compiler;\n- run the linter before each commit;",
    ],
)
def test_prose_stays_prose_even_when_it_names_a_file(context: str) -> None:
    assert not looks_like_code(context)


def test_a_diff_names_its_files_without_a_and_b() -> None:
    assert named_paths(DIFF)[0] == "src/watermark/tiling.ts"


def test_imports_file_names_windows_paths_and_line_numbers_are_read() -> None:
    text = r'from "@/gallery/GridView", (see FolderPanel.tsx:42) and src\folders\merge_folders.ts, src/a.ts#L3-L9.'
    assert named_paths(text) == ["gallery/GridView", "FolderPanel.tsx", "src/folders/merge_folders.ts", "src/a.ts"]


@pytest.mark.parametrize(
    ("path", "asset"),
    [
        ("src/folders/folder_tree.ts", "src/folders/folder_tree.ts"),
        ("web/src/folders/folder_tree.ts", "src/folders/folder_tree.ts"),
        ("folders/folder_tree", "src/folders/folder_tree.ts"),
        ("folder_tree.ts", "src/folders/folder_tree.ts"),
        ("Folders/Folder_Tree.ts", "src/folders/folder_tree.ts"),
    ],
)
def test_a_path_means_an_asset(path: str, asset: str) -> None:
    assert names(path, asset)


@pytest.mark.parametrize(
    ("path", "asset"),
    [
        ("folder_tree", "src/folders/folder_tree.ts"),
        ("src/uploads/folder_tree.ts", "src/folders/folder_tree.ts"),
        ("folders/folder_tree.py", "src/folders/folder_tree.ts"),
        ("tree.ts", "src/folders/folder_tree.ts"),
    ],
)
def test_another_folder_language_or_part_of_a_name_does_not(path: str, asset: str) -> None:
    assert not names(path, asset)


@pytest.mark.parametrize(
    ("path", "expected"),
    [("src/a/Grid.View.tsx", "grid"), (".eslintrc.json", ".eslintrc"), ("README", "readme"), ("", "")],
)
def test_a_stem_is_the_name_without_folder_and_extensions(path: str, expected: str) -> None:
    assert stem(path) == expected


def test_slugs_are_found_in_phrases_plurals_and_identifiers() -> None:
    found = possible_slugs("Cover photos for SmartFolder, galleries and watermark_presets")
    assert {"cover-photo", "smart-folder", "gallery", "watermark-preset", "watermark"} <= found


@pytest.mark.parametrize(
    ("context", "strange"),
    [
        ('--- a/package-lock.json\n+++ b/package-lock.json\n@@ -1 +1 @@ "packages": {\n+  "version": "2"', "package"),
        ("+++ b/.github/workflows/ci.yml\n+      - uses: actions/upload-artifact@v4", "upload"),
        ("export const level = 1;", "export"),
        ("+++ b/src/a.go\n+package level", "package"),
    ],
)
def test_a_languages_and_a_tools_words_name_no_entity(context: str, strange: str) -> None:
    read = read_context(context)
    assert read.code
    assert strange not in read.slugs
    assert strange not in read.meaning.lower()


def test_of_a_diff_the_changed_lines_and_the_names_of_its_files_count() -> None:
    read = read_context(
        "+++ b/src/lab/send.ts\n@@ -1,2 +1,2 @@ class Parcel {\n untouchedThing();\n+  sendOrder(gift_card);\n"
    )
    assert {"lab", "parcel", "send-order", "gift-card"} <= read.slugs
    assert "untouched-thing" not in read.slugs


def test_the_last_file_of_a_megabyte_counts_behind_any_lock_file() -> None:
    lock = "--- a/yarn.lock\n+++ b/yarn.lock\n@@ -1 +1 @@\n" + '+  resolved "registry/order/-/order-1.tgz"\n' * 25_000
    started = time.perf_counter()
    read = read_context(lock + "+++ b/src/lab/reprint.ts\n@@ -1 +1 @@\n+  reprintParcel(order);\n")
    assert time.perf_counter() - started < 2
    assert "src/lab/reprint.ts" in read.paths
    assert "reprint-parcel" in read.slugs


@pytest.mark.parametrize(
    "text", ["a." * 10_000, "1.1" * 6_000, "a" * 20_000, "/" * 20_000, "(" * 20_000, "<a " * 6_000]
)
def test_no_context_takes_long_to_read(text: str) -> None:
    started = time.perf_counter()
    read_context(text)
    assert time.perf_counter() - started < 2
