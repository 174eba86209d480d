"""No text hangs a tool: every text argument, as long as it may be, of what makes careless readers slow."""

import gc
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from quarry.tool.contract import LONGEST_TEXT
from tests.deployment import Deployment, invoke
from tests.e2e.sample_calls import AFTER_ANOTHER, NEEDS_A_MODEL, ONE_CALL_OF_EACH, TOOLS
from tests.integration.tenancy.houses import TENANT, handler_of, load, role_of, tenants_rows
from tests.integration.tenancy.houses import TOOLS as DECLARED
from tests.provider import running_provider

LENGTH = 200_000
SHAPES = ("a ", "1,000 ", "1", "½", "ﷺ", "<!-- | ", "a.b@", "def a(\n")
SECONDS = 1.0
Path = tuple[str | int, ...]


@pytest.fixture(autouse=True)
def uncollected() -> Iterator[None]:
    """What the whole suite holds is not searched for garbage while a call is timed."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.fixture(scope="module")
def filled(deployment: Deployment) -> Iterator[Deployment]:
    """Its embeddings come at once: how long a model takes over a text is no matter of the tool's."""
    load(deployment, tenants_rows(), tenant=TENANT)
    with running_provider() as provider:
        yield replace(deployment, endpoints={**deployment.endpoints, "OPENAI_BASE_URL": provider.url})


@pytest.mark.parametrize(
    "tool",
    [tool for tool in TOOLS if tool["name"] not in (NEEDS_A_MODEL, *AFTER_ANOTHER)],
    ids=lambda tool: tool["name"],
)
def test_a_text_takes_less_than_a_second_or_is_refused_with_its_limit(
    filled: Deployment, tool: dict[str, Any]
) -> None:
    name = tool["name"]
    handler = handler_of(DECLARED[name])
    with filled.serving(role_of(name)):
        for path, most in _texts(tool["inputSchema"]):
            for shape in SHAPES:
                event = _with(ONE_CALL_OF_EACH[name], path, _text(shape, min(most, LENGTH)))
                # Beside other work a processor's second does less, so what took long once has a second try.
                assert any(_seconds(handler, event) < SECONDS for _ in range(2)), f"{path} of {shape!r}"
            if most < LENGTH:
                answer = invoke(handler, _with(ONE_CALL_OF_EACH[name], path, _text("x", LENGTH)), tenant=TENANT)
                assert answer["code"] == "VALIDATION_ERROR", path
                assert path[-1] == "cursor" or any(char.isdigit() for char in answer["message"]), answer["message"]


def _seconds(handler: Callable[..., Any], event: Any) -> float:
    begun = time.process_time()
    invoke(handler, event, tenant=TENANT)
    return time.process_time() - begun


def _texts(schema: Mapping[str, Any], path: Path = ()) -> Iterator[tuple[Path, int]]:
    """Where arguments have a text that is free, and how long it may be."""
    for branch in schema.get("anyOf", [schema]):
        kinds = branch.get("type", "object")
        if "string" in kinds and not branch.keys() & {"enum", "pattern", "format"}:
            yield path, branch.get("maxLength", LONGEST_TEXT)
        if "array" in kinds:
            yield from _texts(branch.get("items", {}), (*path, 0))
        for name, part in branch.get("properties", {}).items():
            yield from _texts(part, (*path, name))


def _text(shape: str, length: int) -> str:
    return (shape * (length // len(shape) + 1))[:length]


def _with(value: Any, path: Path, text: str) -> Any:
    """The arguments with the text at that place; a list there has that item alone."""
    if not path:
        return text
    first, *rest = path
    if first == 0:
        return [_with(value[0] if isinstance(value, list) and value else {}, tuple(rest), text)]
    held = dict(value) if isinstance(value, Mapping) else {}
    return {**held, first: _with(held.get(str(first)), tuple(rest), text)}
