"""`python -m local.transform FILE`: writes what SAM's transform makes of template.yaml, for linters."""

import json
import logging
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import boto3
from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator

from local.files import ROOT
from local.lambda_api.intrinsics import read_template

TEMPLATE = ROOT / "template.yaml"


def transformed(template: dict[str, Any], parameters: Mapping[str, str]) -> dict[str, Any]:
    """CloudFormation's own resources for a packaged SAM template, which is used up; parameters stay references."""
    # It warns of a feature toggle that only AWS's own service has, once for every function.
    logging.getLogger("samtranslator").setLevel(logging.ERROR)
    session = boto3.Session(region_name="us-east-1")
    result: dict[str, Any] = Translator({}, Parser(), boto_session=session).translate(template, dict(parameters))
    return result


def as_packaged(template: dict[str, Any]) -> dict[str, Any]:
    """The template as `sam package` leaves it: code and layers lie in S3."""
    template["Globals"]["Function"]["CodeUri"] = "s3://artefacts/functions"
    for name, resource in template["Resources"].items():
        for content in {"CodeUri", "ContentUri"} & resource.get("Properties", {}).keys():
            resource["Properties"][content] = f"s3://artefacts/{name}"
    return template


def main() -> None:
    (target,) = sys.argv[1:]
    result = transformed(as_packaged(read_template(TEMPLATE)), {})
    for name, resource in result["Resources"].items():
        if resource["Type"] == "AWS::Lambda::Url":
            # SAM does not pass on to it what a linter shall except.
            resource["Metadata"] = result["Resources"][name.removesuffix("Url")].get("Metadata", {})
    Path(target).write_text(json.dumps(result, indent=1), "utf-8")


if __name__ == "__main__":
    main()
