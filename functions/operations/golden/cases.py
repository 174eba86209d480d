"""The golden cases, each a call with what its answer must hold, and the check of an answer against them."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

YEAR = "<year>"
"""Stands for a year in a case: sample quotes are numbered in the year in which they were loaded."""


AnswerPath = Annotated[str, Field(pattern=r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*|\[(\*|:\d+|\d+)\])*$")]
Values = Annotated[list[Any], Field(min_length=1)]


class _Written(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class AnswerCheck(_Written):
    """Demands on what ``at`` reaches: a dotted path, on which ``[*]`` fans out over a list, ``[:5]`` over its start.

    A check that could not fail is refused, because it would look like proof.
    """

    at: AnswerPath
    has: Values | None = Field(default=None, description="Each of these is among the values.")
    lacks: Values | None = Field(default=None, description="None of these is among the values, and there is a value.")
    only: Values | None = Field(default=None, description="Every value is one of these, and there is a value.")
    equals: Any = Field(
        default=None, description="The value, or the list of values, is exactly this; null is a value."
    )
    at_least: float | None = Field(default=None, description="Every value is a number not below this.")
    contains: str | None = Field(default=None, min_length=1, description="Some value is text with this in it.")
    count: int | None = Field(
        default=None, ge=0, description="So many values; where 0 are wanted, the list is there."
    )
    filled: Literal[True] | None = Field(default=None, description="No value is null or empty, and there is a value.")

    @model_validator(mode="after")
    def _can_fail(self) -> Self:
        demands = self.model_fields_set - {"at"}
        if not demands:
            raise ValueError(f"nothing is demanded of {self.at}: add one of {', '.join(DEMANDS)}")
        if empty := [name for name in demands - {"equals"} if getattr(self, name) is None]:
            raise ValueError(f"{empty[0]}: null demands nothing of {self.at}; only equals may be null")
        if self.count == 0 and not self.at.endswith("[*]"):
            raise ValueError(f"count: 0 holds of any path that leads nowhere; write {self.at}[*] for an empty list")
        return self


DEMANDS = [name for name in AnswerCheck.model_fields if name != "at"]


class Case(_Written):
    """``error`` is the code an expected failure starts with."""

    name: str
    why: str
    toolset: str
    tool: str
    arguments: dict[str, Any]
    checks: list[AnswerCheck] = []
    error: str | None = Field(default=None, min_length=1)

    @model_validator(mode="after")
    def _demands_something(self) -> Self:
        if not self.checks and self.error is None:
            raise ValueError("nothing is demanded of the answer: add checks, or the error that is expected")
        return self


class Probe(_Written):
    """A call whose answer has rows of its owner at ``at``; no other tenant's answer may have any there."""

    name: str
    tool: str
    arguments: dict[str, Any]
    at: AnswerPath


def load(folder: Path, *, year: str | None = None) -> list[Case]:
    """Returns all cases, file by file, with <year> replaced by ``year`` or the current year.

    Raises ValueError when a check cannot fail, when two cases have one name, or when there is none.
    """
    cases = list(_read(Case, folder, year=year))
    names = [case.name for case in cases]
    if not cases or len(set(names)) != len(names):
        raise ValueError(f"golden cases in {folder} need distinct names: {sorted(names)}")
    return cases


def load_probes(folder: Path) -> list[Probe]:
    """Raises ValueError if the folder has no probe."""
    probes = list(_read(Probe, folder / "tenancy"))
    if not probes:
        raise ValueError(f"no tenancy probe in {folder}")
    return probes


def _read[T: BaseModel](kind: type[T], folder: Path, *, year: str | None = None) -> Iterator[T]:
    for path in sorted(folder.glob("*.yaml")):
        text = path.read_text("utf-8").replace(YEAR, year or str(datetime.now(UTC).year))
        for document in yaml.safe_load_all(text):
            try:
                yield kind.model_validate(document)
            except ValidationError as error:
                named = document.get("name") if isinstance(document, dict) else document
                raise ValueError(f"{path.name}, case {named!r}: {error}") from error


STEP = re.compile(r"([A-Za-z_]\w*)|\[(\*|:\d+|\d+)\]")


def faults(case: Case, *, structured: Any, text: str, is_error: bool) -> list[str]:
    """What is wrong with an answer, in a sentence each; empty when it is as the case demands."""
    if case.error is not None:
        if not (is_error and text.startswith(case.error)):
            return [f"expected the error {case.error}, got {'error' if is_error else 'a result'}: {text[:200]}"]
        structured = {"text": text}
    elif is_error:
        return [f"failed: {text[:300]}"]
    return [fault for check in case.checks for fault in _faults(check, structured)]


def values_at(document: Any, path: str) -> list[Any]:
    """The values a path reaches; a path that leads nowhere reaches none."""
    steps = [match.group(1) or match.group(2) for match in STEP.finditer(path)]
    values = [document]
    for step in steps:
        values = [inner for value in values for inner in _down(value, step)]
    return values


def _down(value: Any, step: str) -> list[Any]:
    if step == "*":
        return list(value) if isinstance(value, list) else []
    if step.startswith(":"):
        return value[: int(step[1:])] if isinstance(value, list) else []
    if step.isdigit():
        return value[int(step) : int(step) + 1] if isinstance(value, list) else []
    return [value[step]] if isinstance(value, dict) and step in value else []


def _faults(check: AnswerCheck, document: Any) -> Iterator[str]:
    values = values_at(document, check.at)
    shown, alone = repr(values)[:200], values[0] if len(values) == 1 else values
    if check.has is not None and (missing := [wanted for wanted in check.has if wanted not in values]):
        yield f"{check.at} lacks {missing}, it has {shown}"
    if check.lacks is not None and not values:
        yield f"{check.at} leads nowhere, so that it lacks {check.lacks} proves nothing"
    if check.lacks is not None and (unwanted := [value for value in check.lacks if value in values]):
        yield f"{check.at} has {unwanted}"
    if check.only is not None and (not values or any(value not in check.only for value in values)):
        yield f"{check.at} may only hold {check.only}, it has {shown}"
    if "equals" in check.model_fields_set and not values:
        yield f"{check.at} leads nowhere, and is not {check.equals!r}"
    elif "equals" in check.model_fields_set and check.equals not in (values, alone):
        yield f"{check.at} is {shown}, not {check.equals!r}"
    if check.at_least is not None and (
        not values or any(not isinstance(value, int | float) or value < check.at_least for value in values)
    ):
        yield f"{check.at} is below {check.at_least:g}: {shown}"
    if check.contains is not None and not any(check.contains in str(value) for value in values):
        yield f"{check.at} does not contain {check.contains!r}: {shown}"
    if check.count is not None and len(values) != check.count:
        yield f"{check.at} has {len(values)} values, not {check.count}"
    if check.count == 0 and not any(isinstance(held, list) for held in values_at(document, check.at[: -len("[*]")])):
        yield f"{check.at} leads nowhere, so that it has no values proves nothing"
    if check.filled and (not values or any(value in (None, "", []) for value in values)):
        yield f"{check.at} is not filled: {shown}"
