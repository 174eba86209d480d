"""migrate and publish_templates as CloudFormation's custom resources: their answers, as they arrive over HTTP."""

import json
import shutil
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from local.database import OWNER
from local.files import ROOT
from operations import custom_resource, migrate, migrations, publish_templates
from operations.custom_resource import Undelivered, fulfil, request_of
from quarry.tool.errors import NotFound
from quarry.tool.runtime import CallFailed
from tests import aws
from tests.deployment import Context, Deployment, Handler

MIGRATIONS = len(migrations.read(ROOT / "migrations"))


@dataclass
class CloudFormation:
    """Takes answers at ``url``; ``refusals`` are the statuses of the first ones, ``taken`` are the others."""

    url: str = ""
    refusals: list[int] = field(default_factory=list)
    taken: list[dict[str, Any]] = field(default_factory=list)
    content_types: list[str | None] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)

    def event(self, kind: str, **changes: Any) -> dict[str, Any]:
        return {
            "RequestType": kind,
            "ResponseURL": self.url,
            "StackId": "arn:aws:cloudformation:us-east-1:123456789012:stack/quarry/guid",
            "RequestId": uuid4().hex,
            "ResourceType": "Custom::Migrations",
            "LogicalResourceId": "Migrations",
            "ResourceProperties": {"ServiceToken": "arn", "Release": "7"},
            **({} if kind == "Create" else {"PhysicalResourceId": "quarry-migrations"}),
            **changes,
        }


