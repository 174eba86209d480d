"""The database as it stands: every table is isolated, nothing goes around that, rights are those on record."""

import difflib
from pathlib import Path

import pytest
from psycopg.sql import SQL

from tests.deployment import Deployment
from tests.integration.tenancy.catalogue import SCHEMAS

NO_TENANTS = {
    "quarry.migrations": "which migrations were applied",
    "quarry.embedding_model": "the one model of the database",
    "quarry.cursor_secret": "what cursors are sealed with",
    "search.corpora": "names of searchable tables",
    "cpq.currencies": "ISO 4217",
    "search.legal_forms": "legal forms of companies",
}
"""Tables without a tenant, each the same for all of them and written by migrations alone."""

NOT_FORCED = {"quarry.tenants"}
"""Its policy binds every role but the owner, who goes from tenant to tenant when it migrates."""

OF_THE_OWNER = {
    "cpq.chain_audit",
    "cpq.follow_decision",
    "quarry.every_tenant",
    "quarry.in_the_way_of_undoing",
    "quarry.note_change",
    "quarry.quotes_relying_on",
    "quarry.take_out_unnamed",
    "quarry.undo_ingest",
}
"""SECURITY DEFINER: numbers an audit row, whose tenant the policies still check; names the tenants to schedules;
keeps what rows were before an ingest, and takes rows of the catalogue out or back, which no role may delete."""

WIDER = {
    ("quarry.embedding_queue", "worker_reads", "quarry_ingest"),
    ("quarry.embedding_queue", "worker_updates", "quarry_ingest"),
    ("quarry.embedding_queue", "worker_deletes", "quarry_ingest"),
    ("quarry.embedding_cache", "worker_prunes", "quarry_ingest"),
    ("quarry.embedding_cache", "worker_sees", "quarry_ingest"),
    ("quarry.api_keys", "presented_is_seen", "quarry_keys,quarry_write"),
    ("quarry.api_keys", "presented_is_marked", "quarry_keys,quarry_write"),
}
"""Permissive policies beside the tenant's: the worker's for queue and pruning, and the one key that is presented."""

TOGETHER = {
    "note": {"insert", "update", "delete"},
    "search": {"insert", "update", "delete"},
    "tell": {"insert", "update", "delete"},
    "values": {"insert", "update", "delete"},
    "statistics": {"insert", "update", "delete"},
    "count": {"insert", "delete"},
    "link": {"insert", "update"},
    "sentences": {"insert", "update"},
}
"""Triggers that keep something up to date, and what each has to hear of."""

SINGLE = {
    *((f"cpq.{table}", "append_only") for table in ("audit", "drafts", "pricing_traces")),
    ("cpq.accounts", "company_key"),
    ("cpq.audit", "chain"),
    ("cpq.approval_requests", "follow_decision"),
    ("cpq.price_book_entries", "supersede_entry"),
    ("cpq.products", "index_words_of_changed"),
    ("cpq.products", "index_words_of_new"),
    ("quarry.embedding_queue", "drop_claim"),
    ("quarry.tenant_settings", "forget_queries"),
    ("quotes.past_quotes", "company_key"),
}
"""All others: what was recorded is changed by nobody, and what follows from a change follows."""

ISOLATED = "(tenant = quarry.current_tenant())"

