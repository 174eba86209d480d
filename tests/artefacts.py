"""`make artifacts-test`: is what `make build` made complete, and does it answer as the source does?

Exit code 1 when a module does not come from where Lambda would find it, or when an end-to-end test fails on the local
stack that serves the build. `ALL=1` runs all of them. Whether it fits into Lambda `make build` says itself.
"""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from local.failure import LocalError
from local.files import ROOT
from local.lambda_api.intrinsics import StackValues, read_template
from local.lambda_api.template import FunctionSpec, read_functions
from local.serve.programs import require_build
from tests.integration.lambda_server import lambda_server

# Some of these no function imports before its first call.
_TYPESET = ("justmytype_intl_cjk", "justmytype_western_core", "typst")
_INGESTION = ("charset_normalizer", "markdown_it", "pypdf")
_THIRD_PARTY = ("openai", "pgvector.psycopg", "psycopg", "psycopg_binary")
# Every function at work, by its own front, by direct invokes and behind the built front, which runs the canary too.
# The others try the local stack itself, or one more time what these have tried.
_SUITE = ("approval", "direct_invoke", "guarded", "ingest", "knowledge", "live_resources", "quote_pdf", "tools")
_RUNTIME = {
    *("awslambdaric", "runtime_client", "simplejson", "snapshot_restore_py"),
    *("boto3", "botocore", "dateutil", "jmespath", "s3transfer", "six", "urllib3"),
}
_PROBE = """
import importlib
import sys


def handler(event, context):
    for name in event["modules"]:
        importlib.import_module(name)
    modules = {name: module for name, module in sys.modules.items() if not name.endswith("main__")}
    return {name: module.__file__ for name, module in modules.items() if getattr(module, "__file__", None)}
"""

_FRONT_PROBE = """
import json, sys
sys.path[:] = [path for path in sys.path if "site-packages" not in path]
sys.path.insert(0, sys.argv[1])
import proxy.app
files = {name: getattr(module, "__file__", None) for name, module in sys.modules.items()}
print(json.dumps({name: path for name, path in files.items() if path}))
"""


def main() -> int:
    try:
        build = require_build(ROOT).resolve()
        functions = read_functions(build / "template.yaml", stack=StackValues(), built=True)
        tools = {name: spec for name, spec in functions.items() if spec.layers}
        fronts = [spec for name, spec in functions.items() if name not in tools]
        faults = [*strays(build, tools), *foreign(fronts), *failures()]
    except LocalError as failure:
        faults = [str(failure)]
    print("\n".join(faults) or "the artefacts are complete and answer as the source does")
    return 1 if faults else 0


def strays(build: Path, functions: Mapping[str, FunctionSpec]) -> Iterator[str]:
    """A probe is served in place of the functions: it imports all handlers and says where every module came from."""
    handlers = [spec.handler.rpartition(".")[0] for spec in functions.values()]
    with TemporaryDirectory(prefix="quarry-") as name:
        folder = Path(name).resolve()
        write_probe(folder, build=build, function=next(iter(functions.values())))
        with lambda_server("--build", str(folder)) as server:
            answer = server.invoke("probe", {"modules": [*handlers, *_THIRD_PARTY, *_TYPESET, *_INGESTION, "mcp"]})
        if answer.error is not None:
            yield f"The build cannot be imported: {answer.payload['errorMessage']}"
            return
        homes = {
            folder: "function",
            build / "DependenciesLayer": "dependencies",
            build / "QuarryLayer": "quarry",
            build / "AssistantLayer": "assistant",
            build / "IngestionLayer": "ingestion",
            build / "TypesetLayer": "typeset",
        }
        origins = {module: origin(module, Path(path), homes) for module, path in answer.payload.items()}
    print(f"modules by origin: {dict(Counter(origins.values()))}")
    expected = {
        **dict.fromkeys(_THIRD_PARTY, "dependencies"),
        # The probe has all layers, and what two of them hold comes from the later one.
        **dict.fromkeys(("mcp", "pydantic"), "assistant"),
        **dict.fromkeys(_TYPESET, "typeset"),
        **dict.fromkeys(_INGESTION, "ingestion"),
        **dict.fromkeys(handlers, "function"),
        "quarry": "quarry",
    }
    for module in {**expected, **origins}:
        found = origins.get(module, "nowhere")
        if found != expected.get(module, found) or found.startswith(os.sep):
            yield f"{module} was found in {found}"


def foreign(fronts: Iterable[FunctionSpec]) -> Iterator[str]:
    """The front brings all it imports, as it has no layers."""
    for spec in fronts:
        ended = subprocess.run(
            [sys.executable, "-I", "-c", _FRONT_PROBE, str(spec.task_root)],
            check=False,
            capture_output=True,
            text=True,
        )
        if ended.returncode != 0:
            yield f"{spec.name} cannot be imported: {ended.stderr}"
        else:
            homes = {spec.task_root: "front"}
            found = {name: origin(name, Path(path), homes) for name, path in json.loads(ended.stdout).items()}
            yield from (
                f"{name} of {spec.name} was found in {home}" for name, home in found.items() if home[0] == "/"
            )


def write_probe(folder: Path, *, build: Path, function: FunctionSpec) -> None:
    """A build of one function, made of another's code and the layers of ``build``."""
    shutil.copytree(function.task_root, folder / "code")
    (folder / "code/probe.py").write_text(_PROBE, encoding="utf-8")
    template = read_template(build / "template.yaml")
    resources: dict[str, Any] = {
        name: {**layer, "Properties": {"ContentUri": str(build / layer["Properties"]["ContentUri"])}}
        for name, layer in template["Resources"].items()
        if layer["Type"] == "AWS::Serverless::LayerVersion"
    }
    properties = {
        "FunctionName": "quarry-probe",
        "Handler": "probe.handler",
        "CodeUri": "code",
        "Layers": [{"Ref": "AssistantLayer"}, {"Ref": "IngestionLayer"}, {"Ref": "TypesetLayer"}],
    }
    resources["Probe"] = {"Type": "AWS::Serverless::Function", "Properties": properties}
    (folder / "template.yaml").write_text(yaml.safe_dump({**template, "Resources": resources}), encoding="utf-8")


def origin(module: str, path: Path, homes: Mapping[Path, str]) -> str:
    """The part of the build, Python, or AWS's runtime; the path itself when Lambda would not have it."""
    for home, name in homes.items():
        if path.is_relative_to(home):
            return name
    if module.partition(".")[0] in _RUNTIME:
        return "runtime"
    standard = path.is_relative_to(sysconfig.get_path("stdlib")) and "site-packages" not in path.parts
    return "python" if standard else str(path)


def failures() -> Iterator[str]:
    tests = ["tests/e2e"] if os.environ.get("ALL") else [f"tests/e2e/test_{subject}.py" for subject in _SUITE]
    command = [sys.executable, "-m", "pytest", "-q", "-m", "stack", *tests]
    ended = subprocess.run(command, cwd=ROOT, env={**os.environ, "ARTIFACTS": "1"}, check=False)
    if ended.returncode != 0:
        yield "end-to-end tests failed on the build"


if __name__ == "__main__":
    sys.exit(main())
