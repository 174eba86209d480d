"""A database as a first deployment finds it, and a tenant's house into which files are loaded."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from local.database import OWNER
from local.stack import Database
from operations.ingest import handler
from tests.aws import client
from tests.deployment import Deployment, invoke
from tests.sample_rows import Row

BUCKET = "taken-back"


@pytest.fixture
def blank(postgres: Database) -> Iterator[Deployment]:
    """A database as RDS hands it over: empty, with an owner who is no superuser."""
    name = f"blank_{uuid4().hex[:12]}"
    with psycopg.connect(postgres.dsn, autocommit=True) as connection:
        connection.execute(SQL("CREATE DATABASE {} OWNER {}").format(Identifier(name), Identifier(OWNER)))
        with psycopg.connect(postgres.named(name).dsn, autocommit=True) as inside:
            inside.execute("CREATE EXTENSION vector")
        deployed = Deployment(
            host=postgres.host, port=postgres.port, name=name, superuser_dsn=postgres.named(name).dsn
        )
        yield deployed
        deployed.close()
        connection.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))


@dataclass
class House:
    """The ingest function of one tenant of its own, its bucket, and the database as the superuser sees it."""

    s3: Any
    dsn: str
    tenant: str

    def load(self, kind: str, rows: Sequence[Row], *, replace: bool = False, rejected: int = 0) -> dict[str, Any]:
        text = "".join(json.dumps(row) + "\n" for row in rows)
        return self.load_text(kind, text, name="rows.jsonl", replace=replace, rejected=rejected)

    def load_text(
        self, kind: str, text: str, *, name: str, replace: bool = False, rejected: int = 0
    ) -> dict[str, Any]:
        answer = self.answer(kind, text, name=name, replace=replace)
        assert "reports" in answer, answer
        [report] = answer["reports"]
        assert report["rejected"] == rejected, report["rejects"]
        assert isinstance(report, dict)
        return report

    def answer(self, kind: str, text: str, *, name: str, replace: bool = False) -> dict[str, Any]:
        """The function's answer, a refusal too."""
        key = f"{self.tenant}/{kind}/{name}"
        metadata = {"replaces": "1"} if replace else {}
        self.s3.put_object(Bucket=BUCKET, Key=key, Body=text.encode(), Metadata=metadata)
        return invoke(handler, {"bucket": BUCKET, "key": key, "kind": kind}, tenant=self.tenant)

    def contents(self, table: str) -> list[dict[str, Any]]:
        return [json.loads(row) for row in self.rows(table)]

    def listed(self) -> list[dict[str, Any]]:
        """Its ingests, the newest first."""
        found = invoke(handler, {"ingests": True}, tenant=self.tenant)["ingests"]
        assert isinstance(found, list)
        return found

    def undo(self, report: dict[str, Any]) -> dict[str, Any]:
        return invoke(handler, {"undo": report["ingest_id"]}, tenant=self.tenant)

    def rows(self, *tables: str) -> list[str]:
        """To the letter, ids and times of change included."""
        with psycopg.connect(self.dsn) as connection:
            return [
                str(row[0])
                for table in tables
                for row in connection.execute(
                    f"SELECT to_jsonb(t)::text FROM {table} t WHERE tenant = %s ORDER BY 1",  # noqa: S608
                    [self.tenant],
                )
            ]

    def one(self, query: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.dsn) as connection:
            return connection.execute(query.encode(), {"t": self.tenant}).fetchall()

    def do(self, script: str) -> None:
        with psycopg.connect(self.dsn, cursor_factory=psycopg.ClientCursor) as connection:
            connection.execute(script.encode(), {"t": self.tenant})


@pytest.fixture
def house(deployment: Deployment, aws_url: str, aws_variables: dict[str, str]) -> Iterator[House]:
    s3 = client("s3", aws_url)
    s3.create_bucket(Bucket=BUCKET)
    with deployment.serving("quarry_ingest", **aws_variables):
        house = House(s3, deployment.superuser_dsn, f"house-{uuid4().hex[:8]}")
        deployment.declare_sample(tenant=house.tenant)
        yield house
