"""Property tests: no path or header widens what the server serves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.catalog import Selection, SelectionError, select

ENABLED = ("alpha", "beta")
PIECES = st.sampled_from(["alpha", "beta", "gamma", "readonly", "/", ",", "", " ", "//", "mcp", "true", "\u00e4"])


def test_the_root_serves_all_enabled_toolsets() -> None:
    assert select("/mcp", headers=[], enabled=ENABLED, read_only=False, profiles={}) == Selection(
        frozenset(ENABLED), False
    )


@given(path=st.lists(PIECES, max_size=6).map("".join))
def test_whatever_is_selected_is_enabled_and_not_empty(path: str) -> None:
    try:
        selection = select("/mcp" + path, headers=[], enabled=ENABLED, read_only=False, profiles={})
    except SelectionError:
        return
    assert selection.toolsets
    assert selection.toolsets <= set(ENABLED)


@given(path=st.lists(PIECES, max_size=5).map("".join), header=st.sampled_from([b"true", b"false", b"0", b""]))
def test_a_read_only_server_stays_read_only(path: str, header: bytes) -> None:
    try:
        selection = select(
            "/mcp" + path, headers=[(b"x-mcp-readonly", header)], enabled=ENABLED, read_only=True, profiles={}
        )
    except SelectionError:
        return
    assert selection.read_only


@pytest.mark.parametrize("values", [[b"false", b"true"], [b"true", b"false"], [b"TRUE"], [b"1"]])
def test_any_header_that_asks_for_read_only_gets_it(values: list[bytes]) -> None:
    headers = [(b"x-mcp-readonly", value) for value in values]
    assert select("/mcp", headers=headers, enabled=ENABLED, read_only=False, profiles={}).read_only


def test_a_malformed_header_among_good_ones_is_refused() -> None:
    headers = [(b"x-mcp-readonly", b"true"), (b"x-mcp-readonly", b"ture")]
    with pytest.raises(SelectionError) as refused:
        select("/mcp", headers=headers, enabled=ENABLED, read_only=False, profiles={})
    assert refused.value.status == 400


@pytest.mark.parametrize("path", ["/mcp/desk,alpha", "/mcp/alpha,desk", "/mcp/desk/other", "/mcp/desk/readonly/x"])
def test_a_profile_stands_by_itself(path: str) -> None:
    desk = {"desk": Selection(frozenset({"alpha"}), False, frozenset({"find"}))}
    with pytest.raises(SelectionError):
        select(path, headers=[], enabled=ENABLED, read_only=False, profiles=desk)
