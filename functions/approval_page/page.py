"""The function behind approval links: shows the request, takes the decision, and answers every odd visit politely."""

import base64
import binascii
import hmac
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl

from approval_page.decision_form import Filled
from approval_page.ended import notice_page, standing_page
from approval_page.html import style_hash
from approval_page.review import colleagues, ended, reader_of, review
from approval_page.views import refusal, review_page
from cpq.approvals import deciding, links, wording
from cpq.approvals.deciding import RequestStanding
from cpq.approvals.links import Claim
from cpq.approvals.model import requested_pct
from quarry.data import database
from quarry.data.database import Connection
from quarry.data.settings import settings
from quarry.text import plain
from quarry.tool.runtime import serve_page

COOKIE = "approval_visit"
KEY_HEADER = "x-origin-key"
"""In which CloudFront shows the key where a domain stands before the function's own address."""
VISIT = re.compile(r"[A-Za-z0-9_-]{32}")
"""24 random bytes in base64url."""

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
        form=_posted(event, headers.get("content-type", "")),
    )


def _cookies(sent: list[str]) -> dict[str, str]:
    cookies: dict[str, str] = {}
    for one in sent:
        try:
            cookies |= {name: morsel.value for name, morsel in SimpleCookie(one).items()}
        except CookieError:
            continue  # another application's on this host
    return cookies


def _posted(event: Mapping[str, Any], content_type: str) -> dict[str, str]:
    """Empty for any body that is not such a form."""
    body = event.get("body") or ""
    if content_type.partition(";")[0].strip().lower() != "application/x-www-form-urlencoded":
        return {}
    try:
        text = base64.b64decode(body, validate=True).decode() if event.get("isBase64Encoded") else body
        return dict(parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_FIELDS))
    except (binascii.Error, ValueError):
        return {}


def respond(event: Mapping[str, Any], request_id: str) -> dict[str, Any]:
    return _respond(request_of(event), request_id=request_id).as_result()


def _respond(request: PageRequest, *, request_id: str) -> Response:
    if not _came_through_cloudfront(request):
        return _notice(request, 403, "wrong_way")
    if request.method not in ("GET", "HEAD", "POST"):
        return _notice(request, 405, "wrong_way", allow="GET, POST")
    key = links.signing_key(settings())
    claim = links.read(key, request.token)
    if claim is None:
        return _notice(request, 404, "no_such_link")
    with database.transaction(claim.tenant) as connection:
        standing = deciding.standing(connection, claim)
    if standing is None:
        return _notice(request, 404, "no_such_link")
    if request.method == "POST":
        return _decide(request, claim, standing, key=key, request_id=request_id)
    if standing.state != "open":
        status, body = standing_page(ended(standing, tenant=claim.tenant))
        return Response(status=status, body=body)
    return _form(request, claim, standing, key=key, filled=Filled())


def _notice(request: PageRequest, status: int, kind: str, **headers: str) -> Response:
    """In the browser's language: whose link it is may not be known."""
    words = wording.accepted(request.headers.get("accept-language", ""))
    return Response(status=status, body=notice_page(words, kind), headers=headers)


def _came_through_cloudfront(request: PageRequest) -> bool:
    """Always true where there is no CloudFront."""
    key = settings().origin_key
    return key is None or hmac.compare_digest(
        request.headers.get(KEY_HEADER, "").encode(), key.get_secret_value().encode()
    )


def _decide(
    request: PageRequest, claim: Claim, standing: RequestStanding, *, key: bytes, request_id: str
) -> Response:
    if not _from_our_form(request, key=key):
        return _notice(request, 403, "not_from_here")
    sent = Filled(
        choice=request.form.get("decision", ""),
        limit=request.form.get("limit", "")[:20],
        # Without a browser's line ends, what Postgres cannot store, and what is unseen.
        comment=plain(request.form.get("comment", "").replace("\r\n", "\n").replace("\x00", "")).strip(),
        colleague=request.form.get("colleague", ""),
        until=request.form.get("until", "")[:20],
    )
    with database.transaction(claim.tenant) as connection:
        reader = reader_of(connection, standing, tenant=claim.tenant)
        others = [colleague.id for colleague in colleagues(connection, standing)]
    filled = sent.checked(
        reader.words,
        requested=requested_pct(standing.approval.context),
        colleagues=others,
        today=reader.today,
        refusal=refusal(standing, reader.words),
    )
    if filled.fault is not None and standing.state == "open":
        return _form(request, claim, standing, key=key, filled=filled)
    if filled.fault is None:
        with database.transaction(claim.tenant) as connection:
            _take(connection, filled, claim, request_id=request_id)
    # Whoever reloads what follows does not send the form again.
    return Response(status=303, headers={"location": request.own_path})


def _take(connection: Connection, filled: Filled, claim: Claim, *, request_id: str) -> None:
    if filled.choice == "ask":
        deciding.question(connection, claim, text=filled.comment, request_id=request_id)
    elif filled.choice == "delegate" and filled.last_day is not None:
        whom, until = filled.colleague, filled.last_day
        deciding.delegate(connection, claim, delegate_id=whom, until=until, request_id=request_id)
    else:
        deciding.decide(
            connection,
            claim,
            decision="approved" if filled.choice == "approve" else "rejected",
            comment=filled.comment or None,
            request_id=request_id,
            up_to=filled.up_to if filled.choice == "limit" else None,
        )


def _form(request: PageRequest, claim: Claim, standing: RequestStanding, *, key: bytes, filled: Filled) -> Response:
    # Anything else in the cookie did not come from here, and would go into our own header.
    visit = request.cookies.get(COOKIE, "")
    visit = visit if VISIT.fullmatch(visit) else secrets.token_urlsafe(24)
    body = review_page(
        review(standing, tenant=claim.tenant),
        form_token=links.form_token(key, token=request.token, visit=visit),
        filled=filled,
    )
    # Lax: it has to come along when the link is opened from a mail program, or a second tab would lock out the first.
    cookie = f"{COOKIE}={visit}; Path=/; HttpOnly; SameSite=Lax{'; Secure' if request.secure else ''}"
    return Response(status=422 if filled.fault else 200, body=body, cookies=(cookie,))


def _from_our_form(request: PageRequest, *, key: bytes) -> bool:
    """Three locks: the browser's word on where the form came from, the cookie, and the token that binds both."""
    origin = request.headers.get("origin")
    if origin is not None and origin.lower() not in _own_origins(request):
        return False
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    visit, sent = request.cookies.get(COOKIE), request.form.get("form_token", "")
    return visit is not None and hmac.compare_digest(
        links.form_token(key, token=request.token, visit=visit).encode(), sent.encode()
    )


def _own_origins(request: PageRequest) -> tuple[str, ...]:
    """Behind a domain of the customer's, the function still sees its own name; the setting knows the other."""
    public = settings().approval_url
    return (request.origin, *(["/".join(public.split("/")[:3]).lower()] if public else []))


def _sorry(event: Mapping[str, Any], status: int) -> dict[str, Any]:
    return _notice(request_of(event), status, "sorry").as_result()


handler = serve_page("approval_page", respond, sorry=_sorry)
