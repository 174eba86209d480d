"""How much a function ships: its own code and its layers, unzipped, as Lambda counts them against its limit."""

import re
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from local.lambda_api.cloudformation import read_template
from local.lambda_api.template import FunctionSpec, heard_globals, merge_globals

_PINNED = re.compile(r"^([A-Za-z0-9._-]+)==", re.MULTILINE)


def shipped_bytes(spec: FunctionSpec, *, template: Path) -> int:
    """Of source, what a layer or the front pins counts as it is installed here; no source has it."""
    layers = [template.parent / uri for uri in _layer_uris(template, spec.logical_id)]
    folders = (spec.task_root, *layers)
    own = sum(_tree_bytes(folder, bytecode=spec.built) for folder in folders)
    return own if spec.built else own + sum(_pinned_bytes(folder / "requirements.txt") for folder in folders)


def _layer_uris(template: Path, function: str) -> list[str]:
    document = read_template(template)
    resources = document["Resources"]
    resource = resources[function]
    merged = merge_globals(heard_globals(resource, document["Globals"]["Function"]), resource["Properties"])
    return [str(resources[layer["Ref"]]["Properties"]["ContentUri"]) for layer in merged.get("Layers", ())]


def installed_bytes(packages: Iterable[str]) -> int:
    """What is installed of them; one that is for another platform counts nothing."""
    return sum(map(_package_bytes, packages))


@cache
def _tree_bytes(folder: Path, *, bytecode: bool) -> int:
    files = (file for file in folder.rglob("*") if file.is_file())
    return sum(file.stat().st_size for file in files if bytecode or "__pycache__" not in file.parts)


@cache
def _pinned_bytes(requirements: Path) -> int:
    return installed_bytes(_PINNED.findall(requirements.read_text())) if requirements.exists() else 0


@cache
def _package_bytes(package: str) -> int:
    try:
        files = distribution(package).files or []
    except PackageNotFoundError:
        return 0
    found = (Path(str(file.locate())) for file in files if "__pycache__" not in file.parts)
    return sum(file.stat().st_size for file in found if file.exists())
