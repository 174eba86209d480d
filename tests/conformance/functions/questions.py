"""Tools that ask the client's user before they answer, in one round or several."""

import json
from typing import Any

Event = dict[str, Any]
Request = dict[str, Any]


def _form(message: str, field: str, kind: str = "string") -> Request:
    schema = {"type": "object", "properties": {field: {"type": kind}}, "required": [field]}
    return {"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}}


def _sample(text: str) -> Request:
    message = {"role": "user", "content": {"type": "text", "text": text}}
    return {"method": "sampling/createMessage", "params": {"messages": [message], "maxTokens": 100}}


_NAME = _form("What is your name?", "name")
_CONFIRM = _form("Please confirm", "ok", "boolean")
_ROOTS: Request = {"method": "roots/list", "params": {}}


def _ask(requests: dict[str, Request], state: str | None = None) -> dict[str, Any]:
    kept = {} if state is None else {"requestState": state}
    return {"_mcp": {"inputRequired": {"inputRequests": requests, **kept}}}


def _answers(event: Event) -> dict[str, Any]:
    found: dict[str, Any] = event["_mcp"].get("inputResponses", {})
    return found


def _field(answer: object, name: str) -> object:
    """None where the answer has another shape than was asked for."""
    content = answer.get("content") if isinstance(answer, dict) else None
    return content.get(name) if isinstance(content, dict) else None


def elicitation(event: Event, context: object) -> dict[str, Any]:
    name = _field(_answers(event).get("user_name"), "name")
    return {"greeting": f"Hello, {name}!"} if isinstance(name, str) else _ask({"user_name": _NAME})


def sampling(event: Event, context: object) -> dict[str, Any]:
    answer = _answers(event).get("capital_question")
    if answer is None:
        return _ask({"capital_question": _sample("What is the capital of France?")})
    return {"said": _field(answer, "text")}


def list_roots(event: Event, context: object) -> dict[str, Any]:
    answer = _answers(event).get("client_roots")
    return _ask({"client_roots": _ROOTS}) if answer is None else {"roots": [root["uri"] for root in answer["roots"]]}


def request_state(event: Event, context: object) -> dict[str, Any]:
    if event["_mcp"].get("requestState") == "first round" and "confirm" in _answers(event):
        return {"state": "state-ok"}
    return _ask({"confirm": _CONFIRM}, "first round")


def multiple_inputs(event: Event, context: object) -> dict[str, Any]:
    requests = {"user_name": _NAME, "greeting": _sample("Generate a greeting"), "client_roots": _ROOTS}
    missing = {key: request for key, request in requests.items() if key not in _answers(event)}
    return _ask(missing, "some missing") if missing else {"received": sorted(requests)}


def multi_round(event: Event, context: object) -> dict[str, Any]:
    name = _field(_answers(event).get("step1"), "name")
    kept = json.loads(event["_mcp"].get("requestState", "{}"))
    if "name" in kept and (color := _field(_answers(event).get("step2"), "color")):
        return {"said": f"{kept['name']} likes {color}."}
    if kept.get("round") == 1 and name:
        return _ask({"step2": _form("What is your favorite color?", "color")}, json.dumps({"name": name}))
    return _ask({"step1": _NAME}, json.dumps({"round": 1}))


def capabilities(event: Event, context: object) -> dict[str, Any]:
    """Asks in whichever ways the client can be asked."""
    can = event["_mcp"]["clientCapabilities"]
    ways = {"sampling": ("sample", _sample("Say hello")), "elicitation": ("ask", _NAME)}
    return _ask(dict(way for capability, way in ways.items() if capability in can), "asked")


def needs_sampling(event: Event, context: object) -> dict[str, Any]:
    """Asks for what the client may not have declared."""
    return _ask({"sample": _sample("Say hello")})


def prompt(event: Event, context: object) -> dict[str, Any]:
    given = _field(_answers(event).get("user_context"), "context")
    if given is None:
        return _ask({"user_context": _form("Which context should the prompt use?", "context")})
    return {"messages": [{"role": "user", "content": {"type": "text", "text": f"Use this context: {given}"}}]}
