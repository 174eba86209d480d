"""Resources that a function answers."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.tool.errors import NotFound
from quarry.tool.resources import LiveResource, serve_resources
from tests.deployment import ClientContext, Context, invoke

TAGS = {"a/b": "slashed", "wide": "spread"}


def read(values: Any, caller: Any) -> str:
    if values["tag"] not in TAGS:
        raise NotFound(f"No tag {values['tag']!r}.")
    return f"{TAGS[values['tag']]} for {caller.tenant}"


def starting(prefix: str, caller: Any) -> list[str]:
    return [tag for tag in TAGS if tag.startswith(prefix)]


TEMPLATE = LiveResource(
    uri_template="test://tags/{tag}",
    name="tag",
    title="Tag",
    description="A tag.",
    read=read,
    complete={"tag": starting},
)
SINGLE = LiveResource(
    uri_template="test://one", name="one", title="One", description="One.", read=lambda _, caller: caller.tenant
)
HANDLER = serve_resources("test", [SINGLE, TEMPLATE])


def test_a_resource_and_a_value_of_a_template_are_read_for_the_callers_tenant() -> None:
    one = {"uri": "test://one", "mimeType": "text/markdown", "text": "acme"}
    assert invoke(HANDLER, {"uri": "test://one"}) == {"contents": [one]}
    answer = invoke(HANDLER, {"uri": "test://tags/a%2Fb"}, tenant="rival")
    assert answer["contents"][0]["text"] == "slashed for rival"


@pytest.mark.parametrize(
    "uri", ["test://two", "test://tags/none", "test://tags/a/b", "test://tags/%00", "test://tags/"]
)
def test_what_does_not_exist_is_not_found(uri: str) -> None:
    assert invoke(HANDLER, {"uri": uri})["code"] == "NOT_FOUND"


def test_values_are_completed() -> None:
    question = {"uriTemplate": "test://tags/{tag}", "variable": "tag", "prefix": "w"}
    assert invoke(HANDLER, {"complete": question}) == {"values": ["wide"]}


def test_any_other_event_is_refused() -> None:
    assert invoke(HANDLER, {"unknown": 1})["code"] == "VALIDATION_ERROR"


@given(st.text(min_size=1).filter(lambda text: text.isprintable()))
def test_any_value_survives_the_way_through_a_uri(value: str) -> None:
    assert TEMPLATE.match(TEMPLATE.expand(tag=value)) == {"tag": value}


@pytest.mark.parametrize(
    "custom",
    [{"tenant": "acme", "scopes": ["other:read"]}, {"tenant": "acme"}, {"tenant": "", "scopes": ["test:read"]}],
)
def test_behind_the_proxy_scope_and_tenant_are_checked_again(custom: dict[str, object]) -> None:
    context = Context(ClientContext({"tool": "test_resources", **custom}))
    assert HANDLER({"uri": "test://one"}, context)["code"] == "PERMISSION_DENIED"
