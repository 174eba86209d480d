"""The sizes that template.yaml gives a stage: memory, database, gateways, snapshots, schedules."""

import re
from dataclasses import dataclass
from typing import Any

from local.files import ROOT
from local.lambda_api.cloudformation import read_template
from local.lambda_api.intrinsics import Stack
from local.lambda_api.template import read_functions

MINUTES = {"minute": 1, "minutes": 1, "hour": 60, "hours": 60, "day": 1440, "days": 1440}
_RATE = re.compile(r"rate\((\d+) (\w+)\)")
_TEMPLATE = ROOT / "template.yaml"


@dataclass(frozen=True, slots=True)
class Sizes:
    """Of one stage; ``snapshots_mb`` are of one live version each, ``runs`` are a month's, by function."""

    function_mb: int
    front_mb: int
    instance: str
    storage_gb: int
    zones: int
    database_proxy: bool
    gateways: int
    snapshots_mb: tuple[int, ...]
    runs: dict[str, int]


def sizes_of(stage: str) -> Sizes:
    document = read_template(_TEMPLATE)
    specs = read_functions(_TEMPLATE, stack=Stack(parameters={"Stage": stage}), built=False)
    memory = {spec.logical_id: spec.memory_mb for spec in specs.values()}
    given = document["Mappings"]["Stages"][stage]
    functions = {name: document["Resources"][name]["Properties"] for name in memory}
    snapshots = [name for name, each in functions.items() if "SnapStart" in each]
    resources = document["Resources"].values()
    return Sizes(
        function_mb=document["Globals"]["Function"]["MemorySize"],
        front_mb=memory["Proxy"],
        instance=given["InstanceClass"],
        storage_gb=given["StorageGb"],
        zones=2 if given["MultiAz"] else 1,
        database_proxy=stage != "dev",
        gateways=sum(each["Type"] == "AWS::EC2::NatGateway" for each in resources) if stage != "dev" else 1,
        snapshots_mb=tuple(memory[name] for name in snapshots) if given["SnapStart"] != "None" else (),
        runs={name: _monthly(each) for name, each in functions.items() if _monthly(each)},
    )


def _monthly(function: dict[str, Any]) -> int:
    """Runs of a function's schedules in a month of 730 hours."""
    schedules = [each["Properties"] for each in function.get("Events", {}).values() if each["Type"] == "Schedule"]
    found = [_RATE.fullmatch(each["Schedule"]) for each in schedules]
    return sum(730 * 60 // (int(each[1]) * MINUTES[each[2]]) for each in found if each)
