"""Resources, prompts and completion, over the bucket and over functions."""

from typing import Any

import pytest

from tests.integration.proxy.conftest import Proxy, soon
from tests.integration.proxy.scripted_lambda import ScriptedLambda, Step

PROMPT = {"type": "ref/prompt", "name": "draft_order"}
SHEET = {"type": "ref/resource", "uri": "workbench://sheets/{category}"}


def read(proxy: Proxy, uri: str) -> dict[str, Any]:
    answer: dict[str, Any] = proxy.modern("resources/read", {"uri": uri}).json()
    return answer


def prompt(proxy: Proxy, **arguments: str) -> dict[str, Any]:
    answer: dict[str, Any] = proxy.modern("prompts/get", {"name": "draft_order", "arguments": arguments}).json()
    return answer


def completed(proxy: Proxy, ref: dict[str, str], name: str, typed: str) -> dict[str, Any]:
    params = {"ref": ref, "argument": {"name": name, "value": typed}}
    answer: dict[str, Any] = proxy.modern("completion/complete", params).json()
    return answer


def test_a_resource_comes_from_the_bucket_without_its_front_matter(proxy: Proxy) -> None:
    result = read(proxy, "workbench://letter")["result"]
    assert result["contents"] == [
        {"uri": "workbench://letter", "mimeType": "text/markdown", "text": "# Order\n\nDear supplier,\n"}
    ]
    assert (result["ttlMs"], result["cacheScope"]) == (60_000, "private")


def test_a_template_value_selects_its_object(proxy: Proxy) -> None:
    contents = read(proxy, "workbench://sheets/compressor")["result"]["contents"]
    assert contents[0]["text"] == "Pressure: [PSI]\n"


@pytest.mark.parametrize("value", ["pump", "..%2Fletter", "%2e%2e"])
def test_an_unknown_template_value_is_not_found_and_names_the_known_ones(proxy: Proxy, value: str) -> None:
    uri = f"workbench://sheets/{value}"
    error = read(proxy, uri)["error"]
    assert error["code"] == -32602
    assert error["data"] == {"uri": uri}
    assert "Known: blower, compressor, vacuum-pump." in error["message"]
    assert proxy.legacy("resources/read", {"uri": uri}).json()["error"]["code"] == -32002


def test_an_unknown_uri_is_not_found(proxy: Proxy) -> None:
    assert "resources/list" in read(proxy, "workbench://nothing")["error"]["message"]


def test_a_template_missing_from_the_bucket_is_said_to_be(proxy: Proxy) -> None:
    error = read(proxy, "workbench://unpublished")["error"]
    assert (error["code"], error["message"]) == (-32603, "The template has not been published to the bucket.")


def test_an_unforeseen_fault_is_contained_in_both_eras(proxy: Proxy) -> None:
    uri = {"uri": "workbench://garbled"}
    for response in (proxy.modern("resources/read", uri), proxy.legacy("resources/read", uri)):
        error = response.json()["error"]
        assert (error["code"], error["message"]) == (-32603, "Internal error; the server's log has the cause.")
    assert soon(lambda: len(proxy.events("request_failed")) == 2)
    assert proxy.events("request_failed")[0]["exception"]["type"] == "UnicodeDecodeError"


def test_a_function_answers_a_dynamic_resource(proxy: Proxy, functions: ScriptedLambda) -> None:
    contents = [{"uri": "workbench://shelf/a b", "mimeType": "application/json", "text": "{}"}]
    functions.script["shelf_report"] = [Step(result={"contents": contents})]
    result = read(proxy, "workbench://shelf/a%20b")["result"]
    assert result["contents"] == contents
    assert result["ttlMs"] == 0
    assert functions.calls[0].event == {"uri": "workbench://shelf/a%20b"}
    assert functions.calls[0].custom["tool"] == "shelf_report"


def test_a_function_may_say_that_there_is_no_such_resource(proxy: Proxy, functions: ScriptedLambda) -> None:
    functions.script["shelf_report"] = [Step(result={"error": True, "code": "NOT_FOUND", "message": "No shelf 9."})]
    error = read(proxy, "workbench://shelf/9")["error"]
    assert (error["code"], error["message"]) == (-32602, "Resource not found: No shelf 9.")


