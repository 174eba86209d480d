"""Writes the generated files, or with --check fails when a committed one has drifted."""

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

from local.lambda_api.intrinsics import StackValues
from local.lambda_api.template import read_functions
from local.manifest import live_resources, template_files, tools
from local.manifest.readme import with_tables
from local.manifest.schema import agentcore_subset, input_schema, output_schema

ROOT = Path(__file__).resolve().parents[2]
INSTRUCTIONS = """\
Quarry retrieves what a quote is built from, and invents nothing. Search with search_line_items for proven \
wording, search_equipment (with hard filters) for products, search_past_quotes for similar projects; read the \
whole with get_quote, get_product, get_specs. Under max_tokens long answers come in pages. Cite source, score and \
confidence; probable_miss means not found. Follow the resource quarry://templates/quote, or start from the prompt \
draft_quote. To make the quote itself: catalog_search, quote_create, quote_price, approval_request where the \
policy asks for it (people approve, no tool does), quote_pdf. Beside quoting: find_related and its siblings for \
user stories, search_semantic and its siblings for reading highlights, search and ask for the tenant's documents."""


def version() -> str:
    found = re.search(r'^version = "([^"]+)"', (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    if found is None:
        raise ValueError("pyproject.toml has no version")
    return found[1]


def manifest() -> dict[str, Any]:
    timeouts = {
        spec.handler: spec.timeout
        for spec in read_functions(ROOT / "template.yaml", stack=StackValues(), built=False).values()
    }
    return {
        "version": version(),
        "server": {"name": "quarry", "title": "Quarry", "instructions": INSTRUCTIONS},
        "toolsets": {
            name: {"title": card.title, "description": card.description} for name, card in tools.toolsets().items()
        },
        "tools": [_tool(item, timeouts[f"{item.module}.handler"]) for item in tools.declared()],
        **live_resources.merged(template_files.sections(), timeouts=timeouts),
    }


def _tool(item: tools.Declared, timeout_s: int) -> dict[str, Any]:
    tool = item.tool
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "toolset": tool.toolset,
        "scope": tool.scope,
        "read_only": tool.read_only,
        "destructive": tool.destructive,
        "idempotent": tool.idempotent,
        "open_world": tool.open_world,
        "timeout_s": timeout_s,
        **({"cancellable": True} if tool.cancellable else {}),
        **({"asks": True} if tool.asks else {}),
        "inputSchema": input_schema(item.arguments),
        "outputSchema": output_schema(item.result),
    }


def agentcore() -> list[dict[str, Any]]:
    """The tool schema file of an AgentCore Gateway Lambda target."""
    return [
        {
            "name": item.tool.name,
            "description": item.tool.description,
            "inputSchema": agentcore_subset(input_schema(item.arguments)),
            "outputSchema": agentcore_subset(output_schema(item.result)),
        }
        for item in tools.declared()
    ]


def generated() -> dict[Path, str]:
    served = manifest()
    readme = ROOT / "README.md"
    return {
        ROOT / "proxy" / "manifest.json": _json(served),
        ROOT / "proxy" / "agentcore.json": _json(agentcore()),
        readme: with_tables(readme.read_text("utf-8"), served),
    }


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m local.manifest", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a file has drifted")
    check = parser.parse_args().check
    drifted = []
    for path, text in generated().items():
        if check and (not path.exists() or path.read_text("utf-8") != text):
            drifted.append(path.relative_to(ROOT).as_posix())
        elif not check:
            path.write_text(text, "utf-8")
    if drifted:
        print(f"Generated files have drifted: {', '.join(drifted)}. Run `make manifest`.", file=sys.stderr)
    return 1 if drifted else 0


if __name__ == "__main__":
    sys.exit(main())
