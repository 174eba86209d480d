"""The packages of a build, by which what is deployed is held to what was tested."""

from pathlib import Path

import pytest

from local.sam.wheels import listed


@pytest.fixture
def build(tmp_path: Path) -> Path:
    for artefact, package in (
        ("OneLayer", "pydantic_core-2.50.1"),
        ("OneLayer", "psycopg-3.3.0"),
        ("Proxy", "mcp-2.4.0"),
    ):
        inside = tmp_path / artefact / ("python" if artefact.endswith("Layer") else "") / f"{package}.dist-info"
        inside.mkdir(parents=True)
        (inside / "WHEEL").write_text("Tag: cp313-cp313-manylinux_2_28_aarch64", "utf-8")
    return tmp_path


def test_a_build_lists_each_package_of_each_artefact_with_its_version(build: Path) -> None:
    assert listed(build) == ["OneLayer psycopg==3.3.0", "OneLayer pydantic_core==2.50.1", "Proxy mcp==2.4.0"]


def test_another_version_in_one_artefact_shows(build: Path) -> None:
    before = listed(build)
    (build / "Proxy/mcp-2.4.0.dist-info").rename(build / "Proxy/mcp-2.4.1.dist-info")
    assert set(listed(build)) - set(before) == {"Proxy mcp==2.4.1"}