@pytest.fixture
def cloudformation() -> Iterator[CloudFormation]:
    told = CloudFormation()

    class Handler(BaseHTTPRequestHandler):
        def do_PUT(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            told.sizes.append(len(body))
            told.content_types.append(self.headers["Content-Type"])
            status = told.refusals.pop(0) if told.refusals else 200
            if status == 200:
                told.taken.append(json.loads(body))
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    told.url = f"http://127.0.0.1:{server.server_port}/answer?signature=secret"
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield told
    server.shutdown()
    server.server_close()


@dataclass
class Stack:
    """A blank database and a release's files, answered for by the real handlers."""

    deployment: Deployment
    folder: Path
    cloudformation: CloudFormation

    def send(self, kind: str, *, handler: Handler = migrate.handler, **changes: Any) -> dict[str, Any]:
        """CloudFormation's view of it: the answer that arrived."""
        with self.deployment.serving(OWNER, MIGRATIONS_DIR=str(self.folder), STACK="quarry"):
            handler(self.cloudformation.event(kind, **changes), Context())
        return self.cloudformation.taken[-1]


@pytest.fixture
def stack(blank: Deployment, tmp_path: Path, cloudformation: CloudFormation) -> Stack:
    return Stack(blank, Path(shutil.copytree(ROOT / "migrations", tmp_path / "migrations")), cloudformation)


def test_create_migrates_and_answers_once_with_an_id_for_life(stack: Stack) -> None:
    event = stack.cloudformation.event("Create")
    answer = stack.send("Create", RequestId=event["RequestId"])
    assert answer == {
        "Status": "SUCCESS",
        "Reason": "",
        "PhysicalResourceId": "quarry-migrations",
        "StackId": event["StackId"],
        "RequestId": event["RequestId"],
        "LogicalResourceId": "Migrations",
        "Data": {"Applied": str(MIGRATIONS), "Ahead": "False", "QueuedForEmbedding": "0"},
    }
    assert len(stack.cloudformation.taken) == 1
    # A content type would not fit the URL's signature.
    assert stack.cloudformation.content_types == [""]


def test_update_applies_what_is_new_and_keeps_the_id(stack: Stack) -> None:
    stack.send("Create")
    (stack.folder / f"{MIGRATIONS + 1:04}_parts.sql").write_text("CREATE TABLE quarry.parts (n integer);", "utf-8")
    answer = stack.send("Update", PhysicalResourceId="an id of long ago")
    assert (answer["Status"], answer["PhysicalResourceId"]) == ("SUCCESS", "an id of long ago")
    assert answer["Data"]["Applied"] == "1"


def test_delete_touches_no_database_and_so_succeeds_even_where_it_is_gone(stack: Stack) -> None:
    with stack.deployment.serving(OWNER, MIGRATIONS_DIR=str(stack.folder), DB_PORT="9"):
        migrate.handler(stack.cloudformation.event("Delete"), Context())
    assert stack.cloudformation.taken[-1]["Status"] == "SUCCESS"


def test_a_stack_that_rolls_back_to_the_former_release_is_not_stopped_by_the_newer_schema(stack: Stack) -> None:
    stack.send("Create")
    max(stack.folder.glob("0*")).unlink()
    answer = stack.send("Update")
    assert (answer["Status"], answer["Data"]["Ahead"]) == ("SUCCESS", "True")
    assert stack.send("Create")["Status"] == "FAILED"


def test_another_model_needs_the_word_reembed(stack: Stack) -> None:
    stack.send("Create")
    reembed = {"ResourceProperties": {"Reembed": "true"}}
    with stack.deployment.serving(OWNER, MIGRATIONS_DIR=str(stack.folder), EMBEDDING_MODEL="another"):
        migrate.handler(stack.cloudformation.event("Update"), Context())
        assert "Reembed" in stack.cloudformation.taken[-1]["Reason"]
        migrate.handler(stack.cloudformation.event("Update", **reembed), Context())
    assert stack.cloudformation.taken[-1]["Status"] == "SUCCESS"


def test_an_unexpected_error_is_answered_without_its_text_and_then_raised(stack: Stack) -> None:
    max(stack.folder.glob("0*")).write_bytes(b"no UTF-8: \xff")
    with pytest.raises(CallFailed):
        stack.send("Create")
    answer = stack.cloudformation.taken[-1]
    assert answer["Status"] == "FAILED"
    assert answer["Reason"] == "migrations failed; its log has the cause, request aws-request."


def test_work_that_takes_too_long_is_answered_before_the_function_ends(cloudformation: CloudFormation) -> None:
    request = request_of(cloudformation.event("Create"))
    assert request is not None
    over = threading.Event()

    def work() -> dict[str, object]:
        assert over.wait(60)
        return {}

    def look() -> None:
        while not cloudformation.taken:
            over.wait(0.01)
        over.set()

    threading.Thread(target=look, daemon=True).start()
    remaining = int(custom_resource.TIME_TO_ANSWER_S * 1000) + 100
    told = fulfil(request, Context(remaining_ms=remaining), resource="migrations", work=work)
    # What the work came to afterwards is not sent: the answer was given.
    assert told == {"answered": "FAILED", "resource": "migrations"}
    assert [answer["Status"] for answer in cloudformation.taken] == ["FAILED"]
    assert "longer than the function may run" in cloudformation.taken[0]["Reason"]


def test_a_fault_on_the_way_is_tried_again_and_a_refusal_is_not(cloudformation: CloudFormation) -> None:
    request = request_of(cloudformation.event("Update"))
    assert request is not None
    cloudformation.refusals[:] = [503, 500]
    fulfil(request, Context(), resource="templates", work=dict)
    assert [answer["Status"] for answer in cloudformation.taken] == ["SUCCESS"]
    cloudformation.refusals[:] = [403]
    with pytest.raises(Undelivered, match="HTTP 403") as raised:
        fulfil(request, Context(), resource="templates", work=dict)
    assert "secret" not in str(raised.value)


def test_a_reason_is_cut_to_what_cloudformation_takes(cloudformation: CloudFormation) -> None:
    request = request_of(cloudformation.event("Update"))
    assert request is not None

    def work() -> dict[str, object]:
        raise NotFound("🛠" * 20_000)

    fulfil(request, Context(), resource="templates", work=work)
    assert cloudformation.taken[0]["Reason"].startswith("🛠" * 100)
    assert cloudformation.sizes[0] <= 4096


def test_templates_are_published_on_create_and_stay_on_delete(
    cloudformation: CloudFormation, deployment: Deployment, aws_url: str, aws_variables: dict[str, str]
) -> None:
    s3, bucket = aws.client("s3", aws_url), f"templates-{uuid4().hex[:8]}"
    s3.create_bucket(Bucket=bucket)
    folder = {"TEMPLATE_BUCKET": bucket, "TEMPLATES_DIR": str(ROOT / "templates")}
    with deployment.serving("quarry_read", **aws_variables, **folder):
        for kind in ("Create", "Update", "Delete"):
            publish_templates.handler(cloudformation.event(kind), Context())
    files = len(s3.list_objects_v2(Bucket=bucket)["Contents"])
    assert [answer["Status"] for answer in cloudformation.taken] == ["SUCCESS"] * 3
    assert cloudformation.taken[0]["Data"] == {"Published": str(files), "Unchanged": "0", "Removed": "0"}
    assert cloudformation.taken[1]["Data"] == {"Published": "0", "Unchanged": str(files), "Removed": "0"}
