"""`python -m bench.cold`: what the imports of each function cost a cold start, as a Markdown table.

Every figure is the median of fresh processes. `--build .aws-sam/build` measures what `make build` made.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from local.files import ROOT
from local.lambda_api.intrinsics import Stack
from local.lambda_api.template import FunctionSpec, read_functions

EMPTY = "an empty handler"
FLOOR = "psycopg and pydantic"
# What a function may need, but not before its first call does.
_HEAVY = ("openai", "boto3", "botocore", "mcp", "numpy")
_CHILD = """
import json, os, sys, time
before = len(sys.modules)
started = time.perf_counter()
{statement}
ms = (time.perf_counter() - started) * 1000
roots = [name.partition(".")[0] for name in sys.modules]
heavy = {{name: roots.count(name) for name in {heavy!r} if name in roots}}
print(json.dumps({{"import_ms": ms, "modules": len(sys.modules) - before, "heavy": heavy}}), flush=True)
os._exit(0)  # Lambda freezes an environment; it never pays for taking an interpreter apart
"""


@dataclass(frozen=True, slots=True)
class Subject:
    name: str
    statement: str
    path: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Start:
    """One fresh process; ``process_ms`` is the imports and the interpreter's own start."""

    import_ms: float
    process_ms: float
    modules: int
    heavy: Mapping[str, int]


def subjects(template: Path, *, built: bool) -> list[Subject]:
    specs = read_functions(template, stack=Stack(), built=built)
    functions = [
        Subject(spec.name.removeprefix("quarry-"), f"import {spec.handler.rpartition('.')[0]}", search_path(spec))
        for spec in specs.values()
    ]
    layers = search_path(next(iter(specs.values())))
    return [Subject(EMPTY, "pass"), Subject(FLOOR, "import psycopg, pydantic", layers), *functions]


def search_path(spec: FunctionSpec) -> tuple[Path, ...]:
    """As in an execution environment: the function's own code first, then its layers, the last one first."""
    return (spec.task_root, *reversed(spec.layers))


def start(subject: Subject) -> Start:
    code = _CHILD.format(statement=subject.statement, heavy=_HEAVY)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, subject.path))}
    begun = time.perf_counter()
    # Safe path: the working directory must not lend a module.
    ended = subprocess.run([sys.executable, "-P", "-c", code], env=environment, check=True, stdout=subprocess.PIPE)
    elapsed = (time.perf_counter() - begun) * 1000
    told = json.loads(ended.stdout)
    return Start(told["import_ms"], elapsed, told["modules"], told["heavy"])


def measure(measured: list[Subject], *, runs: int) -> dict[str, Start]:
    """Medians by name. Subjects take turns, so that a busy moment of the machine falls on all of them."""
    for subject in measured:
        start(subject)  # writes bytecode and fills the page cache
    starts: dict[str, list[Start]] = {subject.name: [] for subject in measured}
    for _ in range(runs):
        for subject in measured:
            starts[subject.name].append(start(subject))
    return {
        name: Start(
            import_ms=median(one.import_ms for one in own),
            process_ms=median(one.process_ms for one in own),
            modules=own[0].modules,
            heavy=own[0].heavy,
        )
        for name, own in starts.items()
    }


def table(medians: Mapping[str, Start]) -> Iterator[str]:
    empty, floor = medians[EMPTY], medians[FLOOR]
    yield f"| function | imports | modules | to {FLOOR} | process | to {EMPTY} | heavy packages (modules) |"
    yield "|---|--:|--:|--:|--:|--:|---|"
    for name, one in medians.items():
        heavy = ", ".join(f"{package} ({modules})" for package, modules in one.heavy.items())
        yield (
            f"| {name} | {one.import_ms:.0f} ms | {one.modules} | {one.import_ms / floor.import_ms:.2f} "
            f"| {one.process_ms:.0f} ms | {one.process_ms / empty.process_ms:.1f} | {heavy or '-'} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.cold", description=__doc__)
    parser.add_argument(
        "--build", type=Path, metavar="FOLDER", help="measure sam build's output instead of the source"
    )
    parser.add_argument("--runs", type=int, default=7, help="fresh processes per function")
    options = parser.parse_args()
    template = ROOT / "template.yaml" if options.build is None else options.build.resolve() / "template.yaml"
    medians = measure(subjects(template, built=options.build is not None), runs=options.runs)
    print("\n".join(table(medians)))


if __name__ == "__main__":
    main()
