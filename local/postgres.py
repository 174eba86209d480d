"""The embedded PostgreSQL server: started in the foreground by whoever needs it, ended with it."""

import argparse
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO

import psycopg

from local.failure import LocalError
from local.files import ROOT
from local.lifeline import child_environment, die_with_parent
from local.ports import free_port
from local.postgres_cluster import SUPERUSER, Account, Cluster, installation, open_cluster
from local.stack import Database

HOST = "127.0.0.1"

_START_SECONDS = 60
_STOP_SECONDS = 15
_SETTINGS = {
    "listen_addresses": HOST,
    "unix_socket_directories": "",
    "max_connections": "200",
    "shared_buffers": "256MB",
    "maintenance_work_mem": "128MB",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "256MB",
    "min_wal_size": "32MB",
    # Parallel workers pass data through /dev/shm, which containers limit to 64 MB.
    "max_parallel_workers_per_gather": "0",
    "max_parallel_maintenance_workers": "0",
    "jit": "off",
    "log_timezone": "UTC",
    "timezone": "UTC",
    "log_line_prefix": "%m [%p] %q%u@%d ",
}


def answers(database: Database) -> bool:
    try:
        psycopg.connect(database.dsn).close()
    except psycopg.OperationalError:
        return False
    return True


class EmbeddedPostgres:
    """A server on one data directory: `with EmbeddedPostgres(folder) as database: …`.

    The supervisor, which watches its children itself, uses `prepare` and `command` instead of `start`.
    """

    def __init__(self, data_dir: Path, *, port: int | None = None, settings: Mapping[str, str] | None = None) -> None:
        self._data_dir = data_dir.resolve()
        self._port = port or free_port()
        self._settings = settings or {}
        self._process: subprocess.Popen[bytes] | None = None

    def prepare(self) -> Database:
        """Make the cluster if there is none, and clear what an earlier server left."""
        self._data_dir.mkdir(parents=True, exist_ok=True)
        cluster, _ = open_cluster(self._data_dir)
        return Database(host=HOST, port=self._port, name="postgres", user=SUPERUSER, password=cluster.password)

    def command(self) -> list[str]:
        return [
            sys.executable,
            "-m",
            "local.postgres",
            "--data-dir",
            str(self._data_dir),
            "--port",
            str(self._port),
            *(f"--set={name}={value}" for name, value in self._settings.items()),
        ]

    def start(self) -> Database:
        """Call it from the main thread: the server ends with the thread that started it."""
        database = self.prepare()
        logs = self._data_dir / "logs"
        logs.mkdir(exist_ok=True)
        with (logs / "postgres.log").open("ab") as log:
            self._process = _spawn(self.command(), log=log)
        deadline = time.monotonic() + _START_SECONDS
        while not answers(database):
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise LocalError(f"PostgreSQL did not start; its log is {logs / 'postgres.log'}.")
            time.sleep(0.02)
        return database

    def stop(self) -> None:
        if self._process is None:
            return
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait(_STOP_SECONDS)
        self._process = None

    def __enter__(self) -> Database:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def _spawn(command: list[str], *, log: IO[bytes]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        cwd=ROOT,
        env=child_environment(os.environ),
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        process_group=0,
    )


def server_command(
    cluster: Cluster, account: Account, *, port: int, settings: Mapping[str, str] | None = None
) -> list[str]:
    chosen = {**_SETTINGS, **(settings or {})}
    arguments = [part for name, value in chosen.items() for part in ("-c", f"{name}={value}")]
    return [
        str(installation(account) / "bin" / "postgres"),
        "-D",
        str(cluster.data),
        "-p",
        str(port),
        *arguments,
    ]


def main(arguments: list[str] | None = None) -> None:
    """Become the server: change to its account, tie its life to the parent's, and replace this process."""
    parser = argparse.ArgumentParser(prog="python -m local.postgres", description=__doc__)
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the server")
    options = parser.parse_args(arguments)
    try:
        cluster, account = open_cluster(options.data_dir.resolve())
        settings = dict(assignment.split("=", 1) for assignment in options.set)
        command = server_command(cluster, account, port=options.port, settings=settings)
    except LocalError as failure:
        sys.exit(str(failure))
    if account.separate:
        os.setgroups([])
        os.setgid(account.gid)
        os.setuid(account.uid)
    os.chdir("/")
    os.umask(0o077)
    # SIGINT is PostgreSQL's fast shutdown: it ends sessions at once and writes a checkpoint.
    if sys.platform == "linux":
        die_with_parent(signum=signal.SIGINT)
        os.execv(command[0], command)  # noqa: S606 - a list of our own making, and no shell
    _stay_as_guard(command)


def _stay_as_guard(command: list[str]) -> None:
    """Where no death signal survives exec, this process stays, watches the parent and passes signals on."""
    server = subprocess.Popen(command)
    for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT):
        signal.signal(signum, lambda received, _: server.send_signal(received))
    die_with_parent(signum=signal.SIGINT)
    sys.exit(server.wait())


if __name__ == "__main__":
    main()
