"""Functions as template.yaml declares them: Globals, paths, layers, and what cannot be resolved."""

from pathlib import Path

import pytest

from local.lambda_api.intrinsics import StackValues
from local.lambda_api.template import FunctionSpec, merge_globals, read_functions

FIXTURE = Path(__file__).parents[2] / "fixtures/lambda_functions/template.yaml"


def one_function(folder: Path, properties: str, *, rest: str = "", built: bool = False) -> FunctionSpec:
    path = folder / "template.yaml"
    path.write_text(
        "Resources:\n  F:\n    Type: AWS::Serverless::Function\n"
        f"    Properties: {{Handler: m.handler, Runtime: python3.13, {properties}}}\n{rest}",
        encoding="utf-8",
    )
    (spec,) = read_functions(path, stack=StackValues(), built=built).values()
    return spec


def test_a_function_inherits_globals_and_overrides_single_values() -> None:
    specs = read_functions(FIXTURE, stack=StackValues(), built=False)
    sleep = specs["quarry-sleep"]
    assert (sleep.timeout, sleep.memory_mb, sleep.alias) == (1, 256, "live")
    assert sleep.task_root == FIXTURE.parent / "functions"
    assert sleep.layers == (FIXTURE.parent / "layer",)
    assert specs["quarry-describe"].variables["LEVEL"] == "own"
    assert sleep.variables == {"STAGE": "dev", "STACK": "quarry/us-east-1", "LEVEL": "debug"}


def test_a_parameter_and_a_stack_name_reach_names_variables_and_conditions() -> None:
    stack = StackValues(name="other", parameters={"Stage": "prod", "Secret": "given"})
    specs = read_functions(FIXTURE, stack=stack, built=False)
    assert "other-production" in specs
    assert specs["other-describe"].variables["UNKNOWN"] == "given"
    assert specs["other-echo"].variables["LEVEL"] == "warning"


def test_a_resource_whose_condition_is_false_does_not_exist() -> None:
    assert "quarry-production" not in read_functions(FIXTURE, stack=StackValues(), built=False)


def test_a_variable_that_only_a_deployment_knows_is_reported_and_left_out() -> None:
    describe = read_functions(FIXTURE, stack=StackValues(), built=False)["quarry-describe"]
    assert describe.unresolved == {
        "UNKNOWN": "parameter Secret has no default",
        "GIVEN": "parameter Secret has no default",
    }
    assert not describe.unresolved.keys() & describe.variables.keys()


def test_aws_defaults_apply_where_the_template_is_silent(tmp_path: Path) -> None:
    spec = one_function(tmp_path, "Description: x")
    assert (spec.timeout, spec.memory_mb, spec.reserved_concurrency, spec.alias) == (3, 128, None, None)
    assert (spec.name, spec.event_retries) == ("quarry-F", 2)


def test_event_retries_come_from_the_invoke_configuration(tmp_path: Path) -> None:
    assert one_function(tmp_path, "EventInvokeConfig: {MaximumRetryAttempts: 0}").event_retries == 0


def test_a_property_that_cannot_be_resolved_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"F of .* cannot be served: Nothing is known"):
        one_function(tmp_path, "Timeout: !Ref Nothing")


def test_a_missing_handler_is_named(tmp_path: Path) -> None:
    path = tmp_path / "template.yaml"
    path.write_text("Resources: {F: {Type: AWS::Serverless::Function}}", encoding="utf-8")
    with pytest.raises(ValueError, match=r"F of .* cannot be served: 'Handler'"):
        read_functions(path, stack=StackValues(), built=False)


def test_a_layer_without_modules_adds_nothing_and_a_built_one_adds_its_python_folder(tmp_path: Path) -> None:
    (tmp_path / "requirements").mkdir()
    (tmp_path / "built/python").mkdir(parents=True)
    rest = (
        "  A: {Type: AWS::Serverless::LayerVersion, Properties: {ContentUri: requirements}}\n"
        "  B: {Type: AWS::Serverless::LayerVersion, Properties: {ContentUri: built}}\n"
        "Conditions: {Never: !Equals [a, b]}\n"
    )
    layers = "Layers: [!Ref A, !Ref B, !If [Never, !Ref B, !Ref 'AWS::NoValue'], 'arn:aws:lambda:x:1:layer:y:1']"
    for built in (False, True):
        spec = one_function(tmp_path, layers, rest=rest, built=built)
        assert spec.layers == (tmp_path / "built/python",)


@pytest.mark.parametrize(
    ("qualifier", "version"),
    [(None, "$LATEST"), ("$LATEST", "$LATEST"), ("live", "1"), ("1", "1"), ("2", None), ("canary", None)],
)
def test_an_alias_is_version_one(qualifier: str | None, version: str | None) -> None:
    echo = read_functions(FIXTURE, stack=StackValues(), built=False)["quarry-echo"]
    assert echo.version(qualifier) == version


def test_globals_merge_maps_and_join_lists() -> None:
    shared = {"Layers": ["a"], "Environment": {"Variables": {"X": 1, "Y": 1}}, "Timeout": 3}
    own = {"Layers": ["b"], "Environment": {"Variables": {"Y": {"Ref": "P"}}}, "Timeout": 9}
    assert merge_globals(shared, own) == {
        "Layers": ["a", "b"],
        "Environment": {"Variables": {"X": 1, "Y": {"Ref": "P"}}},
        "Timeout": 9,
    }


def test_an_intrinsic_replaces_another_rather_than_merging_with_it() -> None:
    shared, own = {"V": {"Fn::Sub": "a"}}, {"V": {"Ref": "B"}}
    assert merge_globals(shared, own) == {"V": {"Ref": "B"}}
