"""`make bench-cold`: what the imports of each function cost a cold start, as a Markdown table.

Times are CPU time, which other programs disturb least, and medians of fresh processes.
`--build .aws-sam/build` measures what `make build` made, which says itself what each function ships.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from local.files import ROOT
from local.lambda_api.intrinsics import StackValues
from local.lambda_api.template import FunctionSpec, read_functions

FLOOR = "psycopg and pydantic"
# What a function may need, but not before its first call does.
_HEAVY = ("openai", "boto3", "botocore", "mcp", "numpy", "typst")
_CHILD = """
import json, os, sys, time
started = time.process_time()
{statement}
ms = (time.process_time() - started) * 1000
roots = [name.partition(".")[0] for name in sys.modules]
# Powertools imports the bare package botocore, to name itself in it; that costs half a millisecond.
heavy = {{name: roots.count(name) for name in {heavy!r} if roots.count(name) > 1}}
print(json.dumps({{"import_ms": ms, "modules": len(sys.modules), "heavy": heavy}}), flush=True)
os._exit(0)  # Lambda freezes an environment; it never pays for taking an interpreter apart
"""


@dataclass(frozen=True, slots=True)
class Subject:
    """`variables` are the function's own, as template.yaml gives them."""

    name: str
    statement: str
    path: tuple[Path, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Start:
    """One fresh process; ``modules`` counts all that are loaded."""

    import_ms: float
    modules: int
    heavy: Mapping[str, int]


def subjects(template: Path, *, built: bool) -> list[Subject]:
    specs = read_functions(template, stack=StackValues(), built=built)
    functions = [
        Subject(
            spec.name.removeprefix("quarry-"),
            f"import {spec.handler.rpartition('.')[0]}",
            search_path(spec),
            spec.variables,
        )
        for spec in specs.values()
        if spec.logical_id != "Preview"  # the front a second time
    ]
    layers = search_path(next(spec for spec in specs.values() if spec.layers))
    floor = Subject(FLOOR, "import psycopg, pydantic", layers)
    return [floor, *functions]


def search_path(spec: FunctionSpec) -> tuple[Path, ...]:
    """The path of an execution environment: the function's own code first, then its layers, the last one first."""
    package = spec.handler.partition(".")[0]
    # The front's source is the package itself; its Makefile makes a folder around it.
    own = spec.task_root if (spec.task_root / package).exists() else spec.task_root.parent
    return (own, *reversed(spec.layers))


def start(subject: Subject) -> Start:
    code = _CHILD.format(statement=subject.statement, heavy=_HEAVY)
    paths = os.pathsep.join(map(str, subject.path))
    environment = {**os.environ, **subject.variables, "PYTHONPATH": paths}
    # What `make build` makes has bytecode; a machine that is told to write none would measure the compiler.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    # Safe path: the working directory must not lend a module.
    ended = subprocess.run([sys.executable, "-P", "-c", code], env=environment, check=True, stdout=subprocess.PIPE)
    return Start(**json.loads(ended.stdout))


def measure(measured: list[Subject], *, runs: int) -> dict[str, Start]:
    """Medians by name. Subjects take turns, so that a busy moment of the machine falls on all of them.

    A single run is for what is imported, whose time does not matter.
    """
    if runs > 1:
        for subject in measured:
            start(subject)  # writes bytecode and fills the page cache
    starts: dict[str, list[Start]] = {subject.name: [] for subject in measured}
    for _ in range(runs):
        for subject in measured:
            starts[subject.name].append(start(subject))
    return {
        name: Start(
            import_ms=median(one.import_ms for one in own),
            modules=own[0].modules,
            heavy=own[0].heavy,
        )
        for name, own in starts.items()
    }


def table(medians: Mapping[str, Start]) -> Iterator[str]:
    yield f"| function | imports | to {FLOOR} | modules | heavy packages |"
    yield "|---|--:|--:|--:|---|"
    for name, one in medians.items():
        heavy = ", ".join(f"{package} ({modules} modules)" for package, modules in one.heavy.items())
        times = one.import_ms / medians[FLOOR].import_ms
        yield f"| {name} | {one.import_ms:.0f} ms | {times:.2f} | {one.modules} | {heavy or '-'} |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.cold", description=__doc__)
    parser.add_argument(
        "--build", type=Path, metavar="FOLDER", help="measure sam build's output instead of the source"
    )
    parser.add_argument("--runs", type=int, default=7, help="fresh processes per function")
    options = parser.parse_args()
    template = ROOT / "template.yaml" if options.build is None else options.build.resolve() / "template.yaml"
    measured = subjects(template, built=options.build is not None)
    medians = measure(measured, runs=options.runs)
    print("\n".join(table(medians)))


if __name__ == "__main__":
    main()
