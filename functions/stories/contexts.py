"""What a task's context says: its paths, the entities it may name, and the words whose meaning counts.

Of code only what is changed counts, and of that neither the language's own words nor tooling.
"""

import re
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass

from stories.code_syntax import COMMENT, KEYWORDS, STATEMENT, TOOLING_FILE, TOOLING_LINE
from stories.naming import TOKEN, named_paths, possible_slugs, spelt_out

READ = 100_000
"""Characters of prose, or of what is telling in code, that are read for entities; paths are read from the whole."""

MEANT = 8_000
"""Characters of what was read that are embedded."""

DIFF = re.compile(r"^(?:diff --git |@@ -\d|\+\+\+ |--- a/|index [0-9a-f]{7})", re.MULTILINE)
FILE_OF_DIFF = re.compile(r"(?:diff --git a/.+? b/|\+\+\+ (?:b/)?|--- a/)([^\t]+)")
SORTED_BY = re.compile(r"\b(?:order|group)[\s_]?by\b", re.IGNORECASE)
HUNK = re.compile(r"@@[^@]*@@(.*)")
FOLDERS = frozenset(
    ("src", "lib", "app", "apps", "packages", "internal", "cmd", "pkg", "index", "main", "test", "core")
)
BULLET = re.compile(r"\s*(?:[-*•‣]|\d+[.)])\s+(?![\w.-]+:(?:\s|$))")


@dataclass(frozen=True, slots=True)
class Context:
    """``meaning`` is what is worth comparing with stories, possibly nothing; ``slugs`` are possible entities."""

    code: bool
    paths: list[str]
    slugs: set[str]
    meaning: str


def read_context(text: str) -> Context:
    head = text[:READ]
    paths = named_paths(text)
    if not looks_like_code(head):
        return Context(False, paths, possible_slugs(head), head[:MEANT])
    lines = list(_first(line for line in _telling(text) if line))
    slugs = {found for line in lines for part in line.split(",") for found in possible_slugs(part)}
    return Context(True, paths, slugs, "\n".join(lines)[:MEANT])


def _first(lines: Iterable[str]) -> Iterator[str]:
    """The first lines, together at most READ characters."""
    left = READ
    for line in lines:
        if (left := left - len(line)) < 0:
            return
        yield line


def looks_like_code(context: str) -> bool:
    """A diff, or mostly lines that are statements; a sentence that names a file and a bullet list are prose."""
    if DIFF.search(context):
        return True
    lines = [line for line in context.splitlines() if line.strip()]
    statements = sum(1 for line in lines if not BULLET.match(line) and STATEMENT.match(line.rstrip()))
    paths = sum(1 for line in lines if _is_path(line))
    return bool(lines) and (statements + paths) / len(lines) >= 0.4


def _is_path(line: str) -> bool:
    """A line of a list of files, with git's status in front or without."""
    bare = re.sub(r"^\s*(?:[MADRCU?]{1,2}|modified:|new file:|deleted:|renamed:)\s+", "", line).strip()
    return bool(TOKEN.fullmatch(bare)) and bool(named_paths(bare))


def _telling(code: str) -> Iterator[str]:
    """The changed files and lines, or all of a snippet, without tooling and without the language's own words."""
    diff, tooling, path = bool(DIFF.search(code)), False, ""
    for line in code.splitlines():
        if not diff:
            yield _said(line)
        elif named := FILE_OF_DIFF.match(line):
            if named[1] not in (path, "/dev/null"):
                path = named[1]
                tooling = bool(TOOLING_FILE.search(path))
                yield "" if tooling else _words(path.rpartition(".")[0] or path, without=FOLDERS)
        elif not tooling and (hunk := HUNK.match(line)):
            yield _said(hunk[1])
        elif not tooling and line.startswith(("+", "-")):
            yield _said(line[1:])


def _said(line: str) -> str:
    """What a line says in words of its own: all of a comment, the names and the texts of a statement."""
    if COMMENT.match(line):
        return line.strip()
    return "" if TOOLING_LINE.match(line) else _words(SORTED_BY.sub("", line), without=KEYWORDS)


def _words(text: str, *, without: Set[str]) -> str:
    """Names taken apart, in the order in which they come; what stands together in a name or a text stays together."""
    names = re.split(r"[^\w\s'’-]+", text)
    spelt = (" ".join(spelt_out(word) for word in name.split() if word not in without) for name in names)
    return ", ".join(words for words in spelt if len(words) > 1)
