"""Notices of a request: planned in its transaction, sent over SNS or Slack afterwards, retried by the schedule."""

import json
import re
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from email.header import Header
from html import escape
from typing import Any

from psycopg.rows import DictRow

from cpq.approvals import links, queries, questions
from cpq.approvals.deciding import approving_role
from cpq.approvals.model import Approval, requested_pct
from cpq.approvals.queries import Notice, Recipient
from cpq.approvals.questions import AskedQuestion
from cpq.approvals.wording import ApproverWording, of_house
from cpq.model import QuoteVersion
from cpq.pricing.trace import Trace
from cpq.quotes import versions
from quarry.data import database
from quarry.data.credentials import given_secret
from quarry.data.database import Connection
from quarry.data.settings import Settings, kept, settings
from quarry.plain_text import plain
from quarry.tool.errors import Unavailable

LONGEST_SUBJECT = 100
"""The limit of SNS, which also refuses control characters and anything beyond ASCII."""

LONGEST_CLAIM = 500
LONGEST_ERROR = 300

SECONDS = 12.0
"""How long the messages of one call may take together; the schedule sends what is left."""

SECONDS_FOR_ONE = 5.0

AT_ONCE = 50

ADDRESS = re.compile(r"\w:/|\S@\S|[\w-]\.[a-z]{2,}+\b", re.IGNORECASE)
"""Matches inside a word that is the address of a page or a mailbox, with or without a scheme."""


class NotSentError(Exception):
    """A message was not sent; the text says why in a few words, without anything secret."""


@dataclass(frozen=True, slots=True)
class Notified:
    """How sending went, as approval_request tells it."""

    notification_sent: bool = False
    notification_problem: str | None = None
    slack_message_ts: str | None = None
    slack_channel: str | None = None


def plan(connection: Connection, request: Approval, *, role: str) -> None:
    """Writes down what has to be sent to the role, in the transaction that makes the request."""
    configuration = settings()
    if configuration.approval_topic_arn:
        queries.plan_for_people(connection, request, role=role, channel="sns")
    if configuration.slack_bot_token or configuration.slack_secret_id:
        queries.plan_for_people(connection, request, role=role, channel="slack")
        if configuration.slack_channel:
            channel = {"request_id": request.id, "recipient": configuration.slack_channel}
            connection.execute(queries.PLAN_FOR_CHANNEL, channel)


def plan_for_newcomers(tenant: str) -> None:
    """Plans the notices of open requests for approvers and channels that were added meanwhile, and for a higher role
    that costs require. That role is planned only here, because whoever asked could measure the time that it takes.
    """
    with database.transaction(tenant) as connection:
        for request in queries.open_requests(connection):
            roles = (request.approver_role, approving_role(connection, request))
            for role in dict.fromkeys(filter(None, roles)):
                plan(connection, request, role=role)


def send(tenant: str, *, request_id: str | None = None) -> int:
    """Sends what is due, of one request or of all; returns how many went out. Never raises for a failed message."""
    configuration = settings()
    deadline = time.monotonic() + SECONDS
    with database.transaction(tenant) as connection:
        due = queries.claim(connection, request_id=request_id, limit=AT_ONCE)
    sent = 0
    for notice in due:
        if time.monotonic() > deadline:
            break
        sent += _send(configuration, notice, tenant=tenant)
    return sent


def state(tenant: str, *, request_id: str) -> Notified:
    with database.transaction(tenant) as connection:
        rows = queries.notices(connection, request_id=request_id)
    on_slack = next((row for row in rows if row["channel"] == "slack" and row["sent_at"]), None)
    return Notified(
        notification_sent=any(row["approver_id"] and row["sent_at"] for row in rows),
        notification_problem=_problem(rows),
        slack_message_ts=on_slack["reference"] if on_slack else None,
        slack_channel=on_slack["recipient"] if on_slack else None,
    )


