"""What the proxy's log says of what callers ask: never the words."""

import pytest

from tests.integration.proxy.conftest import Proxy, soon
from tests.integration.proxy.scripted_lambda import ScriptedLambda, Step

SECRET = "xylophone-divorce"
SHELF = "workbench://shelf/{id}"


@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_no_log_line_carries_what_a_caller_asked_for(proxy: Proxy, functions: ScriptedLambda, era: str) -> None:
    functions.script["shelf_report"] = [Step(), Step(status=500), Step(raised={"errorMessage": SECRET}), Step()]
    functions.script["find_parts"] = [Step(status=429), Step(raised={"errorMessage": SECRET})]
    send = proxy.modern if era == "modern" else proxy.legacy
    answers = [
        send("tools/call", {"name": "find_parts", "arguments": {"query": SECRET}}),
        send("tools/call", {"name": "find_parts", "arguments": {"query": SECRET, "top_k": 99}}),
        send("resources/read", {"uri": f"workbench://shelf/{SECRET}"}),
        send("resources/read", {"uri": f"workbench://{SECRET}"}),
        send("prompts/get", {"name": "draft_order", "arguments": {"need": SECRET}}),
        send("prompts/get", {"name": "draft_order", "arguments": {"need": "x", "tune": SECRET}}),
        send(
            "completion/complete",
            {"ref": {"type": "ref/resource", "uri": SHELF}, "argument": {"name": "id", "value": SECRET}},
        ),
    ]
    assert all(answer.status_code < 500 for answer in answers)
    assert soon(lambda: len(proxy.events("tool_called")) == 2)
    assert SECRET not in "".join(proxy.log)
