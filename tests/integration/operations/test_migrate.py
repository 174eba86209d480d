"""migrate: an empty database into a serving one, on RDS too, later releases, and a change of model."""

import difflib
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from equipment import get_product, search_equipment
from local import schema
from local.database import DATABASE, OWNER
from local.files import ROOT
from local.stack import Database
from operations import embed_pending, migrations
from operations.migrate import handler
from tests.deployment import DIMENSIONS, MODEL, PASSWORD, Deployment, invoke
from tests.provider import Provider, running_provider
from tests.sample_rows import product, quote

NAMES = [migration.name for migration in migrations.read(ROOT / "migrations")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A release's migrations, to be changed."""
    return Path(shutil.copytree(ROOT / "migrations", tmp_path / "migrations"))


def migrate(deployment: Deployment, folder: Path, *, event: object = None, **variables: str) -> dict[str, Any]:
    with deployment.serving(OWNER, MIGRATIONS_DIR=str(folder), **variables):
        return invoke(handler, event or {})


def test_an_empty_database_gets_every_migration_and_the_second_time_none(blank: Deployment, folder: Path) -> None:
    first = migrate(blank, folder)
    assert first == {"applied": NAMES, "model": MODEL, "dimensions": DIMENSIONS, "queued_for_embedding": 0}
    assert migrate(blank, folder)["applied"] == []


def test_a_look_says_what_is_there_and_what_is_missing_and_changes_nothing(blank: Deployment, folder: Path) -> None:
    empty = migrate(blank, folder, event={"check": True})
    assert (empty["applied"], empty["pending"]) == (0, NAMES)
    migrate(blank, folder)
    (folder / f"{len(NAMES) + 1:04}_later.sql").write_text("SELECT 1;", "utf-8")
    held = migrate(blank, folder, event={"check": True})
    assert (held["applied"], held["pending"]) == (len(NAMES), [f"{len(NAMES) + 1:04}_later"])
    assert held["server"].startswith("18")
    assert held["vector"] == held["vector_available"] >= "0.8"


@pytest.mark.parametrize("role", ["quarry_read", "quarry_write", "quarry_approve", "quarry_ingest", "quarry_keys"])
def test_no_role_makes_what_belongs_to_no_table_or_takes_every_connection(
    blank: Deployment, folder: Path, role: str
) -> None:
    migrate(blank, folder)
    with blank.connect(role) as connection:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("CREATE TEMPORARY TABLE mine (n integer)")
        limits = connection.execute("""
            SELECT rolconnlimit AS most, current_setting('max_connections')::integer AS room,
                current_setting('statement_timeout') AS statement,
                current_setting('idle_in_transaction_session_timeout') AS idle,
                current_setting('idle_session_timeout') AS rest
            FROM pg_roles WHERE rolname = current_user
        """).fetchone()
    assert limits is not None
    assert 0 < limits["most"] < 0.7 * limits["room"]
    assert "0" not in (limits["statement"], limits["idle"], limits["rest"])


def test_every_migrate_gives_the_roles_their_share_of_what_the_server_takes_now(
    blank: Deployment, folder: Path
) -> None:
    limit = "SELECT rolconnlimit FROM pg_roles WHERE rolname = 'quarry_read'"
    migrate(blank, folder)
    with psycopg.connect(blank.superuser_dsn, autocommit=True) as superuser:
        share = superuser.execute(limit).fetchone()
        # As a larger instance class leaves it.
        superuser.execute("ALTER ROLE quarry_read CONNECTION LIMIT 7")
        migrate(blank, folder)
        assert superuser.execute(limit).fetchone() == share


@pytest.mark.parametrize("making", ["lo_create(0)", "lo_creat(-1)", "lo_from_bytea(0, 'x')"])
def test_no_role_of_the_local_database_makes_large_objects(deployment: Deployment, making: str) -> None:
    with deployment.connect("quarry_write") as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
        connection.execute(f"SELECT {making}".encode())


def test_a_database_of_any_release_becomes_one_of_this(blank: Deployment, folder: Path) -> None:
    found = migrations.read(folder)
    for newest in range(1, len(found) + 1):
        # Each in a session of its own, as if every one had been a release.
        with psycopg.connect(blank.owner_dsn, autocommit=True) as connection:
            applied = migrations.apply(connection, found[:newest], model=MODEL, dimensions=DIMENSIONS)
        assert applied == [found[newest - 1].name]


def test_an_edited_migration_is_a_conflict_that_names_it(blank: Deployment, folder: Path) -> None:
    migrate(blank, folder)
    path = folder / f"{NAMES[1]}.sql"
    path.write_text(path.read_text("utf-8") + "\n-- harmless\n", "utf-8")
    answer = migrate(blank, folder)
    assert answer["code"] == "CONFLICT"
    assert NAMES[1] in answer["message"]


def test_an_older_release_than_the_database_is_a_conflict(blank: Deployment, folder: Path) -> None:
    migrate(blank, folder)
    (folder / f"{NAMES[-1]}.sql").unlink()
    answer = migrate(blank, folder)
    assert answer["code"] == "CONFLICT"
    assert "deploy a newer release" in answer["message"]


def test_a_migration_that_fails_leaves_nothing_of_itself(blank: Deployment, folder: Path) -> None:
    migrate(blank, folder)
    broken = folder / f"{len(NAMES) + 1:04}_broken.sql"
    broken.write_text("CREATE TABLE quarry.half (n integer); SELECT 1 / 0;", "utf-8")
    answer = migrate(blank, folder)
    assert answer["code"] == "CONFLICT"
    assert f"{broken.stem} failed and left nothing of itself: division by zero" in answer["message"]
    broken.write_text("CREATE TABLE quarry.half (n integer);", "utf-8")
    assert migrate(blank, folder)["applied"] == [broken.stem]


def test_a_migration_that_gets_no_lock_gives_up_and_is_applied_later(
    blank: Deployment, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate(blank, folder)
    monkeypatch.setattr(migrations, "LOCK_TIMEOUT_MS", 20)
    later = folder / f"{len(NAMES) + 1:04}_later.sql"
    later.write_text("ALTER TABLE quarry.tenants ADD COLUMN later integer;", "utf-8")
    with psycopg.connect(blank.superuser_dsn) as reader:
        reader.execute("SELECT FROM quarry.tenants")
        answer = migrate(blank, folder)
    assert answer["code"] == "CONFLICT"
    assert f"{later.stem} waited 6 times for a lock and left nothing of itself" in answer["message"]
    assert migrate(blank, folder)["applied"] == [later.stem]


def test_an_index_is_built_while_others_write(blank: Deployment, folder: Path) -> None:
    migrate(blank, folder)
    index = folder / f"{len(NAMES) + 1:04}_index.sql"
    statement = "CREATE INDEX CONCURRENTLY tenants_again ON quarry.tenants (tenant);"
    index.write_text(f"-- outside a transaction\n{statement}\n", "utf-8")
    assert migrate(blank, folder)["applied"] == [index.stem]
    with psycopg.connect(blank.superuser_dsn) as connection:
        valid = connection.execute(
            "SELECT indisvalid FROM pg_index WHERE indexrelid = 'quarry.tenants_again'::regclass"
        )
        assert valid.fetchone() == (True,)


def test_a_database_gets_the_pgvector_of_its_server(blank: Deployment) -> None:
    """By a superuser, which RDS's owner is to its extensions and the local one is not."""
    release = migrations.read(ROOT / "migrations")
    version = "SELECT extversion FROM pg_extension WHERE extname = 'vector'"
    with psycopg.connect(blank.superuser_dsn, autocommit=True) as connection:
        newest = connection.execute(version).fetchone()
        connection.execute("UPDATE pg_extension SET extversion = '0.8.4' WHERE extname = 'vector'")
        migrations.apply(connection, release, model=MODEL, dimensions=DIMENSIONS)
        assert connection.execute(version).fetchone() == newest


def test_two_migrators_at_once_apply_everything_once(blank: Deployment) -> None:
    release = migrations.read(ROOT / "migrations")

    def apply(_: int) -> list[str]:
        with psycopg.connect(
            host=blank.host,
            port=blank.port,
            dbname=blank.name,
            user=OWNER,
            password=PASSWORD,
            sslmode="disable",
            autocommit=True,
        ) as connection:
            return migrations.apply(connection, release, model=MODEL, dimensions=DIMENSIONS)

    with ThreadPoolExecutor(2) as pool:
        applied = list(pool.map(apply, range(2)))
    assert sorted(applied) == [[], NAMES]


def test_a_function_on_an_unmigrated_database_says_what_to_run(blank: Deployment) -> None:
    with blank.serving("quarry_read"):
        answer = invoke(get_product.handler, {"model": "QMB30"})
    assert answer["code"] == "UNAVAILABLE"
    assert "run the migrate function" in answer["message"]


@contextmanager
def filled(deployment: Deployment) -> Iterator[tuple[Deployment, Provider]]:
    """Three products of two tenants and a quote of two sentences, embedded by a provider of changing length."""
    with running_provider() as provider:
        served = replace(deployment, endpoints={"OPENAI_BASE_URL": provider.url})
        served.put_products(product("A1"), product("A2"))
        served.put_products(product("R1"), tenant="rival")
        served.put_quotes(quote("Q1"))
        served.embed()
        yield served, provider


def search(deployment: Deployment, **variables: str) -> dict[str, Any]:
    with deployment.serving(**variables):
        return invoke(search_equipment.handler, {"query": "rotary screw air compressor"})


def test_another_model_is_refused_until_reembed_and_then_every_row_is_queued(
    deployment: Deployment, folder: Path
) -> None:
    changed = {"EMBEDDING_MODEL": "larger-model", "EMBEDDING_DIMENSIONS": "512"}
    with filled(deployment) as (served, provider):
        refused = migrate(served, folder, **changed)
        assert refused["code"] == "CONFLICT"
        assert f"{MODEL} (384 dimensions)" in refused["message"]
        assert "larger-model (512)" in refused["message"]
        assert len(search(served)["results"]) == 2

        assert migrate(served, folder, event={"reembed": True}, **changed)["queued_for_embedding"] == 6
        assert search(served)["code"] == "UNAVAILABLE"
        provider.dimensions = 512
        with served.serving("quarry_ingest", **changed):
            assert invoke(embed_pending.handler, {})["embedded"] == 6
        hits = search(served, **changed)["results"]
        assert len(hits) == 2
        for tenant in ("acme", "rival"):
            assert served.rows("SELECT * FROM search.inconsistencies('equipment.products')", tenant=tenant) == []

        back = {"EMBEDDING_MODEL": MODEL, "EMBEDDING_DIMENSIONS": "384"}
        assert migrate(served, folder, event={"reembed": True}, **back)["queued_for_embedding"] == 6


def test_a_query_cached_before_a_change_of_dimensions_is_embedded_again(deployment: Deployment, folder: Path) -> None:
    shorter = {"EMBEDDING_DIMENSIONS": "192"}
    with filled(deployment) as (served, provider):
        search(served)
        migrate(served, folder, event={"reembed": True}, **shorter)
        provider.dimensions = 192
        with served.serving("quarry_ingest", **shorter):
            invoke(embed_pending.handler, {})
        assert len(search(served, **shorter)["results"]) == 2
        migrate(served, folder, event={"reembed": True})


@pytest.mark.parametrize("role", ["quarry_read", "quarry_write", "quarry_approve", "quarry_ingest"])
def test_a_change_of_model_ends_every_session_that_remembers_the_old_one(
    deployment: Deployment, folder: Path, role: str
) -> None:
    with filled(deployment) as (served, _), served.connect(role) as session:
        migrate(served, folder, event={"reembed": True}, EMBEDDING_MODEL=f"model-of-{role}")
        with pytest.raises(psycopg.errors.AdminShutdown):
            session.execute("SELECT 1")


LOGIN_BY_IAM = """
    SELECT array_agg(member.rolname::text ORDER BY member.rolname) FROM pg_auth_members
    JOIN pg_roles granted ON granted.oid = roleid JOIN pg_roles member ON member.oid = pg_auth_members.member
    WHERE granted.rolname = 'rds_iam' AND member.rolname <> 'quarry_owner'
"""


@pytest.fixture
def rds(blank: Deployment) -> Iterator[Deployment]:
    """A server with RDS's role, by which who logs in by IAM token is told, and which the owner may grant there."""
    with psycopg.connect(blank.superuser_dsn, autocommit=True) as superuser:
        superuser.execute("CREATE ROLE rds_iam NOLOGIN")
        superuser.execute(SQL("GRANT rds_iam TO {} WITH ADMIN OPTION").format(Identifier(OWNER)))
        yield blank
        for role in ("quarry_read", "quarry_write", "quarry_approve", "quarry_ingest", "quarry_keys", OWNER):
            superuser.execute(SQL("REVOKE rds_iam FROM {} CASCADE").format(Identifier(role)))
        superuser.execute("DROP ROLE rds_iam")


def test_every_role_of_the_functions_logs_in_by_iam_and_the_owner_by_password(rds: Deployment, folder: Path) -> None:
    assert "0001_foundation" in migrate(rds, folder)["applied"]
    with psycopg.connect(rds.superuser_dsn) as connection:
        row = connection.execute(LOGIN_BY_IAM).fetchone()
    assert row == (["quarry_approve", "quarry_ingest", "quarry_keys", "quarry_read", "quarry_write"],)


def test_the_committed_schema_is_what_the_migrations_make(postgres: Database) -> None:
    committed = schema.FILE.read_text("utf-8").splitlines()
    made = schema.read(postgres.named(DATABASE).dsn).splitlines()
    difference = list(difflib.unified_diff(committed, made, "committed", "made", n=0, lineterm=""))
    assert difference == [], "run `make schema`:\n" + "\n".join(difference)
