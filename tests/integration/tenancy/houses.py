"""Two databases: in one a tenant lives alone, in the other next door to one whose data looks much the same."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from psycopg.sql import SQL, Identifier

from highlights.ingestion import NUMBER
from local.corpus_loader import CORPUS, SAMPLE
from local.manifest.tools import Declared, declared
from operations.api_keys import handler as api_keys
from operations.ingest import KINDS
from operations.reading import read
from operations.verify_api_key import handler as verify_api_key
from quarry.ingestion import Accepted
from tests.declarations import declared_beside
from tests.deployment import Deployment, as_tenant, invoke
from tests.inbox import Inbox

NEIGHBOUR, TENANT = "acme", "rival"
MARK = "zebulon ZBX9000"
"""In every text of the neighbour's, and in none of the tenant's."""

PROSE = {
    "products": ("description",),
    "past_quotes": ("summary",),
    "line_items": ("description",),
    "documents": ("content",),
    "highlights": ("content",),
    "stories": ("narrative",),
    "products_for_sale": ("description",),
    "accounts": ("name",),
}
MOST = {"products": 16, "past_quotes": 6, "highlights": 4, "stories": 16}
TOOLS = {item.tool.name: item for item in declared()}

ORDER = {
    "account_id": "acct_acme_001",
    "term_months": 12,
    "line_items": [
        {"product_id": "prod_pro_v2", "quantity": 150, "attributes": {"billing": "annual"}},
        {"product_id": "prod_sso", "quantity": 150},
    ],
}

OWN_BLOCK = """
    WITH chosen AS (
        SELECT tid, tenant, few, cardinality(few) / 2 AS docs FROM {0} WHERE few <> '{{}}' ORDER BY tid LIMIT 1),
    moved AS (UPDATE {0} t SET few = NULL FROM chosen c WHERE t.tid = c.tid)
    INSERT INTO {1} (tid, layer, first, tenant, docs, weights)
    SELECT tid, 0, few[1], tenant, few[:docs], few[docs + 1:] FROM chosen
"""
"""What a term of many documents has: the houses are too small for one."""

Rows = Sequence[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class House:
    """``endpoints`` are the other servers' and the buckets', as the functions' environment names them."""

    deployment: Deployment
    inbox: Inbox
    endpoints: dict[str, str]

    @contextmanager
    def serving(self, role: str, **variables: str) -> Iterator[None]:
        with self.deployment.serving(role, **{**self.endpoints, **variables}):
            yield

    def call(self, tool: str, arguments: dict[str, Any], *, tenant: str = TENANT) -> dict[str, Any]:
        return invoke(handler_of(TOOLS[tool]), arguments, tenant=tenant)


def handler_of(item: Declared) -> Any:
    module = __import__(item.module, fromlist=["handler"])
    return module.handler


def role_of(tool: str) -> str:
    """As template.yaml has it; a contract test holds it to this."""
    if TOOLS[tool].tool.toolset == "onboarding":
        return "quarry_ingest"
    return "quarry_read" if TOOLS[tool].tool.read_only else "quarry_write"


def sample() -> dict[str, list[dict[str, Any]]]:
    """Some rows of each kind, those of past quotes with all their lines."""
    found: dict[str, list[dict[str, Any]]] = {}
    for kind, name in SAMPLE:
        if kind == "readwise":
            continue
        found[kind] = _rows(kind, CORPUS / name)[: MOST.get(kind)]
    quoted = {row["quote_number"] for row in found["past_quotes"]}
    found["line_items"] = [row for row in found["line_items"] if row["quote_number"] in quoted]
    return found


def _rows(kind: str, path: Path) -> list[dict[str, Any]]:
    """As deployment.put takes them."""
    if kind == "highlights":
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    with path.open("rb") as file:
        rows = read(file, KINDS[kind], file_name=path.name, attributes=declared_beside(CORPUS / "products.csv"))
        accepted = [item.row for item in rows if isinstance(item, Accepted)]
    return [row.model_dump(mode="json") for row in accepted]


def every(rows: Rows, *, keeps: Callable[[int], bool]) -> list[dict[str, Any]]:
    return [row for place, row in enumerate(rows) if keeps(place)]


def tenants_rows() -> dict[str, list[dict[str, Any]]]:
    """Half of what can be halved; of the catalogue for sale all but the last product and account."""
    rows = sample()
    assert _theirs(rows) == THEIRS
    for kind in ("products", "documents", "highlights", "stories"):
        rows[kind] = every(rows[kind], keeps=lambda place: place % 2 == 0)
    rows["past_quotes"] = rows["past_quotes"][:3]
    quoted = {row["quote_number"] for row in rows["past_quotes"]}
    rows["line_items"] = [row for row in rows["line_items"] if row["quote_number"] in quoted]
    product = rows["products_for_sale"].pop()["id"]
    rows["accounts"].pop()
    rows["prices"] = [row for row in rows["prices"] if row["product_id"] != product]
    rows["product_relationships"] = [
        row for row in rows["product_relationships"] if product not in (row["product_id"], row["related_id"])
    ]
    return rows


def neighbours_rows() -> dict[str, list[dict[str, Any]]]:
    """Everything, and other texts under the same names."""
    return {
        kind: [
            {**row, **{name: f"{row[name]} {MARK}" for name in PROSE.get(kind, ()) if isinstance(row[name], str)}}
            for row in rows
        ]
        for kind, rows in sample().items()
    }