def subject(request: Approval, words: ApproverWording, *, customer: str) -> str:
    """Returns the subject in ASCII (RFC 2047 for all other characters), with the customer's name cut to fit."""
    customer = unlinked(plain(customer), words)
    while True:
        said = words.say("mail_subject", request=request.id, quote=request.quote_id, customer=customer)
        header = said if said.isascii() else Header(said, "utf-8", maxlinelen=75).encode(linesep="")
        if len(header) <= LONGEST_SUBJECT or not customer:
            return header[:LONGEST_SUBJECT]
        customer = customer[:-1].rstrip()


def body(
    request: Approval,
    words: ApproverWording,
    *,
    version: QuoteVersion,
    to: Recipient,
    link: str | None,
    answered: Iterable[AskedQuestion] = (),
) -> str:
    """Returns the message as plain text; its link stands before whatever others wrote. Without a link it is for a
    channel, where anybody could click one, and tells nothing of costs.
    """
    trace = Trace.model_validate(version.trace)
    violations = version.evaluation.violations if version.evaluation else []
    reasons = words.reasons(violations, trace) + (words.cost_reasons(trace) if link else [])
    opening = [words.say("mail_to", name=to.name), "", words.say("mail_link", link=link), words.say("mail_once"), ""]
    until = words.moment(to.until, to.time_zone)
    told = {
        "customer": unlinked(version.account["name"], words),
        "total": words.total(version.total, version.currency, tax=trace.tax_total),
        "discount": words.share(pct, decimals=4) if (pct := requested_pct(request.context)) else None,
        "margin": words.share(trace.margin_pct) if link and trace.margin_pct is not None else None,
        "decides": words.say("mail_until", role=words.role(request.approver_role), until=until),
    }
    asker, claim = unlinked(request.requested_by, words), _quoted(request.justification, words)
    return "\n".join(
        [
            *(opening if link else []),
            words.say("mail_asks", who=asker, quote=request.quote_id, version=request.version),
            *([words.say("approved_before", request=to.approved_before)] if to.approved_before else []),
            *(
                f"{each.approver_name}: {_quoted(each.question, words)}\n"
                f"{words.say('answer')} {_quoted(each.answer or '', words)}"
                for each in (answered if link else ())
            ),
            "",
            *(f"{words.say(label)}: {value}" for label, value in told.items() if value),
            *(f"{words.say('policy')}: {reason}" for reason in reasons),
            "",
            words.say("mail_claim", text=claim),
            *([] if link else ["", words.say("mail_channel")]),
        ]
    )


def _quoted(text: str, words: ApproverWording) -> str:
    """Returns what somebody wrote in one line, cut, and without links."""
    line = " ".join(text.split())
    return unlinked(line if len(line) <= LONGEST_CLAIM else f"{line[:LONGEST_CLAIM]} …", words)


def _send(configuration: Settings, notice: Notice, *, tenant: str) -> bool:
    reference = error = None
    try:
        reference = _deliver(configuration, notice, tenant=tenant)
    except (NotSentError, Unavailable) as failure:
        error = str(failure)[:LONGEST_ERROR]
    with database.transaction(tenant) as connection:
        connection.execute(queries.ATTEMPTED, {**asdict(notice), "reference": reference, "error": error})
    return error is None


