"""Approval links: a signed, expiring token names tenant and request; the database knows only its hash."""

import base64
import binascii
import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime

from quarry.data.credentials import given_secret
from quarry.data.settings import Settings
from quarry.tool.errors import Unavailable

SHORTEST_KEY = 32
LONGEST_TOKEN = 500


@dataclass(frozen=True, slots=True)
class Claim:
    """The content of a token whose signature is valid."""

    tenant: str
    request_id: str
    expires_at: datetime
    token: str = field(repr=False)


def signing_key(settings: Settings) -> bytes:
    """Raises Unavailable when there is none, or one that is short enough to guess."""
    key = given_secret(settings.approval_key, settings.approval_key_secret_id) or ""
    if len(key) < SHORTEST_KEY:
        raise Unavailable(
            "Approval links cannot be signed: set APPROVAL_KEY_SECRET_ID to the name of a secret with at least "
            f"{SHORTEST_KEY} random characters."
        )
    return key.encode()


def mint(key: bytes, *, tenant: str, request_id: str, expires_at: datetime) -> str:
    """Signs a new token; it carries 128 random bits, so no two are the same."""
    seconds = int(expires_at.timestamp())
    body = "|".join((tenant, request_id, str(seconds), secrets.token_urlsafe(16))).encode()
    return f"{_encode(body)}.{_encode(_sign(key, body))}"


def read(key: bytes, token: str) -> Claim | None:
    """Reads a token's claim, None if this key did not sign it; whether it has expired is for the caller to say."""
    body_part, _, signature_part = token[:LONGEST_TOKEN].partition(".")
    try:
        body, signature = _decode(body_part), _decode(signature_part)
    except (binascii.Error, ValueError):
        return None
    if not hmac.compare_digest(_sign(key, body), signature):
        return None
    tenant, request_id, seconds, _ = body.decode().split("|")
    return Claim(tenant, request_id, datetime.fromtimestamp(int(seconds), tz=UTC), token)


def hash_of(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def form_token(key: bytes, *, token: str, visit: str) -> str:
    """Proves that a form came from this link's page, opened in the browser that holds the cookie ``visit``."""
    return _encode(_sign(key, b"form|" + hash_of(token) + visit.encode()))


def _sign(key: bytes, body: bytes) -> bytes:
    return hmac.digest(key, body, "sha256")


def _encode(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def _decode(text: str) -> bytes:
    """Decodes strictly, so that one token has one spelling only."""
    content = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    if _encode(content) != text:
        raise ValueError("not canonical")
    return content
