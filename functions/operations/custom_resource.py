"""CloudFormation's custom resources: one answer to every event, whatever becomes of the work behind it."""

import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, Literal

from aws_lambda_powertools.utilities.data_classes import CloudFormationCustomResourceEvent

from quarry.data.settings import settings
from quarry.tool.errors import ToolError
from quarry.tool.identity import LambdaContext
from quarry.tool.runtime import logger

TIME_TO_ANSWER_S = 15.0
"""This is left over before the function's time-out, because a stack waits an hour for an answer that never comes."""

TRIES = 4
FIRST_PAUSE_S = 0.3
PUT_SECONDS = 3.0
MOST_REASON = 700
"""The limit in characters, of up to four bytes; CloudFormation refuses an answer of more than 4 KB."""

Status = Literal["SUCCESS", "FAILED"]


class Undelivered(Exception):
    """CloudFormation could not be told."""


def request_of(event: dict[str, Any]) -> CloudFormationCustomResourceEvent | None:
    """Returns None for any other invocation. The response URL is signed: whoever has it can answer in our place.

    Raises ValueError if the URL is neither https nor on this machine.
    """
    if "ResponseURL" not in event:
        return None
    request = CloudFormationCustomResourceEvent(event)
    if not request.response_url.startswith(("https://", "http://127.0.0.1:")):
        raise ValueError("ResponseURL must be an https address")
    return request


def fulfil(
    request: CloudFormationCustomResourceEvent,
    context: LambdaContext,
    *,
    resource: str,
    work: Callable[[], Mapping[str, object]],
) -> dict[str, Any]:
    """Does ``work`` on Create and Update, and answers with what it returns, as text, for Fn::GetAtt.

    Delete does nothing: what these resources made is data, and data outlives a stack. The resource keeps its id for
    life, because CloudFormation deletes one that changes it. An unexpected error is answered, then raised.
    """
    answer = _Delivery(request, resource=resource)
    if request.request_type == "Delete":
        return answer.send("SUCCESS")
    seconds = max(context.get_remaining_time_in_millis() / 1000 - TIME_TO_ANSWER_S, 0.0)
    reason = f"{resource} took longer than the function may run; its log group says how far it came."
    watchdog = threading.Timer(seconds, answer.give_up, [reason])
    watchdog.daemon = True
    watchdog.start()
    try:
        data = work()
    except ToolError as error:
        return answer.send("FAILED", reason=error.message)
    except BaseException:
        answer.send("FAILED", reason=f"{resource} failed; its log has the cause, request {context.aws_request_id}.")
        raise
    finally:
        watchdog.cancel()
    return answer.send("SUCCESS", data=data)


class _Delivery:
    """An answer that is sent once: by the work or the watchdog, whichever comes first."""

    def __init__(self, request: CloudFormationCustomResourceEvent, *, resource: str) -> None:
        self._request = request
        self._resource = resource
        self._sent: Status | None = None
        self._sending = threading.Lock()

    def send(self, status: Status, *, reason: str = "", data: Mapping[str, object] | None = None) -> dict[str, Any]:
        """Returns what was answered, which is not ``status`` if another answer was first. Raises Undelivered."""
        with self._sending:
            if self._sent is None:
                _put(self._request.response_url, self._body(status, reason, data or {}))
                self._sent = status
                said = {"request_type": self._request.request_type, "resource": self._resource, "status": status}
                logger("custom_resource").info("custom_resource_answered", extra=said)
            return {"answered": self._sent, "resource": self._resource}

    def give_up(self, reason: str) -> None:
        try:
            self.send("FAILED", reason=reason)
        except Undelivered as error:
            logger("custom_resource").error("custom_resource_undelivered", extra={"reason": str(error)})

    def _body(self, status: Status, reason: str, data: Mapping[str, object]) -> bytes:
        body = {
            "Status": status,
            "Reason": reason[:MOST_REASON],
            "PhysicalResourceId": self._request.physical_resource_id or f"{settings().stack}-{self._resource}",
            "StackId": self._request.stack_id,
            "RequestId": self._request.request_id,
            "LogicalResourceId": self._request.logical_resource_id,
            "Data": {name: str(value) for name, value in data.items()},
        }
        return json.dumps(body, ensure_ascii=False).encode()


def _put(url: str, body: bytes) -> None:
    """The URL is signed for a request without a content type. A refusal is final, a fault is tried again."""
    pause, fault = FIRST_PAUSE_S, ""
    for attempt in range(TRIES):
        if attempt:
            time.sleep(pause)
            pause *= 2
        request = urllib.request.Request(url, data=body, method="PUT", headers={"Content-Type": ""})  # noqa: S310
        try:
            urllib.request.urlopen(request, timeout=PUT_SECONDS).close()  # noqa: S310 - request_of checked the scheme
            return
        except urllib.error.HTTPError as error:
            fault = f"HTTP {error.code}"
            if error.code < HTTPStatus.INTERNAL_SERVER_ERROR:
                break
        except OSError as error:
            fault = type(error).__name__
    raise Undelivered(f"CloudFormation did not take the answer: {fault}.")
