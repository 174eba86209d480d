"""Views: filtered by toolset, mode and scope, and few."""

from itertools import chain, combinations

from proxy.catalog import Catalog, Selection
from proxy.manifest import Manifest, load_manifest
from tests.unit.proxy.manifests import FIXTURE, document

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


def with_profile(*tools: str, enabled: tuple[str, ...] | None = None) -> Catalog:
    profile = {"title": "Desk", "description": "What a desk needs.", "tools": list(tools)}
    return Catalog(Manifest.model_validate({**document(), "profiles": {"desk": profile}}), enabled=enabled)


def addressed(catalog: Catalog, path: str) -> list[str]:
    view = catalog.view(catalog.selection(path, [], read_only=False), scopes=catalog.manifest.scopes)
    assert [tool.name for tool in catalog.listed(view)] == list(view.tools)
    return sorted(view.tools)


def test_a_profile_serves_its_tools_and_no_others_of_their_toolsets() -> None:
    catalog = with_profile("get_part", "place_order")
    assert addressed(catalog, "/mcp/desk") == ["get_part", "place_order"]
    assert addressed(catalog, "/mcp/desk/readonly") == ["get_part"]
    assert "find_parts" in addressed(catalog, "/mcp/parts")


def test_a_profile_lists_its_tools_shorter_and_validates_what_always_stands_there() -> None:
    catalog = with_profile("get_part")
    view = catalog.view(
        Selection(frozenset({"parts"}), False, frozenset({"get_part"})), scopes=catalog.manifest.scopes
    )
    [tool] = catalog.listed(view)
    whole = catalog.wire_tools["get_part"]
    assert (tool.title, tool.input_schema) == (whole.title, whole.input_schema)
    assert tool.annotations is not None
    assert tool.annotations.title is None
    assert tool.annotations.read_only_hint
    assert tool.output_schema is not None
    assert "properties" not in tool.output_schema


def test_a_profile_keeps_to_the_toolsets_that_a_server_serves() -> None:
    assert addressed(with_profile("get_part", "place_order", enabled=("parts",)), "/mcp/desk") == ["get_part"]
    assert with_profile("get_part", enabled=("orders",)).profiles == {}
