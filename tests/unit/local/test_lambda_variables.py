"""The variables of a function's process: what it gets, and what it must not get."""

import dataclasses
import json
from pathlib import Path

import pytest

from local.lambda_api.intrinsics import StackValues
from local.lambda_api.process import Overrides, function_variables, process_environment, read_overrides
from local.lambda_api.template import FunctionSpec, read_functions

FIXTURE = Path(__file__).parents[2] / "fixtures/lambda_functions/template.yaml"


@pytest.fixture
def spec() -> FunctionSpec:
    return read_functions(FIXTURE, stack=StackValues(), built=False)["quarry-describe"]


def test_an_override_for_one_function_beats_the_one_for_all_and_the_template(spec: FunctionSpec) -> None:
    overrides = Overrides(shared={"LEVEL": "for all", "STAGE": "for all"}, single={"Describe": {"LEVEL": "for one"}})
    variables = function_variables(spec, overrides)
    assert (variables["LEVEL"], variables["STAGE"]) == ("for one", "for all")


def test_null_removes_a_variable(spec: FunctionSpec) -> None:
    assert "LEVEL" not in function_variables(spec, Overrides(shared={"LEVEL": None}))


def test_an_env_file_has_values_for_all_and_for_single_functions(tmp_path: Path) -> None:
    path = tmp_path / "env.json"
    document = {"Parameters": {"A": True, "B": 2}, "quarry-describe": {"C": "c"}, "Echo": {"D": None}}
    path.write_text(json.dumps(document), encoding="utf-8")
    overrides = read_overrides(path)
    assert overrides.shared == {"A": "true", "B": "2"}
    assert overrides.single == {"quarry-describe": {"C": "c"}, "Echo": {"D": None}}


def test_a_function_gets_the_password_of_its_own_role_alone(spec: FunctionSpec) -> None:
    overrides = Overrides(passwords={"quarry_read": "r", "quarry_write": "w"})
    for role, expected in (("quarry_read", "r"), ("quarry_write", "w"), ("quarry_owner", None)):
        of_role = dataclasses.replace(spec, variables={"DB_USER": role})
        assert function_variables(of_role, overrides).get("DB_PASSWORD") == expected


@pytest.mark.parametrize("content", ["[]", '{"A": "1"}'])
def test_an_env_file_of_another_form_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "env.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match="one JSON object"):
        read_overrides(path)


def test_nothing_of_the_servers_own_environment_is_handed_on(
    spec: FunctionSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_SECRET_ACCESS_KEY", "OPENAI_API_KEY", "AWS_REGION", "PYTHONPATH", "LD_PRELOAD"):
        monkeypatch.setenv(name, "the server's")
    environment = process_environment(spec, variables={}, region="eu-west-1", runtime_api="127.0.0.1:1")
    assert "the server's" not in environment.values()
    assert environment["AWS_REGION"] == "eu-west-1"


def test_a_template_cannot_displace_what_the_runtime_needs(spec: FunctionSpec) -> None:
    environment = process_environment(
        spec,
        variables={"AWS_LAMBDA_RUNTIME_API": "elsewhere", "_HANDLER": "other", "AWS_REGION": "eu-west-1"},
        region="us-east-1",
        runtime_api="127.0.0.1:1",
    )
    assert environment["AWS_LAMBDA_RUNTIME_API"] == "127.0.0.1:1"
    assert environment["_HANDLER"] == spec.handler
    assert environment["AWS_REGION"] == "eu-west-1"
