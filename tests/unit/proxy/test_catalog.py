"""Views: filtered by toolset, mode and scope, and few."""

from itertools import chain, combinations

from proxy.catalog import Catalog
from proxy.manifest import load_manifest
from proxy.selection import Selection
from tests.unit.proxy.manifests import FIXTURE

ALL = frozenset({"parts", "orders"})


def test_only_what_the_scopes_allow_is_in_a_view() -> None:
    view = Catalog(load_manifest(FIXTURE)).view(
        Selection(ALL, False), scopes=frozenset({"orders:read", "other:read"})
    )
    assert list(view.tools) == ["list_orders"]
    assert list(view.resources) == ["workbench://letter"]
    assert list(view.resource_templates) == []


def test_without_scopes_a_view_is_empty() -> None:
    view = Catalog(load_manifest(FIXTURE)).view(Selection(ALL, False), scopes=frozenset())
    assert [*view.tools, *view.resources, *view.resource_templates, *view.prompts] == []


def test_no_tool_that_writes_is_in_any_read_only_view() -> None:
    catalog = Catalog(load_manifest(FIXTURE))
    subsets = chain.from_iterable(combinations(sorted(ALL), size) for size in range(3))
    for toolsets in subsets:
        view = catalog.view(Selection(frozenset(toolsets), True), scopes=catalog.manifest.scopes)
        assert all(tool.read_only for tool in view.tools.values())


def test_views_are_kept_and_scopes_nobody_asks_for_make_no_new_ones() -> None:
    catalog = Catalog(load_manifest(FIXTURE))
    first = catalog.view(Selection(ALL, False), scopes=frozenset({"parts:read"}))
    assert catalog.view(Selection(ALL, False), scopes=frozenset({"parts:read", "made:up"})) is first


def test_only_annotated_schemas_are_checked_against_headers() -> None:
    assert set(Catalog(load_manifest(FIXTURE)).header_schemas) == {"get_part"}
