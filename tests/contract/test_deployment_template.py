"""template.yaml against what is packaged: `sam build` notices none of this, a deployed function does."""

import ast
import re
import sys
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest

from local.files import ROOT
from local.lambda_api.intrinsics import StackValues, read_template
from local.lambda_api.template import read_functions

TEMPLATE = read_template(ROOT / "template.yaml")
OURS = {"quarry", *(path.name for path in (ROOT / "functions").iterdir())}
# Part of AWS's Python runtime.
PROVIDED = {"boto3", "botocore", "snapshot_restore_py"}


def layers() -> dict[str, dict[str, Any]]:
    return {
        name: resource
        for name, resource in TEMPLATE["Resources"].items()
        if resource["Type"] == "AWS::Serverless::LayerVersion"
    }


def imported(folder: Path) -> Iterator[tuple[Path, str]]:
    """Top-level packages that the modules of a folder import, wherever in the module."""
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                yield from ((path, alias.name.split(".")[0]) for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                yield path, node.module.split(".")[0]


def pinned(layer: str) -> dict[str, str]:
    """Versions by package."""
    text = (ROOT / "layers" / layer / "requirements.txt").read_text("utf-8")
    return dict(re.findall(r"^([a-z0-9-]+)(?:\[[a-z,]+\])?==([^ ]+)", text, re.MULTILINE))


def own_layer(path: Path) -> set[str]:
    """Packages that a module's functions have besides the shared ones."""
    folders = {"assistant": "assistant", "golden": "assistant", "documents": "typeset", "drafts": "typeset"}
    folders |= dict.fromkeys(("operations", "tables", "exchange", "onboarding"), "ingestion")
    folder = "golden" if path.stem == "golden_canary" else path.parent.name
    return set(pinned(folders[folder])) if folder in folders else set()


def test_every_package_the_functions_import_is_in_a_layer_they_have() -> None:
    distributions = packages_distributions()
    shared = pinned("dependencies").keys()
    missing = {
        f"{path.relative_to(ROOT)} imports {package}"
        for folder in ("functions", "layers/quarry")
        for path, package in imported(ROOT / folder)
        if package not in OURS | PROVIDED | sys.stdlib_module_names
        if not (shared | own_layer(path))
        & {name.lower().replace("_", "-") for name in distributions.get(package, ())}
    }
    assert missing == set()


@pytest.mark.parametrize(
    ("layer", "handlers"),
    [
        ("assistant", ["assistant.ask.handler", "operations.golden_canary.handler"]),
        ("typeset", ["cpq.quote_pdf.handler", "cpq.draft_get.handler"]),
        (
            "ingestion",
            [
                *(
                    f"onboarding.{name}.handler"
                    for name in ("file_open", "load_check", "load", "loads", "load_undo", "trade_check")
                ),
                "operations.ingest.handler",
            ],
        ),
    ],
)
def test_only_who_needs_it_has_a_further_layer_whose_versions_are_those_of_the_dependencies(
    layer: str, handlers: list[str]
) -> None:
    reference = {"Ref": f"{layer.title()}Layer"}
    properties = [resource.get("Properties", {}) for resource in TEMPLATE["Resources"].values()]
    assert [each["Handler"] for each in properties if reference in each.get("Layers", [])] == handlers
    shared = pinned("dependencies")
    both = {name: version for name, version in pinned(layer).items() if name in shared}
    assert both == {name: shared[name] for name in both}


def test_every_function_packages_the_source_and_the_two_layers() -> None:
    specs = read_functions(ROOT / "template.yaml", stack=StackValues(), built=False)
    for spec in specs.values():
        imported_from = ROOT / "functions"
        if spec.handler.startswith("proxy."):
            # Its Makefile packages the folder as such.
            assert (spec.task_root, spec.layers) == (ROOT / "proxy", ())
            imported_from = ROOT
        else:
            assert spec.task_root == imported_from
            assert ROOT / "layers/quarry" in spec.layers
        assert (imported_from / spec.handler.rpartition(".")[0].replace(".", "/")).with_suffix(".py").is_file()
    assert TEMPLATE["Globals"]["Function"]["Layers"] == [{"Ref": "DependenciesLayer"}, {"Ref": "QuarryLayer"}]


def test_layers_are_built_for_the_runtime_and_the_architecture_of_the_functions() -> None:
    shared = TEMPLATE["Globals"]["Function"]
    built = {name: layer for name, layer in layers().items() if "Metadata" in layer}
    assert built.keys() == {"DependenciesLayer", "QuarryLayer", "AssistantLayer", "IngestionLayer", "TypesetLayer"}
    for layer in built.values():
        assert layer["Metadata"]["BuildMethod"] == shared["Runtime"]
        assert layer["Properties"]["CompatibleRuntimes"] == [shared["Runtime"]]
    for name in ("DependenciesLayer", "AssistantLayer", "IngestionLayer", "TypesetLayer"):
        assert built[name]["Properties"]["CompatibleArchitectures"] == shared["Architectures"]
        assert [built[name]["Metadata"]["BuildArchitecture"]] == shared["Architectures"]


def test_a_layer_of_files_holds_nothing_but_them() -> None:
    for name, suffixes in (
        ("MigrationsLayer", {".sql"}),
        ("TemplatesLayer", {".md", ".typ", ".toml", ".svg"}),
        ("GoldenLayer", {".yaml"}),
    ):
        folder = ROOT / layers()[name]["Properties"]["ContentUri"]
        assert {path.suffix for path in folder.rglob("*") if path.is_file()} == suffixes
