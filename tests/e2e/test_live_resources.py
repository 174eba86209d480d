"""Resources and prompts that functions answer from live data: stories and highlights."""

import pytest
from mcp import Client
from mcp_types import PromptReference, ResourceTemplateReference, TextContent, TextResourceContents

from local.stack import Stack
from tests.e2e.visits import MODES, visit

pytestmark = pytest.mark.stack

BY_AUTHOR = "kxhub://chunks/by-author/{author}"


async def text_at(client: Client, uri: str) -> str:
    (content,) = (await client.read_resource(uri)).contents
    assert isinstance(content, TextResourceContents)
    return content.text


@pytest.mark.parametrize("mode", MODES)
def test_the_taxonomy_is_read_from_the_stories(stack: Stack, mode: str) -> None:
    async def doing(client: Client) -> tuple[str, str]:
        return await text_at(client, "schema://taxonomy"), await text_at(client, "docs://how-to-query")

    taxonomy, guide = visit(f"{stack.mcp}/stories", doing, mode=mode)
    assert "watermark" in taxonomy
    assert "find_related" in guide


@pytest.mark.parametrize("mode", MODES)
def test_a_chunk_that_is_completed_can_be_read_and_none_is_listed(stack: Stack, mode: str) -> None:
    async def doing(client: Client) -> None:
        page = await client.list_resources()
        assert page.next_cursor is None
        assert not [item for item in page.resources if str(item.uri).startswith("kxhub://chunk/")]
        found = await client.complete(
            ResourceTemplateReference(uri="kxhub://chunk/{chunk_id}"), {"name": "chunk_id", "value": ""}
        )
        assert await text_at(client, f"kxhub://chunk/{found.completion.values[0]}")

    visit(f"{stack.mcp}/highlights", doing, mode=mode)


@pytest.mark.parametrize("mode", MODES)
def test_an_author_is_completed_read_and_enclosed_in_the_prompt(stack: Stack, mode: str) -> None:
    async def doing(client: Client) -> None:
        by_template = await client.complete(ResourceTemplateReference(uri=BY_AUTHOR), {"name": "author", "value": ""})
        author = by_template.completion.values[0]
        ref = PromptReference(name="author_deep_dive")
        by_prompt = await client.complete(ref, {"name": "author", "value": author[:3]})
        assert author in by_prompt.completion.values
        prompt = await client.get_prompt("author_deep_dive", {"author": author})
        first, enclosed = (message.content for message in prompt.messages)
        assert isinstance(first, TextContent)
        assert author in first.text
        assert isinstance(enclosed, TextContent)
        assert enclosed.text.startswith('<resource uri="kxhub://chunks/by-author/')

    visit(f"{stack.mcp}/highlights", doing, mode=mode)


@pytest.mark.parametrize("mode", MODES)
def test_the_four_prompts_of_the_highlights_are_listed(stack: Stack, mode: str) -> None:
    async def doing(client: Client) -> list[str]:
        return sorted(prompt.name for prompt in (await client.list_prompts()).prompts)

    names = ["author_deep_dive", "find_insights_about", "related_to_chunk", "tag_exploration"]
    assert visit(f"{stack.mcp}/highlights", doing, mode=mode) == names