TABLES = SQL("""
    SELECT c.oid::regclass::text AS name, c.relkind, 'security_invoker=true' = ANY (c.reloptions) AS invokes,
        c.relrowsecurity AS enabled, c.relforcerowsecurity AS forced,
        pg_get_userbyid(c.relowner) AS owner, EXISTS (
            SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant' AND a.attnotnull
        ) AS has_tenant
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'
""")
POLICIES = SQL("""
    SELECT schemaname || '.' || tablename AS name, policyname, permissive, cmd, qual, with_check,
        array_to_string(ARRAY(SELECT unnest(roles)::text ORDER BY 1), ',') AS roles
    FROM pg_policies
""")
DEFINERS = SQL("""
    SELECT p.oid::regproc::text AS name, coalesce(array_to_string(p.proconfig, ';'), '') AS settings
    FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE p.prosecdef AND n.nspname NOT IN ('pg_catalog', 'information_schema')
""")
UNIQUE = SQL("""
    SELECT i.indrelid::regclass::text AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns,
        bool_or(a.attidentity <> '') AS identity
    FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY ((i.indkey::int2[])[0:i.indnkeyatts - 1])
    WHERE i.indisunique AND n.nspname = ANY (%(schemas)s)
    GROUP BY i.indexrelid, i.indrelid
""")
FOREIGN = SQL("""
    SELECT k.conname AS name, k.confrelid::regclass::text AS target,
        EXISTS (SELECT FROM unnest(k.conkey, k.confkey) AS pair (mine, its)
            JOIN pg_attribute m ON m.attrelid = k.conrelid AND m.attnum = pair.mine AND m.attname = 'tenant'
            JOIN pg_attribute t ON t.attrelid = k.confrelid AND t.attnum = pair.its AND t.attname = 'tenant')
            AS names_tenant
    FROM pg_constraint k JOIN pg_namespace n ON n.oid = k.connamespace
    WHERE k.contype = 'f' AND n.nspname = ANY (%(schemas)s)
""")
RIGHTS = SQL("""
    WITH roles AS (SELECT unnest(ARRAY['quarry_read', 'quarry_write', 'quarry_approve', 'quarry_ingest',
        'quarry_keys']) AS role),
    tables AS (
        SELECT c.oid, c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND n.nspname NOT IN ('pg_catalog', 'information_schema')),
    rights AS (
        SELECT r.role, t.name, p.place, p.word || CASE
            WHEN has_table_privilege(r.role, t.oid, p.word) THEN ''
            ELSE ' (' || (
                SELECT string_agg(a.attname::text, ', ' ORDER BY a.attnum) FROM pg_attribute a
                WHERE a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
                    AND has_column_privilege(r.role, t.oid, a.attnum, p.word)) || ')' END AS right
        FROM roles r CROSS JOIN tables t
        CROSS JOIN (VALUES (1, 'SELECT'), (2, 'INSERT'), (3, 'UPDATE')) AS p (place, word)
        UNION ALL
        SELECT r.role, t.name, p.place, p.word
        FROM roles r CROSS JOIN tables t
        CROSS JOIN (VALUES (4, 'DELETE'), (5, 'TRUNCATE'), (6, 'TRIGGER'), (7, 'MAINTAIN')) AS p (place, word)
        WHERE has_table_privilege(r.role, t.oid, p.word))
    SELECT format('%%s  %%s  %%s', role, name, string_agg("right", ', ' ORDER BY place)) AS line
    FROM rights WHERE "right" IS NOT NULL GROUP BY role, name
    UNION ALL
    SELECT format('%%s  schema %%s  USAGE', role, nspname) FROM roles, pg_namespace
    WHERE nspname = ANY (%(schemas)s) AND has_schema_privilege(role, oid, 'USAGE')
    UNION ALL
    SELECT format('public  schema %%s  USAGE', nspname) FROM pg_namespace
    WHERE nspname = ANY (%(schemas)s) AND has_schema_privilege('public', oid, 'USAGE')
    UNION ALL
    SELECT format('%%s  function %%s  EXECUTE', role, p.oid::regprocedure) FROM roles
    CROSS JOIN pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE nspname = ANY (%(schemas)s) AND NOT has_function_privilege('public', p.oid, 'EXECUTE')
        AND has_function_privilege(role, p.oid, 'EXECUTE')
    UNION ALL
    SELECT format('nobody  function %%s', p.oid::regprocedure)
    FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE nspname = ANY (%(schemas)s) AND NOT has_function_privilege('public', p.oid, 'EXECUTE')
        AND NOT EXISTS (SELECT FROM roles WHERE has_function_privilege(role, p.oid, 'EXECUTE'))
    UNION ALL
    SELECT concat_ws('  ', array_to_string(ARRAY(SELECT unnest(roles)::text ORDER BY 1), ','),
        schemaname || '.' || tablename, permissive || ' ' || cmd || ' ' || policyname,
        'USING ' || regexp_replace(qual, '\\s+', ' ', 'g'), 'CHECK ' || regexp_replace(with_check, '\\s+', ' ', 'g'))
    FROM pg_policies WHERE policyname <> 'tenant_isolation'
    ORDER BY 1
""")
TRIGGERS = SQL("""
    SELECT tgrelid::regclass::text AS name, tgname::text AS trigger, tgenabled = 'O' AS enabled FROM pg_trigger
    WHERE NOT tgisinternal
""")
ON_RECORD = Path(__file__).with_name("rights.txt")


def test_every_table_has_a_tenant_and_forced_row_level_security(deployment: Deployment) -> None:
    tables = deployment.rows(TABLES.as_string())
    assert {row["owner"] for row in tables} == {"quarry_owner"}
    views = [row for row in tables if row["relkind"] != "r"]
    assert {row["relkind"] for row in views} == {"v"}
    assert all(row["invokes"] for row in views), "who asks sees of a view what its tables show him"
    tables = [row for row in tables if row["relkind"] == "r"]
    assert {row["name"] for row in tables if not row["has_tenant"]} == NO_TENANTS.keys()
    isolated = {row["name"] for row in tables if row["enabled"] and row["forced"]}
    assert {row["name"] for row in tables} - isolated == NO_TENANTS.keys() | NOT_FORCED
    assert {row["name"] for row in tables if row["enabled"]} >= NOT_FORCED


