"""The embedded PostgreSQL server, through every way of ending that leaves something behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

import psutil
import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from local.database import OWNER, prepare
from local.failure import LocalError
from local.files import IMPORT_ROOTS
from local.ports import free_port
from local.postgres import EmbeddedPostgres, answers, server_command
from local.postgres_cluster import open_cluster, remove_cluster
from local.stack import Database, exclusive
from operations.migrations import NOTE, RECORD

HOLDER = """
import sys, time
from pathlib import Path
from local.postgres import EmbeddedPostgres
database = EmbeddedPostgres(Path(sys.argv[1])).start()
print(database.port, flush=True)
time.sleep(60)
"""


@contextmanager
def new_folder() -> Iterator[Path]:
    folder = Path(mkdtemp(prefix="quarry-"))
    folder.chmod(0o755)
    yield folder
    remove_cluster(folder)
    rmtree(folder)


@pytest.fixture
def empty_dir() -> Iterator[Path]:
    with new_folder() as folder:
        yield folder


@pytest.fixture(scope="module")
def made() -> Iterator[Path]:
    """A data directory whose cluster no server has run on; copy it."""
    with new_folder() as folder:
        open_cluster(folder)
        yield folder


@pytest.fixture
def data_dir(made: Path) -> Iterator[Path]:
    with new_folder() as folder:
        subprocess.run(["cp", "-a", f"{made}/.", folder], check=True)  # noqa: S607 - keeps owners, as shutil cannot
        record = folder / "postgres.json"
        record.write_text(record.read_text().replace(str(made), str(folder)))
        yield folder


def query(database: Database, text: str) -> object:
    with psycopg.connect(database.dsn, autocommit=True) as connection:
        cursor = connection.execute(text)
        row = cursor.fetchone() if cursor.description else None
        return row[0] if row else None


def postmaster(database: Database) -> psutil.Process:
    with psycopg.connect(database.dsn) as connection:
        parent = psutil.Process(connection.info.backend_pid).parent()
    assert parent is not None
    return parent


def test_rows_survive_a_restart_and_vectors_compare(data_dir: Path) -> None:
    with EmbeddedPostgres(data_dir) as database:
        query(database, "CREATE EXTENSION vector")
        query(database, "CREATE TABLE kept AS SELECT '[1,0]'::vector AS v")
    with EmbeddedPostgres(data_dir) as database:
        assert query(database, "SELECT v <=> '[0,1]' FROM kept") == 1.0


def test_letters_beyond_ascii_fold_and_tokenise(data_dir: Path) -> None:
    with EmbeddedPostgres(data_dir) as database:
        assert query(database, "SELECT lower('ÄÖÜ')") == "äöü"
        assert (
            query(database, "SELECT to_tsvector('simple', 'Grüße an Müller')::text") == "'an':2 'grüße':1 'müller':3"
        )


def test_only_the_password_opens_the_server_and_only_the_owner_reads_it(data_dir: Path) -> None:
    with EmbeddedPostgres(data_dir) as database:
        stranger = database.model_copy(update={"password": "guess"})
        assert not answers(stranger)
    assert (data_dir / "postgres.json").stat().st_mode & 0o777 == 0o600


def test_a_killed_server_starts_again_with_what_was_committed(data_dir: Path) -> None:
    server = EmbeddedPostgres(data_dir)
    database = server.start()
    query(database, "CREATE TABLE kept AS SELECT 7 AS n")
    postmaster(database).kill()
    server.stop()
    with EmbeddedPostgres(data_dir) as database:
        assert query(database, "SELECT n FROM kept") == 7


def test_the_server_ends_with_a_parent_that_was_killed(data_dir: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, IMPORT_ROOTS))}
    command = [sys.executable, "-c", HOLDER, str(data_dir)]
    holder = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    port = int(holder.stdout.readline())
    server = next(child for child in psutil.Process(holder.pid).children() if child.name() == "postgres")
    holder.send_signal(signal.SIGKILL)
    holder.communicate()
    deadline = time.monotonic() + 60
    while server.is_running() and server.status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    with EmbeddedPostgres(data_dir, port=port) as database:
        assert query(database, "SELECT 1") == 1


def test_an_orphan_of_an_earlier_run_is_stopped_first(data_dir: Path) -> None:
    port = free_port()
    cluster, account = open_cluster(data_dir)
    orphan = subprocess.Popen(
        server_command(cluster, account, port=port),
        cwd="/",
        stderr=subprocess.DEVNULL,
        user=account.uid if account.separate else None,
    )
    while not answers(
        Database(host="127.0.0.1", port=port, name="postgres", user="postgres", password=cluster.password)
    ):
        assert orphan.poll() is None
        time.sleep(0.02)
    with EmbeddedPostgres(data_dir) as database:
        assert orphan.wait(60) == 0
        assert query(database, "SELECT 1") == 1


def test_a_lock_file_whose_pid_now_belongs_to_another_program_is_ignored(data_dir: Path) -> None:
    cluster, _ = open_cluster(data_dir)
    (cluster.data / "postmaster.pid").write_text(f"{os.getpid()}\n{cluster.data}\n0\n5432\n\n127.0.0.1\n\nready\n")
    with EmbeddedPostgres(data_dir) as database:
        assert query(database, "SELECT 1") == 1


def test_private_folders_stay_private_and_the_server_starts_all_the_same(empty_dir: Path) -> None:
    empty_dir.chmod(0o700)
    inner = empty_dir / "deep" / ".quarry"
    try:
        with EmbeddedPostgres(inner) as database:
            assert query(database, "SELECT 1") == 1
        assert empty_dir.stat().st_mode & 0o777 == 0o700
    finally:
        remove_cluster(inner)


def test_a_copied_directory_has_rows_of_its_own(empty_dir: Path) -> None:
    first, second = empty_dir / "first", empty_dir / "second"
    with EmbeddedPostgres(first) as database:
        query(database, "CREATE TABLE kept AS SELECT 7 AS n")
    subprocess.run(["cp", "-a", first, second], check=True)  # noqa: S607 - it keeps owners, as people copy
    with EmbeddedPostgres(second) as database:
        query(database, "UPDATE kept SET n = 8")
    with EmbeddedPostgres(first) as database:
        assert query(database, "SELECT n FROM kept") == 7
    for folder in (first, second):
        remove_cluster(folder)


def test_a_empty_directory_that_was_moved_keeps_its_rows(empty_dir: Path) -> None:
    first, second = empty_dir / "first", empty_dir / "second"
    with EmbeddedPostgres(first) as database:
        query(database, "CREATE TABLE kept AS SELECT 7 AS n")
    first.rename(second)
    with EmbeddedPostgres(second) as database:
        assert query(database, "SELECT n FROM kept") == 7
    remove_cluster(second)


def test_a_cluster_of_another_major_version_is_refused_by_name(data_dir: Path) -> None:
    cluster, _ = open_cluster(data_dir)
    (cluster.data / "PG_VERSION").write_text("17\n")
    with pytest.raises(LocalError, match=r"was made by PostgreSQL 17, which PostgreSQL 18 cannot read"):
        EmbeddedPostgres(data_dir).start()


def reset(data_dir: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, IMPORT_ROOTS)), "DATA_DIR": str(data_dir)}
    command = [sys.executable, "-m", "local.reset"]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)


def test_a_database_of_a_newer_release_is_refused_with_what_to_do(data_dir: Path) -> None:
    with EmbeddedPostgres(data_dir) as database:
        query(database, "CREATE ROLE quarry_owner LOGIN")
        query(database, "CREATE DATABASE quarry OWNER quarry_owner")
        owner = make_conninfo(database.named("quarry").dsn, options="-c role=quarry_owner")
        with psycopg.connect(owner) as connection:
            connection.execute(RECORD)
            connection.execute(NOTE, [9999, "of tomorrow", "0" * 64])
        with pytest.raises(LocalError, match=r"has migration 9999.*Or start over: `make reset`"):
            prepare(database.dsn, model="m", dimensions=3, passwords={OWNER: "of the tests"})
    assert reset(data_dir).returncode == 0
    assert not data_dir.exists()
    data_dir.mkdir()


def test_a_reset_removes_no_folder_without_a_database_and_none_in_use(empty_dir: Path) -> None:
    (empty_dir / "mine.txt").touch()
    refused = reset(empty_dir)
    assert (refused.returncode, "holds no database" in refused.stderr) == (1, True)
    open_cluster(empty_dir)
    with exclusive(empty_dir):
        assert "already running" in reset(empty_dir).stderr
    assert (empty_dir / "mine.txt").exists()
