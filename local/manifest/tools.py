"""Finds the tools: every module of a toolset package that has a TOOL."""

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from quarry.tool.contract import Args, Result, Tool, Toolset

PROFILES = {
    "sales": {
        "title": "Drafting quotes",
        "description": "What turns a customer's mail into a letter and a quote, and no more.",
        "tools": [
            "list_attributes", "find_for_request", "account_search", "search_equipment", "get_specs",
            "search_line_items", "get_quote", "catalog_search", "quote_create", "quote_price", "approval_request",
            "quote_get", "quote_pdf", "draft_compose", "draft_get", "draft_list",
        ],
    },
}  # fmt: skip
"""Tools that an address serves by themselves: /mcp/sales."""

FUNCTIONS = Path(__file__).resolve().parents[2] / "functions"


@dataclass(frozen=True, slots=True)
class Declared:
    """A tool with its models and the module that holds its handler."""

    tool: Tool
    arguments: type[Args]
    result: type[Result]
    module: str


def toolsets() -> dict[str, Toolset]:
    """The cards of all toolsets by name, in the order of their names."""
    return {package.__name__: package.TOOLSET for package in _packages()}


def declared() -> list[Declared]:
    """All tools, sorted by name. Raises ValueError where a module does not keep to the contract."""
    found = []
    for package in _packages():
        for info in pkgutil.iter_modules(package.__path__):
            module = importlib.import_module(f"{package.__name__}.{info.name}")
            if isinstance(getattr(module, "TOOL", None), Tool):
                found.append(_declared(module, toolset=package.__name__))
    return sorted(found, key=lambda item: item.tool.name)


def _packages() -> Iterator[ModuleType]:
    for path in sorted(FUNCTIONS.iterdir()):
        if (path / "__init__.py").exists():
            package = importlib.import_module(path.name)
            if isinstance(getattr(package, "TOOLSET", None), Toolset):
                yield package


def _declared(module: ModuleType, *, toolset: str) -> Declared:
    tool: Tool = module.TOOL
    if module.__name__ != f"{toolset}.{tool.name}" or tool.toolset != toolset:
        raise ValueError(f"Tool {tool.name} of {tool.toolset} has to live in {tool.toolset}/{tool.name}.py.")
    return Declared(tool, _only(module, Args), _only(module, Result), module.__name__)


def _only[T](module: ModuleType, base: type[T]) -> type[T]:
    own = [
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, base)
        and value.__module__ == module.__name__
        and value.__name__.endswith(base.__name__)  # an item of a list takes arguments too
    ]
    if len(own) != 1:
        raise ValueError(f"{module.__name__} needs exactly one {base.__name__} class, it has {len(own)}.")
    return own[0]
