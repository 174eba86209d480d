"""The files of the embedded database cluster: where they are, making them, and clearing what a crash left."""

import json
import secrets
import shutil
import signal
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path

import psutil

from local.failure import LocalError
from local.files import write_json
from local.postgres_account import SHARED_FOLDER, Account, account_for, installation

MAJOR_VERSION = "18"
SUPERUSER = "postgres"

_RECORD = "postgres.json"
# Part of full-text search follows LC_CTYPE, so one that knows letters beyond ASCII comes first.
_CHARACTER_TYPES = ("C.UTF-8", "en_US.UTF-8", "C")


@dataclass(frozen=True)
class Cluster:
    """`identity` changes with every new cluster, so that a record can say which one it is about."""

    identity: str
    password: str
    folder: str

    @property
    def data(self) -> Path:
        return Path(self.folder) / "data"


def open_cluster(data_dir: Path) -> tuple[Cluster, Account]:
    """The cluster of a data directory, made if there is none yet; no server process is left on it."""
    cluster, account = _record(data_dir)
    version = cluster.data / "PG_VERSION"
    if not version.exists():
        _initialise(cluster, account)
    elif (found := version.read_text().strip()) != MAJOR_VERSION:
        raise LocalError(
            f"{cluster.data} was made by PostgreSQL {found}, which PostgreSQL {MAJOR_VERSION} cannot read. "
            "Choose another DATA_DIR, or remove that folder to start with an empty database."
        )
    stop_leftovers(cluster.data)
    return cluster, account


def _record(data_dir: Path) -> tuple[Cluster, Account]:
    inside = data_dir / "postgres"
    record = data_dir / _RECORD
    if record.exists():
        cluster = Cluster(**json.loads(record.read_text()))
        if not cluster.data.exists() and (inside / "data").exists():
            cluster = replace(cluster, folder=str(inside))  # the data directory was moved
            write_json(record, asdict(cluster))
        if cluster.data.exists():
            return cluster, account_for(cluster.data)
    if (inside / "data").exists():
        raise LocalError(f"{record} is missing, and with it the password of {inside}: remove {inside} to start anew.")
    identity = secrets.token_hex(8)
    account = account_for(inside)
    folder = inside if account.reaches(data_dir) else _shared_folder(data_dir, identity=identity)
    cluster = Cluster(identity=identity, password=secrets.token_urlsafe(24), folder=str(folder))
    write_json(record, asdict(cluster))
    return cluster, account


def _shared_folder(data_dir: Path, *, identity: str) -> Path:
    """A folder below SHARED_FOLDER; folders whose data directory is gone are removed on the way."""
    for origin in SHARED_FOLDER.glob("data-*/origin"):
        record = Path(origin.read_text()) / _RECORD
        if not record.exists() or json.loads(record.read_text())["folder"] != str(origin.parent):
            stop_leftovers(origin.parent / "data")
            shutil.rmtree(origin.parent)
    name = sha256(str(data_dir).encode()).hexdigest()[:12]
    folder = SHARED_FOLDER / f"data-{name}-{identity}"
    folder.mkdir(parents=True)
    SHARED_FOLDER.chmod(0o755)
    (folder / "origin").write_text(str(data_dir))
    return folder


def _initialise(cluster: Cluster, account: Account) -> None:
    """Made aside and renamed: an initdb that was cut short is never taken for a database."""
    folder = Path(cluster.folder)
    draft, password = folder / "unfinished", folder / "password"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    account.own(folder)
    password.unlink(missing_ok=True)
    password.touch(mode=0o600)
    password.write_text(cluster.password)
    account.own(password)
    complaint = ""
    for character_type in _CHARACTER_TYPES:
        shutil.rmtree(draft, ignore_errors=True)
        options = ["--auth=scram-sha-256", "--encoding=UTF8", "--no-instructions", f"--pwfile={password}"]
        options += ["--locale=C", f"--lc-ctype={character_type}"]
        options += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
        binary = installation(account) / "bin" / "initdb"
        done = account.run([str(binary), "-D", str(draft), "-U", SUPERUSER, *options])
        if done.returncode == 0:
            password.unlink()
            draft.rename(cluster.data)
            return
        complaint = done.stderr.strip()
    raise LocalError(f"PostgreSQL could not make its data folder in {folder}:\n{complaint}")


def has_cluster(data_dir: Path) -> bool:
    return (data_dir / _RECORD).exists()


def remove_cluster(data_dir: Path) -> None:
    """Delete the database, wherever it lies; the next start makes an empty one."""
    record = data_dir / _RECORD
    if record.exists():
        cluster = Cluster(**json.loads(record.read_text()))
        stop_leftovers(cluster.data)
        shutil.rmtree(cluster.folder, ignore_errors=True)
        record.unlink()


def stop_leftovers(data: Path) -> None:
    """End every server process still working in `data`, and remove a lock file that names none.

    PostgreSQL trusts a lock file whose pid is alive, even when that pid now belongs to another program. The
    working directory of a server process is its data folder, which tells ours from any other.
    """
    leftovers = [process for process in psutil.process_iter(["name"]) if _works_in(process, data)]
    for signum, patience in ((signal.SIGINT, 8), (signal.SIGQUIT, 2), (signal.SIGKILL, 2)):
        for process in leftovers:
            if process.is_running():
                process.send_signal(signum)
        _, leftovers = psutil.wait_procs(leftovers, timeout=patience)
        if not leftovers:
            break
    (data / "postmaster.pid").unlink(missing_ok=True)


def _works_in(process: psutil.Process, data: Path) -> bool:
    if process.info["name"] != "postgres":
        return False
    try:
        return Path(process.cwd()) == data
    except psutil.Error:
        return False  # of another user, or just gone
