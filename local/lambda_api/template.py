"""Functions as template.yaml declares them, Globals merged the way SAM merges them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from local.lambda_api.intrinsics import NO_VALUE, Resolver, StackValues, UnresolvableError, as_text, read_template

_READ = (
    "Handler", "Runtime", "CodeUri", "Timeout", "MemorySize", "ReservedConcurrentExecutions", "AutoPublishAlias",
    "EventInvokeConfig",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class FunctionSpec:
    """One function: what its execution environments need to know."""

    logical_id: str
    name: str
    handler: str
    runtime: str
    task_root: Path
    layers: tuple[Path, ...]
    timeout: int
    memory_mb: int
    variables: Mapping[str, str]
    unresolved: Mapping[str, str]
    reserved_concurrency: int | None
    alias: str | None
    event_retries: int
    built: bool

    def version(self, qualifier: str | None) -> str | None:
        """The version that `qualifier` means, None when the function has no such version or alias."""
        if qualifier in (None, "$LATEST"):
            return "$LATEST"
        return "1" if self.alias is not None and qualifier in (self.alias, "1") else None


def read_functions(path: Path, *, stack: StackValues, built: bool) -> dict[str, FunctionSpec]:
    """The functions of a template by name; paths in it are relative to it. `built`: it is sam build's output.

    Raises ValueError for one that cannot be served here.
    """
    template = read_template(path)
    resolver = Resolver(template, stack)
    shared = template.get("Globals", {}).get("Function", {})
    specs: dict[str, FunctionSpec] = {}
    for logical_id, resource in _resources(resolver, "AWS::Serverless::Function"):
        merged = merge_globals(heard_globals(resource, shared), resource.get("Properties", {}))
        try:
            spec = _function(logical_id, merged, resolver, root=path.parent, built=built)
        except (UnresolvableError, KeyError) as error:
            raise ValueError(f"{logical_id} of {path} cannot be served: {error}.") from error
        specs[spec.name] = spec
    return specs


def heard_globals(resource: Mapping[str, Any], shared: Mapping[str, Any]) -> dict[str, Any]:
    """The entries of Globals that a resource's IgnoreGlobals leaves."""
    ignored = resource.get("IgnoreGlobals", [])
    return {} if ignored == "*" else {name: value for name, value in shared.items() if name not in ignored}


def merge_globals(shared: Any, own: Any) -> Any:
    """SAM's rule: maps are merged, lists are joined with the global part first, scalars are replaced."""
    if isinstance(shared, dict) and isinstance(own, dict) and not (_is_intrinsic(shared) or _is_intrinsic(own)):
        return {key: merge_globals(shared.get(key), own.get(key)) for key in {**shared, **own}}
    if isinstance(shared, list) and isinstance(own, list):
        return shared + own
    return shared if own is None else own


def _is_intrinsic(node: dict[str, Any]) -> bool:
    return len(node) == 1 and next(iter(node)).startswith(("Fn::", "Ref"))


def _resources(resolver: Resolver, kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for logical_id, resource in resolver.template["Resources"].items():
        if isinstance(resource, dict) and resource.get("Type") == kind:
            condition = resource.get("Condition")
            if condition is None or resolver.condition(condition):
                yield logical_id, resource


def _function(
    logical_id: str, nodes: Mapping[str, Any], resolver: Resolver, *, root: Path, built: bool
) -> FunctionSpec:
    given = {name: resolver.value(node) for name, node in nodes.items() if name in _READ}
    variables, unresolved = _variables(nodes, resolver)
    reserved = given.get("ReservedConcurrentExecutions", NO_VALUE)
    return FunctionSpec(
        logical_id=logical_id,
        name=str(resolver.value({"Ref": logical_id})),
        handler=str(given["Handler"]),
        runtime=str(given["Runtime"]),
        task_root=(root / str(given.get("CodeUri", "."))).resolve(),
        layers=tuple(_layers(nodes, resolver, root=root, built=built)),
        timeout=int(given.get("Timeout", 3)),
        memory_mb=int(given.get("MemorySize", 128)),
        variables=variables,
        unresolved=unresolved,
        reserved_concurrency=None if reserved is NO_VALUE else int(reserved),
        alias=given.get("AutoPublishAlias"),
        event_retries=int(given.get("EventInvokeConfig", {}).get("MaximumRetryAttempts", 2)),
        built=built,
    )


def _variables(nodes: Mapping[str, Any], resolver: Resolver) -> tuple[dict[str, str], dict[str, str]]:
    variables: dict[str, str] = {}
    unresolved: dict[str, str] = {}
    for name, node in nodes.get("Environment", {}).get("Variables", {}).items():
        try:
            value = resolver.value(node)
        except UnresolvableError as error:
            unresolved[name] = str(error)
        else:
            if value is not NO_VALUE:
                variables[name] = as_text(value)
    return variables, unresolved


def _layers(functions: Mapping[str, Any], resolver: Resolver, *, root: Path, built: bool) -> Iterator[Path]:
    """Folders for PYTHONPATH, in the order of the template's list."""
    declared = dict(_resources(resolver, "AWS::Serverless::LayerVersion"))
    nodes = _chosen(functions.get("Layers", []), resolver)
    for node in nodes if isinstance(nodes, list) else [nodes]:
        chosen = _chosen(node, resolver)
        reference = chosen.get("Ref") if isinstance(chosen, dict) else None
        if reference not in declared:
            continue  # an ARN: its content is in another account's bucket
        content = resolver.value(declared[reference]["Properties"]["ContentUri"])
        folder = (root / str(content)).resolve()
        if (folder / "python").is_dir():
            yield folder / "python"
        elif not built and _holds_modules(folder):
            yield folder


def _chosen(node: Any, resolver: Resolver) -> Any:
    """The branch an `If` takes, itself unresolved: a layer's `Ref` has no value outside a deployment."""
    while isinstance(node, dict) and "Fn::If" in node:
        condition, positive, negative = node["Fn::If"]
        node = positive if resolver.condition(condition) else negative
    return node


def _holds_modules(folder: Path) -> bool:
    return any(folder.glob("*.py")) or any(folder.glob("*/__init__.py"))
