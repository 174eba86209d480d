"""A request and a response in the form a function URL gives and takes (payload format 2.0)."""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl

from approval_page.html import style_hash

MOST_FIELDS = 10

HEADERS = {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    # The address is the key. same-origin, because with no-referrer a browser sends "Origin: null" along with a form.
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "x-robots-tag": "noindex, nofollow",
    "cross-origin-opener-policy": "same-origin",
    "strict-transport-security": "max-age=31536000",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRequest:
    """``origin`` is how a browser names this page's own origin; ``form`` has the fields of a urlencoded body."""

    method: str
    path: str
    origin: str
    headers: Mapping[str, str]
    cookies: Mapping[str, str]
    form: Mapping[str, str]

    @property
    def token(self) -> str:
        """The last part of the path, wherever the page is mounted."""
        return self.path.rstrip("/").rpartition("/")[2]

    @property
    def own_path(self) -> str:
        """The path as a redirect to this very host: with two slashes in front, a browser reads a host's name."""
        return "/" + self.path.replace("\\", "/").lstrip("/")

    @property
    def secure(self) -> bool:
        return self.origin.startswith("https:")


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    status: int
    body: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    cookies: tuple[str, ...] = ()

    def as_result(self) -> dict[str, Any]:
        return {
            "statusCode": self.status,
            "headers": {**HEADERS, "content-security-policy": _policy(), **self.headers},
            "cookies": list(self.cookies),
            "body": self.body,
            "isBase64Encoded": False,
        }


def _policy() -> str:
    return (
        f"default-src 'none'; style-src '{style_hash()}'; img-src data:; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )


def request_of(event: Mapping[str, Any]) -> PageRequest:
    context = event["requestContext"]
    headers = {name.lower(): value for name, value in event.get("headers", {}).items()}
    return PageRequest(
        method=context["http"]["method"],
        path=event["rawPath"],
        origin=f"{headers.get('x-forwarded-proto', 'https')}://{context['domainName']}",
        headers=headers,
        cookies=_cookies(event.get("cookies", [])),
        form=_form(event, headers.get("content-type", "")),
    )


def _cookies(sent: list[str]) -> dict[str, str]:
    cookies: dict[str, str] = {}
    for one in sent:
        try:
            cookies |= {name: morsel.value for name, morsel in SimpleCookie(one).items()}
        except CookieError:
            continue  # another application's on this host
    return cookies


def _form(event: Mapping[str, Any], content_type: str) -> dict[str, str]:
    """Empty for any body that is not such a form."""
    body = event.get("body") or ""
    if content_type.partition(";")[0].strip().lower() != "application/x-www-form-urlencoded":
        return {}
    try:
        text = base64.b64decode(body, validate=True).decode() if event.get("isBase64Encoded") else body
        return dict(parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_FIELDS))
    except (binascii.Error, ValueError):
        return {}
