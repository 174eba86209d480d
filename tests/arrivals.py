"""Files that arrive in the ingest bucket, through the real ingest function."""

from dataclasses import dataclass
from typing import Any

from operations.ingest import handler
from tests.deployment import invoke

BUCKET = "arrivals"


@dataclass(frozen=True)
class Arrivals:
    """Keys are <tenant>/<kind>/<file>."""

    s3: Any

    def report(self, key: str, content: str | bytes) -> dict[str, Any]:
        tenant, kind, _ = key.split("/", 2)
        body = content.encode() if isinstance(content, str) else content
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
