"""Reading CloudFormation YAML: short tags become the long `Fn::…` form, so that one resolver knows one form."""

from pathlib import Path
from typing import Any

import yaml

# libyaml's parser, where the wheel has it: the pure-Python one takes half a second for a large template.
_BaseLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _TemplateLoader(_BaseLoader):  # type: ignore[misc]  # the base is chosen at run time
    pass


def _intrinsic(loader: Any, suffix: str, node: yaml.Node) -> dict[str, object]:
    value: object
    if isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    elif isinstance(node, yaml.MappingNode):
        value = loader.construct_mapping(node, deep=True)
    else:
        value = loader.construct_scalar(node)
    if suffix == "GetAtt" and isinstance(value, str):
        value = value.split(".", 1)
    return {suffix if suffix in ("Ref", "Condition") else f"Fn::{suffix}": value}


_TemplateLoader.add_multi_constructor("!", _intrinsic)


def read_template(path: Path) -> dict[str, Any]:
    """The template as plain data, its intrinsic functions unresolved."""
    with path.open(encoding="utf-8") as file:
        document = yaml.load(file, Loader=_TemplateLoader)  # noqa: S506 - derives from the safe loader
    if not isinstance(document, dict) or "Resources" not in document:
        raise ValueError(f"{path} has no Resources: it is not a CloudFormation template.")
    return document
