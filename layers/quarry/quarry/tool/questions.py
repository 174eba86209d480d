"""Questions to the client's user: what a tool that asks can know before, and how it asks."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from quarry.tool.contract import RESERVED

Request = Mapping[str, object]
"""An MCP request for input: `method` and `params`."""


class Round(NamedTuple):
    """One of the calls that lead to a result; only ``state`` is carried from one to the next.

    ``can`` holds the capabilities by which the client can be asked: elicitation, sampling, roots; ``forms`` says that
    its user can be shown a form. ``answers`` are MCP's results by the names of the requests; the client wrote them,
    so their shape has to be checked.
    """

    can: frozenset[str] = frozenset()
    forms: bool = False
    answers: Mapping[str, Any] = MappingProxyType({})
    state: str = ""


class InputRequired(Exception):
    """Raised to ask. The front seals ``state``: only the same caller's next round of the same call brings it back."""

    def __init__(self, requests: Mapping[str, Request], *, state: str = "") -> None:
        super().__init__("input required")
        self.requests = requests
        self.state = state

    def as_result(self) -> dict[str, Any]:
        kept = {"requestState": self.state} if self.state else {}
        return {RESERVED: {"inputRequired": {"inputRequests": dict(self.requests), **kept}}}


def form(message: str, schema: Mapping[str, object]) -> Request:
    """Asks a person to fill in a form; ``schema`` is an object of plain fields."""
    return {"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}}


def filled(answer: object) -> Mapping[str, Any] | None:
    """Returns what a person filled in; None where there is no answer, or it was declined or is malformed."""
    match answer:
        case {"action": "accept", "content": dict() as content}:
            return content
    return None


def taken(event: dict[str, Any]) -> tuple[dict[str, Any], Round]:
    """Splits an event that our proxy wrote into the bare arguments and the round."""
    said = event.get(RESERVED, {})
    can = said.get("clientCapabilities", {})
    arguments = {name: value for name, value in event.items() if name != RESERVED}
    return arguments, Round(
        can=frozenset(can),
        # Elicitation without a mode means forms.
        forms="elicitation" in can and (not can["elicitation"] or "form" in can["elicitation"]),
        answers=said.get("inputResponses", {}),
        state=said.get("requestState", ""),
    )
