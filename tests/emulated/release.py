"""What is deployed on the emulator: the build, packaged by SAM, transformed, without what the emulator lacks."""

import copy
import hashlib
import io
import os
import subprocess
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from local.files import ROOT
from local.lambda_api.intrinsics import read_template
from local.release import BUILD
from local.transform import transformed
from tests.emulated.emulator import Emulator

BUCKET = "artefacts"
SAM_BIN = ROOT / ".venv-sam" / "bin"
UNSUPPORTED: dict[str, Any] = yaml.safe_load((ROOT / "tests/emulated/unsupported.yaml").read_text("utf-8"))
LAYERS_OF_FILES = {"MigrationsLayer": "migrations", "TemplatesLayer": "templates", "GoldenLayer": "tests/golden"}
CONTENT_DIRECTORIES = ("MIGRATIONS_DIR", "TEMPLATES_DIR", "GOLDEN_DIR")


@dataclass(frozen=True)
class Release:
    """A packaged SAM template, and the files of the layers that are mounted to be read: a folder for each."""

    template: dict[str, Any]
    content: Mapping[str, Path]

    def with_layer(self, emulator: Emulator, name: str, files: Mapping[str, str]) -> "Release":
        """The release with ``files`` added to a layer, or in place of its own."""
        source = BUILD / name if (BUILD / name).is_dir() else self.content[name]
        content = {path.relative_to(source).as_posix(): path.read_bytes() for path in files_of(source)}
        content |= {path: text.encode() for path, text in files.items()}
        template = copy.deepcopy(self.template)
        template["Resources"][name]["Properties"]["ContentUri"] = put_archive(emulator, content)
        if name not in self.content:
            return replace(self, template=template)
        return replace(self, template=template, content={**self.content, name: unpack(emulator, name, content)})

    def with_property(self, resource: str, name: str, value: Any) -> "Release":
        template = copy.deepcopy(self.template)
        template["Resources"][resource]["Properties"][name] = value
        return replace(self, template=template)


def package(emulator: Emulator) -> Release:
    """Does what `sam deploy` begins with."""
    emulator.client("s3").create_bucket(Bucket=BUCKET)
    target = emulator.folder / "packaged.yaml"
    environment = {**emulator.environment, "PATH": f"{SAM_BIN}{os.pathsep}{os.environ['PATH']}"}
    command = ["sam", "package", f"--template-file={BUILD / 'template.yaml'}", f"--s3-bucket={BUCKET}"]
    subprocess.run(
        [*command, f"--output-template-file={target}", "--no-progressbar"],
        env={**environment, "SAM_CLI_TELEMETRY": "0"},
        check=True,
        capture_output=True,
    )
    template = read_template(target)
    content = {}
    for name, folder in LAYERS_OF_FILES.items():
        files = {path.relative_to(ROOT / folder).as_posix(): path.read_bytes() for path in files_of(ROOT / folder)}
        content[name] = unpack(emulator, name, files)
    return Release(template=template, content=content)


