"""The fixture manifest, and edits of it."""

import json
from pathlib import Path
from typing import Any

FIXTURE = Path(__file__).parents[2] / "fixtures" / "proxy_manifest.json"


def document() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(FIXTURE.read_text())
    return loaded
