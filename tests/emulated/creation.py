"""A stack comes to be: a first try that fails, its creation, another database, the sample corpus."""

import json
from collections import Counter

from local.corpus_loader import load_sample
from tests.emulated.reporting import require, step
from tests.emulated.run import Run
from tests.emulated.stack import NAME


def fails_at_first(run: Run) -> None:
    with step("a first deployment fails on a migration and leaves nothing") as say:
        reasons = run.deploy(run.with_migration("fails", "SELECT 1/0;"), expected="ROLLBACK_COMPLETE")
        require("fails failed and left nothing of itself: division by zero" in reasons, reasons)
        left = [each["Name"] for each in run.emulator.client("s3").list_buckets()["Buckets"] if NAME in each["Name"]]
        groups = run.emulator.client("logs").describe_log_groups(logGroupNamePrefix="/quarry/")["logGroups"]
        require(not left and not groups, f"it left {left} and {groups}")
        run.stack.delete()
        say("division by zero")


def is_created(run: Run) -> None:
    with step("its repeat is created") as say:
        run.deploy(run.release, expected="CREATE_COMPLETE")
        kinds = Counter(each["ResourceType"] for each in run.stack.resources().values())
        say(f"{kinds.total()} resources: {', '.join(f'{count} {kind}' for kind, count in sorted(kinds.items()))}")
        run.published()
        applied = run.query("SELECT array_agg(name ORDER BY version) FROM quarry.migrations")
        require(applied == run.migrations(), f"applied are {applied}")


def replaces_its_database(run: Run) -> None:
    with step("an instance that CloudFormation puts in the database's place is migrated") as say:
        former = run.database()
        run.emulator.replace()
        # Nobody would change it; it stands for whatever makes CloudFormation replace an instance.
        run.deploy(run.release.with_property("Database", "StorageEncrypted", False), expected="UPDATE_COMPLETE")
        require(run.database()["DbiResourceId"] != former["DbiResourceId"], "it was not replaced")
        applied = run.query("SELECT array_agg(name ORDER BY version) FROM quarry.migrations")
        require(applied == run.migrations(), f"applied are {applied}")
        answer = run.stack.call("get_stats", {})
        require(answer.get("total_chunks") == 0, json.dumps(answer))
        say(f"{len(run.migrations())} migrations, {run.published()} functions published")


def takes_the_sample_corpus(run: Run) -> None:
    with step("files put into its bucket are ingested and embedded") as say:
        target = run.target()
        load_sample(target.ingest, target.call, on_progress=lambda _: None)
        run.embed()
        say(f"{run.stack.call('get_stats', {})['total_chunks']} highlights among them")
