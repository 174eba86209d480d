"""A stack is looked at: by deploy-check, by what its roles asked for, and by what is left of it."""

from local.deploy_check.__main__ import PARTS, checked
from local.deploy_check.account import Account, Finding
from tests.emulated.emulator import ASKED
from tests.emulated.release import UNSUPPORTED
from tests.emulated.reporting import require, step
from tests.emulated.rights import EXCUSES, examples, faults, read_requests, rights_of, roles_of
from tests.emulated.run import RESTORED_SECRET, Run
from tests.emulated.stack import NAME


def is_looked_at(run: Run) -> None:
    with step("deploy-check finds it as its release would have it") as say:
        found = looked_at(run, *(part for part in PARTS if part not in UNSUPPORTED["unchecked"]))
        require(not [each for each in found if each.wrong], "\n".join(each.said for each in found))
        say("; ".join(each.said for each in found))
    with step("deploy-check tells what was changed beside CloudFormation"):
        keep_failed_events(run, seconds=60)
        changed = [each.said for each in looked_at(run, "drift") if each.wrong]
        require(changed == ["FailedEvents is MODIFIED /MessageRetentionPeriod"], f"it told {changed}")
        keep_failed_events(run, seconds=14 * 86_400)
        require(not [each for each in looked_at(run, "drift") if each.wrong], "it tells of what was changed back")


def keep_failed_events(run: Run, *, seconds: int) -> None:
    queue, kept = run.stack.resources()["FailedEvents"], {"MessageRetentionPeriod": str(seconds)}
    run.emulator.client("sqs").set_queue_attributes(QueueUrl=queue["PhysicalResourceId"], Attributes=kept)


def looked_at(run: Run, *parts: str) -> list[Finding]:
    return [finding for _, finding in checked(Account(NAME, run.emulator.client), parts)]


def has_used_its_rights(run: Run) -> None:
    with step("no role was refused anything; rights are those of rights.yaml") as say:
        allowed, refused = read_requests(run.emulator.folder / ASKED, roles_of(run.stack))
        require(not refused, f"refused were {sorted(refused)}")
        names = {name: each["PhysicalResourceId"] for name, each in run.stack.resources().items()}
        held = {"ApprovalKey": names["ApprovalKey"], "Database": RESTORED_SECRET}
        describe = run.emulator.client("secretsmanager").describe_secret
        names |= {name: describe(SecretId=secret)["ARN"] for name, secret in held.items()}
        names |= {"StackId": run.stack.id, "DatabaseId": run.database()["DbiResourceId"]}
        rights = rights_of(run.stack)
        found = faults(rights, allowed, asked=examples(names), excuses=EXCUSES)
        require(not found, "\n".join(found))
        say(f"{len(allowed)} different requests, {len(rights)} rights")


def is_deleted(run: Run) -> None:
    with step("it is deleted, and data is kept") as say:
        run.stack.delete()
        kept = [each["Name"] for each in run.emulator.client("s3").list_buckets()["Buckets"] if NAME in each["Name"]]
        require(len(kept) == 4, f"kept are {kept}")
        listed = run.emulator.client("lambda").list_functions()["Functions"]
        functions = [each["FunctionName"] for each in listed if "Challenge" not in each["FunctionName"]]
        require(not functions, f"functions are left: {functions}")
        say(f"kept: {', '.join(kept)}")
