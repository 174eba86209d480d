"""Quotes of the sample corpus: written through the quoting tools, as an agent writes them."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Call = Callable[[str, dict[str, Any]], dict[str, Any]]
"""Invokes a function with an event."""


def write(call: Call, path: Path) -> int:
    """How many there are; each line's content is its idempotency key, so that loading it again writes nothing."""
    lines = path.read_text("utf-8").splitlines()
    for line in lines:
        asked = json.loads(line)
        key = f"sample-{hashlib.sha256(line.encode()).hexdigest()[:16]}"
        created = call("quote_create", {**asked["create"], "idempotency_key": key})
        if "price" in asked:
            quote_id = created["quote"]["id"]
            call("quote_price", {**asked["price"], "quote_id": quote_id, "idempotency_key": key})
    return len(lines)