def test_every_table_has_the_tenants_policy_and_no_other_lets_more_in(deployment: Deployment) -> None:
    policies = deployment.rows(POLICIES.as_string())
    isolating = {
        row["name"]
        for row in policies
        if (row["roles"], row["cmd"], row["qual"], row["with_check"]) == ("public", "ALL", ISOLATED, ISOLATED)
    }
    tables = {row["name"] for row in deployment.rows(TABLES.as_string()) if row["relkind"] == "r"}
    assert isolating == tables - NO_TENANTS.keys()
    permissive = {
        (row["name"], row["policyname"], row["roles"])
        for row in policies
        if row["permissive"] == "PERMISSIVE" and row["policyname"] != "tenant_isolation"
    }
    assert permissive == WIDER


def test_only_reviewed_functions_run_as_the_owner_and_none_takes_names_from_its_caller(
    deployment: Deployment,
) -> None:
    definers = deployment.rows(DEFINERS.as_string())
    assert {row["name"] for row in definers} == OF_THE_OWNER
    assert {row["settings"] for row in definers} == {"search_path=pg_catalog, pg_temp"}


def test_keys_between_tables_name_the_tenant(deployment: Deployment) -> None:
    rows = deployment.rows(FOREIGN.as_string(), {"schemas": list(SCHEMAS)})
    assert len(rows) > 50
    assert {(row["name"], row["target"]) for row in rows if not row["names_tenant"]} == {
        (row["name"], row["target"]) for row in rows if row["target"] in NO_TENANTS
    }


def test_what_has_to_be_unique_is_so_within_a_tenant_unless_the_database_draws_it(deployment: Deployment) -> None:
    rows = deployment.rows(UNIQUE.as_string(), {"schemas": list(SCHEMAS)})
    drawn = {("doc",), ("first", "tid", "layer"), ("spelling", "tid"), ("corpus", "doc"), ("ingest_id", "line")}
    others = {
        (row["name"], *row["columns"])
        for row in rows
        if "tenant" not in row["columns"]
        and row["name"] not in NO_TENANTS
        and not row["identity"]
        and tuple(row["columns"]) not in drawn
    }
    of_its_row = {("quotes.past_quotes_sentences", "id")}
    assert others == of_its_row | {("quarry.api_keys", "id")}, "twelve random characters"


def test_what_keeps_something_up_to_date_hears_of_every_change(deployment: Deployment) -> None:
    found = deployment.rows(TRIGGERS.as_string())
    assert all(row["enabled"] for row in found)
    heard: dict[tuple[str, str], set[str]] = {}
    for row in found:
        kind, _, change = row["trigger"].partition("_")
        if kind in TOGETHER and change in TOGETHER[kind] | {"insert", "update", "delete"}:
            heard.setdefault((row["name"], kind), set()).add(change)
    assert {of: changes for of, changes in heard.items() if changes != TOGETHER[of[1]]} == {}
    searched = {row["name"] for row in deployment.rows("SELECT corpus AS name FROM search.corpora")}
    assert {name for name, kind in heard if kind == "search"} == searched


def test_what_follows_from_a_change_follows_and_what_was_recorded_is_never_changed(deployment: Deployment) -> None:
    found = {(row["name"], row["trigger"]) for row in deployment.rows(TRIGGERS.as_string())}
    assert {(name, trigger) for name, trigger in found if trigger.partition("_")[0] not in TOGETHER} == SINGLE


def test_no_role_is_another_or_above_the_policies(deployment: Deployment) -> None:
    assert deployment.rows(
        "SELECT count(*) AS roles,"
        " bool_or(rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb OR rolreplication)"
        " AS above FROM pg_roles WHERE rolname LIKE 'quarry%' AND rolname <> 'quarry_owner'"
    ) == [{"roles": 5, "above": False}]
    memberships = (
        "SELECT member::regrole::text AS name FROM pg_auth_members WHERE member::regrole::text LIKE 'quarry%'"
    )
    assert {row["name"] for row in deployment.rows(memberships)} == {"quarry_owner"}


@pytest.mark.parametrize("schema", [*SCHEMAS, "public"])
def test_nobody_makes_anything_in_a_schema(deployment: Deployment, schema: str) -> None:
    creators = (
        "SELECT rolname FROM pg_roles WHERE rolname LIKE 'quarry%%' AND rolname <> 'quarry_owner'"
        " AND has_schema_privilege(rolname, %(schema)s, 'CREATE')"
    )
    assert deployment.rows(creators, {"schema": schema}) == []


def test_each_role_has_the_rights_on_record(deployment: Deployment) -> None:
    """A right that was added on purpose, or a policy beside the tenant's, is reviewed as a line of rights.txt."""
    now = [row["line"] for row in deployment.rows(RIGHTS.as_string(), {"schemas": list(SCHEMAS)})]
    difference = list(difflib.unified_diff(ON_RECORD.read_text("utf-8").splitlines(), now, "on record", "now", n=0))
    assert difference == [], "\n".join(difference)
