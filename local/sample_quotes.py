"""Quotes of the sample corpus: written through the quoting tools, as an agent writes them."""

import hashlib
import json
from pathlib import Path

from local.invoke import invoke
from local.stack import Stack


def write(stack: Stack, path: Path) -> int:
    """How many there are; each line's content is its idempotency key, so that loading it again writes nothing."""
    lines = path.read_text("utf-8").splitlines()
    for line in lines:
        asked = json.loads(line)
        key = f"sample-{hashlib.sha256(line.encode()).hexdigest()[:16]}"
        created = invoke(stack, "quote_create", {**asked["create"], "idempotency_key": key})
        if "price" in asked:
            quote_id = created["quote"]["id"]
            invoke(stack, "quote_price", {**asked["price"], "quote_id": quote_id, "idempotency_key": key})
    return len(lines)
