"""`make sam-env`: writes env.json, with which `sam local invoke` calls functions on the running local stack."""

import platform
from collections.abc import Mapping
from pathlib import Path

from local.failure import run_command
from local.files import ROOT, write_json
from local.lambda_api.intrinsics import StackValues
from local.lambda_api.process import Overrides, read_overrides
from local.lambda_api.template import FunctionSpec, read_functions
from local.ports import HOST
from local.settings import read_settings
from local.stack import require

FILE = ROOT / "env.json"
FROM_A_CONTAINER = "host.docker.internal"
"""This machine's loopback, as Docker Desktop shows it to a container."""


def environments(
    specs: Mapping[str, FunctionSpec], overrides: Overrides, *, host: str
) -> dict[str, dict[str, str | None]]:
    """By logical id, as SAM wants it; what a function does not declare is left out, as SAM would drop it silently."""
    return {
        spec.logical_id: {
            name: value and value.replace(HOST, host)
            for name, value in overrides.for_function(spec).items()
            if name in spec.variables or name in spec.unresolved
        }
        for spec in specs.values()
    }


def main() -> None:
    # On Linux a container that shares the machine's network has the same loopback: nothing has to listen elsewhere.
    host = HOST if platform.system() == "Linux" else FROM_A_CONTAINER
    stack = require(read_settings().data_dir)
    specs = read_functions(ROOT / "template.yaml", stack=StackValues(), built=False)
    overrides = read_overrides(Path(stack.data_dir) / "functions-env.json")
    write_json(FILE, environments(specs, overrides, host=host))
    network = " --docker-network host" if host == HOST else ""
    example = "SearchEquipment --event events/search_equipment.json"
    print(f"{FILE.name} is written. After `make build`: sam local invoke {example} --env-vars {FILE.name}{network}")


if __name__ == "__main__":
    run_command(main)
