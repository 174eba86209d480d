"""The ways a notice leaves: an SNS topic, and Slack's chat.postMessage."""

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any

from quarry.data.credentials import given_secret
from quarry.data.environment import kept
from quarry.data.settings import Settings

SECONDS = 5.0


class NotSentError(Exception):
    """The message says why in a few words, without anything secret."""


def publish(settings: Settings, *, subject: str, body: str, attributes: Mapping[str, str]) -> str:
    """SNS's message id. Subscriptions filter by ``attributes``, so that each approver gets their own link only."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        answer = _sns().publish(
            TopicArn=settings.approval_topic_arn,
            Subject=subject,
            Message=body,
            MessageAttributes={
                name: {"DataType": "String", "StringValue": value} for name, value in attributes.items() if value
            },
        )
    except ClientError as error:
        raise NotSentError(f"SNS: {error.response['Error']['Code']}") from error
    except BotoCoreError as error:
        raise NotSentError(f"SNS: {type(error).__name__}") from error
    return str(answer["MessageId"])


def post(settings: Settings, *, channel: str, body: str) -> str:
    """Slack's timestamp of the message; ``channel`` is a channel's name or a user's id."""
    token = given_secret(settings.slack_bot_token, settings.slack_secret_id)
    request = urllib.request.Request(  # noqa: S310 - the base URL is a setting, not data
        f"{settings.slack_api_url}/chat.postMessage",
        data=json.dumps({"channel": channel, "text": _escaped(body), "unfurl_links": False}).encode(),
        headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json; charset=utf-8"},
    )
    try:
        with urllib.request.urlopen(request, timeout=SECONDS) as response:  # noqa: S310
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
    import boto3
    from botocore.config import Config

    patience = Config(connect_timeout=SECONDS, read_timeout=SECONDS, retries={"total_max_attempts": 2})
    return boto3.client("sns", config=patience)


def _escaped(text: str) -> str:
    """So that no name or justification can mention everybody or dress up a link."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
