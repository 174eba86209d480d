"""A list's cursor: it pins which rows the list held when its first page was read."""

import base64
import hashlib
import json
import re
from dataclasses import dataclass
from datetime import datetime

from quarry.tool.errors import ValidationFailed

SNAPSHOT = re.compile(r"\d{1,20}:\d{1,20}:(\d{1,20}(,\d{1,20})*)?\Z")
LONGEST = 8000


@dataclass(frozen=True, slots=True)
class Pin:
    """``snapshot`` is Postgres' own text for what was committed then, ``as_of`` when that was."""

    snapshot: str
    as_of: datetime


def encode(pin: Pin, *, question: object) -> str:
    """Opaque to its reader; ``question`` is what the list was asked for, pages apart."""
    content = json.dumps([pin.snapshot, pin.as_of.isoformat(), _digest(question)])
    return base64.urlsafe_b64encode(content.encode()).decode().rstrip("=")


def decode(cursor: str, *, question: object) -> Pin:
    """Raises ValidationFailed when it is none of ours, or another list's."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        snapshot, as_of, digest = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        pin = Pin(snapshot, datetime.fromisoformat(as_of))
        readable = SNAPSHOT.match(snapshot) is not None and pin.as_of.tzinfo is not None
    except (ValueError, TypeError):
        readable = False
    if not readable:
        raise ValidationFailed("cursor: this is no cursor of ours. Leave it out to start the list anew.")
    if digest != _digest(question):
        raise ValidationFailed(
            "cursor: it belongs to a list with other filters or another order. Repeat those arguments, "
            "or leave the cursor out to start a list anew."
        )
    return pin


def _digest(question: object) -> str:
    return hashlib.sha256(json.dumps(question, sort_keys=True, default=str).encode()).hexdigest()[:16]