@pytest.mark.parametrize("step", [Step(raised={"errorMessage": "hunter2"}), Step(result={"contents": 1})])
def test_a_function_that_fails_gives_a_clean_error(proxy: Proxy, functions: ScriptedLambda, step: Step) -> None:
    functions.script["stock_report"] = [step]
    for answer in (read(proxy, "workbench://stock"),):
        assert answer["error"]["code"] == -32603
        assert "hunter2" not in str(answer)


def test_a_prompt_is_filled_and_followed_by_what_it_embeds(proxy: Proxy) -> None:
    result = prompt(proxy, need="a {{tone}} pump", tone="plain", category="compressor")["result"]
    body, letter, sheet = (message["content"] for message in result["messages"])
    assert body["text"] == "Order a {{tone}} pump in a plain tone. a {{tone}} pump!\n"
    assert letter["text"].startswith('<resource uri="workbench://letter">\n')
    sheet_text = '<resource uri="workbench://sheets/compressor">\nPressure: [PSI]\n\n</resource>'
    assert sheet == {"type": "text", "text": sheet_text}


def test_a_resource_whose_argument_is_not_given_is_left_out(proxy: Proxy) -> None:
    messages = prompt(proxy, need="a pump")["result"]["messages"]
    assert [message["content"]["text"].partition("\n")[0] for message in messages[1:]] == [
        '<resource uri="workbench://letter">'
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "needs 'need'"),
        ({"need": ""}, "needs 'need'"),
        ({"need": "a", "tune": "x"}, "no argument 'tune'. Did you mean 'tone'"),
        ({"need": "a", "category": "boat"}, "Unknown category 'boat'. Known: blower"),
    ],
)
def test_wrong_prompt_arguments_are_named(proxy: Proxy, arguments: dict[str, str], said: str) -> None:
    error = prompt(proxy, **arguments)["error"]
    assert error["code"] == -32602
    assert said in error["message"]


def test_an_unknown_prompt_names_the_nearest(proxy: Proxy) -> None:
    error = proxy.modern("prompts/get", {"name": "draft_oder"}).json()["error"]
    assert "Did you mean 'draft_order'" in error["message"]


@pytest.mark.parametrize(
    ("ref", "name", "typed", "values"),
    [
        (SHEET, "category", "", ["blower", "compressor", "vacuum-pump"]),
        (SHEET, "category", "COM", ["compressor"]),
        (SHEET, "category", "p", ["compressor", "vacuum-pump"]),
        (PROMPT, "category", "bl", ["blower"]),
        (PROMPT, "tone", "", ["plain", "formal"]),
        (PROMPT, "need", "x", []),
    ],
)
def test_completion_offers_prefixes_then_substrings(
    proxy: Proxy, ref: dict[str, str], name: str, typed: str, values: list[str]
) -> None:
    completion = completed(proxy, ref, name, typed)["result"]["completion"]
    assert completion == {"values": values, "total": len(values), "hasMore": False}


def test_completion_of_something_unknown_is_refused(proxy: Proxy) -> None:
    for ref, name in (
        (SHEET, "colour"),
        (PROMPT, "colour"),
        ({"type": "ref/prompt", "name": "x"}, "need"),
        ({"type": "ref/resource", "uri": "x://{y}"}, "y"),
    ):
        assert completed(proxy, ref, name, "a")["error"]["code"] == -32602


def test_resources_and_prompts_are_listed_with_their_titles(proxy: Proxy) -> None:
    templates = proxy.modern("resources/templates/list").json()["result"]["resourceTemplates"]
    assert [entry["uriTemplate"] for entry in templates] == [
        "workbench://sheets/{category}",
        "workbench://shelf/{id}",
    ]
    (listed,) = proxy.modern("prompts/list").json()["result"]["prompts"]
    assert listed["title"] == "Draft an order"
    assert [argument["required"] for argument in listed["arguments"]] == [True, False, False]
