"""Tools that ask before they answer, made as Quarry's tools are; and a prompt that asks, made by hand."""

import json
from collections.abc import Callable
from typing import Any

from quarry.tool.contract import Args, Result, Tool
from quarry.tool.identity import Caller
from quarry.tool.questions import InputRequired, Request, Round, filled, form
from quarry.tool.runtime import Handler, serve_asking


def _one_field(message: str, name: str, kind: str = "string") -> Request:
    return form(message, {"type": "object", "properties": {name: {"type": kind}}, "required": [name]})


NAME = _one_field("What is your name?", "name")
CONFIRM = _one_field("Please confirm", "ok", "boolean")
COLOR = _one_field("What is your favorite color?", "color")
CONTEXT = _one_field("Which context should the prompt use?", "context")
ROOTS: Request = {"method": "roots/list", "params": {}}


class Nothing(Args):
    pass


class Said(Result):
    said: str


def _sample(text: str) -> Request:
    message = {"role": "user", "content": {"type": "text", "text": text}}
    return {"method": "sampling/createMessage", "params": {"messages": [message], "maxTokens": 100}}


def _elicitation(_: Nothing, caller: Caller, round_: Round) -> Said:
    if (answer := filled(round_.answers.get("user_name"))) is None:
        raise InputRequired({"user_name": NAME})
    return Said(said=f"Hello, {answer['name']}!")


def _sampling(_: Nothing, caller: Caller, round_: Round) -> Said:
    if (answer := round_.answers.get("capital_question")) is None:
        raise InputRequired({"capital_question": _sample("What is the capital of France?")})
    return Said(said=answer["content"]["text"])


def _list_roots(_: Nothing, caller: Caller, round_: Round) -> Said:
    if (answer := round_.answers.get("client_roots")) is None:
        raise InputRequired({"client_roots": ROOTS})
    return Said(said=", ".join(root["uri"] for root in answer["roots"]))


def _request_state(_: Nothing, caller: Caller, round_: Round) -> Said:
    if round_.state != "first round" or "confirm" not in round_.answers:
        raise InputRequired({"confirm": CONFIRM}, state="first round")
    return Said(said="state-ok")


def _multiple_inputs(_: Nothing, caller: Caller, round_: Round) -> Said:
    requests = {"user_name": NAME, "greeting": _sample("Generate a greeting"), "client_roots": ROOTS}
    if missing := {name: request for name, request in requests.items() if name not in round_.answers}:
        raise InputRequired(missing, state="some missing")
    return Said(said="All there.")


def _multi_round(_: Nothing, caller: Caller, round_: Round) -> Said:
    kept = json.loads(round_.state or "{}")
    if "name" in kept and (color := filled(round_.answers.get("step2"))):
        return Said(said=f"{kept['name']} likes {color['color']}.")
    if kept and (name := filled(round_.answers.get("step1"))):
        raise InputRequired({"step2": COLOR}, state=json.dumps({"name": name["name"]}))
    raise InputRequired({"step1": NAME}, state=json.dumps({"round": 1}))


def _capabilities(_: Nothing, caller: Caller, round_: Round) -> Said:
    """Asks in whichever ways the client can be asked."""
    ways = {"sampling": ("sample", _sample("Say hello")), "elicitation": ("ask", NAME)}
    raise InputRequired(dict(way for capability, way in ways.items() if capability in round_.can), state="asked")


def _needs_sampling(_: Nothing, caller: Caller, round_: Round) -> Said:
    """Asks for what the client may not have declared."""
    raise InputRequired({"sample": _sample("Say hello")})


def _served(name: str, run: Callable[[Nothing, Caller, Round], Said]) -> Handler:
    card = Tool(
        name=name,
        title=name,
        description=name,
        toolset="suite",
        read_only=True,
        destructive=False,
        idempotent=True,
        open_world=False,
        asks=True,
        keeps_state=True,
    )
    return serve_asking(card, Nothing, run)


missing_capability = _served("test_missing_capability", _needs_sampling)
streaming_elicitation = _served("test_streaming_elicitation", _elicitation)
elicitation = _served("test_input_required_result_elicitation", _elicitation)
sampling = _served("test_input_required_result_sampling", _sampling)
list_roots = _served("test_input_required_result_list_roots", _list_roots)
request_state = _served("test_input_required_result_request_state", _request_state)
tampered_state = _served("test_input_required_result_tampered_state", _request_state)
multiple_inputs = _served("test_input_required_result_multiple_inputs", _multiple_inputs)
multi_round = _served("test_input_required_result_multi_round", _multi_round)
capabilities = _served("test_input_required_result_capabilities", _capabilities)


def prompt(event: dict[str, Any], context: object) -> dict[str, Any]:
    answer = filled(event["_mcp"].get("inputResponses", {}).get("user_context"))
    if answer is None:
        return InputRequired({"user_context": CONTEXT}).as_result()
    text = f"Use this context: {answer['context']}"
    return {"messages": [{"role": "user", "content": {"type": "text", "text": text}}]}
