"""Two tenants with a key each on one warm stack: at once and in any order, each gets what it gets alone."""

import json
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

import httpx2
import pytest

from local.corpus_loader import CORPUS, drain, ingest
from local.stack import SAMPLE_TENANT, Stack, require
from tests.e2e.sample_calls import ONE_CALL_OF_EACH, lasting
from tests.e2e.test_keys import answer
from tests.fronts import guarded_front, keys
from tests.house import House

pytestmark = pytest.mark.stack

RIVAL = "rival"
DOCUMENTS = [
    {"doc_id": 1, "content": "Rival Robotics was founded in 1999 by Noor Haddad."},
    {"doc_id": 3, "content": "Who developed GridMind is a question that Rival Robotics does not answer."},
]
HIGHLIGHTS = {
    "id": "slow-harbour", "title": "Another Harbour", "author": "Noor Haddad", "source": "articles",
    "tags": ["attention", "habits"], "content": "What we notice is what we have not yet learnt to expect.",
    "created_at": "2024-01-01T10:00:00Z",
}  # fmt: skip
READS = (
    "search",
    "list_documents",
    "search_equipment",
    "get_product",
    "search_semantic",
    "get_stats",
    "catalog_search",
)
URIS = ("schema://taxonomy", "kxhub://chunk/slow-harbour~0", "kxhub://chunks/by-tag/habits")
TAGS = {"type": "ref/resource", "uri": "kxhub://chunks/by-tag/{tag}"}
TURNS: list[tuple[str, dict[str, Any]]] = [
    *(("tools/call", {"name": tool, "arguments": ONE_CALL_OF_EACH[tool]}) for tool in READS),
    *(("resources/read", {"uri": uri}) for uri in URIS),
    ("resources/list", {}),
    ("completion/complete", {"ref": TAGS, "argument": {"name": "tag", "value": "a"}}),
    ("prompts/get", {"name": "tag_exploration", "arguments": {"tag": "habits"}}),
]
ROUNDS, AT_ONCE = 3, 2


@pytest.fixture(scope="module")
def callers(house: House, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, dict[str, str]]]:
    """(the front, keys by tenant), with a second tenant's few rows under the first one's names."""
    stack, folder = require(house.data_dir), tmp_path_factory.mktemp("rival")
    for kind, rows in (
        ("documents", DOCUMENTS),
        ("highlights", [HIGHLIGHTS]),
        ("families", [{"family": "compressor", "name": "Compressor"}]),
        ("products", products()),
    ):
        file: Path = folder / f"{kind}.jsonl"
        file.write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
        assert ingest(stack, file, kind=kind, tenant=RIVAL)["rejected"] == 0
    drain(stack, on_progress=lambda _: None)
    made = {
        tenant: keys(house.data_dir, "create", tenant, "--tenant", tenant, "--scopes", "read").splitlines()[0]
        for tenant in (SAMPLE_TENANT, RIVAL)
    }
    with guarded_front(house.data_dir) as url:
        yield url, made


def products() -> list[dict[str, object]]:
    """The first lines of the sample's, as they would read at another house, which declares no attributes."""
    names, *lines = (CORPUS / "products.csv").read_text("utf-8").splitlines()[:2]
    model = lines[0].partition(",")[0]
    assert names.startswith("model,")
    plain = {"manufacturer": "Rival", "category": "ROTARY SCREW AIR COMPRESSOR", "family": "compressor"}
    return [{"model": model, "description": "Oilless by Rival.", **plain}]


def said(url: str, key: str, turn: tuple[str, dict[str, Any]]) -> object:
    """The part of the answer that the same call gets again."""
    response: httpx2.Response = answer(url, key, turn[0], **turn[1])
    assert response.status_code == 200, response.text
    message = response.json()
    if structured := message.get("result", {}).get("structuredContent"):
        return lasting(structured)
    return message.get("result", message.get("error"))


def test_two_tenants_at_once_get_what_each_gets_alone(stack: Stack, callers: tuple[str, dict[str, str]]) -> None:
    url, made = callers
    turns = list(product(made.values(), range(len(TURNS))))
    alone = {turn: said(url, turn[0], TURNS[turn[1]]) for turn in turns}
    shuffled = turns * ROUNDS
    random.Random(stack.pid).shuffle(shuffled)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        together = list(pool.map(lambda turn: said(url, turn[0], TURNS[turn[1]]), shuffled))
    for turn, got in zip(shuffled, together, strict=True):
        assert got == alone[turn], TURNS[turn[1]]
    first, second = ([alone[key, place] for place in range(len(TURNS))] for key in made.values())
    assert sum(mine != theirs for mine, theirs in zip(first, second, strict=True)) >= len(TURNS) - 2
    assert "Rival" not in json.dumps(first)
