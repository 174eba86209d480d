"""Part of `make build`: the unzipped size of every function with its layers, which Lambda limits."""

import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from local.lambda_api.intrinsics import StackValues
from local.lambda_api.template import FunctionSpec, read_functions
from local.release import BUILD, TEMPLATE

LIMIT = 250 * 2**20
"""Bytes: Lambda's quota of 250 MB means mebibytes (the error says 262144000)."""
NEAR = 0.9
"""Of the limit: from here on the next release of a package may be the one that cannot be deployed."""


def sizes_of(functions: Iterable[FunctionSpec]) -> dict[str, int]:
    """Bytes by function."""
    size = cache(_size)
    return {spec.name: sum(map(size, (spec.task_root, *spec.layers))) for spec in functions}


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def report(sizes: Mapping[str, int]) -> Iterator[str]:
    """A line for each size as printed, the largest first, with the functions that have it."""
    lines: dict[str, list[str]] = {}
    for name, size in sorted(sizes.items(), key=lambda each: (-each[1], each[0])):
        lines.setdefault(f"{size / 2**20:6.1f} MiB {size / LIMIT:6.1%}  {verdict(size)}", []).append(name)
    yield from (f"{line}{', '.join(names)}" for line, names in lines.items())


def verdict(size: int) -> str:
    """What stands before the names: nothing where there is room."""
    if size > LIMIT:
        return "TOO LARGE FOR LAMBDA: "
    return "WARNING, near the limit: " if size >= NEAR * LIMIT else ""


def main(build: Path = BUILD) -> int:
    sizes = sizes_of(read_functions(build / TEMPLATE, stack=StackValues(), built=True).values())
    print("\n".join(report(sizes)))
    return int(max(sizes.values()) > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
