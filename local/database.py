"""Sets the local database up as RDS would be: an owner without superuser rights, four roles, all migrations."""

from collections.abc import Mapping
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.sql import SQL, Identifier, Literal

from local.failure import LocalError
from local.files import ROOT
from operations import migrations
from quarry.tool.errors import Conflict

OWNER = "quarry_owner"
DATABASE = "quarry"
LARGE_OBJECT_MAKERS = SQL("""
    SELECT proname, pg_get_function_identity_arguments(oid) FROM pg_proc
    WHERE pronamespace = 'pg_catalog'::regnamespace
        AND proname IN ('lo_creat', 'lo_create', 'lo_from_bytea', 'lo_put', 'lowrite')
""")

HELD_BY_NOBODY = "UPDATE quarry.embedding_queue SET claim = NULL, claimed_until = NULL WHERE claim IS NOT NULL"


def prepare(
    superuser_dsn: str, *, model: str, dimensions: int, passwords: Mapping[str, str], reembed: bool = False
) -> dict[str, Any]:
    """Creates database and owner, migrates as the owner, sets the roles' passwords; safe to repeat.

    ``passwords`` by role, the owner's included. When the database holds another model's vectors, ``reembed`` drops
    them and queues every row; without it that raises LocalError.
    """
    with psycopg.connect(superuser_dsn, dbname="postgres", autocommit=True) as connection:
        _create_owner(connection, passwords[OWNER])
    with psycopg.connect(superuser_dsn, dbname=DATABASE, autocommit=True) as connection:
        # On RDS the master user may do this; pgvector's control file here does not mark it trusted.
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        connection.execute("ALTER EXTENSION vector UPDATE")
        _close_large_objects(connection)
    owner = make_conninfo("", **{**conninfo_to_dict(superuser_dsn), "dbname": DATABASE, "user": OWNER})
    with psycopg.connect(owner, password=passwords[OWNER], autocommit=True) as connection:
        try:
            applied = migrations.apply(
                connection, migrations.read(ROOT / "migrations"), model=model, dimensions=dimensions
            )
        except Conflict as refusal:
            raise LocalError(
                f"This data directory cannot be used by this release. {refusal} Or start over: `make reset` (with "
                "the same DATA_DIR) removes it with all that it holds. Before that, `make backup` by the release "
                "that made it keeps everything for that release, and `make export` what you loaded for any."
            ) from refusal
        held = migrations.model_on_record(connection)
        if held != (model, dimensions) and reembed:
            migrations.change_model(connection, model=model, dimensions=dimensions)
            held = (model, dimensions)
    _refuse_other_model(held, wanted=(model, dimensions))
    with psycopg.connect(superuser_dsn, dbname=DATABASE, autocommit=True) as connection:
        for role, password in passwords.items():
            _set_password(connection, role, password)
        # Whoever held a batch ended with the stack, and its lease would keep the rows for two minutes.
        connection.execute(HELD_BY_NOBODY)
    return {"applied": applied, "model": held[0], "dimensions": held[1]}


def _close_large_objects(connection: psycopg.Connection[Any]) -> None:
    """They belong to no table and no tenant, and fill a disk that all share. On RDS only its own superuser may."""
    makers = connection.execute(LARGE_OBJECT_MAKERS).fetchall()
    for name, arguments in makers:
        revoke = SQL("REVOKE EXECUTE ON FUNCTION pg_catalog.{}({}) FROM PUBLIC")
        connection.execute(revoke.format(Identifier(name), SQL(arguments)))


def _refuse_other_model(held: tuple[str, int], *, wanted: tuple[str, int]) -> None:
    if held != wanted:
        raise LocalError(
            f"This data directory holds vectors of {held[0]} ({held[1]} dimensions), but the settings ask for "
            f"{wanted[0]} ({wanted[1]}), and vectors of two models cannot be compared. Go back to {held[0]} (unset "
            "OPENAI_API_KEY, or set EMBEDDING_MODEL), or embed everything again with REEMBED=1 make serve, or keep "
            "both with another DATA_DIR."
        )


def _create_owner(connection: psycopg.Connection[Any], password: str) -> None:
    if not connection.execute("SELECT FROM pg_roles WHERE rolname = %s", [OWNER]).rowcount:
        connection.execute(SQL("CREATE ROLE {} LOGIN CREATEROLE NOSUPERUSER NOBYPASSRLS").format(Identifier(OWNER)))
        connection.execute(SQL("GRANT pg_signal_backend TO {}").format(Identifier(OWNER)))
    _set_password(connection, OWNER, password)
    if not connection.execute("SELECT FROM pg_database WHERE datname = %s", [DATABASE]).rowcount:
        connection.execute(SQL("CREATE DATABASE {} OWNER {}").format(Identifier(DATABASE), Identifier(OWNER)))


def _set_password(connection: psycopg.Connection[Any], role: str, password: str) -> None:
    connection.execute(SQL("ALTER ROLE {} PASSWORD {}").format(Identifier(role), Literal(password)))
