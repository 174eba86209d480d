"""All tenants, for operations that serve every one of them in turn."""

import random

from psycopg.sql import SQL

from quarry.data import database

EVERY = SQL("SELECT quarry.every_tenant() AS tenant")


def every_tenant() -> list[str]:
    """Shuffled, so that a run that stops early does not always leave the same ones out."""
    tenants = [row["tenant"] for row in database.session().connection.execute(EVERY)]
    random.shuffle(tenants)
    return tenants
