"""Puts the sample corpus into a deployment and asks the search tools; only this module knows how they answer."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.sql import SQL

from equipment import search_equipment
from local.corpus_loader import CORPUS, SAMPLE
from local.preview import declared_beside
from operations.ingest import KINDS
from operations.reading import read
from quarry.ingestion import Accepted
from quotes import search_line_items, search_past_quotes
from tests.deployment import Deployment, Handler, invoke, new_deployment
from tests.servers import new_embeddings, new_postgres
from tests.trade.cases import Case

VECTOR_INDEXES = """
    SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid)
    FROM pg_index WHERE indexrelid::regclass::text LIKE '%\\_vectors\\_hnsw'
"""
SEARCHED = ("units", "families", "attributes", "products", "past_quotes", "line_items", "vocabulary", "equivalents")
HANDLERS: Mapping[str, Handler] = {
    "search_equipment": search_equipment.handler,
    "search_line_items": search_line_items.handler,
    "search_past_quotes": search_past_quotes.handler,
}
KEYS: Mapping[str, Callable[[dict[str, Any]], str]] = {
    "search_equipment": lambda hit: str(hit["product"]["model"]),
    "search_line_items": lambda hit: f"{hit['line_item']['quote_number']}/{hit['line_item']['position']}",
    "search_past_quotes": lambda hit: str(hit["quote"]["quote_number"]),
}


@dataclass(frozen=True, slots=True)
class Hit:
    key: str
    score: float | None
    confidence: str | None
    explanation: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Answer:
    hits: Sequence[Hit]
    notice: str | None
    needs: Sequence[Mapping[str, Any]] = ()


def put_sample(deployment: Deployment, *, kinds: Collection[str] = SEARCHED) -> None:
    """The kinds that searches read, as an ingest puts them, with their vectors; the indexes of these are made at
    the end, which takes less than half the time.
    """
    declared = declared_beside(CORPUS / "products.csv")
    wanted = {*kinds, "units", "families", "attributes"}
    for kind, name in ((kind, name) for kind, name in SAMPLE if kind in wanted):
        with (CORPUS / name).open("rb") as file:
            rows = list(read(file, KINDS[kind], file_name=name, attributes=declared))
        given = [item.row.model_dump(mode="json") for item in rows if isinstance(item, Accepted)]
        assert len(given) >= 0.95 * len(rows), f"{name} has rows that are rejected"
        deployment.put(KINDS[kind], given, known=declared)
    with psycopg.connect(deployment.owner_dsn, autocommit=True) as connection:
        indexes = connection.execute(VECTOR_INDEXES).fetchall()
        for name, _ in indexes:
            connection.execute(SQL("DROP INDEX {}").format(SQL(name)))
        deployment.embed()
        for _, definition in indexes:
            connection.execute(SQL(definition))


@contextmanager
def sample_deployment() -> Iterator[Deployment]:
    """One of its own, for the command; tests share theirs."""
    with new_postgres() as postgres, new_embeddings() as url, new_deployment(postgres, url) as deployment:
        put_sample(deployment)
        yield deployment


def ask(case: Case, *, depth: int, explain: bool, needs: Mapping[str, Any] | None = None) -> Answer:
    """Within `Deployment.serving`. ``needs`` are the arguments that a caller read out of the case's words."""
    asked = {"query": case.ask} if needs is None else needs
    arguments = {"top_k": depth, "explain": explain, "full": True, **asked, **case.given}
    answer = invoke(HANDLERS[case.tool], arguments)
    if "error" in answer:
        raise ValueError(f"{case.tool} refused {arguments}: {answer['error']}")
    key = KEYS[case.tool]
    hits = [
        Hit(key(hit), hit.get("score"), hit.get("confidence"), hit.get("explanation")) for hit in answer["results"]
    ]
    return Answer(hits, answer.get("notice"), answer.get("needs", ()))
