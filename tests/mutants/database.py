"""Mutants of the migrated database: what a migration with one other line would make, and whether tests see it."""

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.conninfo import make_conninfo
from psycopg.rows import class_row
from psycopg.sql import SQL

from local import schema
from local.database import DATABASE
from local.stack import Database
from tests.deployment import Deployment, new_deployment
from tests.integration.tenancy import test_catalogue
from tests.integration.tenancy.catalogue import SCHEMAS
from tests.servers import new_postgres

STRUCTURE = ("constraint dropped", "NULL allowed", "trigger dropped", "default dropped", "index dropped")
"""Kinds of what the file of the whole schema shows as well."""

STATEMENTS = SQL("""
    WITH schemas AS (SELECT oid, nspname::text AS s FROM pg_namespace
    WHERE pg_get_userbyid(nspowner) = 'quarry_owner'),
    roles AS (SELECT rolname::text AS r FROM pg_roles WHERE rolname LIKE 'quarry%' AND rolname <> 'quarry_owner'),
    tables AS (
        SELECT c.oid, c.oid::regclass::text AS t, c.relacl, c.relrowsecurity, c.relforcerowsecurity
        FROM pg_class c JOIN schemas n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p')),
    policies AS (
        SELECT t, p.polname::text AS p, p.polqual IS NOT NULL AS sees, p.polwithcheck IS NOT NULL AS checks,
            0::oid <> ALL (p.polroles) AS named
        FROM pg_policy p JOIN tables ON tables.oid = p.polrelid),
    functions AS (
        SELECT p.oid, p.oid::regprocedure::text AS f, p.prosecdef
        FROM pg_proc p JOIN schemas n ON n.oid = p.pronamespace WHERE p.prokind = 'f'),
    columns AS (
        SELECT t, a.attname::text AS c, a.attnotnull, a.attidentity = '' AS given,
            a.atthasdef AND a.attgenerated = '' AS preset, EXISTS (
                SELECT FROM pg_constraint k WHERE k.conrelid = tables.oid AND k.contype = 'p'
                    AND a.attnum = ANY (k.conkey)) AS key
        FROM pg_attribute a JOIN tables ON tables.oid = a.attrelid WHERE a.attnum > 0 AND NOT a.attisdropped),
    made (kind, place, sql, undo) AS (
        SELECT 'policy dropped', concat_ws(' ', t, p), format('DROP POLICY %I ON %s', p, t), '' FROM policies
        UNION ALL
        SELECT 'policy opened', concat_ws(' ', t, p), format('ALTER POLICY %I ON %s USING (true)', p, t), ''
        FROM policies WHERE sees
        UNION ALL
        SELECT 'check of a policy opened', concat_ws(' ', t, p),
            format('ALTER POLICY %I ON %s WITH CHECK (true)', p, t), '' FROM policies WHERE checks
        UNION ALL
        SELECT 'policy for everybody', concat_ws(' ', t, p), format('ALTER POLICY %I ON %s TO PUBLIC', p, t), ''
        FROM policies WHERE named
        UNION ALL
        SELECT 'row-level security not forced', t, format('ALTER TABLE %s NO FORCE ROW LEVEL SECURITY', t), ''
        FROM tables WHERE relforcerowsecurity
        UNION ALL
        SELECT 'row-level security off', t, format('ALTER TABLE %s DISABLE ROW LEVEL SECURITY', t), ''
        FROM tables WHERE relrowsecurity
        UNION ALL
        SELECT 'right for everybody', concat_ws(' ', t, w), format('GRANT %s ON %s TO PUBLIC', w, t), ''
        FROM tables, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']) AS w
        UNION ALL
        SELECT 'right for another role', concat_ws(' ', t, w, r), format('GRANT %s ON %s TO %s', w, t, r), ''
        FROM tables, roles, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']) AS w
        WHERE NOT has_table_privilege(r, oid, w)
        UNION ALL
        SELECT 'right taken', concat_ws(' ', t, a.privilege_type, r),
            format('REVOKE %s ON %s FROM %s', a.privilege_type, t, r), ''
        FROM tables, aclexplode(relacl) AS a JOIN roles ON a.grantee::regrole::text = r
        UNION ALL
        SELECT 'schema opened', concat_ws(' ', s, w), format('GRANT %s ON SCHEMA %s TO PUBLIC', w, s), ''
        FROM schemas, unnest(ARRAY['USAGE', 'CREATE']) AS w
        UNION ALL
        SELECT 'schema closed', concat_ws(' ', s, r), format('REVOKE USAGE ON SCHEMA %s FROM %s', s, r), ''
        FROM schemas, roles WHERE has_schema_privilege(r, s, 'USAGE')
        UNION ALL
        SELECT 'function runs as the owner', f, format('ALTER FUNCTION %s SECURITY DEFINER', f), ''
        FROM functions WHERE NOT prosecdef
        UNION ALL
        SELECT 'function takes names from its caller', f, format('ALTER FUNCTION %s RESET search_path', f), ''
        FROM functions WHERE prosecdef
        UNION ALL
        SELECT 'function for everybody', f, format('GRANT EXECUTE ON FUNCTION %s TO PUBLIC', f), ''
        FROM functions WHERE NOT has_function_privilege('public', oid, 'EXECUTE')
        UNION ALL
        SELECT 'role above the policies', concat_ws(' ', r, a), format('ALTER ROLE %s %s', r, a),
            format('ALTER ROLE %s NO%s', r, a)
        FROM roles, unnest(ARRAY['BYPASSRLS', 'SUPERUSER', 'CREATEROLE', 'CREATEDB', 'REPLICATION']) AS a
        UNION ALL
        SELECT 'role is another', concat_ws(' ', a.r, b.r), format('GRANT %s TO %s', a.r, b.r),
            format('REVOKE %s FROM %s', a.r, b.r) FROM roles a, roles b WHERE a.r <> b.r
        UNION ALL
        SELECT 'constraint dropped', concat_ws(' ', t, conname),
            format('ALTER TABLE %s DROP CONSTRAINT %I CASCADE', t, conname), ''
        FROM pg_constraint k JOIN tables ON tables.oid = k.conrelid WHERE k.contype IN ('c', 'f', 'u', 'p')
        UNION ALL
        SELECT 'NULL allowed', concat_ws(' ', t, c), format('ALTER TABLE %s ALTER %I DROP NOT NULL', t, c), ''
        FROM columns WHERE attnotnull AND given AND NOT key
        UNION ALL
        SELECT 'trigger dropped', concat_ws(' ', t, tgname), format('DROP TRIGGER %I ON %s', tgname, t), ''
        FROM pg_trigger g JOIN tables ON tables.oid = g.tgrelid WHERE NOT tgisinternal
        UNION ALL
        SELECT 'default dropped', concat_ws(' ', t, c), format('ALTER TABLE %s ALTER %I DROP DEFAULT', t, c), ''
        FROM columns WHERE preset
        UNION ALL
        SELECT 'index dropped', i.indexrelid::regclass::text, format('DROP INDEX %s', i.indexrelid::regclass), ''
        FROM pg_index i JOIN tables ON tables.oid = i.indrelid
        WHERE NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid))
    SELECT * FROM made
""")


