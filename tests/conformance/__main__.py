"""`make conformance`: MCP's official suite against the proxy, both revisions, scenario by scenario.

The proxy and the functions run as processes of their own, on free ports. Exit code 1 on any surprise, 2 when the
suite could not be installed.
"""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from local.lifeline import child_environment
from tests.conformance import fixture, suite
from tests.conformance.verdicts import Verdict, expected_failures, judge
from tests.npm import InstallError

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 30
STOP_SECONDS = 15


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """The endpoint of a proxy before the fixture's functions."""
    (folder / "manifest.json").write_text(json.dumps(fixture.manifest()), "utf-8")
    (folder / "template.json").write_text(json.dumps(fixture.template()), "utf-8")
    functions = ["local.lambda_api", "--port", "0", "--template", str(folder / "template.json"), "--max-total", "40"]
    settings = {
        "PORT": "0",
        "MANIFEST_PATH": str(folder / "manifest.json"),
        # Several times within the half second that one of the tools takes.
        "PROGRESS_SECONDS": "0.1",
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
    }
    with process(functions, {}, log=folder / "functions.log") as log:
        settings["AWS_ENDPOINT_URL_LAMBDA"] = said(log, "url")
        wake(settings["AWS_ENDPOINT_URL_LAMBDA"])
        with process(["local.lifeline", "proxy"], settings, log=folder / "proxy.log") as log:
            yield f"http://127.0.0.1:{said(log, 'port')}/mcp"


@contextlib.contextmanager
def process(module: list[str], settings: Mapping[str, str], *, log: Path) -> Iterator[Path]:
    """A Python module that runs, and the file that has all it says."""
    environment = child_environment({**inherited(), **settings})
    with log.open("w") as output:
        started = subprocess.Popen(
            [sys.executable, "-m", *module], cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT
        )
        try:
            yield log
        finally:
            started.terminate()
            started.wait(STOP_SECONDS)


def inherited() -> dict[str, str]:
    """Not what a developer has set for a proxy of his own."""
    return {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "PYTHONPATH") if name in os.environ}


def wake(url: str) -> None:
    """The suite waits half a second for some answers, and a cold start may take longer."""
    with ThreadPoolExecutor(max_workers=4) as pool:
        for _ in pool.map(partial(invoke, url), fixture.handlers()):
            pass


def invoke(url: str, function: str) -> None:
    address = f"{url}/2015-03-31/functions/quarry-{function}/invocations"
    with urllib.request.urlopen(address, data=b"{}", timeout=START_SECONDS) as answer:  # noqa: S310 - our own URL
        answer.read()


def said(log: Path, key: str) -> str:
    """The value in the first line that has one, as soon as it is written."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        for line in log.read_text("utf-8").splitlines():
            with contextlib.suppress(ValueError):
                if (value := json.loads(line).get(key)) is not None:
                    return str(value)
        time.sleep(0.05)
    raise TimeoutError(f"{log.name} never said its {key}:\n{log.read_text('utf-8')}")


def verdicts(url: str, *, revision: str, results: Path) -> list[tuple[str, bool, Verdict]]:
    """Scenario, whether it is scored, verdict."""
    reasons = expected_failures(revision)
    wanted = suite.requirements(revision)
    found = suite.run(url, revision=revision, results=results)
    missing = Verdict("SURPRISE", "the suite left no result")
    judged = [
        (name, scored, judge(found[name], reasons=reasons) if name in found else missing)
        for name, scored in wanted.items()
    ]
    unknown = {key.partition(":")[0] for key in reasons} - wanted.keys()
    return judged + [(name, False, Verdict("SURPRISE", "is listed, and no scenario")) for name in sorted(unknown)]


def report(revision: str, judged: list[tuple[str, bool, Verdict]]) -> int:
    """How many surprises there were."""
    for name, scored, verdict in judged:
        print(f"{verdict.kind:<8}  {revision}  {name:<46} {'' if scored else '(not scored) '}{verdict.words}")
    of_scored = [verdict.kind for _, scored, verdict in judged if scored]
    surprises = sum(verdict.kind == "SURPRISE" for _, _, verdict in judged)
    print(
        f"{revision}: {of_scored.count('ok')} of {len(of_scored)} scored scenarios pass, "
        f"{of_scored.count('expected')} fail as expected; {len(judged)} run, {surprises} surprises\n",
        flush=True,
    )
    return surprises


def main() -> int:
    try:
        suite.SUITE.install()
    except InstallError as failure:
        print(failure, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="quarry-conformance-") as name, served(Path(name)) as url:
        surprises = sum(
            report(revision, verdicts(url, revision=revision, results=Path(name) / revision))
            for revision in suite.REVISIONS
        )
    return 1 if surprises else 0


if __name__ == "__main__":
    sys.exit(main())
