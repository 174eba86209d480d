"""The manifest has every live resource that a toolset declares, in the form that the proxy accepts."""

import importlib
import json

from local.files import ROOT
from local.lambda_api.intrinsics import StackValues
from local.lambda_api.template import read_functions
from local.manifest import resources, tools
from proxy.manifest import Manifest

MANIFEST = Manifest.model_validate(json.loads((ROOT / "proxy/manifest.json").read_text("utf-8")))
WITH_RESOURCES = [
    importlib.import_module(f"{toolset}.resources")
    for toolset in tools.toolsets()
    if (ROOT / "functions" / toolset / "resources.py").exists()
]


def test_every_declared_resource_is_served_by_its_toolsets_function() -> None:
    assert WITH_RESOURCES
    served = {entry.uri: entry.function for entry in MANIFEST.resources} | {
        entry.uri_template: entry.function for entry in MANIFEST.resource_templates
    }
    for module in WITH_RESOURCES:
        toolset = module.__name__.partition(".")[0]
        declared = [card.uri_template for card in module.RESOURCES]
        assert {served[uri] for uri in declared} == {f"{toolset}_resources"}


def test_its_function_is_deployed_to_read() -> None:
    functions = read_functions(ROOT / "template.yaml", stack=StackValues(), built=False)
    for module in WITH_RESOURCES:
        function = functions[f"quarry-{module.__name__.partition('.')[0]}_resources"]
        assert function.handler == f"{module.__name__}.handler"
        assert function.variables["DB_USER"] == "quarry_read"


def test_live_entries_stand_among_the_fixed_ones_in_order() -> None:
    fixed = {"resources": [{"uri": "z://fixed"}], "resource_templates": [], "prompts": []}
    timeouts = {f"{module.__name__}.handler": 7 for module in WITH_RESOURCES}
    sections = resources.merged(fixed, timeouts=timeouts)
    uris = [entry["uri"] for entry in sections["resources"]]
    assert uris == sorted(uris)
    taxonomy = next(entry for entry in sections["resources"] if entry["uri"] == "schema://taxonomy")
    assert (taxonomy["function"], taxonomy["timeout_s"], taxonomy["toolset"]) == ("stories_resources", 7, "stories")
