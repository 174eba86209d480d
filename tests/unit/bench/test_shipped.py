"""What a function ships, against the files themselves."""

from pathlib import Path

import pgvector

from bench.cold import installed_bytes, shipped_bytes
from local.files import ROOT
from local.lambda_api.intrinsics import StackValues
from local.lambda_api.template import read_functions

TEMPLATE = ROOT / "template.yaml"


def test_a_functions_layers_count_with_what_they_pin() -> None:
    specs = read_functions(TEMPLATE, stack=StackValues(), built=False)
    tool, ask = (shipped_bytes(specs[f"quarry-{name}"], template=TEMPLATE) for name in ("get_product", "ask"))
    assert tool > installed_bytes(["psycopg", "psycopg-binary", "pydantic", "pydantic-core", "openai"])
    assert ask - tool >= installed_bytes(["mcp", "mcp-types"])


def test_a_package_for_another_platform_counts_nothing() -> None:
    assert installed_bytes(["no-such-package"]) == 0
    assert installed_bytes(["pgvector", "no-such-package"]) > Path(pgvector.__path__[0], "__init__.py").stat().st_size
