"""House templates and the drafting prompt as clients of both eras read them, from the bucket."""

import pytest
from mcp import Client
from mcp_types import (
    GetPromptResult,
    ResourceTemplateReference,
    TextContent,
    TextResourceContents,
)

from local.files import ROOT
from local.stack import Stack
from tests.e2e.visits import ERAS, LEGACY, refusal, visit

pytestmark = pytest.mark.stack

QUOTE = "quarry://templates/quote"
CHARACTERISTICS = "quarry://templates/characteristics/{category}"
CATEGORIES = ["blower", "compressor", "dryer", "vacuum-pump"]


def body_on_disk(name: str) -> str:
    return (ROOT / "templates" / name).read_text("utf-8").split("---\n", 2)[2].strip()


def read(url: str, uri: str, *, mode: str) -> str:
    async def doing(client: Client) -> str:
        (content,) = (await client.read_resource(uri)).contents
        assert isinstance(content, TextResourceContents)
        assert (content.uri, content.mime_type) == (uri, "text/markdown")
        return content.text

    return visit(url, doing, mode=mode)


@pytest.mark.parametrize("mode", ERAS)
def test_the_quote_skeleton_is_the_file_without_its_front_matter(stack: Stack, mode: str) -> None:
    text = read(stack.mcp, QUOTE, mode=mode)
    assert text.strip() == body_on_disk("quote.md")
    assert "SALESPERSON REVIEW" in text


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize("category", CATEGORIES)
def test_each_category_has_its_characteristics(stack: Stack, category: str, mode: str) -> None:
    text = read(stack.mcp, CHARACTERISTICS.format(category=category), mode=mode)
    assert text.strip() == body_on_disk(f"characteristics/{category}.md")


@pytest.mark.parametrize("mode", ERAS)
def test_lists_name_every_resource_the_template_and_the_prompt(stack: Stack, mode: str) -> None:
    async def doing(client: Client) -> None:
        resources = (await client.list_resources()).resources
        assert {item.uri for item in resources} == {QUOTE, *(CHARACTERISTICS.format(category=c) for c in CATEGORIES)}
        (template,) = (await client.list_resource_templates()).resource_templates
        assert template.uri_template == CHARACTERISTICS
        (prompt,) = (await client.list_prompts()).prompts
        given = [(argument.name, argument.required) for argument in prompt.arguments or []]
        assert (prompt.name, given) == ("draft_quote", [("request", True), ("customer", False)])

    visit(f"{stack.mcp}/quotes", doing, mode=mode)


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize(("typed", "offered"), [("com", ["compressor"]), ("", CATEGORIES), ("zebra", [])])
def test_a_category_is_completed(stack: Stack, typed: str, offered: list[str], mode: str) -> None:
    ref = ResourceTemplateReference(uri=CHARACTERISTICS)

    async def doing(client: Client) -> list[str]:
        return (await client.complete(ref, {"name": "category", "value": typed})).completion.values

    assert visit(stack.mcp, doing, mode=mode) == offered


@pytest.mark.parametrize("mode", ERAS)
def test_the_prompt_carries_the_request_as_it_was_written(stack: Stack, mode: str) -> None:
    given = {"request": "100HP oilless {{customer}}", "customer": "Meadowbrook Foods"}

    async def doing(client: Client) -> GetPromptResult:
        return await client.get_prompt("draft_quote", given)

    first, *enclosed = (message.content for message in visit(stack.mcp, doing, mode=mode).messages)
    assert isinstance(first, TextContent)
    assert "100HP oilless {{customer}}" in first.text, "what the customer wrote is not a template"
    assert "Meadowbrook Foods" in first.text
    assert enclosed == []


@pytest.mark.parametrize("mode", ERAS)
def test_an_unknown_resource_is_not_found_in_the_words_of_the_era(stack: Stack, mode: str) -> None:
    uri = CHARACTERISTICS.format(category="compresor")
    error = refusal(stack.mcp, lambda client: client.read_resource(uri), mode=mode)
    assert error.error.code == (-32002 if mode == LEGACY else -32602)
    assert "Known: blower, compressor, dryer, vacuum-pump." in error.error.message


@pytest.mark.parametrize("mode", ERAS)
def test_a_misspelt_prompt_and_a_missing_argument_are_refused_with_advice(stack: Stack, mode: str) -> None:
    unknown = refusal(stack.mcp, lambda client: client.get_prompt("draft_qoute", {"request": "x"}), mode=mode)
    assert "Did you mean 'draft_quote'?" in unknown.error.message
    missing = refusal(stack.mcp, lambda client: client.get_prompt("draft_quote", {}), mode=mode)
    assert "needs 'request'" in missing.error.message
