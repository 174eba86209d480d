"""A stop and a start on the same data directory."""

import csv
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest

from local import corpus_loader
from local.environment import GOLDEN
from local.stack import Stack, require, running
from operations.golden.asking import Verdict, run_case
from operations.golden.cases import Case, load
from tests.e2e.sample_calls import ONE_CALL_OF_EACH
from tests.e2e.test_quote_pdf import follow
from tests.e2e.visits import LEGACY, call, invoke, structured, visit
from tests.house import House

pytestmark = [pytest.mark.stack, pytest.mark.slow]

READY_SECONDS = 15
TENANT = "kept"
ROW = {
    "model": "KP-1",
    "manufacturer": "Northwind Air",
    "category": "BLOWER",
    "family": "blower",
    "description": "A blower that was ingested before the stop.",
}

Records = list[tuple[object, ...]]


@dataclass(frozen=True)
class Restart:
    """What was noted around a restart."""

    before: Stack
    after: Stack
    seconds: float
    ingests: Records
    printed: dict[str, Any]


def ingest_row(stack: Stack, folder: Path) -> None:
    file = folder / "row.csv"
    with file.open("w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, list(ROW))
        writer.writeheader()
        writer.writerow(ROW)
    families = folder / "families.csv"
    families.write_text("family,name\nblower,Blower\n", "utf-8")
    corpus_loader.ingest(stack, families, kind="families", tenant=TENANT)
    assert corpus_loader.ingest(stack, file, kind="products", tenant=TENANT)["inserted"] == 1
    corpus_loader.drain(stack, on_progress=print)


def ingests(stack: Stack) -> Records:
    with psycopg.connect(stack.database.dsn) as connection:
        return connection.execute("SELECT id, tenant, source FROM quarry.ingests ORDER BY id").fetchall()


def asked_as_before(stack: Stack, case: Case) -> Verdict:
    """By a client of the former era; the canary's test asks as those of the newest."""
    return visit(stack.mcp, lambda client: run_case(client, case), mode=LEGACY)


def printed_quote(stack: Stack) -> dict[str, Any]:
    return structured(call(stack.mcp, "quote_pdf", ONE_CALL_OF_EACH["quote_pdf"]))


@pytest.fixture(scope="module")
def restart(house: House, tmp_path_factory: pytest.TempPathFactory) -> Restart:
    before = require(house.data_dir)
    ingest_row(before, tmp_path_factory.mktemp("restart"))
    recorded = ingests(before)
    printed = printed_quote(before)
    house.stop()
    assert running(house.data_dir) is None
    started = time.monotonic()
    after = house.start()
    return Restart(before, after, seconds=time.monotonic() - started, ingests=recorded, printed=printed)


def test_the_second_start_is_quick(restart: Restart) -> None:
    assert restart.after.pid != restart.before.pid
    assert restart.seconds < READY_SECONDS


def test_rows_and_their_vectors_are_still_there(restart: Restart) -> None:
    arguments = {"query": "a blower from before the stop", "full": True}
    answer = invoke(restart.after, "search_equipment", arguments, custom={"tenant": TENANT})
    (hit,) = answer["results"]
    assert (hit["product"]["model"], hit["legs"]) == (ROW["model"], ["vector", "text"])


def test_nothing_is_ingested_or_embedded_again(restart: Restart) -> None:
    assert ingests(restart.after) == restart.ingests
    with psycopg.connect(restart.after.database.dsn) as connection:
        assert connection.execute("SELECT count(*) FROM quarry.embedding_queue").fetchone() == (0,)


def test_templates_and_golden_answers_are_the_same(restart: Restart) -> None:
    read = visit(restart.after.mcp, lambda client: client.read_resource("quarry://templates/quote"))
    assert read.contents
    verdicts = [asked_as_before(restart.after, case) for case in load(GOLDEN)]
    assert {verdict.case.name: verdict.faults for verdict in verdicts if verdict.faults} == {}


def test_documents_are_still_there(restart: Restart) -> None:
    again = printed_quote(restart.after)
    for name in ("file_path", "checksum", "generated_at"):
        assert again[name] == restart.printed[name]
    assert follow(again["download_url"]) == restart.printed["checksum"]
