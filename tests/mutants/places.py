"""Every place of a YAML or JSON text, and how the text reads without it or with another value there."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import yaml

NAMED_BY = ("Sid", "Id", "Name", "PolicyName", "MetricName", "name", "uri", "id", "uses")
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Place:
    """``path`` is dotted, an item of a list in brackets; ``whole`` is None where nothing would be left beside it.

    ``key`` is empty for an item; spans count characters.
    """

    path: str
    key: str
    value: str
    whole: Span | None
    key_span: Span
    value_span: Span
    scalar: bool


def places(text: str) -> Iterator[Place]:
    """Depth first, each before what it holds."""
    yield from _within(text, yaml.compose(text, Loader=yaml.SafeLoader), "")


def _within(text: str, node: yaml.Node | None, path: str) -> Iterator[Place]:
    if isinstance(node, yaml.MappingNode):
        spans = _spans(text, [(key, value) for key, value in node.value], flow=bool(node.flow_style))
        for (key, value), whole in zip(node.value, spans, strict=True):
            inner = f"{path}.{key.value}".removeprefix(".")
            yield _place(text, inner, key.value, value, whole, (key.start_mark.index, key.end_mark.index))
            yield from _within(text, value, inner)
    elif isinstance(node, yaml.SequenceNode):
        spans = _spans(text, [(value, value) for value in node.value], flow=bool(node.flow_style))
        for number, (value, whole) in enumerate(zip(node.value, spans, strict=True)):
            inner = f"{path}[{_label(value, number)}]"
            yield _place(text, inner, "", value, whole, (0, 0))
            yield from _within(text, value, inner)


def _place(text: str, path: str, key: str, value: yaml.Node, whole: Span | None, key_span: Span) -> Place:
    span = (value.start_mark.index, _end(text, value))
    return Place(path, key, text[span[0] : span[1]], whole, key_span, span, isinstance(value, yaml.ScalarNode))


def _label(node: yaml.Node, number: int) -> str:
    """A name that stays when others are added before it, if the item has one."""
    if isinstance(node, yaml.ScalarNode):
        return str(node.value)[-60:]
    if isinstance(node, yaml.MappingNode):
        held = {key.value: value.value for key, value in node.value if isinstance(value, yaml.ScalarNode)}
        return next((held[name] for name in NAMED_BY if name in held), str(number))
    return str(number)


def _spans(text: str, items: list[tuple[yaml.Node, yaml.Node]], *, flow: bool) -> Iterator[Span | None]:
    """What to cut for each item, given its first and last node, so that the rest is still well formed."""
    for number, (first, last) in enumerate(items):
        following = items[number + 1][0] if number + 1 < len(items) else None
        sequence = first is last
        if len(items) == 1:
            yield None
        elif flow and following is None:
            yield items[number - 1][1].end_mark.index, last.end_mark.index
        elif flow or (following is not None and not sequence):
            assert following is not None
            yield first.start_mark.index, following.start_mark.index
        elif following is not None:
            yield _line(text, first.start_mark.index), _line(text, following.start_mark.index)
        else:
            yield _line(text, first.start_mark.index), _end_of_lines(text, last)


def _line(text: str, index: int) -> int:
    return text.rfind("\n", 0, index) + 1


def _in_lines(node: yaml.Node) -> bool:
    """Whether it ends where the next token begins: a block, not a flow or a plain scalar."""
    if isinstance(node, yaml.ScalarNode):
        return node.style in ("|", ">")
    return isinstance(node, yaml.CollectionNode) and not node.flow_style


def _end(text: str, node: yaml.Node) -> int:
    return _line(text, node.end_mark.index) if _in_lines(node) else int(node.end_mark.index)


def _end_of_lines(text: str, node: yaml.Node) -> int:
    if _in_lines(node):
        return len(text) if node.end_mark.index >= len(text) else _line(text, node.end_mark.index)
    found = re.compile(r"\n|\Z").search(text, node.end_mark.index)
    return found.end() if found else len(text)
