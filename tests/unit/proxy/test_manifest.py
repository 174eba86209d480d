"""A manifest that would fail later is refused at start."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from proxy.manifest import load_manifest
from proxy.settings import SettingsError
from tests.unit.proxy.manifests import FIXTURE, document

Edit = Callable[[dict[str, Any]], object]

BROKEN: dict[str, Edit] = {
    "outputSchema needs the root type": lambda m: m["tools"][0]["outputSchema"].pop("type"),
    "tools.1.read_only": lambda m: m["tools"][1].pop("read_only"),
    "tools.0.colour": lambda m: m["tools"][0].update(colour="red"),
    "unknown toolset 'nowhere'": lambda m: m["prompts"][0].update(toolset="nowhere"),
    "declared twice: find_parts": lambda m: m["tools"].append(m["tools"][0]),
    "reserved toolset name": lambda m: m["toolsets"].update(readonly=m["toolsets"]["parts"]),
    "tools.0.name": lambda m: m["tools"][0].update(name="find parts"),
    "exactly one of 'key' and 'function'": lambda m: m["resources"][0].update(function="f"),
    "needs the values of each variable": lambda m: m["resource_templates"][0].update(variables={"category": []}),
    "draft_order: exactly one of 'key' and 'function'": lambda m: m["prompts"][0].update(function="f"),
    "a function embeds its resources itself": lambda m: m["prompts"][0].update(function="f", key=None),
    "only a function can ask": lambda m: m["prompts"][0].update(asks=True),
    "'variables' must name exactly": lambda m: m["resource_templates"][0].update(variables={}),
}


@pytest.mark.parametrize("said", BROKEN)
def test_a_broken_manifest_is_refused_with_the_place(said: str, tmp_path: Path) -> None:
    edited = document()
    BROKEN[said](edited)
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps(edited))
    with pytest.raises(SettingsError) as refused:
        load_manifest(path)
    assert said in str(refused.value)
    assert str(path) in str(refused.value)


def test_a_missing_manifest_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"cannot read .*nothing\.json"):
        load_manifest(tmp_path / "nothing.json")


def test_scopes_cover_tools_and_what_is_read() -> None:
    assert load_manifest(FIXTURE).scopes == {"parts:read", "orders:read", "orders:write"}
