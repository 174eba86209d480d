"""migrate on RDS, whose role rds_iam decides who logs in by IAM token."""

from collections.abc import Iterator
from uuid import uuid4

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from local.database import OWNER
from local.files import ROOT
from local.stack import Database
from operations.migrate import handler
from tests.deployment import Deployment, invoke

MEMBERS = """
    SELECT array_agg(member.rolname::text ORDER BY member.rolname) FROM pg_auth_members
    JOIN pg_roles granted ON granted.oid = roleid JOIN pg_roles member ON member.oid = pg_auth_members.member
    WHERE granted.rolname = 'rds_iam' AND member.rolname <> 'quarry_owner'
"""


@pytest.fixture
def rds(postgres: Database) -> Iterator[Deployment]:
    """An empty database on a server with RDS's role, which the owner may grant as the master user may there."""
    name = f"rds_{uuid4().hex[:12]}"
    with psycopg.connect(postgres.dsn, autocommit=True) as connection:
        connection.execute("CREATE ROLE rds_iam NOLOGIN")
        connection.execute(SQL("GRANT rds_iam TO {} WITH ADMIN OPTION").format(Identifier(OWNER)))
        connection.execute(SQL("CREATE DATABASE {} OWNER {}").format(Identifier(name), Identifier(OWNER)))
        with psycopg.connect(postgres.named(name).dsn, autocommit=True) as inside:
            inside.execute("CREATE EXTENSION vector")
        yield Deployment(host=postgres.host, port=postgres.port, name=name, superuser_dsn=postgres.named(name).dsn)
        connection.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))
        for role in ("quarry_read", "quarry_write", "quarry_approve", "quarry_ingest", "quarry_keys", OWNER):
            connection.execute(SQL("REVOKE rds_iam FROM {} CASCADE").format(Identifier(role)))
        connection.execute("DROP ROLE rds_iam")


def test_every_role_of_the_functions_logs_in_by_iam_and_the_owner_by_password(rds: Deployment) -> None:
    with rds.serving(OWNER, MIGRATIONS_DIR=str(ROOT / "migrations")):
        applied = invoke(handler, {})["applied"]
    assert "0001_foundation" in applied
    with psycopg.connect(rds.superuser_dsn) as connection:
        row = connection.execute(MEMBERS).fetchone()
    assert row == (["quarry_approve", "quarry_ingest", "quarry_keys", "quarry_read", "quarry_write"],)
