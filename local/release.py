"""What builds and deployments tell AWS: the name of what was built, whether a stack stands, what it must not lose."""

import argparse
import hashlib
import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from botocore.exceptions import ClientError

from local.files import ROOT
from local.lambda_api.intrinsics import read_template

BUILD = ROOT / ".aws-sam" / "build"
TEMPLATE = "template.yaml"
CONTENT = ("CodeUri", "ContentUri")
FILE = "release.toml"
"""In the build, where samconfig.toml refers to it: a build without a name cannot be deployed."""
PROTECTION_FILE = "protection.toml"
CONFIGURATION = ROOT / "samconfig.toml"
DIGITS = 10
"""A version's logical id takes the first ten characters of AutoPublishCodeSha256 and ignores the rest."""


def release_of(build: Path, *, configuration: bytes) -> str:
    """Ten hexadecimal digits that change with any file that is deployed and with the configuration.

    Layers of files (migrations, templates, golden cases) are not built: the built template refers to them beside the
    build. Bytecode does not count: it follows from the source, and two compilers may write it differently.
    """
    digest = hashlib.sha256(configuration)
    digest.update((build / TEMPLATE).read_bytes())
    for name, folder in sorted(contents_of(build).items()):
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.suffix != ".pyc":
                content = hashlib.sha256(path.read_bytes()).hexdigest()
                digest.update(f"\n{name}/{path.relative_to(folder).as_posix()} {content}".encode())
    return digest.hexdigest()[:DIGITS]


def contents_of(build: Path) -> dict[str, Path]:
    """The folder of each function and layer of a built template, by logical id."""
    resources: dict[str, dict[str, Any]] = read_template(build / TEMPLATE)["Resources"]
    properties = {name: resource.get("Properties", {}) for name, resource in resources.items()}
    return {
        name: (build / given[kind]).resolve()
        for name, given in properties.items()
        for kind in CONTENT
        if kind in given
    }


def is_standing(cloudformation: Any, stack: str) -> bool:
    """Whether the stack was created to the end; one that was not has to be deleted, which protection would hinder."""
    try:
        (described,) = cloudformation.describe_stacks(StackName=stack)["Stacks"]
    except ClientError as error:
        if error.response["Error"]["Code"] != "ValidationError":
            raise
        return False
    status = str(described["StackStatus"])
    return status == "CREATE_COMPLETE" or status.startswith("UPDATE_")


def guard(cloudformation: Any, stack: str, resources: Mapping[str, Mapping[str, Any]]) -> None:
    """Has CloudFormation refuse updates that would put something empty in the place of what holds data."""
    kept = [f"LogicalResourceId/{name}" for name, each in resources.items() if "UpdateReplacePolicy" in each]
    refused = {"Effect": "Deny", "Action": ["Update:Replace", "Update:Delete"], "Principal": "*", "Resource": kept}
    allowed = {"Effect": "Allow", "Action": "Update:*", "Principal": "*", "Resource": "*"}
    cloudformation.set_stack_policy(StackName=stack, StackPolicyBody=json.dumps({"Statement": [refused, allowed]}))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m local.release", description=__doc__)
    kind = parser.add_mutually_exclusive_group(required=True)
    kind.add_argument("--architecture", help="what the build was made for")
    kind.add_argument("--stage", help="whose stack is about to be deployed")
    kind.add_argument("--guard", help="the stage whose stack was deployed")
    arguments = parser.parse_args()
    configuration = CONFIGURATION.read_bytes()
    if stage := arguments.stage or arguments.guard:
        import boto3  # which only a deployment needs

        deploy = tomllib.loads(configuration.decode())[stage]["deploy"]["parameters"]
        cloudformation = boto3.client("cloudformation", region_name=deploy.get("region"))
        if arguments.guard:
            guard(cloudformation, deploy["stack_name"], read_template(BUILD / TEMPLATE)["Resources"])
            return
        protected = str(is_standing(cloudformation, deploy["stack_name"])).lower()
        (BUILD / PROTECTION_FILE).write_text(f'Protected = "{protected}"\n', "utf-8")
    else:
        release = release_of(BUILD, configuration=configuration)
        named = f'Release = "{release}"\nArchitecture = "{arguments.architecture}"\n'
        (BUILD / FILE).write_text(named, "utf-8")
        print(f"Release {release}")


if __name__ == "__main__":
    main()
