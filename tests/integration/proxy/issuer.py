"""A small identity provider over HTTP: metadata, key set, client credentials; it rotates keys and goes away."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

AUDIENCE = "https://quotes.example/mcp"


@dataclass
class Issuer:
    url: str
    scopes: str = "parts:read orders:read orders:write"
    away: bool = False
    key_reads: int = 0
    keys: dict[str, Any] = field(default_factory=dict)
    published: list[dict[str, Any]] = field(default_factory=list)

    def add(self, kid: str, *, algorithm: str = "RS256", bits: int = 2048, publish: bool = True) -> None:
        """A new key pair; its public half is published unless kept back."""
        key: Any
        if algorithm == "ES256":
            key = ec.generate_private_key(ec.SECP256R1())
            entry = ECAlgorithm.to_jwk(key.public_key(), as_dict=True)
        else:
            key = rsa.generate_private_key(65537, bits)
            entry = RSAAlgorithm.to_jwk(key.public_key(), as_dict=True)
        self.keys[kid] = key
        if publish:
            self.published.append({**entry, "kid": kid, "alg": algorithm, "use": "sig"})

    def token(
        self, kid: str = "one", *, algorithm: str = "RS256", header: dict[str, Any] | None = None, **claims: Any
    ) -> str:
        """A token for acme's Kim; a claim given as None is left out."""
        now = int(time.time())
        usual = {
            "iss": self.url,
            "aud": AUDIENCE,
            "sub": "kim",
            "tenant": "acme",
            "scope": self.scopes,
            "iat": now,
            "exp": now + 300,
        }
        payload = {name: value for name, value in {**usual, **claims}.items() if value is not None}
        return jwt.encode(payload, self.keys[kid], algorithm=algorithm, headers={"kid": kid, **(header or {})})

    def document(self, path: str) -> dict[str, Any] | None:
        if path in ("/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"):
            return {
                "issuer": self.url,
                "jwks_uri": f"{self.url}/keys",
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token",
                "response_types_supported": ["code"],
                "grant_types_supported": ["client_credentials"],
                "code_challenge_methods_supported": ["S256"],
            }
        if path == "/keys":
            self.key_reads += 1
            return {"keys": self.published}
        return None


@contextmanager
def serving() -> Iterator[Issuer]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = None if issuer.away else issuer.document(self.path)
            self.answer(503 if issuer.away else 404 if found is None else 200, found)

        def do_POST(self) -> None:
            asked = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            scope = asked.get("scope", [""])[0]
            token = issuer.token(aud=asked["resource"][0], scope=scope)
            self.answer(200, {"access_token": token, "token_type": "Bearer", "expires_in": 300, "scope": scope})

        def answer(self, status: int, document: dict[str, Any] | None) -> None:
            body = json.dumps(document or {}).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    issuer = Issuer(f"http://127.0.0.1:{server.server_port}")
    issuer.add("one")
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield issuer
    finally:
        server.shutdown()
        server.server_close()