def files_of(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")


def put_archive(emulator: Emulator, content: Mapping[str, bytes]) -> str:
    """The address of the files as an archive that is named by its content, as SAM names it."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for path, data in content.items():
            archive.writestr(zipfile.ZipInfo(path), data)
    key = hashlib.sha256(buffer.getvalue()).hexdigest()
    emulator.client("s3").put_object(Bucket=BUCKET, Key=key, Body=buffer.getvalue())
    return f"s3://{BUCKET}/{key}"


def unpack(emulator: Emulator, name: str, content: Mapping[str, bytes]) -> Path:
    digest = hashlib.sha256(b"".join(path.encode() + data for path, data in content.items())).hexdigest()[:12]
    folder = emulator.folder / "layers" / f"{name}-{digest}"
    for path, data in content.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return folder


def whole(release: Release, parameters: Mapping[str, str]) -> dict[str, Any]:
    """CloudFormation's template of the release; SAM names its versions by the parameter Release."""
    return transformed(copy.deepcopy(release.template), parameters)


def adapted(
    release: Release, emulator: Emulator, *, parameters: Mapping[str, str], owner_secret: str
) -> dict[str, Any]:
    """CloudFormation's template of the release, as far as the emulator can create it."""
    template = whole(release, parameters)
    resources = {
        name: resource
        for name, resource in template["Resources"].items()
        if resource["Type"] not in UNSUPPORTED["resources"] | UNSUPPORTED["left_out"]
    }
    dropped = template["Resources"].keys() - resources.keys()
    for resource in resources.values():
        wait_for = resource.get("DependsOn", [])
        wait_for = [wait_for] if isinstance(wait_for, str) else wait_for
        resource["DependsOn"] = [each for each in wait_for if each not in dropped]
        if resource["Type"] == "AWS::Lambda::Function":
            _place_layers(release, resource["Properties"])
    values = {
        "Database.Endpoint.Address": "127.0.0.1",
        "Database.Endpoint.Port": str(emulator.database_port),
        "Database.MasterUserSecret.SecretArn": owner_secret,
        "ApprovalKey": "Id",
        **dict.fromkeys(("ProxyUrl.FunctionUrl", "PreviewUrl.FunctionUrl", "ApprovalPageUrl.FunctionUrl"), ""),
    }
    assert values.keys() | {"DB_SSLMODE", *CONTENT_DIRECTORIES} == UNSUPPORTED["values"].keys()
    # Its origins are the function URLs by their names, which the emulator's CloudFront knows.
    distribution = copy.deepcopy(resources["Distribution"])
    template["Resources"] = resources
    placed: dict[str, Any] = _with_values(template, values, emulator.url, dropped)
    placed["Resources"]["Distribution"] = distribution
    return placed


def _place_layers(release: Release, properties: dict[str, Any]) -> None:
    variables = properties.get("Environment", {}).get("Variables", {})
    if "DB_SSLMODE" in variables:
        variables["DB_SSLMODE"] = "disable"
    # SAM puts a hash of the content behind a layer's name.
    references = {reference["Ref"]: reference for reference in properties.get("Layers", ())}
    for variable in CONTENT_DIRECTORIES & variables.keys():
        (layer,) = (layer for layer in release.content if any(name.startswith(layer) for name in references))
        variables[variable] = str(release.content[layer])
    mounted = {
        name: BUILD / layer for layer in UNSUPPORTED["mounted"] for name in references if name.startswith(layer)
    }
    if mounted:
        variables["PYTHONPATH"] = os.pathsep.join(str(folder / "python") for folder in mounted.values())
        properties["Layers"] = [reference for name, reference in references.items() if name not in mounted]


def _with_values(node: Any, values: Mapping[str, str], url: str, dropped: set[str]) -> Any:
    """The node with ``values`` in place of attributes; what refers to a dropped resource becomes its name."""
    if isinstance(node, list):
        return [_with_values(item, values, url, dropped) for item in node]
    if not isinstance(node, dict):
        return node
    if node.keys() == {"Fn::GetAtt"}:
        attribute = ".".join(node["Fn::GetAtt"])
        if attribute in values:
            return values[attribute] or _path_of(node, url)
        return node["Fn::GetAtt"][0] if node["Fn::GetAtt"][0] in dropped else node
    if node.keys() == {"Ref"} and node["Ref"] in dropped:
        return node["Ref"]
    if node.keys() == {"Ref"} and node["Ref"] in values:
        return {"Fn::GetAtt": [node["Ref"], values[node["Ref"]]]}
    if node.keys() == {"Fn::Sub"}:
        return {"Fn::Sub": _with_values_in_text(node["Fn::Sub"], values, url, dropped)}
    return {key: _with_values(item, values, url, dropped) for key, item in node.items()}


def _with_values_in_text(argument: Any, values: Mapping[str, str], url: str, dropped: set[str]) -> Any:
    text, names = (argument, {}) if isinstance(argument, str) else (argument[0], dict(argument[1]))
    for attribute in values:
        if f"${{{attribute}}}" in text:
            name = attribute.replace(".", "")
            text = text.replace(f"${{{attribute}}}", f"${{{name}}}")
            names[name] = {"Fn::GetAtt": attribute.split(".", 1)}
    for name in dropped:
        text = text.replace(f"${{{name}}}", name)
    return [text, _with_values(names, values, url, dropped)] if names else text


def _path_of(address: dict[str, Any], url: str) -> dict[str, Any]:
    """Where the emulator serves the function URL: by the first label of its name.

    127.1 is 127.0.0.1 to the resolver, and to the canary an address where nobody enters without a key.
    """
    url = url.replace("127.0.0.1", "127.1")
    host = {"Fn::Select": [1, {"Fn::Split": ["//", address]}]}
    label = {"Fn::Select": [0, {"Fn::Split": [".", host]}]}
    return {"Fn::Sub": [f"{url}/_aws/lambda-url/${{Label}}/", {"Label": label}]}
