"""Who comes to a stack is answered: every function on live, golden cases, an approver, whoever comes by the edge."""

import asyncio
import hashlib
import json
from typing import Any

from operations.golden.asking import run_all
from tests.e2e.sample_calls import AFTER_ANOTHER, NEEDS_A_MODEL, ONE_CALL_OF_EACH
from tests.e2e.sample_calls import event as event_of
from tests.emulated.reporting import require, step
from tests.emulated.run import TENANT, Run
from tests.emulated.visitors import Approver, Viewer, read_resources

DOMAIN = "quarry.example"
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


def answers_on_live(run: Run) -> None:
    with step("every function answers on live, each with its own role") as say:
        Approver(run.emulator).subscribe(run.stack.output("ApprovalTopicArn"))
        # Before the request for approval, as its page shows it.
        printed = run.stack.call("quote_pdf", {"quote_id": ONE_CALL_OF_EACH["approval_request"]["quote_id"]})
        require(not printed.get("error"), f"quote_pdf: {printed.get('message')}")
        for tool, arguments in ONE_CALL_OF_EACH.items():
            answer = run.stack.call(tool, arguments)
            require(not answer.get("error"), f"{tool}: {answer.get('message')}")
            require(answer.get("notification_sent", True), f"{tool}: {answer.get('notification_problem')}")
        require(run.stack.call(NEEDS_A_MODEL, {"question": "?"})["code"] == "UNAVAILABLE", "ask has no model")
        for tool in AFTER_ANOTHER:
            require(run.stack.call(tool, event_of(tool))["code"] == "NOT_FOUND", f"{tool} found something")
        bucket = run.stack.output("TemplateBucketName")
        run.emulator.client("s3").put_object(Bucket=bucket, Key="templates/of_a_former_release.md", Body=b"")
        for operation, event in OPERATIONS.items():
            answer = run.stack.call(operation, event)
            require(not answer.get("error"), f"{operation}: {answer.get('message')}")
        invoked = {*ONE_CALL_OF_EACH, NEEDS_A_MODEL, *AFTER_ANOTHER, *OPERATIONS}
        others = run.versions.keys() - invoked
        require(others == {"approval_page", "golden_canary", "ingest", "proxy"}, f"nobody asked {sorted(others)}")
        say(f"{len(invoked)} invoked")


def answers_golden_cases(run: Run) -> None:
    with step("golden cases pass through the front") as say:
        golden = run.release.content["GoldenLayer"]
        verdicts = asyncio.run(run_all(run.stack.output("McpUrl"), golden, key=run.key))
        faults = [f"{verdict.case.name}: {verdict.faults}" for verdict in verdicts if verdict.faults]
        require(not faults, "\n".join(faults))
        say(f"{len(verdicts)} cases")
    with step("resources are read through it, from the bucket and from functions") as say:
        say(", ".join(asyncio.run(read_resources(run.stack.output("McpUrl"), key=run.key))))


def locks_out_a_key(run: Run) -> None:
    with step("a key that leaked is revoked"):
        request = {"action": "create", "tenant": TENANT, "name": "leaked", "scopes": ["quotes:read"]}
        created = run.stack.call("api_keys", request)
        digest = hashlib.sha256(created["key"].split("_", 2)[2].encode()).hexdigest()
        shown = {"id": created["id"], "sha256": digest}
        require(run.stack.call("verify_api_key", shown)["valid"], "the new key is refused")
        run.stack.call("api_keys", {"action": "revoke", "id": created["id"]})
        require(not run.stack.call("verify_api_key", shown)["valid"], "the revoked key is taken")


def is_approved(run: Run) -> None:
    with step("an approver gets a link by mail, sees the quote with its PDF, and approves") as say:
        approver = Approver(run.emulator)
        pdf = approver.approve(approver.link(str(ONE_CALL_OF_EACH["approval_request"]["quote_id"])))
        require(pdf.startswith(b"%PDF"), f"the PDF is {pdf[:200]!r}")
        standing = run.stack.call("approval_status", ONE_CALL_OF_EACH["approval_status"])
        require("approved" in json.dumps(standing), json.dumps(standing)[:2000])
        say(f"{len(pdf)} bytes of PDF")


def goes_behind_a_domain(run: Run) -> None:
    with step("a domain brings the edge; whoever comes past it is refused") as say:
        front, page = run.stack.output("McpUrl"), run.stack.output("ApprovalPage")
        zone = run.emulator.client("route53").create_hosted_zone(Name=DOMAIN, CallerReference="run")
        run.deploy(
            run.release,
            expected="UPDATE_COMPLETE",
            DomainName=DOMAIN,
            CertificateArn=run.emulator.client("acm").request_certificate(DomainName=DOMAIN)["CertificateArn"],
            HostedZoneId=zone["HostedZone"]["Id"].rpartition("/")[2],
        )
        viewer = Viewer(run.emulator, run.stack.output("DomainTarget"))
        asked = viewer.asks(key=run.key), viewer.asks(key=run.key, past=front)
        opened = viewer.opens("nobody"), viewer.opens("nobody", past=page)
        require((asked, opened) == ((200, 403), (404, 403)), f"the front said {asked}, the page {opened}")
        preview = viewer.asks(key=run.key, past=run.stack.output("PreviewMcpUrl"))
        require(preview == 403, f"the preview said {preview} to who does not show OriginKey")
        say("through it the front answers 200, the page 404 of a wrong link; past it 403")
