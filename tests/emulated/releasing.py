"""Each kind of release, one that fails, and a database that is restored from before the last of them."""

import json

from local.corpus_loader import CORPUS, SAMPLE
from local.database import OWNER
from local.environment import CANARY_SECRET
from local.release import BUILD
from tests.e2e.sample_calls import ONE_CALL_OF_EACH
from tests.emulated.reporting import require, step
from tests.emulated.run import RESTORED_SECRET, TENANT, Run

NEIGHBOUR = "canary-other"
REFUSAL = ("Invalid arguments.", "Those arguments are invalid.")
"""What the shared layer says, and what a release makes of it."""
RUNTIME = "python/quarry/tool/runtime.py"
REFUSED = {"unknown": True}
MENDED = "SELECT to_regclass('quarry.mended')::text"
BEFORE = "before"
"""The snapshot of the database without the last migration."""


def releases_a_layer(run: Run) -> None:
    with step("a release that changes only a layer is live") as say:
        require(REFUSAL[0] in run.stack.call("get_stats", REFUSED)["message"], "the layer says something else")
        text = (BUILD / "QuarryLayer" / RUNTIME).read_text("utf-8")
        changed = run.release.with_layer(run.emulator, "QuarryLayer", {RUNTIME: text.replace(*REFUSAL)})
        run.deploy(changed, expected="UPDATE_COMPLETE")
        require(REFUSAL[1] in run.stack.call("get_stats", REFUSED)["message"], "live has the former layer")
        say(f"{run.published()} of {len(run.versions)} functions published")


def releases_a_parameter(run: Run) -> None:
    with step("a release that changes only a parameter is live") as say:
        run.deploy(run.release, expected="UPDATE_COMPLETE", DefaultTenant="elsewhere")
        require(run.stack.call("get_stats", {})["total_chunks"] == 0, "live serves the former tenant")
        say(f"{run.published()} functions published")
        run.deploy(run.release, expected="UPDATE_COMPLETE", DefaultTenant=TENANT)
        require(run.stack.call("get_stats", {})["total_chunks"], "live serves the other tenant")
        say(f"{run.published()} on the way back")


def releases_a_secret(run: Run) -> None:
    with step("a release that changes only a secret is live") as say:
        require(run.stack.call("golden_canary", {})["passed"] == "not checked", "the canary has a key already")
        held = json.dumps({"key": run.key, "other_key": run.new_key(NEIGHBOUR, new_tenant=True)})
        run.emulator.client("secretsmanager").create_secret(Name=CANARY_SECRET, SecretString=held)
        run.deploy(run.release, expected="UPDATE_COMPLETE", CanarySecret=CANARY_SECRET)
        report = run.stack.call("golden_canary", {})
        apart = report["cross_tenant"] == "denied"
        require(report["passed"] is True and apart, json.dumps(report)[:2000])
        say(f"{run.published()} functions published; the canary passed {report['cases']} cases, tenants apart")


def is_given_room(run: Run) -> None:
    with step("a database whose disk is full is given room") as say:
        before = run.database()
        wanted = before["AllocatedStorage"] * 2
        run.emulator.client("rds").modify_db_instance(
            DBInstanceIdentifier=before["DBInstanceIdentifier"], ApplyImmediately=True, AllocatedStorage=wanted
        )
        require(run.database()["AllocatedStorage"] == wanted, "it has no more room")
        say(f"{wanted} GB")


def rolls_back(run: Run) -> None:
    run.emulator.snapshot(BEFORE)
    with step("a failing migration rolls back, and live goes on") as say:
        versions = run.versions
        reasons = run.deploy(run.with_migration("fails", "SELECT 1/0;"), expected="UPDATE_ROLLBACK_COMPLETE")
        require("division by zero" in reasons, reasons)
        require(run.stack.live_versions().keys() == versions.keys(), "functions are missing")
        require(run.stack.call("get_stats", {})["total_chunks"], "live does not answer")
        run.published()
        say("division by zero")
    with step("its repeat, mended, is released"):
        run.former = run.release
        run.deploy(run.with_migration("mended", "CREATE TABLE quarry.mended ();"), expected="UPDATE_COMPLETE")
        require(run.query(MENDED), "the migration did not run")
        require(run.published() == len(run.versions), "some functions were not published")


def is_restored(run: Run) -> None:
    """As the runbook has it: an instance of before the last migration takes the name of the stack's own."""
    with step("a restored database in its place refuses every function until the stack knows it") as say:
        name = run.database()["DBInstanceIdentifier"]
        secrets, rds = run.emulator.client("secretsmanager"), run.emulator.client("rds")
        run.emulator.replace(BEFORE)
        require(not run.query(MENDED), "the snapshot has the migration already")
        rds.create_db_snapshot(DBInstanceIdentifier=name, DBSnapshotIdentifier=BEFORE)
        rds.delete_db_instance(DBInstanceIdentifier=name, SkipFinalSnapshot=True)
        rds.restore_db_instance_from_db_snapshot(DBInstanceIdentifier=name, DBSnapshotIdentifier=BEFORE)
        secrets.delete_secret(SecretId=run.stack.owner_secret, ForceDeleteWithoutRecovery=True)
        held = json.dumps({"username": OWNER, "password": run.emulator.draw_password()})
        secrets.create_secret(Name=RESTORED_SECRET, SecretString=held)
        refused = [run.stack.call(function, {}) for function in ("get_stats", "verify_audit")]
        require({each.get("code") for each in refused} == {"UNAVAILABLE"}, json.dumps(refused))
        say("no role may connect to it, no secret opens it")
    with step("a database restored from before the last migration is brought up to the release") as say:
        restored = {"RestoredResourceId": run.database()["DbiResourceId"], "RestoredSecret": RESTORED_SECRET}
        run.deploy(run.release, expected="UPDATE_COMPLETE", **restored)
        require(run.query(MENDED), "the migration did not run")
        require(run.stack.call("verify_audit", {})["intact"], "the audit is broken")
        report = run.stack.call("golden_canary", {})
        require(report["passed"] is True, json.dumps(report)[:2000])
        say(f"audit intact, golden cases passed, {run.published()} functions published")


def answers_on_the_restored_database(run: Run) -> None:
    with step("every tool reaches the restored database with its own role") as say:
        answers = {tool: run.stack.call(tool, arguments) for tool, arguments in ONE_CALL_OF_EACH.items()}
        # What they wrote before the restore they may refuse to write again.
        lost = {tool: each for tool, each in answers.items() if each.get("code") in ("UNAVAILABLE", "INTERNAL_ERROR")}
        require(not lost, json.dumps(lost)[:2000])
        run.new_key(TENANT)
        kind, name = SAMPLE[0]
        report = run.target().ingest(kind, CORPUS / name)
        require(not report["rejected"], json.dumps(report)[:2000])
        say(f"{len(answers)} invoked, a key made, {report['rows_read']} {kind} taken in")


def takes_back(run: Run) -> None:
    with step("the former release accepts the newer schema"):
        assert run.former is not None
        run.deploy(run.former, expected="UPDATE_COMPLETE")
        require(run.stack.call("get_stats", {})["total_chunks"], "live does not answer")
