"""What the lists cost a client's context stays under what today's peers cost (bench/tokens.py has the sources)."""

import json
from itertools import groupby

import pytest

from bench import tokens
from local.files import ROOT
from proxy.manifest import load_manifest

MANIFEST = load_manifest(ROOT / "proxy" / "manifest.json")
TOOLS = tokens.tools(MANIFEST)


def test_a_tool_costs_a_model_little_more_on_average_than_githubs() -> None:
    assert tokens.total(TOOLS) / len(TOOLS) <= tokens.MOST_PER_TOOL


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_no_tool_costs_a_model_more_than_githubs_dearest(tool: tokens.Size) -> None:
    assert tool.model <= tokens.MOST_OF_A_TOOL, f"Shorten what {tool.name} and its arguments say of themselves."


def test_no_toolset_costs_a_model_more_than_a_whole_browser() -> None:
    for _, members in groupby(TOOLS, key=lambda tool: tool.group):
        assert tokens.total(list(members)) <= tokens.MOST_OF_A_TOOLSET


def test_output_schemas_do_not_outgrow_the_list() -> None:
    assert tokens.total(TOOLS, lambda tool: tool.whole) / len(TOOLS) <= tokens.MOST_IN_LIST


def test_what_a_draft_begins_with_costs_a_client_little() -> None:
    assert tokens.quoting(TOOLS) <= tokens.MOST_OF_QUOTING


@pytest.mark.parametrize("name", MANIFEST.profiles)
def test_a_profile_costs_a_client_little(name: str) -> None:
    sizes = tokens.profile(MANIFEST, name)
    assert len(sizes) == len(MANIFEST.profiles[name].tools) <= tokens.MOST_IN_A_PROFILE
    assert tokens.total(sizes, lambda tool: tool.whole) <= tokens.MOST_OF_A_PROFILE


def test_resources_and_prompts_cost_less_than_the_median_servers_tools() -> None:
    assert tokens.total(tokens.knowledge(MANIFEST)) <= tokens.MOST_OF_KNOWLEDGE


def test_a_longer_description_costs_more() -> None:
    text = (ROOT / "proxy" / "manifest.json").read_text("utf-8")
    changed = json.loads(text)
    changed["tools"][0]["description"] += " And much else that nobody needs to know." * 10
    longer = tokens.tools(type(MANIFEST).model_validate(changed))
    assert tokens.total(longer) - tokens.total(TOOLS) == pytest.approx(410 / tokens.CHARACTERS_PER_TOKEN, abs=2)