def _deliver(configuration: Settings, notice: Notice, *, tenant: str) -> str:
    """Sends one message and returns the channel's reference for it. Raises NotSentError."""
    with database.transaction(tenant) as connection:
        request = queries.by_id(connection, request_id=notice.request_id)
        if request is None:
            raise NotSentError("the request is gone")
        version = versions.find(connection, quote_id=request.quote_id, version=request.version)
        to, words = queries.recipient(connection, notice), of_house(connection, tenant=tenant)
        asked = questions.of_quote(connection, quote_id=request.quote_id)
        answered = [each for each in asked if each.request_id == request.id and each.answer]
        told = replace(request, requested_by=queries.named(connection, subject=request.requested_by))
        link = None
        if to.id is not None:
            # A link for each message: what was sent before a failure may have arrived, and works as well.
            if not configuration.approval_url:
                raise NotSentError("APPROVAL_URL, the address of the approval page, is not set")
            key = links.signing_key(configuration)
            token = links.mint(key, tenant=tenant, request_id=request.id, expires_at=request.expires_at)
            of = {"request_id": request.id, "approver_id": to.id, "expires_at": request.expires_at}
            connection.execute(queries.ADD_LINK, {"token_hash": links.hash_of(token), **of})
            link = f"{configuration.approval_url.rstrip('/')}/{token}"
    text = body(told, words, version=version, to=to, link=link, answered=answered)
    if notice.channel == "slack":
        return _post(configuration, channel=to.slack_user_id or notice.recipient, text=text)
    attributes = {
        "tenant": tenant,
        "approver_role": request.approver_role,
        "approver_id": to.id,
        "approver_email": to.email,
        "request_id": request.id,
    }
    header = subject(request, words, customer=version.account["name"])
    return _publish(configuration, subject=header, text=text, attributes=attributes)


def _problem(rows: list[DictRow]) -> str | None:
    if not rows:
        return "No channel is configured, or nobody has the approver's role: no link was sent."
    unsent = [row["last_error"] or "not tried yet" for row in rows if row["sent_at"] is None]
    if not unsent:
        return None
    reasons = sorted(set(unsent))
    return f"{len(unsent)} of {len(rows)} messages were not sent ({'; '.join(reasons)}); they are tried again."


def _publish(settings: Settings, *, subject: str, text: str, attributes: Mapping[str, str | None]) -> str:
    """Returns SNS's message id; subscriptions filter by ``attributes``, so that each approver gets their link."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        answer = _sns().publish(
            TopicArn=settings.approval_topic_arn,
            Subject=subject,
            Message=text,
            MessageAttributes={
                name: {"DataType": "String", "StringValue": value} for name, value in attributes.items() if value
            },
        )
    except ClientError as error:
        raise NotSentError(f"SNS: {error.response['Error']['Code']}") from error
    except BotoCoreError as error:
        raise NotSentError(f"SNS: {type(error).__name__}") from error
    return str(answer["MessageId"])


def _post(settings: Settings, *, channel: str, text: str) -> str:
    """Returns Slack's timestamp of the message; ``channel`` is a channel's name or a user's id."""
    token = given_secret(settings.slack_bot_token, settings.slack_secret_id)
    # Escaped, so that no name or justification can mention everybody or dress up a link.
    message = {"channel": channel, "text": escape(text, quote=False), "unfurl_links": False}
    request = urllib.request.Request(  # noqa: S310 - the base URL is a setting, not data
        f"{settings.slack_api_url}/chat.postMessage",
        data=json.dumps(message).encode(),
        headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json; charset=utf-8"},
    )
    try:
        with urllib.request.urlopen(request, timeout=SECONDS_FOR_ONE) as response:  # noqa: S310
            answer: dict[str, Any] = json.load(response)
    except urllib.error.HTTPError as error:
        raise NotSentError(f"Slack: HTTP {error.code}") from error
    except (OSError, ValueError) as error:
        raise NotSentError(f"Slack: {type(error).__name__}") from error
    if answer.get("ok") is not True:
        raise NotSentError(f"Slack: {answer.get('error', 'unknown error')}")
    return str(answer["ts"])


@kept
def _sns() -> Any:
    # boto3 costs 0.15 s, which calls that notify nobody need not pay.
    from botocore.config import Config

    from quarry.data.aws import session

    patience = Config(
        connect_timeout=SECONDS_FOR_ONE, read_timeout=SECONDS_FOR_ONE, retries={"total_max_attempts": 2}
    )
    return session().client("sns", config=patience)


def unlinked(text: str, words: ApproverWording) -> str:
    """Replaces every word that a mail program would make a link of."""
    return " ".join(words.say("an_address") if ADDRESS.search(word) else word for word in text.split())
