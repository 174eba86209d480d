"""An ingest cut short by the clock, a kill or another run goes on where it stood: nothing lost, nothing twice."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import psycopg
import pytest

from local.files import IMPORT_ROOTS, ROOT
from operations.ingest import TIME_TO_FINISH_MS, handler
from operations.ingest_account import CHUNK
from quarry.data.settings import environment
from quarry.tool.runtime import CallFailed
from tests.aws import client
from tests.deployment import ClientContext, Context, Deployment, end_sessions
from tests.integration.lambda_server import eventually
from tests.sample_rows import product

BUCKET = "long"
ROWS = 3 * CHUNK + 7
TENANTS = ("anew", "direct", "given", "handed", "killed", "mixed", "nobody", "outage", "repeat", "stuck", "twins")
KILLED = """
import json, sys
from operations.ingest import handler
from tests.deployment import Context
handler(json.loads(sys.argv[1]), Context(aws_request_id="the same"))
"""


@dataclass
class Limited(Context):
    """Time for so many chunks."""

    chunks: int = 1

    def get_remaining_time_in_millis(self) -> int:
        self.chunks -= 1
        return TIME_TO_FINISH_MS + 1 if self.chunks >= 0 else TIME_TO_FINISH_MS - 1


@dataclass
class Lambda:
    """The Invoke API as far as an ingest uses it; events wait until a test runs them."""

    url: str = ""
    events: list[dict[str, Any]] = field(default_factory=list)
    down: bool = False


@pytest.fixture
def functions() -> Iterator[Lambda]:
    functions = Lambda()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if not functions.down:
                functions.events.append(event)
            self.send_response(503 if functions.down else 202)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """pytest shows what matters."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    functions.url = f"http://127.0.0.1:{server.server_port}"
    yield functions
    server.shutdown()
    server.server_close()


@pytest.fixture
def s3(deployment: Deployment, functions: Lambda, aws_url: str, aws_variables: dict[str, str]) -> Iterator[Any]:
    s3 = client("s3", aws_url)
    s3.create_bucket(Bucket=BUCKET)
    lambdas = {"AWS_ENDPOINT_URL_LAMBDA": functions.url, "INGEST_FUNCTION": "ingest", "AWS_MAX_ATTEMPTS": "1"}
    for tenant in TENANTS:
        deployment.declare(families=["compressor"], tenant=tenant)
    with deployment.serving("quarry_ingest", **aws_variables, **lambdas):
        yield s3


def run(event: dict[str, Any], *, chunks: int = 99, request_id: str = "one") -> dict[str, Any]:
    context = Limited(ClientContext({"tenant": "nobody"}), aws_request_id=request_id, chunks=chunks)
    return handler(event, context)


