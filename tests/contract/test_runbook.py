"""docs/RUNBOOK.md against what it names: a parameter, an alarm or a command that is not there fails here first."""

import re
from itertools import chain

import pytest

from bench.cost import with_page
from local.files import ROOT
from local.lambda_api.intrinsics import read_template

TEXT = (ROOT / "docs/RUNBOOK.md").read_text("utf-8")
TEMPLATE = read_template(ROOT / "template.yaml")
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
RESOURCES = TEMPLATE["Resources"]
CODE = "".join(
    path.read_text("utf-8")
    for folder in ("functions", "layers/quarry", "local", "migrations", "proxy", "template.yaml", "samconfig.toml")
    for path in chain([ROOT / folder], (ROOT / folder).rglob("*"))
    if path.suffix in (".py", ".sql", ".yaml", ".toml") and path.is_file()
)
TICKED = sorted(set(re.findall(r"`([^`\n]+)`", TEXT)))
OTHERS = {"authorization_token", "require_approval", "server_label", "server_url"}
"""Settings of other houses' software."""


def of_kind(kind: str) -> set[str]:
    return {name for name, each in RESOURCES.items() if each["Type"] == kind}


def test_every_make_target_exists() -> None:
    named = set(re.findall(r"(?:`|&& |^)make ([a-z-]+)", TEXT, re.MULTILINE))
    assert named >= {"keys", "deploy", "validate", "cost"}
    assert named <= set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))


def test_every_output_resource_and_function_that_a_command_asks_for_exists() -> None:
    assert set(re.findall(r"\$\(output (\w+)\)", TEXT)) <= TEMPLATE["Outputs"].keys()
    assert set(re.findall(r"\$\(resource (\w+)\)", TEXT)) <= RESOURCES.keys()
    functions = {
        RESOURCES[name]["Properties"]["FunctionName"]["Fn::Sub"].partition("-")[2]
        for name in of_kind("AWS::Serverless::Function")
    }
    called = re.findall(r"`call (\w+)`|\$STACK-(\w+)", TEXT)
    assert {first or second for first, second in called} - {"before", "restored", "lost"} <= functions


def test_every_parameter_says_what_it_is() -> None:
    assert [name for name, each in TEMPLATE["Parameters"].items() if not each.get("Description")] == []


@pytest.mark.parametrize("name", [name for name in TICKED if re.fullmatch(r"([A-Z][a-z]+){2,}", name)])
def test_a_parameter_metric_or_resource_is_in_the_template_or_the_code(name: str) -> None:
    known = {*TEMPLATE["Parameters"], *TEMPLATE["Rules"], *RESOURCES, *TEMPLATE["Mappings"]["Stages"]["prod"]}
    known.update(*(resource.get("Properties", {}) for resource in RESOURCES.values()))
    assert name in known or f'"{name}"' in CODE or f"class {name}" in CODE


@pytest.mark.parametrize("name", [name for name in TICKED if re.fullmatch(r"[a-z]+(_[a-z]+)+", name)])
def test_a_log_event_column_or_function_is_in_the_code(name: str) -> None:
    assert (name in CODE) is (name not in OTHERS)


def test_the_table_of_alarms_has_them_all_and_no_other() -> None:
    table = TEXT.partition("## Alarms")[2].partition("## ")[0]
    rows = "\n".join(line.split(" | ")[0] for line in table.splitlines() if line.startswith("| "))
    assert set(re.findall(r"`(\w+Alarm)`", rows)) == of_kind("AWS::CloudWatch::Alarm")


def test_every_setting_that_only_a_secret_can_hold_is_told_of() -> None:
    secrets = {name for name in TEMPLATE["Parameters"] if name.endswith("Secret")}
    assert {name for name in secrets if name not in TEXT} <= {"SlackSecret"}


def test_links_within_it_lead_somewhere_and_files_exist() -> None:
    headings = re.findall(r"^#+ (.+)$", TEXT, re.MULTILINE)
    anchors = {re.sub(r"[^a-z0-9 -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    assert set(re.findall(r"\(#([^)]+)\)", TEXT)) <= anchors
    paths = [name for name in TICKED if re.fullmatch(r"[\w-]+(/[\w.-]+)+/?", name)]
    for name in paths:
        where = "layers/quarry/" if name.startswith("quarry/") else ""
        assert (ROOT / where / name).exists() or name.startswith("quarry/") or name in CODE, name


def test_its_costs_are_what_the_command_works_out() -> None:
    assert with_page(TEXT) == TEXT, "run `python -m bench.cost --write`"


def test_the_steps_that_are_said_to_run_a_procedure_are_steps_of_the_emulated_run() -> None:
    table = TEXT.partition("## Procedures that were run")[2].partition("## ")[0]
    code = "".join(path.read_text("utf-8") for path in (ROOT / "tests/emulated").glob("*.py"))
    steps = re.findall(r'with step\("([^"]+)"\)', code)
    named = re.findall(r'"([^"\n]+)"', table)
    assert len(named) >= 10
    assert set(named) <= set(steps)
