"""`python -m local.schema`: writes migrations/schema.sql, what all migrations together make, object by object."""

import re
import subprocess
from collections import defaultdict

from local.database import DATABASE, OWNER, prepare
from local.files import ROOT
from local.postgres import EmbeddedPostgres
from local.postgres_cluster import packaged_installation, passing_folder
from local.settings import LOCAL_DIMENSIONS, LOCAL_MODEL
from operations.migrations import SCHEMA

FILE = ROOT / "migrations" / SCHEMA

ROLES = ("quarry_read", "quarry_write", "quarry_approve", "quarry_ingest", "quarry_keys")

HEAD = """\
-- What the migrations make, to be read and never run: `make schema` writes it, a test compares it with a migrated
-- database. Every table stands with its keys, indexes, triggers, policies and rights; quarry_owner owns all of them.
-- Vectors are as long as those of the local model.
"""

_ENTRY = re.compile(
    r"^--\n-- Name: (?P<name>.+); Type: (?P<kind>[A-Z ]+); Schema: (?P<schema>\S+); Owner: .*\n--\n", re.M
)
_TABLE = re.compile(r"^ALTER TABLE (?:ONLY )?(\S+)|\s(?:ON|FROM) (?:ONLY )?(\w+\.\w+)", re.M)
_NOISE = re.compile(r"^(?:\\(?:un)?restrict .*|-- .*dump.*|--)\n", re.M)
_TO_ROLES = re.compile(r"(?<= TO )quarry_\w+(?:, quarry_\w+)+")
"""Of a policy: in the order in which a cluster made its roles, which differs from one to the next."""
_PLACES = ("EXTENSION", "SCHEMA", "TYPE", "FUNCTION", "TABLE")


def read(superuser_dsn: str) -> str:
    """The schema of the migrated database that the connection string names, the same on every machine."""
    roles = _run("pg_dumpall", superuser_dsn, "--roles-only", "--no-role-passwords")
    tables = _run("pg_dump", superuser_dsn, "--schema-only", "--no-owner")
    return f"{HEAD}\n-- Roles\n\n{_settings(roles)}{_grouped(tables)}"


def _run(program: str, dsn: str, *options: str) -> str:
    command = [str(packaged_installation() / "bin" / program), f"--dbname={dsn}", *options]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _settings(dump: str) -> str:
    """Attributes and settings of the functions' roles; others belong to the machine."""
    lines = [line for line in dump.splitlines() if re.match(rf"ALTER ROLE ({'|'.join(ROLES)}) ", line)]
    return "".join(f"{line}\n" for line in sorted(lines))


def _grouped(dump: str) -> str:
    """pg_dump sorts by kind of object; here an object is followed by all that belongs to it."""
    parts = _ENTRY.split(dump)[1:]
    objects: dict[tuple[str, int, str], list[str]] = defaultdict(list)
    for name, kind, schema, text in zip(*(parts[start::4] for start in range(4)), strict=True):
        statements = re.sub(r"\n{3,}", "\n", _NOISE.sub("", text).strip())
        statements = _TO_ROLES.sub(lambda found: ", ".join(sorted(found[0].split(", "))), statements)
        if kind not in ("FUNCTION", "TYPE"):
            statements = statements.replace("\n\n", "\n").replace("\n    ADD CONSTRAINT", " ADD CONSTRAINT")
        objects[_place(name, kind, schema, statements)].append(statements)
    return "".join(
        f"\n-- {label}\n\n" + "\n".join(statements) + "\n" for (_, _, label), statements in sorted(objects.items())
    )


def _place(name: str, kind: str, schema: str, statements: str) -> tuple[str, int, str]:
    """(schema, place of its kind within the schema, name) of the object that an entry belongs to."""
    if kind in ("ACL", "COMMENT"):
        kind, _, name = name.partition(" ")
        if kind == "COLUMN":
            kind, name = "TABLE", name.split(".")[0]
    if kind == "VIEW":
        kind = "TABLE"
    if kind == "EXTENSION":
        return "", 0, name
    if kind == "SCHEMA":
        return name, 1, name
    if kind not in _PLACES:
        found = _TABLE.search(statements)
        if found is None:
            raise ValueError(f"{kind} {name} belongs to no table.")
        return schema, _PLACES.index("TABLE"), found[1] or found[2]
    return schema, _PLACES.index(kind), f"{schema}.{name}"


def main() -> None:
    with passing_folder("schema") as folder, EmbeddedPostgres(folder) as server:
        passwords = dict.fromkeys((OWNER, *ROLES), server.password)
        prepare(server.dsn, model=LOCAL_MODEL, dimensions=LOCAL_DIMENSIONS, passwords=passwords)
        FILE.write_text(read(server.named(DATABASE).dsn), "utf-8")
    print(f"{FILE.relative_to(ROOT)} is what the migrations make.")


if __name__ == "__main__":
    main()
