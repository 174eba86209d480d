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
    "tools.1.read_only": lambda m: m["tools"][1].pop("read_only"),
    "tools.0.colour": lambda m: m["tools"][0].update(colour="red"),
    "tools.0.name": lambda m: m["tools"][0].update(name="find parts"),
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
