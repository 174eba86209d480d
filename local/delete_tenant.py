"""`python -m local.delete_tenant`: removes all that the running stack has of TENANT, after its name was typed."""

from typing import Any

import psycopg
from psycopg.sql import SQL, Identifier

from local.failure import LocalError, require_typed, run_command
from local.settings import read_settings
from local.stack import DOCUMENT_BUCKET, INGEST_BUCKET, SAMPLE_TENANT, Stack
from local.tenants import running_stack

TABLES = """
    SELECT a.attrelid::regclass::text
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE a.attname = 'tenant' AND a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p')
        AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND NOT c.relispartition
    ORDER BY 1
"""


def main() -> None:
    if read_settings().tenant is None:
        raise LocalError("Name the tenant: make delete-tenant TENANT=acme")
    stack, tenant = running_stack(absent="refused")
    if tenant == SAMPLE_TENANT:
        raise LocalError("The sample is not deleted but left out: NEW_TENANT=1 SAMPLE=0 TENANT=acme make serve")
    print(f"Everything of the tenant {tenant} goes: rows, quotes, their audit, keys, files, printed quotes.")
    require_typed(tenant, prompt="Type its name to go on: ", otherwise="Nothing was deleted.")
    rows = delete_rows(stack, tenant)
    objects = delete_objects(stack, tenant)
    print(f"{rows} rows and {objects} objects are deleted. Backups that were made before still hold them.")


def delete_rows(stack: Stack, tenant: str) -> int:
    """In one transaction, past triggers and keys between tables: the audit lets nobody delete but the superuser."""
    with psycopg.connect(stack.database.dsn) as connection:
        connection.execute("SET LOCAL session_replication_role = replica")
        tables = [str(row[0]) for row in connection.execute(TABLES)]
        return sum(
            connection.execute(
                SQL("DELETE FROM {} WHERE tenant = %s").format(Identifier(*table.split("."))), [tenant]
            ).rowcount
            for table in tables
        )


def delete_objects(stack: Stack, tenant: str) -> int:
    s3 = stack.client("s3")
    return sum(_empty(s3, bucket, prefix=f"{tenant}/") for bucket in (INGEST_BUCKET, DOCUMENT_BUCKET))


def _empty(s3: Any, bucket: str, *, prefix: str) -> int:
    deleted = 0
    for page in s3.get_paginator("list_object_versions").paginate(Bucket=bucket, Prefix=prefix):
        for item in [*page.get("Versions", ()), *page.get("DeleteMarkers", ())]:
            s3.delete_object(Bucket=bucket, Key=item["Key"], VersionId=item["VersionId"])
            deleted += 1
    return deleted


if __name__ == "__main__":
    run_command(main)
