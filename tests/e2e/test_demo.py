"""`python -m local.demo` writes a draft that a salesperson can check against its sources."""

import re
import subprocess
import sys
from datetime import date

import psycopg
import pytest

from local.files import ROOT
from local.letter import ANNEX
from local.stack import Stack, require
from tests.house import ENVIRONMENT, House

pytestmark = pytest.mark.stack

ROW = re.compile(
    r"^\| \d+ \| (?P<offered>[^|]+) \| (?P<product>\S+) \| (?P<customer>.+), (?P<quote>\S+), "
    r"(?P<day>\d{4}-\d\d-\d\d), line (?P<line>\d+) \|.*\| (?P<status>[^|]+) \|$",
    re.M,
)
SOURCE = """
    SELECT l.description, q.customer, q.quote_date FROM quotes.line_items l
    JOIN quotes.past_quotes q ON q.tenant = l.tenant AND q.id = l.quote_id
    WHERE l.tenant = 'sample' AND q.quote_number = %s AND l.position = %s
"""


@pytest.fixture(scope="module")
def draft(house: House, tmp_path_factory: pytest.TempPathFactory) -> str:
    out = tmp_path_factory.mktemp("demo") / "draft.md"
    stack = require(house.data_dir)
    command = [sys.executable, "-m", "local.demo", "--url", f"{stack.mcp}/sales", "--out", str(out)]
    done = subprocess.run(command, cwd=ROOT, env=ENVIRONMENT, timeout=60, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert str(out) in done.stdout
    return out.read_text("utf-8")


def test_the_annex_cites_customer_quote_and_date_as_the_database_has_them(stack: Stack, draft: str) -> None:
    cited = list(ROW.finditer(draft))
    assert cited
    with psycopg.connect(stack.database.dsn) as connection:
        for row in cited:
            found = connection.execute(SOURCE, [row["quote"], int(row["line"])]).fetchone()
            assert found is not None
            assert found[1:] == (row["customer"], date.fromisoformat(row["day"]))


def test_proven_words_are_the_database_s_sentence_by_sentence(stack: Stack, draft: str) -> None:
    with psycopg.connect(stack.database.dsn) as connection:
        for row in ROW.finditer(draft):
            found = connection.execute(SOURCE, [row["quote"], int(row["line"])]).fetchone()
            assert found is not None
            words = draft.partition("### Item 1\n\n")[2].partition("\n\n**")[0].replace("\\\n", "\n")
            assert len(words) > 200
            assert all(sentence.strip() in found[0] for sentence in words.splitlines())


def test_the_draft_asks_the_salesperson_and_closes_with_its_sources(draft: str) -> None:
    assert draft.count("> **SALESPERSON REVIEW:**") >= 3
    letter, _, annex = draft.partition("## Sources (internal)")
    assert letter.startswith("> **DRAFT, not for sending.**")
    assert annex.strip().startswith(ANNEX)
    [row] = ROW.finditer(annex)
    assert (row["product"], row["status"]) == ("prod_powerex_sehx10008_100", "used with review")


def test_the_draft_proposes_the_oilless_machine_and_no_price(draft: str) -> None:
    offered = [line for line in draft.splitlines() if not line.startswith(">")]
    assert any("Lubrication: oilless" in line for line in offered)
    priced = [line for line in offered if re.search(r"\bNet\b", line) and "|" not in line and "Payment" not in line]
    assert priced
    assert all("$[PRICE]" in line for line in priced)
    assert [line for line in offered if re.search(r"\$\s?\d", line)] == []


def test_nobody_else_s_customer_is_named_outside_the_notes(draft: str) -> None:
    letter = draft.partition("## Sources (internal)")[0]
    sendable = "\n".join(line for line in letter.splitlines() if not line.startswith(">"))
    assert "Meadowbrook Foods" in sendable
    assert re.search(r"Groeb|4M Industries|Harvest Moon", sendable, re.I) is None
