"""Links to documents that the stack serves itself, where the store must not be open to others: signed, ending."""

import base64
import hmac
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote, urlencode

PATH = "/documents"


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentLink:
    """What a link leads to; ``name`` is what the file is called when it is kept, ``until`` is in whole seconds."""

    object_key: str
    name: str
    until: int

    def signature(self, key: bytes) -> str:
        said = "\n".join((PATH, str(self.until), self.object_key, self.name)).encode()
        return base64.urlsafe_b64encode(hmac.digest(key, said, "sha256")).decode().rstrip("=")

    def url(self, key: bytes, *, origin: str) -> str:
        signed = urlencode({"until": self.until, "name": self.name, "signature": self.signature(key)})
        return f"{origin}{PATH}/{quote(self.object_key)}?{signed}"

    def is_signed(self, key: bytes, signature: str) -> bool:
        return hmac.compare_digest(self.signature(key).encode(), signature.encode())

    def has_ended(self, now: datetime) -> bool:
        return now.timestamp() >= self.until
