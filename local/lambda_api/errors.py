"""The Invoke API's errors in the shapes botocore parses into exceptions."""

import json
from typing import ClassVar, Literal

from aiohttp import web


class ApiError(Exception):
    """An answer other than success. `message_key` differs between AWS's own shapes."""

    status: ClassVar[int] = 500
    error_type: ClassVar[str] = "ServiceException"
    message_key: ClassVar[Literal["Message", "message"]] = "message"

    def __init__(self, message: str, *, reason: str | None = None) -> None:
        super().__init__(message)
        self.reason = reason

    def response(self, request_id: str) -> web.Response:
        body = {"Type": "User" if self.status < 500 else "Service", self.message_key: str(self)}
        headers = {"X-Amzn-RequestId": request_id, "x-amzn-ErrorType": self.error_type}
        if self.reason is not None:
            body["Reason"] = self.reason
        if self.status == 429:
            headers["Retry-After"] = "1"
        return web.Response(
            body=json.dumps(body).encode(),
            status=self.status,
            headers=headers,
            content_type="application/json",
        )


class ResourceNotFound(ApiError):
    status = 404
    error_type = "ResourceNotFoundException"
    message_key = "Message"


class InvalidRequestContent(ApiError):
    status = 400
    error_type = "InvalidRequestContentException"


class InvalidParameterValue(ApiError):
    status = 400
    error_type = "InvalidParameterValueException"


class AccessDenied(ApiError):
    status = 403
    error_type = "AccessDeniedException"
    message_key = "Message"


class RequestTooLarge(ApiError):
    status = 413
    error_type = "RequestTooLargeException"


class TooManyRequests(ApiError):
    status = 429
    error_type = "TooManyRequestsException"
