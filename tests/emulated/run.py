"""The run of `make emulated`: one stack from its first creation to its end, and what its steps share."""

import json
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import psycopg

from local.canary_tenant import Target
from local.database import OWNER
from local.keys import every_scope
from tests.emulated.emulator import PASSWORD, Emulator, supported
from tests.emulated.release import UNSUPPORTED, Release, package, whole
from tests.emulated.reporting import require, step
from tests.emulated.stack import NAME, PATIENCE_S, Stack, Unexpected

TENANT = "canary"
OPENAI_SECRET = "quarry/openai"
RESTORED_SECRET = "rds!db-restored"


@dataclass
class Run:
    """``parameters`` and ``release`` are those last deployed, ``former`` is the release before the last migration."""

    emulator: Emulator
    stack: Stack
    release: Release
    parameters: dict[str, str]
    former: Release | None = None
    versions: dict[str, str] = field(default_factory=dict)

    @classmethod
    def on(cls, emulator: Emulator) -> "Run":
        with step("the emulator creates what unsupported.yaml does not list") as say:
            release = package(emulator)
            kinds = kinds_of(release)
            lacking = kinds.keys() - supported()
            require(
                lacking == UNSUPPORTED["resources"].keys(),
                f"unsupported.yaml and the emulator differ in {sorted(lacking ^ UNSUPPORTED['resources'].keys())}",
            )
            say(f"left out: {', '.join(f'{kinds[kind]} {kind}' for kind in sorted(lacking))}")
        secrets = emulator.client("secretsmanager")
        owner = secrets.create_secret(
            Name="owner", SecretString=json.dumps({"username": OWNER, "password": PASSWORD})
        )
        secrets.create_secret(Name=OPENAI_SECRET, SecretString="local")
        parameters = {
            "Stage": "dev",
            "Release": "0000000000",
            "DefaultTenant": TENANT,
            # Each environment unpacks its layers anew: a few do.
            "FunctionConcurrency": "2",
            "EmbeddingModel": "all-MiniLM-L6-v2",
            "EmbeddingDimensions": "384",
            "OpenAiBaseUrl": emulator.embeddings,
            "OpenAiSecret": OPENAI_SECRET,
        }
        return cls(emulator, Stack(emulator, owner["ARN"]), release, parameters)

    def deploy(self, release: Release, *, expected: str, **changed: str) -> str:
        """Under the next name, as `make build` would give it; what succeeds becomes the state of the run."""
        name = f"{int(self.parameters['Release'], 16) + 1:010x}"
        parameters = {**self.parameters, **changed, "Release": name}
        reasons = self.stack.deploy(release, parameters, expected=expected)
        self.parameters["Release"] = name
        if expected in ("CREATE_COMPLETE", "UPDATE_COMPLETE"):
            self.release, self.parameters = release, parameters
        return reasons

    def target(self) -> Target:
        """Where files are taken in."""
        return Target(
            s3=self.emulator.client("s3"),
            functions=self.emulator.client("lambda"),
            bucket=self.stack.resources()["IngestBucket"]["PhysicalResourceId"],
            prefix=f"{NAME}-",
            tenant=TENANT,
        )

    def published(self) -> int:
        """How many functions have another version on `live` than when this was asked last."""
        former, self.versions = self.versions, self.stack.live_versions()
        return sum(former.get(name) != version for name, version in self.versions.items())

    def with_migration(self, name: str, sql: str) -> Release:
        number = len(self.migrations()) + 1
        return self.release.with_layer(self.emulator, "MigrationsLayer", {f"{number:04}_{name}.sql": sql})

    def migrations(self) -> list[str]:
        return sorted(path.stem for path in self.release.content["MigrationsLayer"].glob("0*.sql"))

    def query(self, sql: str) -> object:
        with psycopg.connect(self.emulator.dsn) as connection:
            row = connection.execute(sql.encode()).fetchone()
        return row[0] if row else None

    @cached_property
    def key(self) -> str:
        """With which the tenant's agent comes in."""
        return self.new_key(TENANT)

    def new_key(self, tenant: str, *, new_tenant: bool = False) -> str:
        request = {"action": "create", "tenant": tenant, "name": "run", "scopes": every_scope()}
        return str(self.stack.call("api_keys", {**request, "new_tenant": new_tenant})["key"])

    def embed(self) -> None:
        """Calls the worker until its queue is empty; on a busy machine a run may end at the function's time-out."""
        deadline = time.monotonic() + PATIENCE_S
        while self.query("SELECT count(*) FROM quarry.embedding_queue WHERE dead_at IS NULL"):
            require(time.monotonic() < deadline, f"the queue is not empty after {PATIENCE_S} s")
            with suppress(Unexpected):
                self.stack.call("embed_pending", {})

    def database(self) -> dict[str, Any]:
        """The instance, as RDS describes it."""
        name = self.stack.resources()["Database"]["PhysicalResourceId"]
        (instance,) = self.emulator.client("rds").describe_db_instances(DBInstanceIdentifier=name)["DBInstances"]
        return dict(instance)


def kinds_of(release: Release) -> Counter[str]:
    return Counter(resource["Type"] for resource in whole(release, {})["Resources"].values())
