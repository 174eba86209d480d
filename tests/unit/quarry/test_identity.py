"""Who is asking, from each of the callers a function has."""

import pytest

from quarry.tool.identity import Caller, caller_of
from tests.deployment import ClientContext, Context


def caller(custom: dict[str, object] | None) -> Caller:
    return caller_of(Context(ClientContext(custom)), default_tenant="house")


def test_the_proxy_names_tool_tenant_subject_scopes_and_request() -> None:
    assert caller(
        {
            "tool": "get_quote",
            "tenant": "acme",
            "subject": "dana",
            "scopes": ["quotes:read"],
            "request_id": "r1",
            "traceparent": "00-1-2-01",
        }
    ) == Caller(
        tool="get_quote",
        tenant="acme",
        subject="dana",
        scopes=("quotes:read",),
        request_id="r1",
        traceparent="00-1-2-01",
        through_proxy=True,
    )


def test_agentcore_prefixes_the_tool_with_its_target() -> None:
    found = caller({"bedrockAgentCoreToolName": "quarry-target___get_quote", "bedrockAgentCoreAwsRequestId": "r2"})
    assert (found.tool, found.request_id, found.tenant) == ("get_quote", "r2", "house")


def test_an_agentcore_tool_without_a_target_keeps_its_name() -> None:
    assert caller({"bedrockAgentCoreToolName": "get_quote"}).tool == "get_quote"


@pytest.mark.parametrize("context", [Context(), Context(ClientContext(None)), Context(ClientContext({}))])
def test_a_direct_invoke_is_the_default_tenant_with_aws_request_id(context: Context) -> None:
    assert caller_of(context, default_tenant="house") == Caller(tenant="house", request_id="aws-request")


def test_values_of_the_wrong_type_count_as_absent() -> None:
    found = caller({"tool": None, "scopes": "quotes:read", "subject": ["x"]})
    assert found == Caller(tenant="house", request_id="aws-request")


@pytest.mark.parametrize("tenant", ["", " ", 7, None, ["acme"], "Acme", "a/b", "-a", "acme\n", "x" * 64])
@pytest.mark.parametrize("tool", [{}, {"tool": "get_quote"}], ids=["direct", "behind the proxy"])
def test_a_malformed_tenant_is_none_and_never_the_default(tenant: object, tool: dict[str, object]) -> None:
    assert caller({"tenant": tenant, **tool}).tenant == ""


def test_behind_the_proxy_a_tenant_that_is_not_named_is_none() -> None:
    assert caller({"tool": "get_quote"}).tenant == ""
