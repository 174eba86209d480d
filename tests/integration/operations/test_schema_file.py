"""migrations/schema.sql, beside what the migrations make."""

import difflib

from local import schema
from local.database import DATABASE
from local.stack import Database


def test_the_committed_schema_is_what_the_migrations_make(postgres: Database) -> None:
    committed, made = (
        schema.FILE.read_text("utf-8").splitlines(),
        schema.read(postgres.named(DATABASE).dsn).splitlines(),
    )
    difference = list(difflib.unified_diff(committed, made, "committed", "made", n=0, lineterm=""))
    assert difference == [], "run `make schema`:\n" + "\n".join(difference)
