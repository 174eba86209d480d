"""What the stack answers: certificates, a call of each tool that reads, the canary's last run."""

import json
import re
import socket
import ssl
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from local.deploy_check.account import Account, Finding
from local.files import ROOT

SECONDS = 120
"""Most that a call through the front may take, longer than the longest tool's."""
DAYS_LEFT = 21
"""Certificates that AWS renews are renewed earlier."""
NEEDS_A_MODEL = "ask"
STEM = re.compile(r"Q-\d{4}-")
"""Of the sample corpus' quotes, which are numbered in the year in which it was loaded."""


def certificates(account: Account) -> Iterator[Finding]:
    authority = account.database.get("CertificateDetails", {})
    if authority:
        yield _expiry("the database's certificate", authority["ValidTill"])
    for name in ("McpUrl", "ApprovalPage"):
        address = urlsplit(account.outputs[name])
        yield certificate_of(str(address.hostname), address.port or 443)


def certificate_of(host: str, port: int, *, context: ssl.SSLContext | None = None) -> Finding:
    """That of a server, as any client checks it."""
    context = context or ssl.create_default_context()
    try:
        with (
            socket.create_connection((host, port), timeout=SECONDS) as plain,
            context.wrap_socket(plain, server_hostname=host) as secured,
        ):
            shown = secured.getpeercert() or {}
    except OSError as error:
        return Finding(True, f"{host}: {error}")
    return _expiry(host, datetime.fromtimestamp(ssl.cert_time_to_seconds(str(shown["notAfter"])), UTC))


def _expiry(what: str, ends: datetime) -> Finding:
    left = (ends - datetime.now(UTC)).days
    return Finding(left < DAYS_LEFT, f"{what} is good until {ends:%Y-%m-%d}, {left} days")


def tools(account: Account) -> Iterator[Finding]:
    """One call of each tool that reads, through the front, as the canary's tenant, which has the sample corpus."""
    secret = account.parameters.get("CanarySecret")
    if not secret:
        yield Finding(True, "not asked: without CanarySecret there is no key to enter with")
        return
    held = account.client("secretsmanager").get_secret_value(SecretId=secret)["SecretString"]
    ask = Front(account.outputs["McpUrl"], key=json.loads(held)["key"]).call
    manifest = json.loads((ROOT / "proxy/manifest.json").read_text("utf-8"))
    reading = [each["name"] for each in manifest["tools"] if each["read_only"]]
    if not account.parameters.get("ChatSecret"):
        reading.remove(NEEDS_A_MODEL)
    stem = _stem(ask("quote_list", {}))
    faults = {name: reason for name in reading if (reason := _fault(ask(name, _arguments(name, stem=stem))))}
    for name, reason in faults.items():
        yield Finding(True, f"{name}: {reason}")
    yield Finding(False, f"{len(reading) - len(faults)} of {len(reading)} tools that read answer through the front")


@dataclass(frozen=True)
class Front:
    url: str
    key: str

    def call(self, tool: str, arguments: Mapping[str, object]) -> dict[str, Any]:
        """The message that came back; one with `error` where nothing did."""
        params = {"name": tool, "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        request = urllib.request.Request(  # noqa: S310 - the stack's own output
            self.url,
            data=json.dumps(message).encode(),
            headers={
                "Authorization": f"Bearer {self.key}",
                "Content-Type": "application/json",
                "Accept": "application/json, text/event-stream",
            },
        )
        try:
            with urllib.request.urlopen(request, timeout=SECONDS) as answer:  # noqa: S310
                return dict(json.loads(answer.read()))
        except (OSError, ValueError) as error:
            return {"error": {"message": str(error)}}


def _fault(message: Mapping[str, Any]) -> str:
    if "error" in message:
        return str(message["error"]["message"])
    result = message["result"]
    return str(result["content"][0]["text"])[:200] if result.get("isError") else ""


def _stem(message: Mapping[str, Any]) -> str:
    found = STEM.search(json.dumps(message))
    return found[0] if found else "Q-2026-"


def _arguments(tool: str, *, stem: str) -> dict[str, object]:
    """Those of the tool's event, which finds something in the sample corpus."""
    return dict(json.loads(STEM.sub(stem, (ROOT / f"events/{tool}.json").read_text("utf-8"))))


def canary(account: Account) -> Iterator[Finding]:
    if not account.parameters.get("CanarySecret"):
        yield Finding(True, "the canary has no key: nothing tests a release before it gets traffic")
        return
    now = datetime.now(UTC)
    points = account.client("cloudwatch").get_metric_statistics(
        Namespace="Quarry",
        MetricName="CanaryPassed",
        Dimensions=[{"Name": "Stack", "Value": account.stack}],
        StartTime=now - timedelta(hours=1),
        EndTime=now,
        Period=60,
        Statistics=["Minimum"],
    )["Datapoints"]
    if not points:
        yield Finding(True, "it did not run within the hour")
        return
    last = max(points, key=lambda each: each["Timestamp"])
    verdict = "passed" if last["Minimum"] >= 1 else "failed"
    yield Finding(verdict == "failed", f"its last run, {last['Timestamp']:%H:%M} UTC, {verdict}")
