"""`python -m local.backup make|restore FILE`: the running stack in one file, its database and its objects, and back.

A restore replaces all that the stack holds; the audit chains and the search indexes are checked at its end.
"""

import argparse
import os
import subprocess
import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
from psycopg.sql import SQL, Identifier

from local.failure import LocalError, require_typed, run_command
from local.maintain import maintain_search, verify_audit
from local.postgres_cluster import packaged_installation
from local.settings import read_settings
from local.stack import DOCUMENT_BUCKET, INGEST_BUCKET, TEMPLATE_BUCKET, Stack, require

BUCKETS = (DOCUMENT_BUCKET, INGEST_BUCKET, TEMPLATE_BUCKET)
STATE = ("tenant.json", "corpus.json", "approval-key.json", "own-keys.json")
"""What the data directory knows beside them: which tenant is served, and the key that signs approval links."""

_DUMP = "quarry.dump"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m local.backup", description=__doc__)
    parser.add_argument("action", choices=("make", "restore"))
    parser.add_argument("file", type=Path, help="such as backup.tar")
    arguments = parser.parse_args()
    stack = require(read_settings().data_dir)
    if arguments.action == "make":
        make(stack, arguments.file)
    else:
        restore(stack, arguments.file)
    faults = verify_audit(stack) + maintain_search(stack, {"action": "check"})
    if arguments.action == "restore" and not faults:
        print("Restored. Start `make serve` anew: it then serves the tenant of the backup, and honours its links.")
    return 1 if faults else 0


def make(stack: Stack, file: Path) -> None:
    """The database first: whatever it names is then among the objects that are read after it."""
    if file.exists():
        raise LocalError(f"{file} is there already: name a new file, FILE=…")
    with TemporaryDirectory(dir=stack.data_dir) as folder:
        work = Path(folder)
        _run("pg_dump", "--format=custom", f"--file={work / _DUMP}", stack.database.dsn)
        _take_objects(stack, work / "buckets")
        for name in STATE:
            if (stack.data_dir / name).exists():
                (work / name).write_bytes((stack.data_dir / name).read_bytes())
        draft = file.with_name(f".{file.name}.{os.getpid()}")
        with tarfile.open(draft, "w") as archive:
            for path in sorted(work.iterdir()):
                archive.add(path, arcname=path.name)
        draft.chmod(0o600)  # whoever reads it reads all tenants, and can sign approval links
        draft.replace(file)
    print(
        f"{file}: {file.stat().st_size / 1e6:.1f} MB. It holds every tenant's data and keys: keep it like a password."
    )


def _take_objects(stack: Stack, folder: Path) -> None:
    s3 = stack.client("s3")
    for bucket in BUCKETS:
        for page in s3.get_paginator("list_objects_v2").paginate(Bucket=bucket):
            for item in page.get("Contents", ()):
                target = folder / bucket / item["Key"]
                target.parent.mkdir(parents=True, exist_ok=True)
                s3.download_file(bucket, item["Key"], str(target))


def restore(stack: Stack, file: Path) -> None:
    """Into a database beside the one in use, whose place it takes last; until then a failure changes nothing."""
    if not tarfile.is_tarfile(file):
        raise LocalError(f"{file} is no backup of this kind: `make backup FILE=backup.tar` makes one.")
    print(f"All that the stack on {stack.data_dir} holds goes, of every tenant, and {file} takes its place.")
    require_typed("restore", prompt="Type restore to go on: ", otherwise="Nothing was restored.")
    with TemporaryDirectory(dir=stack.data_dir) as folder, tarfile.open(file) as archive:
        work = Path(folder)
        archive.extractall(work, filter="data")
        if not (work / _DUMP).exists():
            raise LocalError(f"{file} holds no database.")
        _replace_database(stack, work / _DUMP)
        _put_objects(stack, work / "buckets")
        for name in STATE:
            if (work / name).exists():
                (work / name).replace(stack.data_dir / name)


def _replace_database(stack: Stack, dump: Path) -> None:
    name, fresh, old = (Identifier(stack.database.name + suffix) for suffix in ("", "_restored", "_before"))
    server = stack.database.named("postgres").dsn
    target = stack.database.named(stack.database.name + "_restored")
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(fresh))
        connection.execute(SQL("CREATE DATABASE {} TEMPLATE template0").format(fresh))
        _run("pg_restore", "--exit-on-error", f"--dbname={target.dsn}", str(dump))
        owner = SQL("ALTER DATABASE {} OWNER TO {}").format(fresh, Identifier("quarry_owner"))
        connection.execute(owner)
        connection.execute(SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(old))
        connection.execute(SQL("ALTER DATABASE {} ALLOW_CONNECTIONS false").format(name))
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [stack.database.name]
        )
        connection.execute(SQL("ALTER DATABASE {} RENAME TO {}").format(name, old))
        connection.execute(SQL("ALTER DATABASE {} RENAME TO {}").format(fresh, name))
        connection.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(old))


def _put_objects(stack: Stack, folder: Path) -> None:
    s3 = stack.client("s3")
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            bucket, _, key = path.relative_to(folder).as_posix().partition("/")
            s3.upload_file(str(path), bucket, key)


def _run(program: str, *arguments: str) -> None:
    done = subprocess.run(
        [str(packaged_installation() / "bin" / program), *arguments], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise LocalError(f"{program} failed: {done.stderr.strip()[-500:]}")


if __name__ == "__main__":
    run_command(main)
