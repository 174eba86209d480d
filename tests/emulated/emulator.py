"""MiniStack on this machine, with the real Postgres and the local embeddings that its functions use."""

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any
from uuid import uuid4

import boto3
import psycopg
from botocore.config import Config

from local.database import DATABASE, OWNER
from local.failure import LocalError
from local.files import ROOT
from local.lifeline import child_environment
from local.ports import free_port
from local.postgres import EmbeddedPostgres
from local.postgres_cluster import open_cluster, remove_cluster
from tests.servers import await_http, new_embeddings

PYTHON = ROOT / ".venv-emulated" / "bin" / "python"
ACCOUNT = "123456789012"
REGION = "us-east-1"
SECRET = "of the emulated account"
PASSWORD = "of the emulated owner"
ASKED = "asked.jsonl"
"""In the emulator's folder: what roles asked for, as the recorder writes it."""

# RDS's master user may do this itself; pgvector's control file here does not mark it trusted.
EXTENSION = "CREATE EXTENSION IF NOT EXISTS vector"

_SUPPORTED = """
import json
from ministack.services.cloudformation.provisioners import _RESOURCE_HANDLERS
print(json.dumps(sorted(_RESOURCE_HANDLERS)))
"""
# As on RDS: whoever is in rds_iam logs in with a token and with nothing else, which is judged at the door before it.
_HBA = f"host all {OWNER},postgres 127.0.0.1/32 scram-sha-256\nhost all +rds_iam 127.0.0.1/32 trust\n"


@dataclass(frozen=True)
class Emulator:
    """Where everything is; `dsn` is the superuser's, of the database that functions reach by `database_port`."""

    url: str
    database_port: int
    embeddings: str
    dsn: str
    folder: Path

    def snapshot(self, name: str) -> None:
        """A copy of the functions' database under another name, as RDS keeps one."""
        self._alone(f"CREATE DATABASE {name} TEMPLATE {DATABASE} OWNER {OWNER}")

    def replace(self, name: str = "") -> None:
        """Puts the copy, or an empty database, in the database's place, which ends every session of the functions."""
        instead = (
            f"ALTER DATABASE {name} RENAME TO {DATABASE}" if name else f"CREATE DATABASE {DATABASE} OWNER {OWNER}"
        )
        lost = f"lost_{uuid4().hex[:8]}"
        self._alone(f"ALTER DATABASE {DATABASE} RENAME TO {lost}", instead)
        with psycopg.connect(self.dsn, autocommit=True) as connection:
            connection.execute(EXTENSION)

    def draw_password(self) -> str:
        """A new one of the owner's, as RDS draws it for an instance whose password it begins to manage."""
        password = uuid4().hex
        with psycopg.connect(self.dsn, autocommit=True) as connection:
            connection.execute(f"ALTER ROLE {OWNER} PASSWORD '{password}'".encode())
        return password

    def _alone(self, *statements: str) -> None:
        with psycopg.connect(self.dsn, dbname="postgres", autocommit=True) as connection:
            # Until it has another name, functions would come back between the two.
            connection.execute(f"ALTER DATABASE {DATABASE} ALLOW_CONNECTIONS false".encode())
            connection.execute(
                "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = %s", [DATABASE]
            )
            for statement in statements:
                connection.execute(statement.encode())
            connection.execute(f"ALTER DATABASE {DATABASE} ALLOW_CONNECTIONS true".encode())

    def client(self, service: str) -> Any:
        connect: Any = boto3.client
        return connect(
            service,
            endpoint_url=self.url,
            region_name=REGION,
            aws_access_key_id=ACCOUNT,
            aws_secret_access_key=SECRET,
            config=Config(proxies={}, read_timeout=900, retries={"mode": "standard", "total_max_attempts": 5}),
        )

    @property
    def environment(self) -> dict[str, str]:
        """For a command that takes its AWS account from the environment."""
        return {
            **without_account(),
            "AWS_ENDPOINT_URL": self.url,
            "AWS_ACCESS_KEY_ID": ACCOUNT,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_DEFAULT_REGION": REGION,
        }


def without_account() -> dict[str, str]:
    """The caller's environment without an AWS account and without import roots of ours."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "PYTHONPATH"))}


def supported() -> set[str]:
    """The types of resources that the emulator's CloudFormation can create."""
    done = subprocess.run(
        [str(PYTHON), "-c", _SUPPORTED], env=without_account(), check=True, capture_output=True, text=True
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


@contextmanager
def new_emulator() -> Iterator[Emulator]:
    """All started, on free ports and in a folder of their own; stopped and removed at the end."""
    folder = Path(mkdtemp(prefix="quarry-emulated-"))
    folder.chmod(0o755)  # Postgres may run under an account of its own
    try:
        with (
            _new_database(folder) as (port, dsn),
            new_embeddings() as embeddings,
            _new_ministack(folder, door=(door := free_port()), database=port) as url,
        ):
            yield Emulator(url=url, database_port=door, embeddings=embeddings, dsn=dsn, folder=folder)
    finally:
        remove_cluster(folder)
        rmtree(folder)


@contextmanager
def _new_database(folder: Path) -> Iterator[tuple[int, str]]:
    """An empty database as RDS hands it over: its owner has no superuser's rights, others log in by token."""
    cluster, account = open_cluster(folder)
    hba = cluster.data / "pg_hba.conf"
    hba.write_text(_HBA)
    account.own(hba)
    with EmbeddedPostgres(folder) as server:
        with psycopg.connect(server.dsn, autocommit=True) as connection:
            connection.execute("CREATE ROLE rds_iam NOLOGIN")
            connection.execute(
                f"CREATE ROLE {OWNER} LOGIN CREATEROLE NOSUPERUSER NOBYPASSRLS PASSWORD '{PASSWORD}'".encode()
            )
            connection.execute(f"GRANT pg_signal_backend, rds_iam TO {OWNER} WITH ADMIN OPTION".encode())
            connection.execute(f"CREATE DATABASE {DATABASE} OWNER {OWNER}".encode())
        with psycopg.connect(server.named(DATABASE).dsn, autocommit=True) as connection:
            connection.execute(EXTENSION)
        yield server.port, server.named(DATABASE).dsn


@contextmanager
def _new_ministack(folder: Path, *, door: int, database: int) -> Iterator[str]:
    port = free_port()
    variables: Mapping[str, str] = {
        # Every call is signed and asked for, by a function with its own role.
        "AUTH": "true",
        "ASKED": str(folder / ASKED),
        "AWS_ACCESS_KEY_ID": ACCOUNT,
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "BIND_HOST": "127.0.0.1",
        "DOOR_PORT": str(door),
        "DATABASE_PORT": str(database),
        "GATEWAY_PORT": str(port),
        "MINISTACK_ACCOUNT_ID": ACCOUNT,
        "MINISTACK_HOST": "127.0.0.1",
        "S3_DATA_DIR": str(folder / "s3"),
        "TMPDIR": str(folder),
        "NO_PROXY": "127.0.0.1",
    }
    with (folder / "ministack.log").open("wb") as log:
        process = subprocess.Popen(
            [str(PYTHON), "-m", "local.lifeline", "tests.emulated.recorder"],
            cwd=ROOT,
            env=child_environment({**without_account(), **variables}),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    url = f"http://127.0.0.1:{port}"
    try:
        await_http(f"{url}/_ministack/health", process)
        yield url
    except (LocalError, AssertionError) as failure:
        raise LocalError(f"{failure}\n{(folder / 'ministack.log').read_text()[-4000:]}") from failure
    finally:
        process.terminate()
        process.wait(600)
