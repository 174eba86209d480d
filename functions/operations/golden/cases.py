"""The golden files: one call each with what its answer must hold."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field

YEAR = "<year>"
"""Stands for this year in a case: sample quotes are numbered in the year the stack was first started."""


class Check(BaseModel):
    """One demand on the answer. ``at`` is a dotted path; ``[*]`` fans out over a list, ``[:5]`` over its start."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    at: str
    has: list[Any] | None = Field(default=None, description="Each of these is among the values.")
    lacks: list[Any] | None = Field(default=None, description="None of these is among the values.")
    only: list[Any] | None = Field(default=None, description="Every value is one of these, and there is a value.")
    equals: Any = Field(default=None, description="The value, or the list of values, is exactly this.")
    at_least: float | None = Field(default=None, description="Every value is a number not below this.")
    contains: str | None = Field(default=None, description="Some value is text with this in it.")
    count: int | None = Field(default=None, description="So many values.")
    filled: bool | None = Field(default=None, description="No value is null or empty, and there is a value.")


class Case(BaseModel):
    """``error`` is the code an expected failure starts with; ``within_ms`` bounds the whole call when warm."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    why: str
    toolset: str
    tool: str
    arguments: dict[str, Any]
    checks: list[Check] = []
    error: str | None = None
    within_ms: float | None = None


class Probe(BaseModel):
    """A call by which its owner sees rows of its own, at ``at``, and no other tenant may see any."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    tool: str
    arguments: dict[str, Any]
    at: str


def load(folder: Path) -> list[Case]:
    """All cases, by file name. Raises ValueError when two have one name or there is none."""
    cases = [Case.model_validate(document) for document in _documents(folder)]
    names = [case.name for case in cases]
    if not cases or len(set(names)) != len(names):
        raise ValueError(f"golden cases in {folder} need distinct names: {sorted(names)}")
    return cases


def load_probes(folder: Path) -> list[Probe]:
    """Raises ValueError when there is none."""
    probes = [Probe.model_validate(document) for document in _documents(folder / "tenancy")]
    if not probes:
        raise ValueError(f"no tenancy probe in {folder}")
    return probes


def _documents(folder: Path) -> Iterator[Any]:
    for path in sorted(folder.glob("*.yaml")):
        yield from yaml.safe_load_all(path.read_text("utf-8").replace(YEAR, str(datetime.now(UTC).year)))
