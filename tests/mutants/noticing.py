"""A process that has imported once what tests of the deployment need, and runs them in a fork for each changed file.

It stands in a copy of the tree, so that whatever reads a file from the root reads the changed one. Started as
`python -m tests.mutants.noticing`; asked and answered in lines of JSON.
"""

import gc
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from local.files import ROOT
from tests.mutants.kinds import CONFIGURED, TEMPLATE, Mutant

PATIENCE_S = 120
SPARED = "every_package_the_functions_import"
"""Looks at imports alone, for four seconds."""
QUICKEST = tuple(
    f"tests/contract/test_deployment_{name}.py"
    for name in ("resources", "roles", "functions", "order", "alarms", "network", "stages")
)
QUICK = tuple(
    f"tests/contract/test_{name}.py"
    for name in ("deployment_edge", "deployment_database", "deployment_workflows", "emulated")
)
WIRING = tuple(
    f"tests/contract/test_wiring.py::test_{name}"
    for name in (
        "its_function_has_its_name_alias_and_role",
        "an_operation_has_its_function",
        "every_handler_of_the_template_can_be_imported",
    )
)
DRIFT = ("tests/contract/test_wiring.py::test_a_generated_file_is_what_the_code_says",)
RIGHTS = ("tests/contract/test_deployment_requests.py", "tests/contract/test_deployment_rights.py")
RELEASE = ("tests/contract/test_deployment_release.py",)
LAYERS = ("tests/contract/test_deployment_template.py",)
COSTS = ("tests/contract/test_runbook.py",)
FURTHER = {
    **dict.fromkeys(
        ("action dropped", "statement dropped", "principal widened", "condition of a right dropped"), RIGHTS
    ),
    **dict.fromkeys(("resource widened", "action widened"), RIGHTS),
    **dict.fromkeys(("variable dropped", "variable misnamed", "handler misnamed"), WIRING),
    "number halved": (*DRIFT, *COSTS),
    "resource dropped": (*WIRING, *COSTS),
    "release or log setting dropped": (*WIRING, *RELEASE, *LAYERS),
    "configured line dropped": RELEASE,
}
"""By kind, what looks at that beside the tests that are quick and look at everything."""
WORKFLOWS = ("tests/contract/test_deployment_workflows.py",)
EVERY = (*QUICKEST, *QUICK, *WIRING, *DRIFT, *RIGHTS, *RELEASE, *LAYERS, *COSTS)


def tests_for(mutant: Mutant) -> list[tuple[str, ...]]:
    """In the order in which they are run, the quickest first."""
    if mutant.file in (TEMPLATE, CONFIGURED):
        return [each for each in (QUICKEST, QUICK, FURTHER.get(mutant.kind, ())) if each]
    return [WORKFLOWS]


class Noticing:
    """One such process with its copy of the tree."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        path = os.pathsep.join(str(folder / name) for name in ("functions", "layers/quarry", ""))
        environment = {**os.environ, "PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        command = [sys.executable, "-m", "tests.mutants.noticing"]
        self._process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def noticed_by(self, mutant: Mutant, text: str) -> str:
        """The first test that fails with its file reading so; empty where all pass."""
        return self._failing(mutant.file, text, tests_for(mutant))

    def fails_unchanged(self, text: str) -> str:
        """The first test that fails with the template as it is: to such a one every change would seem noticed."""
        return self._failing(TEMPLATE, text, [EVERY])

    def _failing(self, file: str, text: str, tests: list[tuple[str, ...]]) -> str:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(f"{json.dumps([file, text, tests])}\n")
        self._process.stdin.flush()
        return str(json.loads(self._process.stdout.readline()))

    def close(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()


@contextmanager
def noticing() -> Iterator[Noticing]:
    with TemporaryDirectory(prefix="quarry-mutants-") as folder:
        copy_of_the_tree(Path(folder))
        process = Noticing(Path(folder))
        try:
            yield process
        finally:
            process.close()


def copy_of_the_tree(folder: Path) -> None:
    """All that Git knows or would take in."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],  # noqa: S607 - wherever it is
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (source := ROOT / name).is_file():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())


class FirstFailure:
    """A plugin that keeps the name of the first test, or file, that fails."""

    def __init__(self) -> None:
        self.name = ""

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.name = self.name or report.nodeid

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self.name = self.name or report.nodeid


def main() -> None:
    import_beforehand()
    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        file, text, runs = json.loads(line)
        former = Path(file).read_text("utf-8")
        Path(file).write_text(text, "utf-8")
        try:
            answers.write(f"{json.dumps(first_failure(runs))}\n")
        finally:
            Path(file).write_text(former, "utf-8")
        answers.flush()


def import_beforehand() -> None:
    """What is slow to import and reads none of the files that change."""
    import moto.server  # noqa: F401
    import pytest  # noqa: F401
    from samtranslator.translator.translator import Translator  # noqa: F401

    import tests.deployment
    import tests.integration.quarry.test_paging  # noqa: F401
    from local.manifest.tools import declared

    declared()


def first_failure(runs: list[list[str]]) -> str:
    return next(filter(None, map(in_a_fork, runs)), "")


def in_a_fork(paths: list[str]) -> str:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        signal.alarm(PATIENCE_S)  # a change may make a test wait for ever: that is noticed too
        run(paths, writing)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        name = pipe.read()
    _, status = os.waitpid(child, 0)
    return name if os.WIFEXITED(status) else f"ended by signal {os.WTERMSIG(status)}"


def run(paths: list[str], writing: int) -> None:
    import pytest

    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    failure = FirstFailure()
    gc.disable()  # it would copy the pages of all that was imported
    # Those that need servers have them from conftest.py, which knows xdist's hooks.
    fixtures = ["-p", "xdist.plugin"] if set(paths) & set(RIGHTS) else ["--noconftest"]
    options = ["-x", "-q", "-p", "no:cacheprovider", "--assert=plain", "-k", f"not {SPARED}"]
    code = pytest.main([*options, *fixtures, *paths], plugins=[failure])
    os.write(writing, (failure.name or (f"pytest ended with {code}" if code else "")).encode())
    os._exit(0)


if __name__ == "__main__":
    main()
