"""A tenant's rows as files that ingest takes again, a tenant that is made or deleted, a stack that is restored."""

import io
import tarfile
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

from local.backup import restore
from local.corpus_loader import CORPUS, SAMPLE
from local.delete_tenant import TABLES, delete_rows
from local.export import export
from local.failure import LocalError
from local.stack import SAMPLE_TENANT, Database, Stack
from local.tenants import ADD, admit
from operations.ingest import KINDS, handler
from tests.aws import client
from tests.deployment import Deployment, invoke

BUCKET = "exported"


def stack_of(deployment: Deployment, folder: Path) -> Stack:
    """As far as an export looks: its database."""
    told = psycopg.conninfo.conninfo_to_dict(deployment.superuser_dsn)
    address = Database(
        host=deployment.host,
        port=deployment.port,
        name=deployment.name,
        user=str(told["user"]),
        password=str(told["password"]),
    )
    nowhere = "http://127.0.0.1:1"
    return Stack(
        mcp=nowhere,
        lambda_api=nowhere,
        aws=nowhere,
        embeddings=None,
        approvals=nowhere,
        database=address,
        data_dir=folder,
        pid=1,
    )


def test_a_name_that_no_tenant_has_is_a_new_one_only_where_there_is_none_yet_or_it_is_said(
    deployment: Deployment,
) -> None:
    dsn, name = deployment.superuser_dsn, f"typo-{uuid4().hex[:8]}"
    with psycopg.connect(dsn) as connection:
        connection.execute(ADD, [SAMPLE_TENANT])
    with pytest.raises(LocalError, match=f"If it is new, say so: NEW_TENANT=1 TENANT={name}"):
        admit(dsn, name, may_be_new=False)
    admit(dsn, name, may_be_new=True)
    admit(dsn, name, may_be_new=False)


def test_nothing_is_restored_until_somebody_says_so(
    deployment: Deployment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tarfile.open(tmp_path / "backup.tar", "w"):
        monkeypatch.setattr("sys.stdin", io.StringIO("yes\n"))
    with pytest.raises(LocalError, match="Nothing was restored"):
        restore(stack_of(deployment, tmp_path), tmp_path / "backup.tar")


def beginning(file: Path, *, folder: Path) -> Path:
    """The file, or, of one that nothing else refers to, some of its rows."""
    if file.stem not in ("prices", "line_items"):
        return file
    part = folder / file.name
    part.write_text("".join(file.read_text("utf-8").splitlines(keepends=True)[:60]), "utf-8")
    return part


def test_an_export_that_is_loaded_and_exported_again_is_the_same_to_the_byte_and_a_deleted_tenant_leaves_no_row(
    deployment: Deployment, aws_url: str, aws_variables: dict[str, str], tmp_path: Path
) -> None:
    s3, stack = client("s3", aws_url), stack_of(deployment, tmp_path)
    s3.create_bucket(Bucket=BUCKET)
    first, second = (f"{name}-{uuid4().hex[:8]}" for name in ("first", "second"))

    def load(tenant: str, kind: str, file: Path) -> None:
        s3.upload_file(str(file), BUCKET, f"{tenant}/{kind}/{file.name}")
        event = {"bucket": BUCKET, "key": f"{tenant}/{kind}/{file.name}", "kind": kind}
        [report] = invoke(handler, event, tenant=tenant)["reports"]
        assert (report["rejected"], report["finished"]) == (0, True), report

    with deployment.serving("quarry_ingest", **aws_variables):
        for kind, name in SAMPLE:
            load(first, kind, beginning(CORPUS / name, folder=tmp_path))
        export(stack, tenant=first, folder=tmp_path / "first", on_progress=lambda _: None)
        files = {file.stem: file for file in (tmp_path / "first").iterdir()}
        exported = {name for name, kind in KINDS.items() if kind.exported}
        without = {"mappings", "discounts"}
        assert exported - files.keys() == without, "the sample has rows of every other kind"
        for kind in KINDS:
            if kind in files:
                load(second, kind, files[kind])
    export(stack, tenant=second, folder=tmp_path / "second", on_progress=lambda _: None)
    for kind, file in files.items():
        assert file.read_bytes() == (tmp_path / "second" / file.name).read_bytes(), kind
    assert delete_rows(stack, second) > 900
    with psycopg.connect(deployment.superuser_dsn) as connection:
        for (table,) in connection.execute(TABLES).fetchall():
            held = connection.execute(f"SELECT count(*) FROM {table} WHERE tenant = %s", [second]).fetchone()  # noqa: S608
            assert held == (0,), table
