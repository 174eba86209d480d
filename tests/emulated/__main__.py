"""`make emulated`: deploys the build on an AWS emulator, releases every kind of change, and deletes it again.

Prints what was created, invoked and changed. Exit code 1 at the first thing that is not as it should be.
"""

import asyncio
import hashlib
import json
import sys
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import psycopg

from local.canary_tenant import Target
from local.corpus_loader import load_sample
from local.database import OWNER
from local.deploy_check.__main__ import PARTS, checked
from local.deploy_check.account import Account, Finding
from local.environment import CANARY_SECRET
from local.failure import LocalError
from local.keys import every_scope
from local.release import BUILD
from operations.golden.asking import run_all
from tests.e2e.sample_calls import AFTER_ANOTHER, NEEDS_A_MODEL, ONE_CALL_OF_EACH
from tests.e2e.sample_calls import event as event_of
from tests.emulated.emulator import ASKED, PASSWORD, Emulator, new_emulator, supported
from tests.emulated.release import UNSUPPORTED, Release, package, whole
from tests.emulated.reporting import require, step
from tests.emulated.rights import EXCUSES, examples, faults, read_requests, rights_of, roles_of
from tests.emulated.stack import NAME, PATIENCE_S, Stack, Unexpected
from tests.emulated.visitors import Approver, Viewer, read_one_of_each_scheme

DOMAIN = "quarry.example"
TENANT, NEIGHBOUR = "canary", "canary-other"
OPENAI_SECRET = "quarry/openai"
RESTORED_SECRET = "rds!db-restored"
REFUSAL = ("Invalid arguments.", "Those arguments are invalid.")
"""What the shared layer says, and what a release makes of it."""
RUNTIME = "python/quarry/tool/runtime.py"
REFUSED = {"unknown": True}
MENDED = "SELECT to_regclass('quarry.mended')::text"
OPERATIONS: dict[str, dict[str, Any]] = {
    "api_keys": {"action": "list", "tenant": TENANT},
    "embed_pending": {},
    "equipment_resources": {"uri": "schema://attributes"},
    "expire_approvals": {},
    "highlights_resources": {
        "complete": {"uriTemplate": "kxhub://chunk/{chunk_id}", "variable": "chunk_id", "prefix": ""}
    },
    "maintain_search": {"action": "check"},
    "migrate": {},
    "publish_templates": {},
    "stories_resources": {"uri": "schema://taxonomy"},
    "verify_api_key": {"id": "a" * 12, "sha256": "0" * 64},
    "verify_audit": {},
}
"""Events of what is no tool; the canary, ingest and the page are asked in steps of their own."""


def main() -> int:
    started = time.monotonic()
    try:
        with new_emulator() as emulator:
            Run.on(emulator).all()
    except (LocalError, Unexpected) as failure:
        print(f"FAIL  {failure}")
        return 1
    print(f"all as it should be, {time.monotonic() - started:.0f} s")
    return 0


