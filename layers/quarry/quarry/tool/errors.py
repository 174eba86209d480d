"""The failures a caller can act on, each with its wire code."""

from typing import Any, ClassVar

INTERNAL_ERROR = "INTERNAL_ERROR"


class ToolError(Exception):
    """An expected failure: the message says what the caller should change.

    ``details`` is a JSON-able object for programs; ``retryable`` says whether the same call may succeed later.
    """

    code: ClassVar[str] = INTERNAL_ERROR

    def __init__(self, message: str, *, details: dict[str, Any] | None = None, retryable: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.details = details or {}
        self.retryable = retryable

    def as_result(self) -> dict[str, Any]:
        return {
            "error": True,
            "code": self.code,
            "message": self.message,
            "details": self.details,
            "retryable": self.retryable,
        }


class NotFound(ToolError):
    code = "NOT_FOUND"


class ValidationFailed(ToolError):
    code = "VALIDATION_ERROR"


class PolicyViolation(ToolError):
    code = "POLICY_VIOLATION"


class PermissionDenied(ToolError):
    code = "PERMISSION_DENIED"


class Conflict(ToolError):
    code = "CONFLICT"


class Unavailable(ToolError):
    """A dependency is down or misconfigured; retryable unless the configuration has to change first."""

    code = "UNAVAILABLE"
