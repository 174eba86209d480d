"""A printed quote as an MCP client meets it: a link beside the data, to the file it describes."""

import hashlib
import urllib.request

import pytest
from mcp_types import ResourceLink

from local.stack import Stack
from tests.e2e.sample_calls import ONE_CALL_OF_EACH
from tests.e2e.visits import MODES, call, structured

pytestmark = pytest.mark.stack


def follow(url: str) -> str:
    with urllib.request.urlopen(url, timeout=60) as response:  # noqa: S310 - our own URL
        return "sha256:" + hashlib.sha256(response.read()).hexdigest()


@pytest.mark.parametrize("mode", MODES)
def test_the_link_leads_to_the_file_that_the_data_describes(stack: Stack, mode: str) -> None:
    answer = call(stack.mcp, "quote_pdf", ONE_CALL_OF_EACH["quote_pdf"], mode=mode)
    result = structured(answer)
    [link] = [block for block in answer.content if isinstance(block, ResourceLink)]
    assert (link.mime_type, link.size) == ("application/pdf", result["file_size_bytes"])
    assert link.name.endswith(f"{result['quote_id']}_v1.pdf")
    assert str(link.uri) == result["download_url"]
    assert follow(str(link.uri)) == result["checksum"]
