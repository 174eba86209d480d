"""`python -m local.ingest` into the running stack, and when its rows are found."""

import csv
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from local import corpus_loader
from local.files import ROOT
from local.stack import Stack
from tests.e2e.visits import call, invoke, structured
from tests.house import ENVIRONMENT

pytestmark = pytest.mark.stack

TENANT = "northwind"
QUIET = {
    "model": "WX-7 Whisper",
    "manufacturer": "Northwind Air",
    "category": "OILLESS SCROLL AIR COMPRESSOR",
    "family": "compressor",
    "description": "Noise-damped scroll compressor, fit for a recording studio next door.",
    "hp": "7.5",
    "lubrication": "oilless",
}
LOUD = {**QUIET, "model": "WX-90 Thunder", "description": "Open piston machine for a quarry.", "hp": "90"}
WRONG = {**QUIET, "model": "WX-8", "hp": "many"}


TRADE = {
    "families": "family,name\ncompressor,Compressor\n",
    "attributes": "name,kind,unit,sense\nhp,number,hp,about\nlubrication,text,,exactly\n",
}


def declare(stack: Stack, folder: Path, *, tenant: str) -> None:
    """What the rows' columns mean to a tenant that starts empty."""
    for kind, rows in TRADE.items():
        file = folder / f"{kind}.csv"
        file.write_text(rows, "utf-8")
        assert corpus_loader.ingest(stack, file, kind=kind, tenant=tenant)["rejected"] == 0


def write(path: Path, *rows: dict[str, str]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(QUIET))
        writer.writeheader()
        writer.writerows(rows)
    return path


def ingest(stack: Stack, file: Path, *, tenant: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "local.ingest", "products", str(file)]
    environment = {**ENVIRONMENT, "DATA_DIR": str(stack.data_dir), "TENANT": tenant, **variables}
    return subprocess.run(command, cwd=ROOT, env=environment, timeout=90, check=False, capture_output=True, text=True)


def search(stack: Stack, query: str, *, tenant: str) -> dict[str, Any]:
    return invoke(stack, "search_equipment", {"query": query, "top_k": 5, "full": True}, custom={"tenant": tenant})


def legs(answer: dict[str, Any], model: str) -> list[str]:
    """Which legs found the model; empty when none did."""
    return next((hit["legs"] for hit in answer["results"] if hit["product"]["model"] == model), [])


def test_good_rows_go_in_and_the_bad_one_is_reported_with_line_and_reason(stack: Stack, tmp_path: Path) -> None:
    declare(stack, tmp_path, tenant=TENANT)
    file = write(tmp_path / "catalogue.csv", QUIET, WRONG, LOUD)
    done = ingest(stack, file, tenant=TENANT, NEW_TENANT="1")
    assert done.returncode == 1, done.stderr
    summary, read, causes, reject, kept = done.stdout.splitlines()
    assert summary == "3 rows read: 2 inserted, 0 updated, 0 unchanged, 0 merged, 1 rejected."
    assert read == "Read as utf-8, separated by ','."
    assert causes == "Rejected, by cause:"
    assert reject.strip().startswith("hp")
    assert "3" in reject
    assert "quarry.ingest_rejects" in kept
    again = ingest(stack, write(file, QUIET, LOUD), tenant=TENANT)
    assert (again.returncode, again.stdout) == (
        0,
        "2 rows read: 0 inserted, 0 updated, 2 unchanged, 0 merged, 0 rejected.\nRead as utf-8, separated by ','.\n",
    )
    assert "vector" in legs(search(stack, "quiet machine beside musicians", tenant=TENANT), QUIET["model"])
    hidden = structured(call(stack.mcp, "search_equipment", {"query": QUIET["model"]}))
    assert QUIET["model"] not in str(hidden), "another tenant's row is in the default tenant's answer"


def test_a_row_is_found_by_text_before_and_by_vector_after_it_is_embedded(stack: Stack, tmp_path: Path) -> None:
    tenant = "southwind"
    declare(stack, tmp_path, tenant=tenant)
    file = write(tmp_path / "catalogue.csv", QUIET, LOUD)
    corpus_loader.ingest(stack, write(tmp_path / "first.csv", LOUD), kind="products", tenant=tenant)
    corpus_loader.drain(stack, on_progress=print)
    assert "degraded" not in search(stack, "whisper scroll", tenant=tenant)  # its vector is now cached
    embeddings = stack.processes["embeddings"]
    os.kill(embeddings, signal.SIGSTOP)
    try:
        corpus_loader.ingest(stack, file, kind="products", tenant=tenant)
        at_once = search(stack, "whisper scroll", tenant=tenant)
    finally:
        os.kill(embeddings, signal.SIGCONT)
    assert legs(at_once, QUIET["model"]) == ["text"]
    assert "degraded" not in at_once
    corpus_loader.drain(stack, on_progress=print)
    assert legs(search(stack, "whisper scroll", tenant=tenant), QUIET["model"]) == ["vector", "text"]


def test_a_misspelt_tenant_is_refused_with_the_one_that_was_meant(stack: Stack, tmp_path: Path) -> None:
    ingest(stack, write(tmp_path / "catalogue.csv", QUIET), tenant=TENANT, NEW_TENANT="1")
    refused = ingest(stack, write(tmp_path / "catalogue.csv", LOUD), tenant="nortwhind")
    assert (refused.returncode, refused.stdout) == (1, "")
    meant = "There is no tenant 'nortwhind'. Did you mean northwind?"
    assert refused.stderr == f"{meant} If it is new, say so: NEW_TENANT=1 TENANT=nortwhind\n"


def test_a_missing_file_and_an_unknown_kind_are_told_plainly(stack: Stack, tmp_path: Path) -> None:
    missing = ingest(stack, tmp_path / "nothing.csv", tenant=TENANT)
    assert (missing.returncode, missing.stdout) == (1, "")
    assert missing.stderr == f"There is no file {tmp_path / 'nothing.csv'}.\n"
    unreadable = ingest(stack, write(tmp_path / "catalogue.txt", QUIET), tenant=TENANT)
    assert unreadable.returncode == 1
    assert "text without a table" in unreadable.stderr
    assert "Traceback" not in unreadable.stderr
