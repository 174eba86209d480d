"""Live values through the proxy: completion asked of a function; lists that need none."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.proxy.conftest import MANIFEST, Proxy, StartProxy
from tests.integration.proxy.scripted_lambda import ScriptedLambda, Step

SHELF = {"type": "ref/resource", "uri": "workbench://shelf/{id}"}
BIN = "workbench://bin/{colour}"


@pytest.fixture(scope="module")
def live(start_proxy: StartProxy, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    """A proxy with two function-answered templates, one of them embedded by the prompt."""
    manifest = json.loads(MANIFEST.read_text("utf-8"))
    shelf = next(entry for entry in manifest["resource_templates"] if entry["uriTemplate"] == SHELF["uri"])
    manifest["resource_templates"].append(
        {**shelf, "uriTemplate": BIN, "name": "bin", "variables": {"colour": []}, "function": "bin_report"}
    )
    manifest["prompts"][0]["embed"].append(BIN)
    path: Path = tmp_path_factory.mktemp("manifest") / "manifest.json"
    path.write_text(json.dumps(manifest), "utf-8")
    with start_proxy(MANIFEST_PATH=str(path)) as proxy:
        yield proxy


@pytest.fixture(autouse=True)
def nothing_scripted(functions: ScriptedLambda) -> None:
    """The Lambda API starts each test empty."""


def completed(proxy: Proxy, ref: dict[str, str], name: str, typed: str) -> dict[str, Any]:
    params = {"ref": ref, "argument": {"name": name, "value": typed}}
    answer: dict[str, Any] = proxy.modern("completion/complete", params).json()
    return answer


def test_a_variable_without_known_values_is_completed_by_the_function(live: Proxy, functions: ScriptedLambda) -> None:
    functions.script["shelf_report"] = [Step(result={"values": ["top-4", "4a", "4b", "5"]})]
    completion = completed(live, SHELF, "id", "4")["result"]["completion"]
    assert completion == {"values": ["4a", "4b", "top-4"], "total": 3, "hasMore": False}
    question = {"uriTemplate": SHELF["uri"], "variable": "id", "prefix": "4"}
    assert functions.calls[0].event == {"complete": question}
    assert functions.calls[0].custom["tenant"] == "acme"


def test_more_values_than_fit_are_said_to_exist_but_not_counted(live: Proxy, functions: ScriptedLambda) -> None:
    functions.script["shelf_report"] = [Step(result={"values": [f"s{n:03}" for n in range(101)]})]
    completion = completed(live, SHELF, "id", "")["result"]["completion"]
    assert (len(completion["values"]), completion["hasMore"]) == (100, True)
    assert "total" not in completion


def test_a_prompt_argument_that_picks_a_live_resource_has_its_values(live: Proxy, functions: ScriptedLambda) -> None:
    prompt = {"type": "ref/prompt", "name": "draft_order"}
    functions.script["bin_report"] = [Step(result={"values": ["blue"]})]
    assert completed(live, prompt, "colour", "b")["result"]["completion"]["values"] == ["blue"]


@pytest.mark.parametrize(
    "step",
    [
        Step(result={"error": True, "code": "NOT_FOUND", "message": "gone"}),
        Step(result={"error": True, "code": "UNAVAILABLE", "message": "down"}),
        Step(result={"values": 3}),
        Step(raised={"errorMessage": "hunter2"}),
    ],
)
def test_a_function_that_cannot_complete_is_an_error_not_an_empty_list(
    live: Proxy, functions: ScriptedLambda, step: Step
) -> None:
    functions.script["shelf_report"] = [step]
    answer = completed(live, SHELF, "id", "4")
    assert answer["error"]["code"] == -32603
    assert "hunter2" not in str(answer)


@pytest.mark.parametrize("cursor", ["x", "💥"])
def test_the_list_has_a_single_page_without_a_function(live: Proxy, functions: ScriptedLambda, cursor: str) -> None:
    listed = live.modern("resources/list", {}).json()["result"]
    assert "workbench://letter" in [entry["uri"] for entry in listed["resources"]]
    assert "nextCursor" not in listed
    assert functions.calls == []
    error = live.modern("resources/list", {"cursor": cursor}).json()["error"]
    assert error["code"] == -32602
    assert "Unknown cursor" in error["message"]
