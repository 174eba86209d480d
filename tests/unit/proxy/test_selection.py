"""Property tests: no path or header widens what the server serves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.catalog import Catalog, Selection, SelectionError
from proxy.manifest import Manifest, load_manifest
from tests.unit.proxy.manifests import FIXTURE, document

CATALOG = Catalog(load_manifest(FIXTURE))
PIECES = st.sampled_from(["parts", "orders", "gamma", "readonly", "/", ",", "", " ", "//", "mcp", "true", "\u00e4"])


def test_the_root_serves_all_enabled_toolsets() -> None:
    assert CATALOG.selection("/mcp", [], read_only=False) == Selection(frozenset({"parts", "orders"}), False)


@given(path=st.lists(PIECES, max_size=6).map("".join))
def test_whatever_is_selected_is_enabled_and_not_empty(path: str) -> None:
    try:
        selection = CATALOG.selection("/mcp" + path, [], read_only=False)
    except SelectionError:
        return
    assert selection.toolsets
    assert selection.toolsets <= set(CATALOG.toolsets)


@given(path=st.lists(PIECES, max_size=5).map("".join), header=st.sampled_from([b"true", b"false", b"0", b""]))
def test_a_read_only_server_stays_read_only(path: str, header: bytes) -> None:
    try:
        selection = CATALOG.selection("/mcp" + path, [(b"x-mcp-readonly", header)], read_only=True)
    except SelectionError:
        return
    assert selection.read_only


@pytest.mark.parametrize("values", [[b"false", b"true"], [b"true", b"false"], [b"TRUE"], [b"1"]])
def test_any_header_that_asks_for_read_only_gets_it(values: list[bytes]) -> None:
    headers = [(b"x-mcp-readonly", value) for value in values]
    assert CATALOG.selection("/mcp", headers, read_only=False).read_only


def test_a_malformed_header_among_good_ones_is_refused() -> None:
    headers = [(b"x-mcp-readonly", b"true"), (b"x-mcp-readonly", b"ture")]
    with pytest.raises(SelectionError) as refused:
        CATALOG.selection("/mcp", headers, read_only=False)
    assert refused.value.status == 400


@pytest.mark.parametrize("path", ["/mcp/desk,parts", "/mcp/parts,desk", "/mcp/desk/other", "/mcp/desk/readonly/x"])
def test_a_profile_stands_by_itself(path: str) -> None:
    profile = {"title": "Desk", "description": "What a desk needs.", "tools": ["get_part"]}
    catalog = Catalog(Manifest.model_validate({**document(), "profiles": {"desk": profile}}))
    with pytest.raises(SelectionError):
        catalog.selection(path, [], read_only=False)
