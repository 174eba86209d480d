"""A release reaches the alias `live`: what SAM's own transform makes of template.yaml for one release and another."""

import re
import tomllib
from pathlib import Path
from typing import Any

import boto3
import pytest
from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator

from local.files import ROOT
from local.lambda_api.cloudformation import read_template
from local.release import BUILD, FILE, release_of

TEMPLATE = ROOT / "template.yaml"


def live_versions(**parameters: str) -> dict[str, str]:
    """Logical id of the version that each alias leads to, which is another one if and only if one is published."""
    template = read_template(TEMPLATE)
    template["Globals"]["Function"]["CodeUri"] = "s3://artefacts/functions"
    for name, resource in template["Resources"].items():
        for content in {"CodeUri", "ContentUri"} & resource.get("Properties", {}).keys():
            resource["Properties"][content] = f"s3://artefacts/{name}"
    session = boto3.Session(region_name="us-east-1")
    transformed: dict[str, Any] = Translator({}, Parser(), boto_session=session).translate(template, parameters)
    return {
        name: resource["Properties"]["FunctionVersion"]["Fn::GetAtt"][0]
        for name, resource in transformed["Resources"].items()
        if resource["Type"] == "AWS::Lambda::Alias"
    }


def test_another_release_is_a_new_version_of_every_function_with_an_alias() -> None:
    former, later = live_versions(Release="0123456789"), live_versions(Release="012345678a")
    assert len(former) > 40
    assert former.keys() == later.keys()
    assert [alias for alias in former if former[alias] == later[alias]] == []


def test_the_same_release_is_no_new_version_of_any() -> None:
    assert live_versions(Release="0123456789") == live_versions(Release="0123456789")


@pytest.fixture
def build(tmp_path: Path) -> Path:
    for name in ("template.yaml", "QuarryLayer/python/quarry/ranking.py", "GetQuote/quotes/get_quote.py"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name, "utf-8")
    return tmp_path


def test_a_release_is_named_as_the_parameter_wants_it(build: Path) -> None:
    parameter = read_template(TEMPLATE)["Parameters"]["Release"]
    assert re.fullmatch(parameter["AllowedPattern"], release_of(build, configuration=b""))
    assert re.fullmatch(parameter["AllowedPattern"], parameter["Default"])


@pytest.mark.parametrize("name", ["template.yaml", "QuarryLayer/python/quarry/ranking.py", "GoldenLayer/cpq.yaml"])
def test_a_changed_or_added_file_is_another_release(build: Path, name: str) -> None:
    former = release_of(build, configuration=b"")
    (build / name).parent.mkdir(exist_ok=True)
    (build / name).write_text("changed", "utf-8")
    assert release_of(build, configuration=b"") != former


def test_a_changed_parameter_or_a_wish_for_new_environments_is_another_release(build: Path) -> None:
    releases = {
        release_of(build, configuration=b'["Stage=prod"]'),
        release_of(build, configuration=b'["Stage=prod", "CanarySecret=quarry/canary"]'),
        release_of(build, configuration=b'["Stage=prod"]', salt="1"),
    }
    assert len(releases) == 3


def test_the_same_build_is_the_same_release_whatever_its_bytecode_and_its_own_name(build: Path) -> None:
    former = release_of(build, configuration=b"")
    (build / "GetQuote/quotes/get_quote.pyc").write_bytes(b"compiled")
    (build / FILE).write_text(f'Release = "{former}"', "utf-8")
    assert release_of(build, configuration=b"") == former


def test_every_stage_is_deployed_with_the_name_that_the_build_wrote() -> None:
    configured = tomllib.loads((ROOT / "samconfig.toml").read_text("utf-8"))
    stages = read_template(TEMPLATE)["Mappings"]["Stages"]
    written = f"file://{(BUILD / FILE).relative_to(ROOT).as_posix()}"
    for stage in stages:
        assert written in configured[stage]["deploy"]["parameters"]["parameter_overrides"]
