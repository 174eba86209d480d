"""The variables a function's process gets: AWS's own, the template's, and the overrides of --env-file."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from local.lambda_api.intrinsics import as_text
from local.lambda_api.template import FunctionSpec

REPOSITORY = Path(__file__).resolve().parents[2]

# A function must not see what the developer's shell holds: on AWS it would not be there, and it may be secret.
_INHERITED = ("PATH", "HOME")


@dataclass(frozen=True, slots=True)
class Overrides:
    """An --env-file: values for all functions, and for single ones by logical id or name. None removes."""

    shared: Mapping[str, str | None] = field(default_factory=dict)
    single: Mapping[str, Mapping[str, str | None]] = field(default_factory=dict)

    def for_function(self, spec: FunctionSpec) -> dict[str, str | None]:
        return {**self.shared, **self.single.get(spec.logical_id, {}), **self.single.get(spec.name, {})}


def read_overrides(path: Path) -> Overrides:
    """Takes `{"NAME": value}` for all, and the form of `sam local --env-vars` with one object per function."""
    document = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(document, dict):
        raise ValueError(f"{path} must hold one JSON object.")
    groups = {name: _texts(value) for name, value in document.items() if isinstance(value, dict)}
    flat = _texts({name: value for name, value in document.items() if not isinstance(value, dict)})
    return Overrides(shared={**flat, **groups.pop("Parameters", {})}, single=groups)


def _texts(values: dict[str, Any]) -> dict[str, str | None]:
    return {name: None if value is None else as_text(value) for name, value in values.items()}


def function_variables(spec: FunctionSpec, overrides: Overrides) -> dict[str, str]:
    """The template's variables with the overrides applied."""
    merged = {**spec.variables, **overrides.for_function(spec)}
    return {name: value for name, value in merged.items() if value is not None}


def process_environment(
    spec: FunctionSpec, *, variables: Mapping[str, str], region: str, runtime_api: str
) -> dict[str, str]:
    """All of a process's environment; `runtime_api` is host:port, as the RIC's C++ client wants it."""
    # Lambda unpacks layers over each other, so a later layer wins.
    path = [str(spec.task_root), *map(str, reversed(spec.layers)), str(REPOSITORY)]
    return {
        **{name: os.environ[name] for name in _INHERITED if name in os.environ},
        "LANG": os.environ.get("LANG", "C.UTF-8"),
        "TZ": ":UTC",
        "AWS_REGION": region,
        "AWS_DEFAULT_REGION": region,
        **variables,
        "AWS_LAMBDA_FUNCTION_NAME": spec.name,
        # Environments serve the alias and $LATEST alike, as both are the same code here.
        "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST" if spec.alias is None else "1",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(spec.memory_mb),
        "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
        "AWS_LAMBDA_LOG_GROUP_NAME": f"/aws/lambda/{spec.name}",
        "AWS_LAMBDA_LOG_STREAM_NAME": f"local/{runtime_api.rpartition(':')[2]}",
        "AWS_LAMBDA_RUNTIME_API": runtime_api,
        "AWS_EXECUTION_ENV": f"AWS_Lambda_{spec.runtime}",
        "LAMBDA_TASK_ROOT": str(spec.task_root),
        "LAMBDA_RUNTIME_DIR": _runtime_folder(),
        "_HANDLER": spec.handler,
        # The repository comes last, for `local` alone; the child takes it off again before any handler runs.
        "PYTHONPATH": os.pathsep.join(path),
        "PYTHONUNBUFFERED": "1",
        "PYTHONNOUSERSITE": "1",
    }


def _runtime_folder() -> str:
    spec = find_spec("awslambdaric")
    if spec is None or spec.origin is None:
        raise RuntimeError("awslambdaric is not installed: `pip install awslambdaric`.")
    return str(Path(spec.origin).parent.parent)
