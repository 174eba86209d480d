"""Holds an answer against a case and says what is wrong, value by value."""

import re
from typing import Any

from operations.golden.cases import Case, Check

STEP = re.compile(r"([A-Za-z_]\w*)|\[(\*|:\d+|\d+)\]")


def faults(case: Case, *, structured: Any, text: str, is_error: bool) -> list[str]:
    """What is wrong with an answer, in a sentence each; empty when it is as the case demands."""
    if case.error is not None:
        if is_error and text.startswith(case.error) and not case.checks:
            return []
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


def _faults(check: Check, document: Any) -> list[str]:
    values = values_at(document, check.at)
    shown = repr(values)[:200]
    found = []
    if check.has is not None and (missing := [wanted for wanted in check.has if wanted not in values]):
        found.append(f"{check.at} lacks {missing}, it has {shown}")
    if check.lacks is not None and not values:
        found.append(f"{check.at} leads nowhere, so that it lacks {check.lacks} proves nothing")
    if check.lacks is not None and (unwanted := [value for value in check.lacks if value in values]):
        found.append(f"{check.at} has {unwanted}")
    if check.only is not None and (not values or any(value not in check.only for value in values)):
        found.append(f"{check.at} may only hold {check.only}, it has {shown}")
    if "equals" in check.model_fields_set and check.equals not in (values, values[0] if len(values) == 1 else values):
        found.append(f"{check.at} is {shown}, not {check.equals!r}")
    if check.at_least is not None and (
        not values or any(not isinstance(value, int | float) or value < check.at_least for value in values)
    ):
        found.append(f"{check.at} is below {check.at_least:g}: {shown}")
    if check.contains is not None and not any(check.contains in str(value) for value in values):
        found.append(f"{check.at} does not contain {check.contains!r}: {shown}")
    if check.count is not None and len(values) != check.count:
        found.append(f"{check.at} has {len(values)} values, not {check.count}")
    if check.count == 0 and not any(isinstance(held, list) for held in values_at(document, check.at[: -len("[*]")])):
        found.append(f"{check.at} leads nowhere, so that it has no values proves nothing")
    if check.filled and (not values or any(value in (None, "", []) for value in values)):
        found.append(f"{check.at} is not filled: {shown}")
    return found
