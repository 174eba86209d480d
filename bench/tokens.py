"""`make tokens`: what the lists cost a client's context.

"Model" is what clients hand to a model: name, description, input schema. "List" is the whole entry, output schema and
annotations included, which most clients keep to themselves.
"""

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from local.files import ROOT
from proxy.catalog import Catalog, Selection
from proxy.manifest import Manifest, load_manifest

CHARACTERS_PER_TOKEN = 4.2
"""o200k_base, in which peers' lists are published, has 4.26 characters per token over these lists; a tool 4.0 to 4.7.
A tokenizer would have to be downloaded, and any model's own differs from it by more."""

MOST_PER_TOOL = 300
"""Average for the model: a little above github-mcp-server's 256 (20,444 tokens for 80 tools, 0-co.github.io/company/
benchmark.html), because needs and filters are rows of every search."""

MOST_OF_A_TOOL = 900
"""For the model: draft_compose's, which takes a whole letter or its changes; search_equipment's is next, with 670."""

MOST_OF_A_TOOLSET = 5100
"""For the model: Playwright's server of 23 tools costs 3,130 (portofcontext.com/token-calculator). To cpq's first
ten, which stay below that, come quote_what_if, quote_compare, account_search, check_draft and quote_withdraw,
together 1,100, and the three of letters with as much."""

MOST_IN_LIST = 800
"""Per tool on average; ours in November 2026 and a little, for nobody publishes this one."""

QUOTING = ("equipment", "quotes")
MOST_OF_QUOTING = 6000
"""The whole entries of the toolsets that every draft begins with."""

MOST_OF_A_PROFILE = 6800
"""The whole entries of an address for one kind of work, of at most MOST_IN_A_PROFILE tools."""
MOST_IN_A_PROFILE = 16

MOST_OF_KNOWLEDGE = 1900
"""Resources, templates and prompts: the median server's tools (policylayer.com/token-cost, 3,213 servers)."""

_FOR_THE_MODEL = ("name", "description", "inputSchema")


@dataclass(frozen=True, slots=True)
class Size:
    """Tokens of one entry of a list; ``model`` is the part that a model reads."""

    group: str
    name: str
    model: int
    whole: int


def tokens(value: object) -> int:
    return round(len(_json(value)) / CHARACTERS_PER_TOKEN)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def tools(manifest: Manifest) -> list[Size]:
    """The tools as tools/list has them, without a prefix that clients add."""
    wire = Catalog(manifest).wire_tools
    sizes = []
    for tool in manifest.tools:
        entry = wire[tool.name].model_dump(by_alias=True, exclude_none=True, mode="json")
        model = {name: entry[name] for name in _FOR_THE_MODEL}
        sizes.append(Size(tool.toolset, tool.name, tokens(model), tokens(entry)))
    return sorted(sizes, key=lambda size: (size.group, size.name))


def profile(manifest: Manifest, name: str) -> list[Size]:
    """The tools of a profile's address as tools/list has them there."""
    catalog = Catalog(manifest)
    chosen = catalog.profiles[name]
    view = catalog.view(Selection(chosen.toolsets, False, chosen.tools), scopes=manifest.scopes)
    entries = [tool.model_dump(by_alias=True, exclude_none=True, mode="json") for tool in catalog.listed(view)]
    model = [{name: entry[name] for name in _FOR_THE_MODEL} for entry in entries]
    return [
        Size(name, entry["name"], tokens(part), tokens(entry)) for part, entry in zip(model, entries, strict=True)
    ]


def knowledge(manifest: Manifest) -> list[Size]:
    """Entries of resources/list (the fixed ones), resources/templates/list and prompts/list."""
    return [
        *(_entry("resources", entry.uri, entry, "uri") for entry in manifest.resources),
        *(_entry("templates", entry.uri_template, entry, "uri_template") for entry in manifest.resource_templates),
        *(_entry("prompts", entry.name, entry, "arguments") for entry in manifest.prompts),
    ]


def _entry(group: str, name: str, entry: Any, *own: str) -> Size:
    fields = {"name", "title", "description", "mime_type", *own} & set(type(entry).model_fields)
    size = tokens(entry.model_dump(by_alias=True, exclude_none=True, mode="json", include=fields))
    return Size(group, name, size, size)


def table(sizes: list[Size], *, of: str) -> Iterator[str]:
    yield f"| {of} | | model | list |"
    yield "|---|---|---:|---:|"
    for group in dict.fromkeys(size.group for size in sizes):
        members = [size for size in sizes if size.group == group]
        for size in members:
            yield f"| {group} | `{size.name}` | {size.model:,} | {size.whole:,} |"
        yield _sum(f"**{group}**", members)
    yield _sum("**all**", sizes)


def _sum(label: str, sizes: list[Size]) -> str:
    return f"| {label} | {len(sizes)} | **{total(sizes):,}** | **{total(sizes, lambda size: size.whole):,}** |"


def total(sizes: list[Size], part: Callable[[Size], int] = lambda size: size.model) -> int:
    return sum(map(part, sizes))


def quoting(sizes: list[Size]) -> int:
    """Tokens of the whole entries of QUOTING."""
    return sum(size.whole for size in sizes if size.group in QUOTING)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.tokens", description=__doc__)
    parser.add_argument("--manifest", type=Path, default=ROOT / "proxy" / "manifest.json")
    manifest = load_manifest(parser.parse_args().manifest)
    sizes = tools(manifest)
    print(f"Tokens at {CHARACTERS_PER_TOKEN} characters each, as o200k_base has them over these lists.\n")
    print("\n".join([*table(sizes, of="toolset"), "", *table(knowledge(manifest), of="list")]))
    print(f"\nPer tool {total(sizes) / len(sizes):.0f} for the model; the bound is {MOST_PER_TOOL}.")
    print(f"{' and '.join(QUOTING)}: {quoting(sizes):,} in the list; the bound is {MOST_OF_QUOTING:,}.")
    for name, card in manifest.profiles.items():
        size = total(profile(manifest, name), lambda tool: tool.whole)
        print(f"/mcp/{name}: {len(card.tools)} tools, {size:,} in the list; the bound is {MOST_OF_A_PROFILE:,}.")


if __name__ == "__main__":
    main()
