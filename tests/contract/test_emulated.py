"""tests/emulated/unsupported.yaml against the template: what `make emulated` leaves out is there to be left out."""

from typing import Any

import yaml

from local.deploy_check.__main__ import PARTS
from local.files import ROOT
from local.lambda_api.intrinsics import read_template
from local.transform import TEMPLATE, as_packaged, transformed

UNSUPPORTED: dict[str, Any] = yaml.safe_load((ROOT / "tests/emulated/unsupported.yaml").read_text("utf-8"))
RESOURCES = transformed(as_packaged(read_template(TEMPLATE)), {})["Resources"]


def test_every_type_that_is_left_out_is_one_of_the_template_and_has_its_reason() -> None:
    left_out = UNSUPPORTED["resources"] | UNSUPPORTED["left_out"]
    assert left_out.keys() <= {resource["Type"] for resource in RESOURCES.values()}
    assert all(left_out.values())


def test_every_value_that_is_replaced_is_one_of_the_template() -> None:
    variables = {
        name
        for resource in RESOURCES.values()
        for name in resource.get("Properties", {}).get("Environment", {}).get("Variables", ())
    }
    for value in UNSUPPORTED["values"]:
        resource = value.partition(".")[0]
        assert resource in RESOURCES or value in variables, value


def test_what_deploy_check_is_not_asked_of_the_emulator_is_a_part_of_it_and_has_its_reason() -> None:
    assert UNSUPPORTED["unchecked"].keys() < PARTS.keys()
    assert all(UNSUPPORTED["unchecked"].values())


def test_only_layers_of_third_parties_are_mounted() -> None:
    folders = [ROOT / "layers" / name.removesuffix("Layer").lower() for name in UNSUPPORTED["mounted"]]
    assert all((folder / "requirements.txt").is_file() for folder in folders)


def test_no_function_no_role_and_no_version_is_left_out() -> None:
    kinds = {*UNSUPPORTED["resources"], *UNSUPPORTED["left_out"]}
    assert not {kind for kind in kinds if kind.startswith(("AWS::Lambda::", "AWS::IAM::", "AWS::CloudFormation::"))}