def uploaded(s3: Any, tenant: str, *, rows: int = ROWS, bad: int = 0) -> dict[str, Any]:
    """The event of a file of so many good rows, with bad ones strewn in."""
    lines = [json.dumps(product(f"M{n}")) for n in range(rows)]
    for n in range(bad):
        lines.insert(n * rows // bad, json.dumps({"model": f"B{n}"}))
    s3.put_object(Bucket=BUCKET, Key=f"{tenant}/products/x.jsonl", Body="\n".join(lines).encode())
    return {"Records": [{"s3": {"bucket": {"name": BUCKET}, "object": {"key": f"{tenant}/products/x.jsonl"}}}]}


def accounts(deployment: Deployment, tenant: str) -> list[dict[str, Any]]:
    columns = "rows_read, inserted, updated, unchanged, rejected, finished_at IS NOT NULL AS finished"
    return deployment.rows(f"SELECT {columns} FROM quarry.ingests ORDER BY id", tenant=tenant)  # noqa: S608


def finished(*, rows: int = ROWS, rejected: int = 0) -> dict[str, Any]:
    """The account of a file that was read once, by whatever number of runs."""
    counts = {"rows_read": rows + rejected, "inserted": rows, "updated": 0, "unchanged": 0, "rejected": rejected}
    return {**counts, "finished": True}


def test_a_run_without_time_hands_the_rest_to_the_next_one(
    s3: Any, functions: Lambda, deployment: Deployment
) -> None:
    [report] = run(uploaded(s3, "handed", bad=9), chunks=1)["reports"]
    assert (report["finished"], report["rows_read"]) == (False, CHUNK)
    runs = 1
    while functions.events:
        [report] = run(functions.events.pop(), chunks=1, request_id=f"run {runs}")["reports"]
        runs += 1
    assert (report["finished"], report["rejected"], len(report["rejects"])) == (True, 9, 9)
    assert runs == 5
    assert accounts(deployment, "handed") == [finished(rejected=9)]
    assert len(deployment.rows("SELECT 1 FROM quarry.ingest_rejects", tenant="handed")) == 9


def test_the_next_run_reads_by_the_mapping_that_the_first_was_given(
    s3: Any, functions: Lambda, deployment: Deployment
) -> None:
    rows = "".join(f"M{n};compressor\n" for n in range(ROWS))
    s3.put_object(Bucket=BUCKET, Key="given/products/x.csv", Body=f"Typ;Art\n{rows}".encode())
    mapping = """kind = "products"
    [[tables]]
    constants = { manufacturer = "Acme", category = "Luft", description = "neu" }
    fields = { model = { from = "Typ" }, family = { from = "Art" } }"""
    given = {"bucket": BUCKET, "key": "given/products/x.csv", "mapping": mapping}
    [report] = handler(given, Limited(ClientContext({"tenant": "given"}), chunks=1))["reports"]
    while not report["finished"]:
        [report] = run(functions.events.pop())["reports"]
    assert accounts(deployment, "given") == [finished()]


def test_a_repeated_invocation_goes_on_with_its_own_account(
    s3: Any, functions: Lambda, deployment: Deployment
) -> None:
    event = uploaded(s3, "repeat")
    functions.down = True
    with pytest.raises(CallFailed):
        run(event, chunks=2)
    assert run(event)["reports"][0]["inserted"] == ROWS
    assert accounts(deployment, "repeat") == [finished()]


def test_another_upload_of_the_same_file_starts_anew(s3: Any, deployment: Deployment) -> None:
    event = uploaded(s3, "anew")
    run(event, chunks=1)
    assert run(event, request_id="two")["reports"][0]["unchanged"] == CHUNK
    assert [account["finished"] for account in accounts(deployment, "anew")] == [False, True]


def test_a_killed_run_is_repeated_from_its_last_chunk(s3: Any, deployment: Deployment) -> None:
    event = uploaded(s3, "killed", rows=20 * CHUNK)
    paths = os.pathsep.join(map(str, IMPORT_ROOTS))
    command = [sys.executable, "-c", KILLED, json.dumps(event)]
    process = subprocess.Popen(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": paths})
    assert eventually(lambda: sum(row["rows_read"] for row in accounts(deployment, "killed")) > CHUNK)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert run(event, request_id="the same")["reports"][0]["rows_read"] == 20 * CHUNK
    assert accounts(deployment, "killed") == [finished(rows=20 * CHUNK)]
    assert deployment.rows("SELECT * FROM search.inconsistencies('equipment.products')", tenant="killed") == []


def connections(deployment: Deployment, *, most: int) -> None:
    """How many the database takes of those who are no superusers; -1: any number."""
    with psycopg.connect(deployment.superuser_dsn, autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE {deployment.name} CONNECTION LIMIT {most}")


def test_an_outage_of_the_database_has_the_event_sent_again(s3: Any, deployment: Deployment) -> None:
    event = uploaded(s3, "outage")

    class CutOff(Limited):
        """The database ends the run's connection before its second chunk, and takes no other."""

        def get_remaining_time_in_millis(self) -> int:
            if self.chunks == 1:
                connections(deployment, most=0)
                end_sessions(deployment.superuser_dsn)
            return super().get_remaining_time_in_millis()

    try:
        with pytest.raises(CallFailed, match="database cannot be reached"):
            handler(event, CutOff(aws_request_id="the same", chunks=2))
    finally:
        connections(deployment, most=-1)
    environment().close()
    assert [account["rows_read"] for account in accounts(deployment, "outage")] == [CHUNK]
    assert run(event, request_id="the same")["reports"][0]["inserted"] == ROWS
    assert accounts(deployment, "outage") == [finished()]


def test_a_direct_caller_is_told_of_the_outage(s3: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    event = uploaded(s3, "direct")
    monkeypatch.setenv("DB_PORT", "1")
    environment().close()
    answer = run({"bucket": BUCKET, "key": "direct/products/x.jsonl"})
    assert (answer["code"], answer["retryable"]) == ("UNAVAILABLE", True)
    with pytest.raises(CallFailed):
        run(event)


def test_of_two_runs_of_one_ingest_the_slower_stops_without_a_trace(
    s3: Any, functions: Lambda, deployment: Deployment
) -> None:
    run(uploaded(s3, "twins"), chunks=1)
    [hand_over] = functions.events

    class Overtaken(Context):
        """Another run does all the rest just before this one's first chunk."""

        done = False

        def get_remaining_time_in_millis(self) -> int:
            if not self.done:
                self.done = True
                run(hand_over, request_id="faster")
            return 60_000

    answer = handler(hand_over, Overtaken())
    assert (answer["code"], "Another run" in answer["message"]) == ("CONFLICT", True)
    assert accounts(deployment, "twins") == [finished()]


def test_a_file_that_was_replaced_is_not_mixed_with_the_new_one(
    s3: Any, functions: Lambda, deployment: Deployment
) -> None:
    run(uploaded(s3, "mixed"), chunks=1)
    uploaded(s3, "mixed", rows=3)
    answer = run(functions.events.pop())
    assert (answer["code"], "was replaced" in answer["message"]) == ("CONFLICT", True)
    [account] = deployment.rows("SELECT finished_at, stopped FROM quarry.ingests", tenant="mixed")
    assert account["finished_at"] is not None
    assert "was replaced" in account["stopped"]


def test_a_run_that_gets_no_further_ends_the_ingest(s3: Any, functions: Lambda, deployment: Deployment) -> None:
    [report] = run(uploaded(s3, "stuck"), chunks=0)["reports"]
    assert (report["finished"], functions.events) == (True, [])
    assert report["stopped"] == "Reading the file up to here takes longer than a run may; split it."


def test_a_hand_over_to_nothing_says_so(s3: Any) -> None:
    answer = run({"resume": {"ingest_id": 4711, "tenant": "acme"}})
    assert (answer["code"], "no unfinished ingest 4711" in answer["message"]) == ("NOT_FOUND", True)


def test_a_file_larger_than_a_block_is_read_to_the_last_byte(s3: Any, deployment: Deployment) -> None:
    text = "x" * 150_000
    rows = "\n".join(json.dumps(product(f"L{n}", description=f"{n} {text}")) for n in range(120))
    s3.put_object(Bucket=BUCKET, Key="large/products/x.jsonl", Body=rows.encode())
    report = run({"bucket": BUCKET, "key": "large/products/x.jsonl", "kind": "products"})["reports"][0]
    assert report["inserted"] == 120
    [account] = deployment.rows("SELECT content_sha256 FROM quarry.ingests", tenant="nobody")
    assert account["content_sha256"] == sha256(rows.encode()).hexdigest()
