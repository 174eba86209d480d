"""Everything that has to exist beside a tool's module, checked for every tool."""

import ast
import importlib
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from mcp.shared.uri_template import UriTemplate

from local.environment import GOLDEN
from local.files import ROOT
from local.manifest.__main__ import GENERATED, generated
from local.manifest.tools import Declared, declared
from operations.golden.cases import load
from proxy.manifest import load_manifest
from quarry.paging.pages import Paged
from tests.integration.quarry.test_paging import CALLS

TOOLS = declared()
ASKED = {case.tool for case in load(GOLDEN)}


def name_of(item: Declared) -> str:
    return item.tool.name


EVERY_TOOL = pytest.mark.parametrize("item", TOOLS, ids=name_of)
ONBOARDING = "onboarding"
"""The toolset that reads files as ingest does, with its readers and its database role."""
OTHER_ROLES = {
    "migrate": "quarry_owner",
    "maintain_search": "quarry_owner",
    "api_keys": "quarry_keys",
    "publish_templates": "quarry_read",
    "golden_canary": "quarry_read",
    **dict.fromkeys(("expire_approvals", "verify_api_key", "verify_audit"), "quarry_write"),
}
OPERATIONS = sorted(
    path.stem
    for path in (ROOT / "functions/operations").glob("*.py")
    if "handler = operate(" in path.read_text("utf-8")
)

DEPLOYABLES = [("proxy",), ("functions", "layers/quarry/quarry")]
"""What stands beside each other in one artefact: all functions ship as one folder, with the layer."""


class CloudFormation(yaml.SafeLoader):
    """Reads !Ref, !Sub and the like as their plain value."""


def _value(loader: CloudFormation, _: str, node: yaml.Node) -> object:
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    assert isinstance(node, yaml.ScalarNode)
    return loader.construct_scalar(node)


CloudFormation.add_multi_constructor("!", _value)


@cache
def template() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.load((ROOT / "template.yaml").read_text("utf-8"), CloudFormation)  # noqa: S506
    return loaded


def function_of(handler: str) -> dict[str, Any]:
    """Properties of the one function with that handler, Globals filled in."""
    loaded = template()
    shared = loaded["Globals"]["Function"]
    blocks = [
        block["Properties"]
        for block in loaded["Resources"].values()
        if block["Type"] == "AWS::Serverless::Function" and block["Properties"]["Handler"] == handler
    ]
    assert len(blocks) == 1, f"template.yaml needs one function with Handler {handler}, it has {len(blocks)}."
    variables = {
        **shared["Environment"]["Variables"],
        **blocks[0].get("Environment", {}).get("Variables", {}),
    }
    return {**shared, **blocks[0], "Environment": {"Variables": variables}}


@EVERY_TOOL
def test_its_function_has_its_name_alias_and_role(item: Declared) -> None:
    function = function_of(f"{item.module}.handler")
    assert function["FunctionName"] == f"${{AWS::StackName}}-{item.tool.name}"
    assert function["AutoPublishAlias"] == "live"
    role = function["Environment"]["Variables"]["DB_USER"]
    own = "quarry_read" if item.tool.read_only else "quarry_write"
    assert role == ("quarry_ingest" if item.tool.toolset == ONBOARDING else own)


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_has_its_function(name: str) -> None:
    function = function_of(f"operations.{name}.handler")
    assert function["FunctionName"] == f"${{AWS::StackName}}-{name}"
    role = function["Environment"]["Variables"]["DB_USER"]
    assert role == OTHER_ROLES.get(name, "quarry_ingest")


def test_every_handler_of_the_template_can_be_imported() -> None:
    blocks = [
        block
        for block in template()["Resources"].values()
        # The front, which ignores the functions' Globals, has tests of its own.
        if block["Type"] == "AWS::Serverless::Function" and "IgnoreGlobals" not in block
    ]
    handlers = [block["Properties"]["Handler"] for block in blocks]
    assert len(handlers) >= len(TOOLS) + len(OPERATIONS)
    for handler in handlers:
        module, _, name = handler.rpartition(".")
        assert callable(getattr(importlib.import_module(module), name))


