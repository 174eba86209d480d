"""A database as a first deployment finds it."""

from collections.abc import Iterator
from uuid import uuid4

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from local.database import OWNER
from local.stack import Database
from tests.deployment import Deployment


@pytest.fixture
def blank(postgres: Database) -> Iterator[Deployment]:
    """A database as RDS hands it over: empty, with an owner who is no superuser."""
    name = f"blank_{uuid4().hex[:12]}"
    with psycopg.connect(postgres.dsn, autocommit=True) as connection:
        connection.execute(SQL("CREATE DATABASE {} OWNER {}").format(Identifier(name), Identifier(OWNER)))
        with psycopg.connect(postgres.named(name).dsn, autocommit=True) as inside:
            inside.execute("CREATE EXTENSION vector")
        yield Deployment(host=postgres.host, port=postgres.port, name=name, superuser_dsn=postgres.named(name).dsn)
        connection.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))
