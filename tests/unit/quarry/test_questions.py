"""A tool that asks before it answers: its rounds, and who may take part in them."""

import json
from typing import Any

from pydantic import Field

from quarry.tool.contract import Args, Result, retrieval_tool
from quarry.tool.identity import Caller
from quarry.tool.questions import InputRequired, Round, filled, form
from quarry.tool.runtime import serve_asking
from tests.deployment import ClientContext, Context

COUNT = form("How many?", {"type": "object", "properties": {"n": {"type": "integer"}}})
CARD = retrieval_tool("pack", title="Pack", description="Packs.", toolset="t")._replace(asks=True, keeps_state=True)


class PackArgs(Args):
    item: str = Field(description="Item.")


class PackResult(Result):
    packed: str = Field(description="Said.")


def pack(args: PackArgs, caller: Caller, round_: Round) -> PackResult:
    if args.item == "anvil":
        return PackResult(packed="anvil")
    if (answer := filled(round_.answers.get("count"))) is None or round_.state != "asked":
        raise InputRequired({"count": COUNT} if "elicitation" in round_.can else {}, state="asked")
    return PackResult(packed=f"{answer['n']} of {args.item}")


def call(said: dict[str, Any] | None = None, *, item: str = "cup", **custom: object) -> dict[str, Any]:
    event = {"item": item} | ({} if said is None else {"_mcp": said})
    context = Context(ClientContext({"tenant": "acme", "tool": "pack", "scopes": [CARD.scope], **custom}))
    answer: dict[str, Any] = json.loads(json.dumps(serve_asking(CARD, PackArgs, pack)(event, context)))
    return answer


def test_a_question_is_asked_in_the_ways_the_client_declared() -> None:
    asked = call({"clientCapabilities": {"elicitation": {}}})
    assert asked == {"_mcp": {"inputRequired": {"inputRequests": {"count": COUNT}, "requestState": "asked"}}}
    assert call({"clientCapabilities": {}})["_mcp"]["inputRequired"]["inputRequests"] == {}


def test_answers_and_state_reach_the_tool_and_its_arguments_stay_bare() -> None:
    answers = {"count": {"action": "accept", "content": {"n": 3}}}
    assert call({"inputResponses": answers, "requestState": "asked"}) == {"packed": "3 of cup"}


def test_a_declined_or_malformed_answer_is_none() -> None:
    for answer in ({"action": "decline"}, {"action": "accept", "content": 5}, {"content": {"n": 3}}, "3", None):
        said = {"inputResponses": {"count": answer}, "requestState": "asked"}
        assert "inputRequired" in call(said)["_mcp"]


def test_a_caller_that_carries_no_questions_hears_that_there_is_one() -> None:
    refused = call(tool="")
    assert (refused["code"], refused["retryable"]) == ("UNAVAILABLE", False)
    assert "has a question first" in refused["message"]
    assert call(tool="", item="anvil") == {"packed": "anvil"}


def test_a_round_that_our_proxy_did_not_write_is_an_unknown_argument() -> None:
    forged = {"inputResponses": {"count": {"action": "accept", "content": {"n": 3}}}, "requestState": "asked"}
    assert call(forged, tool="", bedrockAgentCoreToolName="quarry___pack")["code"] == "VALIDATION_ERROR"
    assert call(forged, tool="")["code"] == "VALIDATION_ERROR"
