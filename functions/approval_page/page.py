"""The function behind approval links: shows the request, records the decision, answers other visits with a notice."""

import base64
import binascii
import hmac
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from approval_page.decision_form import Filled
from approval_page.review import ended, reader_of, review
from approval_page.views import refusal, render, review_page, standing_page, style_hash
from cpq.approvals import deciding, links, wording
from cpq.approvals.deciding import RequestStanding
from cpq.approvals.links import Claim
from cpq.approvals.model import requested_pct
from cpq.pricing import counter_offer
from quarry.data import database
from quarry.data.database import Connection
from quarry.data.settings import settings
from quarry.plain_text import plain
from quarry.tool.runtime import serve_page

COOKIE = "approval_visit"
KEY_HEADER = "x-origin-key"
"""CloudFront sends its key in this header, where a custom domain stands before the function's own address."""
VISIT = re.compile(r"[A-Za-z0-9_-]{32}")
"""A visit is 24 random bytes in base64url."""

MOST_FIELDS = 10

HEADERS = {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    # The address is a secret. With no-referrer, which hides it too, browsers send "Origin: null" with a form.
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "x-robots-tag": "noindex, nofollow",
    "cross-origin-opener-policy": "same-origin",
    "strict-transport-security": "max-age=31536000",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRequest:
    """A request; ``origin`` is this page's own as a browser writes it, ``form`` the fields of a urlencoded body."""

    method: str
    path: str
    origin: str
    headers: Mapping[str, str]
    cookies: Mapping[str, str]
    form: Mapping[str, str]

    @property
    def token(self) -> str:
        """Returns the last part of the path, so that the page can be mounted under any path."""
        return self.path.rstrip("/").rpartition("/")[2]

    @property
    def own_path(self) -> str:
        """Returns the path for a redirect to this host: after two leading slashes a browser reads a host name."""
        return "/" + self.path.replace("\\", "/").lstrip("/")

    @property
    def secure(self) -> bool:
        return self.origin.startswith("https:")


def _response(status: int, body: str = "", *, cookie: str | None = None, **headers: str) -> dict[str, Any]:
    policy = (
        f"default-src 'none'; style-src '{style_hash()}'; img-src data:; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    return {
        "statusCode": status,
        "headers": {**HEADERS, "content-security-policy": policy, **headers},
        "cookies": [cookie] if cookie else [],
        "body": body,
        "isBase64Encoded": False,
    }


def request_of(event: Mapping[str, Any]) -> PageRequest:
    context = event["requestContext"]
    headers = {name.lower(): value for name, value in event.get("headers", {}).items()}
    return PageRequest(
        method=context["http"]["method"],
        path=event["rawPath"],
        origin=f"{headers.get('x-forwarded-proto', 'https')}://{context['domainName']}",
        headers=headers,
        cookies=dict(one.partition("=")[::2] for one in event.get("cookies", [])),
        form=_posted(event, headers.get("content-type", "")),
    )


def _posted(event: Mapping[str, Any], content_type: str) -> dict[str, str]:
    """Returns the form's fields; a body that is no valid urlencoded form has none."""
    body = event.get("body") or ""
    if content_type.partition(";")[0].strip().lower() != "application/x-www-form-urlencoded":
        return {}
    try:
        text = base64.b64decode(body, validate=True).decode() if event.get("isBase64Encoded") else body
        return dict(parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_FIELDS))
    except (binascii.Error, ValueError):
        return {}


def respond(event: Mapping[str, Any], request_id: str) -> dict[str, Any]:
    request = request_of(event)
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
        return _response(*standing_page(ended(standing, tenant=claim.tenant)))
    return _form(request, claim, standing, key=key, filled=Filled())


def _notice(request: PageRequest, status: int, kind: str, **headers: str) -> dict[str, Any]:
    """Answers in the browser's language, because the approver may be unknown; ``kind`` selects title and text."""
    words = wording.accepted(request.headers.get("accept-language", ""))
    return _response(status, render("notice.html", words, label=f"notice.{kind}"), **headers)


def _came_through_cloudfront(request: PageRequest) -> bool:
    """Compares the key that CloudFront sends; true where no key is configured."""
    key = settings().origin_key
    return key is None or hmac.compare_digest(
        request.headers.get(KEY_HEADER, "").encode(), key.get_secret_value().encode()
    )


def _decide(
    request: PageRequest, claim: Claim, standing: RequestStanding, *, key: bytes, request_id: str
) -> dict[str, Any]:
    if not _from_our_form(request, key=key):
        return _notice(request, 403, "not_from_here")
    sent = Filled(
        choice=request.form.get("decision", ""),
        limit=request.form.get("limit", "")[:20],
        # Drops carriage returns, NUL, which Postgres cannot store, and invisible characters.
        comment=plain(request.form.get("comment", "").replace("\r\n", "\n").replace("\x00", "")).strip(),
        colleague=request.form.get("colleague", ""),
        until=request.form.get("until", "")[:20],
    )
    approval, requested = standing.approval, requested_pct(standing.approval.context)
    limit_objection = None
    with database.transaction(claim.tenant) as connection:
        reader = reader_of(connection, standing, tenant=claim.tenant)
        others = [colleague.id for colleague in deciding.colleagues(connection, standing)]
        if sent.choice == "limit" and sent.up_to is not None and sent.up_to < requested:
            limit_objection = counter_offer.objection(
                connection, quote_id=approval.quote_id, version=approval.version, up_to=sent.up_to
            )
    filled = sent.checked(
        reader.words,
        requested=requested,
        colleagues=others,
        today=reader.today,
        refusal=refusal(standing, reader.words),
        limit_objection=limit_objection,
    )
    if filled.fault is not None and standing.state == "open":
        return _form(request, claim, standing, key=key, filled=filled)
    if filled.fault is None:
        with database.transaction(claim.tenant) as connection:
            _record(connection, filled, claim, request_id=request_id)
    # A redirect, so that reloading the page that follows does not send the form again.
    return _response(303, location=request.own_path)


def _record(connection: Connection, filled: Filled, claim: Claim, *, request_id: str) -> None:
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


def _form(
    request: PageRequest, claim: Claim, standing: RequestStanding, *, key: bytes, filled: Filled
) -> dict[str, Any]:
    # The value goes into a header of ours, so any that this page did not make is replaced.
    visit = request.cookies.get(COOKIE, "")
    visit = visit if VISIT.fullmatch(visit) else secrets.token_urlsafe(24)
    body = review_page(
        review(standing, tenant=claim.tenant),
        form_token=links.form_token(key, token=request.token, visit=visit),
        filled=filled,
    )
    # Lax, so that a link in a mail sends the cookie too: a new one would invalidate the form in an earlier tab.
    cookie = f"{COOKIE}={visit}; Path=/; HttpOnly; SameSite=Lax{'; Secure' if request.secure else ''}"
    return _response(422 if filled.fault else 200, body, cookie=cookie)


def _from_our_form(request: PageRequest, *, key: bytes) -> bool:
    """Checks the origin that the browser states, the cookie, and the form's token, which binds cookie and link."""
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
    """Behind a custom domain the function still sees its own host name; the setting has the public one."""
    public = settings().approval_url
    return (request.origin, *(["/".join(public.split("/")[:3]).lower()] if public else []))


def _sorry(event: Mapping[str, Any], status: int) -> dict[str, Any]:
    return _notice(request_of(event), status, "sorry")


handler = serve_page("approval_page", respond, sorry=_sorry)
