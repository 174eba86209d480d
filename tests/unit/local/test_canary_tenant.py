"""Filling the canary's tenant, while the bucket announces the same files to the same function."""

import io
import json
from typing import Any

from local.canary_tenant import Target
from local.corpus_loader import load_sample


class Functions:
    """Lambda whose first ingest of a file loses against the one that the bucket asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def invoke(self, *, FunctionName: str, Payload: bytes, **_: object) -> dict[str, Any]:  # noqa: N803 - boto3's
        event = json.loads(Payload)
        loses = FunctionName == "quarry-ingest:live" and event["key"] not in self.asked
        self.asked.append(event.get("key", FunctionName))
        if loses:
            fault = {"errorMessage": "ingest failed"}
            return {"FunctionError": "Unhandled", "Payload": io.BytesIO(json.dumps(fault).encode())}
        answer = {"reports": [{"rows_read": 1, "rejected": 0}], "quote": {"id": "Q-2026-0001", "version": 1}}
        return {"Payload": io.BytesIO(json.dumps(answer).encode())}


class Bucket:
    def upload_file(self, *_: object) -> None:
        """Takes any file."""


def test_a_file_whose_rows_somebody_else_writes_at_the_same_time_is_ingested_again() -> None:
    functions = Functions()
    said: list[str] = []
    target = Target(s3=Bucket(), functions=functions, bucket="ingest", prefix="quarry-", tenant="canary")
    load_sample(target.ingest, target.call, on_progress=said.append)
    assert functions.asked.count("canary/products/products.csv") == 2
    assert "products: 1 rows" in said
