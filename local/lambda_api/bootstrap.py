"""One execution environment's process: tied to the server, then AWS's runtime interface client.

`python -m local.lambda_api.bootstrap <handler> [--built]`
"""

import importlib.abc
import importlib.machinery
import os
import signal
import sys
import sysconfig
from collections.abc import Sequence
from types import ModuleType

from local.lifeline import die_with_parent

# What AWS's Python runtimes ship beside the standard library. Everything else must come from the
# function or its layers; serving it from the virtual environment would hide a missing requirement.
_RUNTIME_PACKAGES = frozenset(
    (
        *("awslambdaric", "runtime_client", "simplejson", "snapshot_restore_py"),
        *("boto3", "botocore", "dateutil", "jmespath", "s3transfer", "six", "urllib3"),
    )
)


class RuntimePackages(importlib.abc.MetaPathFinder):
    """Finds the packages of AWS's runtime, and no others, in the folders given."""

    def __init__(self, folders: Sequence[str]) -> None:
        self._folders = folders

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if path is not None or fullname not in _RUNTIME_PACKAGES:
            return None
        return importlib.machinery.PathFinder.find_spec(fullname, self._folders, target)


def _forget_repository() -> None:
    """A deployed function can import neither `local` nor the proxy; neither can one that runs here."""
    *entries, repository = os.environ["PYTHONPATH"].split(os.pathsep)
    os.environ["PYTHONPATH"] = os.pathsep.join(entries)
    position = len(sys.path) - 1 - sys.path[::-1].index(repository)
    del sys.path[position]
    for name in [name for name in sys.modules if name == "local" or name.startswith("local.")]:
        del sys.modules[name]


def _hide_installed_packages() -> None:
    function = {sys.path[0], *os.environ["PYTHONPATH"].split(os.pathsep)}
    library = sysconfig.get_path("stdlib")
    installed = [
        entry
        for entry in sys.path
        if entry not in function and (not entry.startswith(library) or entry.endswith("-packages"))
    ]
    sys.path[:] = [entry for entry in sys.path if entry not in installed]
    sys.meta_path.append(RuntimePackages(installed))


def main(arguments: Sequence[str]) -> None:
    # SIGKILL, as AWS ends an environment: a handler's own SIGTERM handler must not keep it alive.
    die_with_parent(signum=signal.SIGKILL)
    _forget_repository()
    if "--built" in arguments[1:]:
        _hide_installed_packages()
    # Imported here because the search path must be settled first: a built layer may bring its own client.
    from awslambdaric.__main__ import main as run_handlers

    run_handlers(["awslambdaric", arguments[0]])


if __name__ == "__main__":
    main(sys.argv[1:])