def _theirs(rows: Mapping[str, Rows]) -> dict[str, str]:
    return {
        "model": rows["products"][1]["model"],
        "quote": rows["past_quotes"][5]["quote_number"],
        "document": rows["documents"][1]["content"][:80],
        "highlight": rows["highlights"][1]["id"],
        "tag": rows["highlights"][1]["tags"][0],
        "story": rows["stories"][1]["story_key"],
        "product_for_sale": rows["products_for_sale"][-1]["id"],
        "sku": rows["products_for_sale"][-1]["sku"],
        "account": rows["accounts"][-1]["id"],
        "category": rows["products_for_sale"][-1]["category"],
    }


THEIRS = {
    "model": "QMB15",
    "quote": "Q18-0377",
    "document": "The company's flagship product is the AX-7, a warehouse navigation robot that us",
    "highlight": "pruning-well",
    "tag": "decisions",
    "story": "GAL-02",
    "product_for_sale": "prod_freight_6",
    "sku": "FRT-6",
    "account": "acct_whitmore_dental_lab",
    "category": "service",
}
"""Names of rows that only the neighbour has. Written down, for whoever collects tests reads no sample."""


def load(deployment: Deployment, rows: dict[str, list[dict[str, Any]]], *, tenant: str) -> None:
    for kind, of_kind in rows.items():
        deployment.put(KINDS[kind], of_kind, tenant=tenant)
    with deployment.connect("quarry_ingest") as connection, as_tenant(connection, tenant):
        connection.execute(NUMBER, {"tenant": tenant})


def settle_neighbour(house: House) -> None:
    """Has a row in every table: quotes asked for, decided and printed, keys, ingests, settings, caches, the queue."""
    house.deployment.embed()
    with house.serving("quarry_write"):
        for number, discount in enumerate((10, 10, 0)):
            _quote(house, f"k{number}", discount=discount)
        invoke(verify_api_key, {"tenant": NEIGHBOUR, "wanted": 1, "per_second": 1, "burst": 9})
    with house.serving("quarry_keys"):
        invoke(api_keys, {"action": "create", "tenant": NEIGHBOUR, "name": "n", "scopes": ["cpq:read"]})
    with house.serving("quarry_read"):
        assert house.call("search_equipment", {"query": f"what {MARK} asks"}, tenant=NEIGHBOUR)["results"]
    with house.deployment.connect("quarry_ingest") as connection, as_tenant(connection, NEIGHBOUR):
        connection.execute("INSERT INTO quarry.tenant_settings VALUES (%s, true)", [NEIGHBOUR])
        # Off what the tenant quotes, were it to hold there.
        connection.execute(
            """INSERT INTO cpq.discounts (tenant, segment, discount_group, discount_pct)
               SELECT tenant, 'enterprise', category, 7 FROM cpq.products WHERE tenant = %s AND id = 'prod_pro_v2'""",
            [NEIGHBOUR],
        )
        connection.execute("INSERT INTO quarry.ingest_mappings VALUES (%s, 'products', '[]', 'kind')", [NEIGHBOUR])
        connection.execute(
            """WITH begun AS (
                   INSERT INTO quarry.ingests (tenant, kind, source) VALUES (%s, 'products', 'f')
                   RETURNING id, tenant)
               INSERT INTO quarry.ingest_rejects SELECT id, tenant, 1, 'reason', 'raw' FROM begun""",
            [NEIGHBOUR],
        )
        connection.execute("SELECT set_config('quarry.ingest', max(id)::text, true) FROM quarry.ingests")
        connection.execute(
            "INSERT INTO quarry.ingest_keys SELECT tenant, id, '[]' FROM quarry.ingests WHERE tenant = %s LIMIT 1",
            [NEIGHBOUR],
        )
        connection.execute("UPDATE equipment.products SET description = description || '.' WHERE model = 'QMB30'")
        for row in connection.execute("SELECT corpus FROM search.corpora").fetchall():
            schema, table = row["corpus"].split(".")
            names = (Identifier(schema, f"{table}_{suffix}") for suffix in ("terms", "blocks"))
            connection.execute(SQL(OWN_BLOCK).format(*names))
    with house.deployment.connect("quarry_approve") as connection, as_tenant(connection, NEIGHBOUR):
        connection.execute(
            """INSERT INTO cpq.approval_questions (tenant, request_id, approver_id, approver_name, question)
               SELECT r.tenant, r.id, a.id, a.name, %s
               FROM cpq.approval_requests r JOIN cpq.approvers a ON a.tenant = r.tenant LIMIT 1""",
            [MARK],
        )
        connection.execute(
            """INSERT INTO cpq.approval_delegations (tenant, approver_id, delegate_id, until)
               SELECT min(tenant), min(id), max(id), '2026-01-01' FROM cpq.approvers"""
        )


def _quote(house: House, key: str, *, discount: int) -> str:
    created = house.call("quote_create", {**ORDER, "idempotency_key": key}, tenant=NEIGHBOUR)
    quote_id: str = created["quote"]["id"]
    named = {"quote_id": quote_id, "idempotency_key": key}
    assert "error" not in house.call("quote_price", {**named, "requested_discount_pct": discount}, tenant=NEIGHBOUR)
    if discount:
        asked = house.call("approval_request", {**named, "justification": MARK}, tenant=NEIGHBOUR)
        assert "error" not in asked, asked
    assert "error" not in house.call("quote_pdf", {"quote_id": quote_id}, tenant=NEIGHBOUR)
    letter = {"account_id": ORDER["account_id"], "quote_ids": [quote_id], "page": MARK, "idempotency_key": key}
    assert "error" not in house.call("draft_compose", letter, tenant=NEIGHBOUR)
    return quote_id
