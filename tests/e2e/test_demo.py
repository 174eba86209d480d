"""`python -m local.demo` writes a letter that can go to the customer, and a copy that cites the source of it all."""

import re
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import docx
import psycopg
import pytest
from pypdf import PdfReader

from local.files import ROOT
from local.stack import Stack, require
from tests.house import ENVIRONMENT, House

pytestmark = pytest.mark.stack

MOST_SENT = 4_000
CITED = re.compile(
    r"^(?P<words>[^\n]+)\n\n> \*\*SALESPERSON REVIEW:\*\* \d+\. Verbatim from (?P<customer>.+), "
    r"(?P<quote>\S+)/(?P<line>\d+), (?P<day>\d{4}-\d\d-\d\d): sentences ",
    re.M,
)
SOURCE = """
    SELECT l.description, q.customer, q.quote_date FROM quotes.line_items l
    JOIN quotes.past_quotes q ON q.tenant = l.tenant AND q.id = l.quote_id
    WHERE l.tenant = 'sample' AND q.quote_number = %s AND l.position = %s
"""
OTHERS = """
    SELECT customer, contact, quote_number FROM quotes.past_quotes WHERE tenant = 'sample'
    UNION SELECT name, contact_name, id FROM cpq.accounts WHERE tenant = 'sample'
"""


class Written:
    """The demo's files by copy and ending, and what it said of them."""

    def __init__(self, folder: Path, said: str) -> None:
        self._folder, self.said = folder, said

    def path(self, copy: str, ending: str) -> Path:
        return self._folder / f"letter{copy}.{ending}"

    def markdown(self, copy: str) -> str:
        return self.path(copy, "md").read_text("utf-8")

    def word(self, copy: str) -> Any:
        return docx.Document(str(self.path(copy, "docx")))

    def pages(self, copy: str) -> list[str]:
        return [" ".join(page.extract_text().split()) for page in PdfReader(self.path(copy, "pdf")).pages]

    def words(self, copy: str, ending: str) -> str:
        """What a person reads in the file, comments apart."""
        if ending == "md":
            return self.markdown(copy)
        if ending == "pdf":
            return " ".join(self.pages(copy))
        cells = [cell.text for table in self.word(copy).tables for row in table.rows for cell in row.cells]
        return "\n".join([*(each.text for each in self.word(copy).paragraphs), *cells])


@pytest.fixture(scope="module")
def written(house: House, tmp_path_factory: pytest.TempPathFactory) -> Written:
    folder = tmp_path_factory.mktemp("demo")
    stack = require(house.data_dir)
    command = [sys.executable, "-m", "local.demo", "--url", f"{stack.mcp}/sales", "--out", str(folder / "letter.md")]
    done = subprocess.run(
        command, cwd=ROOT, env=ENVIRONMENT, timeout=120, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert {path.name for path in folder.iterdir()} == {
        f"letter{copy}.{ending}" for copy in ("", "-internal") for ending in ("md", "docx", "pdf")
    }
    return Written(folder, done.stdout)


def test_a_letter_takes_few_characters_and_says_nothing_without_a_source(written: Written) -> None:
    [sent] = re.findall(r"([\d,]+) characters sent", written.said)
    assert 0 < int(sent.replace(",", "")) < MOST_SENT
    assert ", 0 statements without a source" in written.said


@pytest.mark.parametrize("ending", ["md", "docx", "pdf"])
def test_the_customers_copy_offers_the_machine_at_its_price_and_holds_no_blank(written: Written, ending: str) -> None:
    text = written.words("", ending)
    for told in ("Meadowbrook Foods", "SEHX10008-100", "Total before tax", "oilless", "for food-grade plant"):
        assert told in text
    assert re.search(r"USD [\d,]+\.\d\d", text)
    assert re.findall(r"\[[^\]]*\]|…", text) == []


@pytest.mark.parametrize("ending", ["md", "docx", "pdf"])
def test_the_customers_copy_names_nobody_else_and_nothing_of_the_house(
    stack: Stack, written: Written, ending: str
) -> None:
    text = written.words("", ending).casefold()
    with psycopg.connect(stack.database.dsn) as connection:
        names = {name for row in connection.execute(OTHERS).fetchall() for name in row if name}
    assert len(names) > 200
    assert [name for name in names if name.casefold() in text] == []
    assert re.findall(r"salesperson review|\(internal\)|sold or quoted|precedent", text) == []


def test_proven_words_are_whole_sentences_of_the_row_that_the_internal_copy_cites(
    stack: Stack, written: Written
) -> None:
    cited = list(CITED.finditer(written.markdown("-internal")))
    assert cited
    with psycopg.connect(stack.database.dsn) as connection:
        for each in cited:
            row = connection.execute(SOURCE, [each["quote"], int(each["line"])]).fetchone()
            assert row is not None
            assert row[1:] == (each["customer"], date.fromisoformat(each["day"]))
            held = "\n".join(" ".join(line.split()) for line in row[0].splitlines())
            for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z])", each["words"]):
                whole = rf"(?m)(?:^|[.!?] ){re.escape(sentence)}(?= |$)"
                assert sentence.endswith((".", "!", "?"))
                assert re.search(whole, held), sentence
            assert each["words"] in written.markdown("")


def test_the_internal_copy_closes_with_a_row_for_each_item_and_its_source(written: Written) -> None:
    text = written.markdown("-internal")
    assert text.count("> **SALESPERSON REVIEW:**") >= 3
    table = text.partition("### Sources (internal)")[2].strip().splitlines()
    [item] = [row for row in table if "prod_powerex_sehx10008_100" in row]
    assert item.startswith("| item | SEHX10008-100 |")
    assert re.search(r"\| [^|]+, Q\d\d-\d{4}/\d+, \d{4}-\d\d-\d\d \|", item)
    assert "| +++ | used verbatim |" in item


def test_the_notes_are_comments_of_the_internal_word_file_and_of_it_alone(written: Written) -> None:
    comments = [comment.text for comment in written.word("-internal").comments]
    assert any(text.startswith("Verbatim from ") for text in comments)
    assert len(comments) == written.markdown("-internal").count("> **SALESPERSON REVIEW:**")
    assert list(written.word("").comments) == []


def test_each_pdf_is_a_page_with_an_annex_behind_it(written: Written) -> None:
    letter, internal = written.pages(""), written.pages("-internal")
    assert 2 <= len(letter) <= len(internal) <= 8
    assert "To whom it may concern" in letter[0]
    assert "Annex" not in letter[0].split("Sincerely")[0]
    assert "Sources (internal)" in internal[-1] + internal[-2]