@EVERY_TOOL
def test_it_has_a_mirrored_test(item: Declared) -> None:
    mirrors = [
        path
        for folder in ("unit", "integration")
        for path in (ROOT / "tests" / folder).rglob(f"test_{item.tool.name}.py")
    ]
    wanted = f"tests/integration/{item.tool.toolset}/test_{item.tool.name}.py"
    assert [path.parent.name for path in mirrors] == [item.tool.toolset], f"Add {wanted} (or the same under unit)."


@EVERY_TOOL
def test_the_committed_manifest_has_it(item: Declared) -> None:
    manifest = json.loads((ROOT / "proxy/manifest.json").read_text("utf-8"))
    assert item.tool.name in [tool["name"] for tool in manifest["tools"]], "Run `make manifest`."


def test_the_parts_of_the_manifest_agree() -> None:
    """The proxy believes it: a name it refuses or takes for another one would be found out by a client."""
    served = load_manifest(ROOT / "proxy/manifest.json")
    tools = {tool.name for tool in served.tools}
    assert not served.toolsets.keys() & served.profiles.keys()
    assert "readonly" not in {*served.toolsets, *served.profiles}  # which ends an address
    for profile in served.profiles.values():
        assert set(profile.tools) <= tools
    for entries, names in (
        (served.tools, tools),
        (served.resources, {entry.uri for entry in served.resources}),
        (served.resource_templates, {entry.uri_template for entry in served.resource_templates}),
        (served.prompts, {entry.name for entry in served.prompts}),
    ):
        assert len(entries) == len(names)
        assert {entry.toolset for entry in entries} <= served.toolsets.keys()
    for entry in (*served.resources, *served.resource_templates, *served.prompts):
        assert (entry.key is None) != (entry.function is None)
    for template in served.resource_templates:
        assert set(UriTemplate.parse(template.uri_template).variable_names) == template.variables.keys()
        assert template.function or all(template.variables.values())


@EVERY_TOOL
def test_it_has_a_golden_case(item: Declared) -> None:
    file = f"tests/golden/{item.tool.toolset}.yaml"
    assert item.tool.name in ASKED, (
        f"Add a case of {item.tool.name} to {file}: a call, and what its answer must hold."
    )


@pytest.mark.parametrize("item", [item for item in TOOLS if issubclass(item.result, Paged)], ids=name_of)
def test_what_comes_in_pages_is_read_page_by_page(item: Declared) -> None:
    wanted = f'("{item.module}", arguments that find more than two, "the list", "its long text" or None)'
    assert item.module in {call[0] for call in CALLS}, (
        f"Add to CALLS in tests/integration/quarry/test_paging.py: {wanted}."
    )


@pytest.fixture(scope="module")
def said() -> dict[Path, str]:
    return generated()


@pytest.mark.parametrize("path", GENERATED, ids=lambda path: path.name)
def test_a_generated_file_is_what_the_code_says(path: Path, said: dict[Path, str]) -> None:
    assert path.read_text("utf-8") == said[path], f"{path.name} has drifted: run `make manifest`."


def test_migrations_are_numbered_without_gaps() -> None:
    names = sorted(path.name for path in (ROOT / "migrations").iterdir() if path.name != "schema.sql")
    assert all(re.fullmatch(r"\d{4}_[a-z0-9_]+\.sql", name) for name in names)
    assert [int(name[:4]) for name in names] == list(range(1, len(names) + 1))


@EVERY_TOOL
def test_its_toolset_imports_no_other(item: Declared) -> None:
    others = {tool.tool.toolset for tool in TOOLS} - {item.tool.toolset}
    others |= {"local", "proxy"} | ({"operations"} if item.tool.toolset != ONBOARDING else set())
    for path in (ROOT / "functions" / item.tool.toolset).glob("*.py"):
        imported = set(re.findall(r"^\s*(?:from|import) (\w+)", path.read_text("utf-8"), re.MULTILINE))
        assert not imported & others, path.name


@cache
def classes(path: Path) -> list[str]:
    return [node.name for node in ast.parse(path.read_text("utf-8")).body if isinstance(node, ast.ClassDef)]


@pytest.mark.parametrize("folders", DEPLOYABLES, ids=lambda folders: folders[0])
def test_a_deployable_has_no_two_classes_of_one_name(folders: tuple[str, ...]) -> None:
    places: dict[str, list[str]] = {}
    for path in (found for folder in folders for found in sorted((ROOT / folder).rglob("*.py"))):
        for name in classes(path):
            places.setdefault(name, []).append(str(path.relative_to(ROOT)))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}
