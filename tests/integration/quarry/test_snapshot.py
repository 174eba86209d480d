"""SnapStart, played with AWS's own runtime client: no socket in the snapshot, a connection after the restore."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest

from local.files import IMPORT_ROOTS, ROOT
from local.lambda_api.intrinsics import StackValues, read_template
from local.lambda_api.process import process_environment
from local.lambda_api.template import read_functions
from tests.deployment import PASSWORD, Deployment, end_sessions
from tests.integration.runtime_service import Service
from tests.sample_rows import PRODUCTS

TEMPLATE = ROOT / "template.yaml"
FUNCTIONS = read_functions(TEMPLATE, stack=StackValues(), built=False)
SNAPSHOTS = [
    name
    for name, resource in read_template(TEMPLATE)["Resources"].items()
    if "SnapStart" in resource.get("Properties", {}) and name != "Proxy"
]
"""The front has no database, and a test of its own."""


@contextmanager
def environment(deployment: Deployment, function: str = "GetProduct", **changed: str) -> Iterator[Service]:
    service = Service()
    spec = next(spec for spec in FUNCTIONS.values() if spec.logical_id == function)
    own = {
        "AWS_LAMBDA_INITIALIZATION_TYPE": "snap-start",
        "DB_HOST": deployment.host,
        "DB_PORT": str(deployment.port),
        "DB_NAME": deployment.name,
        "DB_USER": "quarry_read",
        "DB_PASSWORD": PASSWORD,
        "DB_SSLMODE": "disable",
        "DEFAULT_TENANT": "acme",
    }
    address = f"127.0.0.1:{service.server.server_port}"
    variables = process_environment(spec, variables={}, region="us-east-1", runtime_api=address)
    process = subprocess.Popen([sys.executable, "-m", "awslambdaric", spec.handler], env=variables | own | changed)
    service.pid = process.pid
    try:
        yield service
    finally:
        process.kill()
        process.wait()
        service.server.shutdown()
        service.server.server_close()


def sessions(deployment: Deployment, *, end: bool = False) -> int:
    """How many connections functions have to this database; optionally ended, as a failover does."""
    with psycopg.connect(deployment.superuser_dsn, autocommit=True) as connection:
        found = connection.execute(
            "SELECT CASE WHEN %s THEN pg_terminate_backend(pid, 5000) END FROM pg_stat_activity"
            " WHERE datname = current_database() AND application_name = 'quarry' AND usename = 'quarry_read'",
            (end,),
        )
        return len(found.fetchall())


def test_a_restored_environment_is_connected_before_its_first_call(deployment: Deployment) -> None:
    deployment.put_products(*PRODUCTS)
    with environment(deployment) as service:
        assert service.next() == ("/restore/next", None)
        assert sessions(deployment) == 0
        service.answers.put({})
        assert service.next() == ("/invocation/next", None)
        assert sessions(deployment) == 1
        assert service.call({"model": "QMB30"})["product"]["model"] == "QMB30"
        assert service.next() == ("/invocation/next", None)
        assert sessions(deployment, end=True) == 1
        assert service.call({"model": "QMB30"})["product"]["model"] == "QMB30"


@pytest.mark.parametrize("function", SNAPSHOTS)
def test_every_function_with_snapstart_lets_go_and_takes_up_again(deployment: Deployment, function: str) -> None:
    with environment(deployment, function) as service:
        assert service.next() == ("/restore/next", None)
        assert sessions(deployment) == 0
        service.answers.put({})
        assert service.next() == ("/invocation/next", None)
        assert sessions(deployment) == 1


def test_a_database_that_is_away_does_not_fail_the_restore(deployment: Deployment) -> None:
    with environment(deployment, DB_PORT="1") as service:
        assert service.next() == ("/restore/next", None)
        service.answers.put({})
        assert service.next() == ("/invocation/next", None)
        assert service.call({"model": "QMB30"})["code"] == "UNAVAILABLE"


def test_a_write_succeeds_whose_session_was_ended_while_the_environment_was_frozen(deployment: Deployment) -> None:
    own = {"AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand", "DB_USER": "quarry_write"}
    with environment(deployment, "VerifyApiKey", **own) as service:
        assert service.next() == ("/invocation/next", None)
        for _ in range(2):
            assert "granted" in service.call({"tenant": "acme", "wanted": 1, "per_second": 1, "burst": 9})
            assert service.next() == ("/invocation/next", None)
            os.kill(service.pid, signal.SIGSTOP)
            end_sessions(deployment.superuser_dsn)
            os.kill(service.pid, signal.SIGCONT)


def test_copies_of_one_snapshot_do_not_draw_the_same_numbers() -> None:
    code = (
        "import random\nfrom quarry.tool import runtime\nruntime.use_snapshots(connects=False)\n"
        "from awslambdaric.lambda_runtime_hooks_runner import run_after_restore, run_before_snapshot\n"
        "random.seed(7)\nrun_before_snapshot()\nrun_after_restore()\nprint(random.random())"
    )
    paths = os.pathsep.join(map(str, IMPORT_ROOTS))
    drawn = {
        subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": paths}, check=True, stdout=-1).stdout
        for _ in range(2)
    }
    assert len(drawn) == 2
