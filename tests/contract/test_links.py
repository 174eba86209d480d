"""Links between the pages of the repository: each leads to a file, and to a heading of it if it names one."""

import re
from pathlib import Path

import pytest

from local.files import ROOT

PAGES = [
    page
    for page in sorted(ROOT.rglob("*.md"))
    if not any(part.startswith(".") or part == "node_modules" for part in page.relative_to(ROOT).parts)
]
SUITE = ROOT / "tests"
LINK = re.compile(r'\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"')


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    for link in (first or second for first, second in LINK.findall(page.read_text("utf-8"))):
        if ":" in link:
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path) if path else page
        assert target.exists(), f"{link} leads nowhere"
        assert not anchor or anchor in anchors(target), f"{target.name} has no heading {anchor}"


def test_every_page_of_docs_can_be_reached_from_the_readme() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    pages = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md")}
    assert {page for page in pages if f"({page})" not in text} == set()
    index = (ROOT / "docs/decisions/README.md").read_text("utf-8")
    assert {path.name for path in (ROOT / "docs/decisions").glob("*.md") if f"({path.name})" not in index} == {
        "README.md"
    }


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 150


def test_every_test_that_the_page_on_security_names_is_there() -> None:
    tests = {path.relative_to(SUITE).as_posix(): path.read_text("utf-8") for path in SUITE.rglob("*.py")}
    said = (ROOT / "SECURITY.md").read_text("utf-8")
    named = re.findall(r"`(?:tests/)?([a-z_0-9/]+\.py)`(?:: ((?:`test_\w+`(?:, )?)+))?", said)
    assert {path for path, _ in named if "/" in path} <= tests.keys()
    lacking = [
        test for path, names in named for test in re.findall(r"\w+", names) if f"def {test}(" not in tests[path]
    ]
    assert (lacking, len({line[:5] for line in said.splitlines() if re.match(r"\| D\d", line)})) == ([], 18)
