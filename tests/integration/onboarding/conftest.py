"""A tenant's inbox, and the tools of onboarding as their functions serve them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
import pytest
from jsonschema import Draft202012Validator

from local.corpus_loader import CORPUS
from local.manifest.schema import output_schema
from local.manifest.tools import declared
from local.preview import preview
from operations import ingest
from tests.aws import client
from tests.deployment import Deployment, invoke

TOOLS = {item.tool.name: item for item in declared() if item.tool.toolset == "onboarding"}
BUCKET = "inboxes"


@dataclass(frozen=True)
class Desk:
    """Who brings a company in: its tenant is its own, and each answer is held to its tool's schema."""

    s3: Any
    deployment: Deployment
    tenant: str

    def ask(self, tool: str, *, tenant: str = "", **arguments: Any) -> dict[str, Any]:
        module = __import__(TOOLS[tool].module, fromlist=["handler"])
        answer = invoke(module.handler, arguments, tenant=tenant or self.tenant)
        assert "error" not in answer, answer
        Draft202012Validator(output_schema(TOOLS[tool].result)).validate(answer)
        return answer

    def refused(self, tool: str, *, tenant: str = "", **arguments: Any) -> str:
        module = __import__(TOOLS[tool].module, fromlist=["handler"])
        answer = invoke(module.handler, arguments, tenant=tenant or self.tenant)
        assert answer.get("error") is True, answer
        return f"{answer['code']} {answer['message']}"

    def put(self, name: str, content: str | bytes) -> str:
        body = content.encode() if isinstance(content, str) else content
        self.s3.put_object(Bucket=BUCKET, Key=f"{self.tenant}/inbox/{name}", Body=body)
        return name

    def load(self, **arguments: Any) -> dict[str, Any]:
        return self.ask("load", check_id=self.ask("load_check", **arguments)["check_id"])

    def load_whole(self, kind: str, content: str | bytes, mapping: str = "", *, name: str = "") -> dict[str, Any]:
        """Loads a file of which no row may be rejected."""
        asked = {"mapping": mapping} if mapping else {}
        checked = self.ask("load_check", kind=kind, file=self.put(name or f"{kind}.csv", content), **asked)
        assert "rejected" not in checked["rows"], checked
        return self.ask("load", check_id=checked["check_id"])

    def previewed(self, kind: str, path: Path, **options: Any) -> str:
        """What make preview says of a file, beside which it writes its guess."""

        def check(file: Path, asked: dict[str, Any]) -> dict[str, Any]:
            return self.ask("load_check", file=self.put(file.name, file.read_bytes()), **asked)

        return "\n".join(preview(check, kind, path, **options))

    def rows(self, query: str) -> list[dict[str, Any]]:
        return self.deployment.rows(query, tenant=self.tenant)

    def has_segment(self, segment: str) -> None:
        """Stores a discount policy for it."""
        policies = CORPUS / "cpq" / "discount_policies.jsonl"
        policy = json.loads(policies.read_text("utf-8").splitlines()[0])
        self.ingest("discount_policies", [{**policy, "id": f"pol_{segment}", "segment": segment}])

    def ingest(self, kind: str, rows: list[dict[str, Any]], *, replace: bool = False) -> dict[str, Any]:
        """Stores rows as make ingest does, also those that no agent may load."""
        key, text = f"{self.tenant}/{kind}/own.jsonl", "".join(json.dumps(row) + "\n" for row in rows)
        metadata = {"replaces": "1"} if replace else {}
        self.s3.put_object(Bucket=BUCKET, Key=key, Body=text.encode(), Metadata=metadata)
        [report] = invoke(ingest.handler, {"bucket": BUCKET, "key": key}, tenant=self.tenant)["reports"]
        assert not report["rejected"], report["rejects"]
        return dict(report)

    def upload(self, url: str, content: bytes, **headers: str) -> int:
        return httpx2.put(url, content=content, headers=headers).status_code


@pytest.fixture
def desk(deployment: Deployment, aws_url: str, aws_variables: dict[str, str]) -> Iterator[Desk]:
    s3 = client("s3", aws_url)
    s3.create_bucket(Bucket=BUCKET)
    with deployment.serving("quarry_ingest", **aws_variables, INGEST_BUCKET=BUCKET):
        yield Desk(s3, deployment, f"new-{uuid4().hex[:8]}")


FAMILIES = "family,name,words\nvalve,Valve,ball valve|gate valve|de:Armatur\nfilter,Filter,strainer\n"
ATTRIBUTES = (
    "name,families,kind,unit,sense,low,high,words\n"
    "pressure,valve,number,bar,at_least,0,400,PN\n"
    "body,valve|filter,text,,exactly,,,de:Werkstoff\n"
)
LIST = "Art.-Nr.;Bezeichnung;Gruppe;PN [bar];Werkstoff;Lager\n"
GOODS = LIST + (
    "KH-10;Kugelhahn DN10;Armatur;16;1.4408;ja\n"
    "KH-15;Kugelhahn DN15;Armatur;40;1.4408;nein\n"
    "SF-20;Schmutzfänger DN20;Filter;;Grauguss;ja\n"
    "KH-99;Kugelhahn DN99;Armatur;viel;Messing;ja\n"
)
MAPPING = """
kind = "products"
[[tables]]
[tables.constants]
manufacturer = "Acme"
[tables.fields]
model = { from = "Art.-Nr." }
category = { from = "Gruppe" }
description = { from = "Bezeichnung" }
family = { from = "Gruppe", values = { Armatur = "valve", Filter = "filter" } }
"attributes.pressure" = { from = "PN [bar]", unit = "bar" }
"attributes.body" = { from = "Werkstoff" }
"""


@pytest.fixture
def declared_desk(desk: Desk) -> Desk:
    """Its families and attributes are declared."""
    desk.load(kind="families", text=FAMILIES)
    desk.load(kind="attributes", text=ATTRIBUTES)
    return desk