@dataclass(frozen=True, slots=True)
class Statement:
    """``undo`` is that of what holds for all databases of a server."""

    kind: str
    place: str
    sql: str
    undo: str

    @property
    def name(self) -> str:
        return f"{self.kind}: database {self.place}"


UNCHANGED = Statement(STRUCTURE[0], "as it is", "SELECT", "")


@dataclass(frozen=True, slots=True)
class Migrated:
    """A server with one migrated database, of which each mutant is a copy."""

    postgres: Database

    def mutants(self) -> list[Statement]:
        """Of the catalogue, by kind and place."""
        with psycopg.connect(self.postgres.named(DATABASE).dsn, row_factory=class_row(Statement)) as connection:
            found = connection.execute(STATEMENTS).fetchall()
        return sorted(found, key=lambda each: each.name)

    def noticed_by(self, mutant: Statement) -> str:
        """The first test that fails on a copy so changed; empty where all pass."""
        with self.changed(mutant.sql, undo=mutant.undo) as deployment:
            found = next(filter(None, (_failed(check, deployment) for check in CHECKS)), "")
            if not found and mutant.kind in STRUCTURE and schema.read(_patient(deployment)) != _committed():
                found = BY_DRIFT
        return found

    @contextmanager
    def changed(self, sql: str, *, undo: str) -> Iterator[Deployment]:
        with (
            new_deployment(self.postgres, "") as deployment,
            psycopg.connect(deployment.superuser_dsn, autocommit=True) as connection,
        ):
            connection.execute(sql.encode())
            try:
                yield deployment
            finally:
                connection.execute(undo.encode() or b"SELECT")


BY_DRIFT = "migrations/schema.sql has drifted"
CHECKS = [
    (name, check)
    for name, check in inspect.getmembers(test_catalogue, inspect.isfunction)
    if name.startswith("test_") and check.__module__ == test_catalogue.__name__
]
"""What tests of tenancy ask of the catalogue."""


def _failed(check: tuple[str, Callable[..., None]], deployment: Deployment) -> str:
    name, test = check
    options: list[dict[str, Any]] = [{}]
    if "schema" in inspect.signature(test).parameters:
        options = [{"schema": each} for each in (*SCHEMAS, "public")]
    try:
        for each in options:
            test(deployment, **each)
    except (AssertionError, psycopg.Error):
        return name
    return ""


def _patient(deployment: Deployment) -> str:
    """For pg_dump, which is not told to wait on a busy machine."""
    return make_conninfo(deployment.superuser_dsn, connect_timeout=60)


def _committed() -> str:
    return schema.FILE.read_text("utf-8")


@contextmanager
def migrated() -> Iterator[Migrated]:
    with new_postgres() as postgres:
        yield Migrated(postgres)
