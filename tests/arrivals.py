"""Files that arrive in the ingest bucket, through the real ingest function."""

from dataclasses import dataclass
from typing import Any

from operations.ingest import handler
from tests.deployment import Deployment, invoke

BUCKET = "arrivals"


@dataclass(frozen=True)
class Arrivals:
    """Keys are <tenant>/<kind>/<file>; the tenants have declared what the rows of tests have."""

    s3: Any
    deployment: Deployment

    def report(self, key: str, content: str | bytes) -> dict[str, Any]:
        tenant, kind, _ = key.split("/", 2)
        body = content.encode() if isinstance(content, str) else content
        self.deployment.declare_sample(tenant=tenant)
        self.s3.put_object(Bucket=BUCKET, Key=key, Body=body)
        answer = invoke(handler, {"bucket": BUCKET, "key": key, "kind": kind}, tenant=tenant)
        assert "error" not in answer, answer
        [report] = answer["reports"]
        return dict(report)

    def counts(self, key: str, content: str | bytes) -> dict[str, int]:
        """Those of the report that are not zero."""
        report = self.report(key, content)
        names = ("inserted", "updated", "unchanged", "merged", "rejected")
        return {name: report[name] for name in names if report[name]}
