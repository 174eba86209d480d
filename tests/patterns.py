"""Every regular expression of what is deployed, found by itself, and the texts that make a careless one slow."""

import ast
import builtins
import importlib
import pkgutil
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import proxy
import quarry
from local.files import ROOT

METHODS = ("search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split")
type Patterns = dict[tuple[str | bytes, int], "Found"]


@dataclass
class Found:
    """A pattern, where it stands and by which methods it is used."""

    pattern: re.Pattern[Any]
    place: str
    methods: set[str] = field(default_factory=set)


class _Word(str):
    """Stands for what only a call of the function would know."""

    __slots__ = ()

    def __call__(self, *_: object) -> "_Word":
        return self

    def __bytes__(self) -> bytes:
        return self.encode()


class _Names(dict[str, Any]):
    """The names of a module, and a word for any other."""

    def __missing__(self, name: str) -> Any:
        if hasattr(builtins, name):
            raise KeyError(name)
        return _Word("qx")


def modules() -> Iterator[ModuleType]:
    """All modules of functions, layers and proxy, imported."""
    for package in [*sorted((ROOT / "functions").glob("*/__init__.py"))]:
        yield from _within(importlib.import_module(package.parent.name))
    for each in (quarry, proxy):
        yield from _within(each)


def _within(package: ModuleType) -> Iterator[ModuleType]:
    yield package
    for info in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if not info.name.endswith("__main__"):
            yield importlib.import_module(info.name)


def collected(built_from_data: Mapping[str, re.Pattern[Any]]) -> list[Found]:
    """Patterns that sources write, modules and classes hold, pydantic is given, and those ``built_from_data``, by the
    attribute that holds them.
    """
    found: Patterns = {}
    loaded = list(modules())
    trees = {module.__name__: ast.parse(Path(module.__file__ or "").read_text("utf-8")) for module in loaded}
    uses = _Uses(trees)
    for module in loaded:
        for pattern, place, methods in _written(trees[module.__name__], module, uses):
            _add(found, pattern, f"{module.__name__} {place}", methods)
    for module in loaded:
        for pattern in _held(vars(module)):
            _add(found, pattern, module.__name__, set())
    for name, pattern in built_from_data.items():
        _add(found, pattern, f"built from data: {name}", uses.methods("", name))
    return list(found.values())


def _add(found: Patterns, pattern: re.Pattern[Any], place: str, methods: set[str]) -> None:
    known = found.setdefault((pattern.pattern, pattern.flags), Found(pattern, place))
    known.methods |= methods


def _held(names: Mapping[str, Any]) -> Iterator[re.Pattern[Any]]:
    """Patterns in the attributes of a module and of its classes, and in tuples, lists and dicts there."""
    waiting, seen = list(names.values()), set[int]()
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, re.Pattern):
            yield value
        elif isinstance(value, tuple | list | frozenset | set):
            waiting += value
        elif isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, type) and value.__module__ == names["__name__"]:
            waiting += vars(value).values()


class _Uses:
    """By which methods patterns are used that have a name; one that is handed on may meet any."""

    def __init__(self, trees: Mapping[str, ast.Module]) -> None:
        self._of: dict[tuple[str, str], set[str]] = {}
        for module, tree in trees.items():
            homes = {
                alias.asname or alias.name: each.module or ""
                for each in ast.walk(tree)
                if isinstance(each, ast.ImportFrom)
                for alias in each.names
            }
            for name, methods in _uses(tree):
                home = "" if name.startswith(".") else homes.get(name, module)
                self._of.setdefault((home, name), set()).update(methods)

    def methods(self, module: str, name: str) -> set[str]:
        return self._of.get((module, name), set()) | self._of.get(("", f".{name}"), set())


def _uses(tree: ast.Module) -> Iterator[tuple[str, set[str]]]:
    called = set[int]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in (*METHODS, "pattern", "flags"):
            called.add(id(node.value))
            if node.attr in METHODS and (name := _last(node.value)):
                yield name, {node.attr}
        if isinstance(node, ast.Call) and (method := _of_re(node)) in METHODS and node.args:
            called.add(id(node.args[0]))
            if name := _last(node.args[0]):
                yield name, {str(method)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in called:
            yield node.id, set(METHODS[:4])


def _last(node: ast.AST) -> str | None:
    """A name as it stands, an attribute of something behind a point."""
    return node.id if isinstance(node, ast.Name) else f".{node.attr}" if isinstance(node, ast.Attribute) else None


def _of_re(call: ast.Call) -> str | None:
    of = call.func
    return of.attr if isinstance(of, ast.Attribute) and _last(of.value) == "re" else None


def _written(tree: ast.Module, module: ModuleType, uses: _Uses) -> Iterator[tuple[re.Pattern[Any], str, set[str]]]:
    """Patterns that the source of a module spells: compiled, used in place, or a ``pattern=`` of pydantic."""
    holders = dict(_holders(tree))
    names = _Names(vars(module))
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        place = f"line {node.lineno}"
        for keyword in node.keywords:
            if keyword.arg == "pattern":
                yield re.compile(_value(keyword.value, names)), place, {"search"}
        if (method := _of_re(node)) == "compile":
            flags = _value(node.args[1], names) if len(node.args) > 1 else 0
            holder = holders.get(id(node), "")
            yield (
                re.compile(_value(node.args[0], names), flags),
                f"{holder} ({place})",
                uses.methods(module.__name__, holder),
            )
        elif method in METHODS and isinstance(pattern := _value(node.args[0], names), str | bytes):
            flags = next((_value(each.value, names) for each in node.keywords if each.arg == "flags"), 0)
            if method in METHODS[:5] and len(node.args) > 2:
                flags = _value(node.args[2], names)
            yield re.compile(pattern, flags), place, {str(method)}


def _holders(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """By the identity of an expression the name that it is assigned to."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                yield id(node.value), _last(target) or ""
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    yield from zip(
                        map(id, node.value.elts), (_last(each) or "" for each in target.elts), strict=False
                    )


def _value(node: ast.expr, names: _Names) -> Any:
    return eval(compile(ast.Expression(node), "<pattern>", "eval"), names)  # noqa: S307  # of our own source