@dataclass
class Run:
    """One stack from its first creation to its end; ``parameters`` and ``release`` are those last deployed."""

    emulator: Emulator
    stack: Stack
    release: Release
    parameters: dict[str, str]
    versions: dict[str, str] = field(default_factory=dict)
    key: str = ""

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

    def all(self) -> None:
        self.fails_at_first()
        self.is_created()
        self.replaces_its_database()
        self.takes_the_sample_corpus()
        self.answers_on_live()
        self.answers_golden_cases()
        self.releases_a_layer()
        self.releases_a_parameter()
        self.releases_a_secret()
        self.locks_out_a_key()
        self.is_looked_at()
        self.is_given_room()
        self.emulator.snapshot("before")
        former = self.rolls_back()
        self.is_restored("before")
        self.answers_on_the_restored_database()
        self.takes_back(former)
        self.is_approved()
        self.goes_behind_a_domain()
        self.has_used_its_rights()
        self.is_deleted()

    def deploy(self, release: Release, *, expected: str, **changed: str) -> str:
        """Under the next name, as `make build` would give it; what succeeds becomes the state of the run."""
        name = f"{int(self.parameters['Release'], 16) + 1:010x}"
        parameters = {**self.parameters, **changed, "Release": name}
        reasons = self.stack.deploy(release, parameters, expected=expected)
        self.parameters["Release"] = name
        if expected in ("CREATE_COMPLETE", "UPDATE_COMPLETE"):
            self.release, self.parameters = release, parameters
        return reasons

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

    def fails_at_first(self) -> None:
        with step("a first deployment fails on a migration and leaves nothing") as say:
            reasons = self.deploy(self.with_migration("fails", "SELECT 1/0;"), expected="ROLLBACK_COMPLETE")
            require("fails failed and left nothing of itself: division by zero" in reasons, reasons)
            left = [
                each["Name"] for each in self.emulator.client("s3").list_buckets()["Buckets"] if NAME in each["Name"]
            ]
            groups = self.emulator.client("logs").describe_log_groups(logGroupNamePrefix="/quarry/")["logGroups"]
            require(not left and not groups, f"it left {left} and {groups}")
            self.stack.delete()
            say("division by zero")

    def is_created(self) -> None:
        with step("its repeat is created") as say:
            self.deploy(self.release, expected="CREATE_COMPLETE")
            kinds = Counter(each["ResourceType"] for each in self.stack.resources().values())
            say(f"{kinds.total()} resources: {', '.join(f'{count} {kind}' for kind, count in sorted(kinds.items()))}")
            self.published()
            applied = self.query("SELECT array_agg(name ORDER BY version) FROM quarry.migrations")
            require(applied == self.migrations(), f"applied are {applied}")

    def replaces_its_database(self) -> None:
        with step("an instance that CloudFormation puts in the database's place is migrated") as say:
            former = self.database()
            self.emulator.replace()
            # Nobody would change it; it stands for whatever makes CloudFormation replace an instance.
            self.deploy(self.release.with_property("Database", "StorageEncrypted", False), expected="UPDATE_COMPLETE")
            require(self.database()["DbiResourceId"] != former["DbiResourceId"], "it was not replaced")
            applied = self.query("SELECT array_agg(name ORDER BY version) FROM quarry.migrations")
            require(applied == self.migrations(), f"applied are {applied}")
            answer = self.stack.call("get_stats", {})
            require(answer.get("total_chunks") == 0, json.dumps(answer))
            say(f"{len(self.migrations())} migrations, {self.published()} functions published")

    def database(self) -> dict[str, Any]:
        """The instance, as RDS describes it."""
        name = self.stack.resources()["Database"]["PhysicalResourceId"]
        (instance,) = self.emulator.client("rds").describe_db_instances(DBInstanceIdentifier=name)["DBInstances"]
        return dict(instance)

    def takes_the_sample_corpus(self) -> None:
        with step("files put into its bucket are ingested and embedded") as say:
            target = Target(
                s3=self.emulator.client("s3"),
                functions=self.emulator.client("lambda"),
                bucket=self.stack.resources()["IngestBucket"]["PhysicalResourceId"],
                prefix=f"{NAME}-",
                tenant=TENANT,
            )
            load_sample(target.ingest, target.call, on_progress=lambda _: None)
            self.embed()
            say(f"{self.stack.call('get_stats', {})['total_chunks']} highlights among them")

    def answers_on_live(self) -> None:
        with step("every function answers on live, each with its own role") as say:
            Approver(self.emulator).subscribe(self.stack.output("ApprovalTopicArn"))
            # Before the request for approval, as its page shows it.
            printed = self.stack.call("quote_pdf", {"quote_id": ONE_CALL_OF_EACH["approval_request"]["quote_id"]})
            require(not printed.get("error"), f"quote_pdf: {printed.get('message')}")
            for tool, arguments in ONE_CALL_OF_EACH.items():
                answer = self.stack.call(tool, arguments)
                require(not answer.get("error"), f"{tool}: {answer.get('message')}")
                require(answer.get("notification_sent", True), f"{tool}: {answer.get('notification_problem')}")
            require(self.stack.call(NEEDS_A_MODEL, {"question": "?"})["code"] == "UNAVAILABLE", "ask has no model")
            for tool in AFTER_ANOTHER:
                require(self.stack.call(tool, event_of(tool))["code"] == "NOT_FOUND", f"{tool} found something")
            bucket = self.stack.output("TemplateBucketName")
            self.emulator.client("s3").put_object(Bucket=bucket, Key="templates/of_a_former_release.md", Body=b"")
            for operation, event in OPERATIONS.items():
                answer = self.stack.call(operation, event)
                require(not answer.get("error"), f"{operation}: {answer.get('message')}")
            invoked = {*ONE_CALL_OF_EACH, NEEDS_A_MODEL, *AFTER_ANOTHER, *OPERATIONS}
            others = self.versions.keys() - invoked
            require(others == {"approval_page", "golden_canary", "ingest", "proxy"}, f"nobody asked {sorted(others)}")
            say(f"{len(invoked)} invoked")

    def is_approved(self) -> None:
        with step("an approver gets a link by mail, sees the quote with its PDF, and approves") as say:
            approver = Approver(self.emulator)
            pdf = approver.approve(approver.link(str(ONE_CALL_OF_EACH["approval_request"]["quote_id"])))
            require(pdf.startswith(b"%PDF"), f"the PDF is {pdf[:200]!r}")
            standing = self.stack.call("approval_status", ONE_CALL_OF_EACH["approval_status"])
            require("approved" in json.dumps(standing), json.dumps(standing)[:2000])
            say(f"{len(pdf)} bytes of PDF")

    def answers_golden_cases(self) -> None:
        with step("golden cases pass through the front") as say:
            self.key = self.new_key(TENANT)
            golden = self.release.content["GoldenLayer"]
            verdicts = asyncio.run(run_all(self.stack.output("McpUrl"), golden, key=self.key))
            faults = [f"{verdict.case.name}: {verdict.faults}" for verdict in verdicts if verdict.faults]
            require(not faults, "\n".join(faults))
            say(f"{len(verdicts)} cases")
        with step("resources are read through it, from the bucket and from functions") as say:
            say(", ".join(asyncio.run(read_one_of_each_scheme(self.stack.output("McpUrl"), key=self.key))))

    def releases_a_layer(self) -> None:
        with step("a release that changes only a layer is live") as say:
            require(REFUSAL[0] in self.stack.call("get_stats", REFUSED)["message"], "the layer says something else")
            text = (BUILD / "QuarryLayer" / RUNTIME).read_text("utf-8")
            changed = self.release.with_layer(self.emulator, "QuarryLayer", {RUNTIME: text.replace(*REFUSAL)})
            self.deploy(changed, expected="UPDATE_COMPLETE")
            require(REFUSAL[1] in self.stack.call("get_stats", REFUSED)["message"], "live has the former layer")
            say(f"{self.published()} of {len(self.versions)} functions published")

    def releases_a_parameter(self) -> None:
        with step("a release that changes only a parameter is live") as say:
            self.deploy(self.release, expected="UPDATE_COMPLETE", DefaultTenant="elsewhere")
            require(self.stack.call("get_stats", {})["total_chunks"] == 0, "live serves the former tenant")
            say(f"{self.published()} functions published")
            self.deploy(self.release, expected="UPDATE_COMPLETE", DefaultTenant=TENANT)
            require(self.stack.call("get_stats", {})["total_chunks"], "live serves the other tenant")
            say(f"{self.published()} on the way back")

    def releases_a_secret(self) -> None:
        with step("a release that changes only a secret is live") as say:
            require(self.stack.call("golden_canary", {})["passed"] == "not checked", "the canary has a key already")
            held = json.dumps({"key": self.key, "other_key": self.new_key(NEIGHBOUR, new_tenant=True)})
            self.emulator.client("secretsmanager").create_secret(Name=CANARY_SECRET, SecretString=held)
            self.deploy(self.release, expected="UPDATE_COMPLETE", CanarySecret=CANARY_SECRET)
            report = self.stack.call("golden_canary", {})
            apart = report["cross_tenant"] == "denied"
            require(report["passed"] is True and apart, json.dumps(report)[:2000])
            say(f"{self.published()} functions published; the canary passed {report['cases']} cases, tenants apart")

    def rolls_back(self) -> Release:
        """What was live before it."""
        with step("a failing migration rolls back, and live goes on") as say:
            versions = self.versions
            reasons = self.deploy(self.with_migration("fails", "SELECT 1/0;"), expected="UPDATE_ROLLBACK_COMPLETE")
            require("division by zero" in reasons, reasons)
            require(self.stack.live_versions().keys() == versions.keys(), "functions are missing")
            require(self.stack.call("get_stats", {})["total_chunks"], "live does not answer")
            self.published()
            say("division by zero")
        with step("its repeat, mended, is released"):
            former = self.release
            self.deploy(self.with_migration("mended", "CREATE TABLE quarry.mended ();"), expected="UPDATE_COMPLETE")
            require(self.query(MENDED), "the migration did not run")
            require(self.published() == len(self.versions), "some functions were not published")
        return former

    def is_restored(self, snapshot: str) -> None:
        """As the runbook has it: an instance of before the last migration takes the name of the stack's own."""
        with step("a restored database in its place refuses every function until the stack knows it") as say:
            name = self.database()["DBInstanceIdentifier"]
            secrets, rds = self.emulator.client("secretsmanager"), self.emulator.client("rds")
            self.emulator.replace(snapshot)
            require(not self.query(MENDED), "the snapshot has the migration already")
            rds.create_db_snapshot(DBInstanceIdentifier=name, DBSnapshotIdentifier=snapshot)
            rds.delete_db_instance(DBInstanceIdentifier=name, SkipFinalSnapshot=True)
            rds.restore_db_instance_from_db_snapshot(DBInstanceIdentifier=name, DBSnapshotIdentifier=snapshot)
            secrets.delete_secret(SecretId=self.stack.owner_secret, ForceDeleteWithoutRecovery=True)
            held = json.dumps({"username": OWNER, "password": self.emulator.draw_password()})
            secrets.create_secret(Name=RESTORED_SECRET, SecretString=held)
            refused = [self.stack.call(function, {}) for function in ("get_stats", "verify_audit")]
            require({each.get("code") for each in refused} == {"UNAVAILABLE"}, json.dumps(refused))
            say("no role may connect to it, no secret opens it")
        with step("a database restored from before the last migration is brought up to the release") as say:
            restored = {"RestoredResourceId": self.database()["DbiResourceId"], "RestoredSecret": RESTORED_SECRET}
            self.deploy(self.release, expected="UPDATE_COMPLETE", **restored)
            require(self.query(MENDED), "the migration did not run")
            require(self.stack.call("verify_audit", {})["intact"], "the audit is broken")
            report = self.stack.call("golden_canary", {})
            require(report["passed"] is True, json.dumps(report)[:2000])
            say(f"audit intact, golden cases passed, {self.published()} functions published")

    def answers_on_the_restored_database(self) -> None:
        with step("every tool reaches the restored database with its own role") as say:
            answers = {tool: self.stack.call(tool, arguments) for tool, arguments in ONE_CALL_OF_EACH.items()}
            # What they wrote before the restore they may refuse to write again.
            lost = {
                tool: each for tool, each in answers.items() if each.get("code") in ("UNAVAILABLE", "INTERNAL_ERROR")
            }
            require(not lost, json.dumps(lost)[:2000])
            say(f"{len(answers)} invoked")

    def takes_back(self, former: Release) -> None:
        with step("the former release accepts the newer schema"):
            self.deploy(former, expected="UPDATE_COMPLETE")
            require(self.stack.call("get_stats", {})["total_chunks"], "live does not answer")

    def is_looked_at(self) -> None:
        with step("deploy-check finds it as its release would have it") as say:
            found = self.looked_at(*(part for part in PARTS if part not in UNSUPPORTED["unchecked"]))
            require(not [each for each in found if each.wrong], "\n".join(each.said for each in found))
            say("; ".join(each.said for each in found))
        with step("deploy-check tells what was changed beside CloudFormation"):
            self.keep_failed_events(seconds=60)
            changed = [each.said for each in self.looked_at("drift") if each.wrong]
            require(changed == ["FailedEvents is MODIFIED /MessageRetentionPeriod"], f"it told {changed}")
            self.keep_failed_events(seconds=14 * 86_400)
            require(not [each for each in self.looked_at("drift") if each.wrong], "it tells of what was changed back")

    def keep_failed_events(self, *, seconds: int) -> None:
        queue, kept = self.stack.resources()["FailedEvents"], {"MessageRetentionPeriod": str(seconds)}
        self.emulator.client("sqs").set_queue_attributes(QueueUrl=queue["PhysicalResourceId"], Attributes=kept)

    def looked_at(self, *parts: str) -> list[Finding]:
        return [finding for _, finding in checked(Account(NAME, self.emulator.client), parts)]

    def locks_out_a_key(self) -> None:
        with step("a key that leaked is revoked"):
            request = {"action": "create", "tenant": TENANT, "name": "leaked", "scopes": ["quotes:read"]}
            created = self.stack.call("api_keys", request)
            digest = hashlib.sha256(created["key"].split("_", 2)[2].encode()).hexdigest()
            shown = {"id": created["id"], "sha256": digest}
            require(self.stack.call("verify_api_key", shown)["valid"], "the new key is refused")
            self.stack.call("api_keys", {"action": "revoke", "id": created["id"]})
            require(not self.stack.call("verify_api_key", shown)["valid"], "the revoked key is taken")

    def goes_behind_a_domain(self) -> None:
        with step("a domain brings the edge; whoever comes past it is refused") as say:
            front, page = self.stack.output("McpUrl"), self.stack.output("ApprovalPage")
            zone = self.emulator.client("route53").create_hosted_zone(Name=DOMAIN, CallerReference="run")
            self.deploy(
                self.release,
                expected="UPDATE_COMPLETE",
                DomainName=DOMAIN,
                CertificateArn=self.emulator.client("acm").request_certificate(DomainName=DOMAIN)["CertificateArn"],
                HostedZoneId=zone["HostedZone"]["Id"].rpartition("/")[2],
            )
            viewer = Viewer(self.emulator, self.stack.output("DomainTarget"))
            asked = viewer.asks(key=self.key), viewer.asks(key=self.key, past=front)
            opened = viewer.opens("nobody"), viewer.opens("nobody", past=page)
            require((asked, opened) == ((200, 403), (404, 403)), f"the front said {asked}, the page {opened}")
            preview = viewer.asks(key=self.key, past=self.stack.output("PreviewMcpUrl"))
            require(preview == 403, f"the preview said {preview} to who does not show OriginKey")
            say("through it the front answers 200, the page 404 of a wrong link; past it 403")

    def is_given_room(self) -> None:
        with step("a database whose disk is full is given room") as say:
            before = self.database()
            wanted = before["AllocatedStorage"] * 2
            self.emulator.client("rds").modify_db_instance(
                DBInstanceIdentifier=before["DBInstanceIdentifier"], ApplyImmediately=True, AllocatedStorage=wanted
            )
            require(self.database()["AllocatedStorage"] == wanted, "it has no more room")
            say(f"{wanted} GB")

    def is_deleted(self) -> None:
        with step("it is deleted, and data is kept") as say:
            self.stack.delete()
            kept = [
                each["Name"] for each in self.emulator.client("s3").list_buckets()["Buckets"] if NAME in each["Name"]
            ]
            require(len(kept) == 4, f"kept are {kept}")
            listed = self.emulator.client("lambda").list_functions()["Functions"]
            functions = [each["FunctionName"] for each in listed if "Challenge" not in each["FunctionName"]]
            require(not functions, f"functions are left: {functions}")
            say(f"kept: {', '.join(kept)}")

    def has_used_its_rights(self) -> None:
        with step("no role was refused anything; rights are those of rights.yaml") as say:
            allowed, refused = read_requests(self.emulator.folder / ASKED, roles_of(self.stack))
            require(not refused, f"refused were {sorted(refused)}")
            names = {name: each["PhysicalResourceId"] for name, each in self.stack.resources().items()}
            held = {"ApprovalKey": names["ApprovalKey"], "Database": RESTORED_SECRET}
            describe = self.emulator.client("secretsmanager").describe_secret
            names |= {name: describe(SecretId=secret)["ARN"] for name, secret in held.items()}
            names |= {"StackId": self.stack.id, "DatabaseId": self.database()["DbiResourceId"]}
            rights = rights_of(self.stack)
            found = faults(rights, allowed, asked=examples(names), excuses=EXCUSES)
            require(not found, "\n".join(found))
            say(f"{len(allowed)} different requests, {len(rights)} rights")


def kinds_of(release: Release) -> Counter[str]:
    return Counter(resource["Type"] for resource in whole(release, {})["Resources"].values())


if __name__ == "__main__":
    sys.exit(main())
