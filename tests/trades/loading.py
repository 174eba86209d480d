"""A trade's folder as a tenant of its own: its files through the kinds of a real ingest, with their vectors."""

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg.sql import SQL

from local.stack import Database
from operations import ingest_account, own_words
from operations.ingest import KINDS
from operations.reading import read
from tests.deployment import TENANT, Deployment, new_deployment

TRADES = Path(__file__).parent
FILES = (
    ("families", "families.csv"),
    ("units", "units.csv"),
    ("attributes", "attributes.csv"),
    ("products", "products.csv"),
    ("past_quotes", "past_quotes.jsonl"),
    ("line_items", "line_items.jsonl"),
    ("vocabulary", "vocabulary.csv"),
    ("equivalents", "equivalents.csv"),
)
"""In the order that they need, as far as a folder has them."""

VECTOR_INDEXES = """
    SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid)
    FROM pg_index WHERE indexrelid::regclass::text LIKE '%\\_vectors\\_hnsw'
"""


def put_file(deployment: Deployment, path: Path, *, kind: str) -> None:
    """As an ingest reads and writes it, by what the tenant has declared before. No row may be rejected."""
    with deployment.serving("quarry_ingest"), path.open("rb") as file:
        rows = read(file, KINDS[kind], file_name=path.name, attributes=own_words.attributes_of(TENANT))
        report = ingest_account.begin(kind, tenant=TENANT, source=f"s3://files/{TENANT}/{kind}/{path.name}")
        ingest_account.write(rows, KINDS[kind], report)
    assert not report.rejected, f"{path} has rows that are rejected: {report.rejects[:3]}"


def embed(deployment: Deployment) -> None:
    """The vectors' indexes are made at the end, which takes less than half the time."""
    with psycopg.connect(deployment.owner_dsn, autocommit=True) as connection:
        indexes = connection.execute(VECTOR_INDEXES).fetchall()
        for name, _ in indexes:
            connection.execute(SQL("DROP INDEX {}").format(SQL(name)))
        deployment.embed()
        for _, definition in indexes:
            connection.execute(SQL(definition))


def put_trade(deployment: Deployment, folder: Path) -> None:
    for kind, name in FILES:
        if (folder / name).exists():
            put_file(deployment, folder / name, kind=kind)
    if (folder / "prices.csv").exists():
        _put_prices(deployment, folder / "prices.csv")
    embed(deployment)


def _put_prices(deployment: Deployment, path: Path) -> None:
    """Model, maker, currency and price become products for sale and a list of prices for each currency."""
    with path.open(encoding="utf-8", newline="") as file:
        prices = list(csv.DictReader(file))
    goods = {(row["manufacturer"], row["model"]): f"prod_{number}" for number, row in enumerate(prices)}
    books = {row["currency"]: f"pb_{row['currency'].lower()}" for row in prices}
    deployment.put(
        KINDS["products_for_sale"],
        [
            {"id": key, "sku": key, "name": model, "description": model, "product_type": "simple",
             "category": "goods", "manufacturer": maker, "model": model}
            for (maker, model), key in goods.items()
        ],
    )  # fmt: skip
    deployment.put(
        KINDS["price_books"], [{"id": book, "name": f"List {code}", "currency": code} for code, book in books.items()]
    )
    deployment.put(
        KINDS["prices"],
        [
            {"price_book_id": books[row["currency"]], "product_id": goods[row["manufacturer"], row["model"]],
             "price": row["price"]}
            for row in prices
        ],
    )  # fmt: skip


@contextmanager
def trade_deployment(postgres: Database, embeddings_url: str, folder: Path) -> Iterator[Deployment]:
    with new_deployment(postgres, embeddings_url) as deployment:
        put_trade(deployment, folder)
        yield deployment
