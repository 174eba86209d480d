"""An MCP client of the knowledge toolset, or of any server with such a `search`, and the searches of a run."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

import httpx2
import mcp_types as types
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from pydantic import AliasChoices, BaseModel, ConfigDict, Field
from pydantic_core import from_json

from quarry.data.credentials import secrets
from quarry.data.settings import Settings
from quarry.tool.contract import Part
from quarry.tool.errors import Unavailable

SEARCH_SECONDS = 30.0
CONNECT_SECONDS = 5.0

_REFUSALS = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)


@dataclass(frozen=True, slots=True)
class KnowledgeServer:
    url: str
    token: str | None = field(repr=False)


def knowledge_server(settings: Settings, *, tenant: str) -> KnowledgeServer:
    """Returns the server with the tenant's token. Raises Unavailable.

    The server knows the tenant by the token alone, so another tenant's caller never gets the default's.
    """
    if not settings.knowledge_mcp_url:
        raise Unavailable("No knowledge server is configured: set KNOWLEDGE_MCP_URL to the URL of its MCP endpoint.")
    tokens: dict[str, str] = {}
    if settings.knowledge_mcp_secret_id:
        tokens = json.loads(secrets().read(settings.knowledge_mcp_secret_id))
    if tenant not in tokens and tenant != settings.default_tenant:
        raise Unavailable(
            f"The knowledge server cannot be reached as tenant '{tenant}': the secret that KNOWLEDGE_MCP_SECRET_ID "
            "names, a JSON object of tokens by tenant, needs one for it."
        )
    return KnowledgeServer(settings.knowledge_mcp_url, tokens.get(tenant))


class Passage(BaseModel):
    """A document as a search found it; another vendor's server may leave out all that can be None."""

    model_config = ConfigDict(frozen=True)

    doc_id: int
    title: str | None = None
    content: str
    score: float | None = None
    confidence: str | None = None


class _Answer(BaseModel):
    """The answer of `search`; SDKs wrap a bare list under `result`."""

    results: list[Passage] = Field(validation_alias=AliasChoices("results", "result"))


class SearchFailed(Exception):
    """A search gave nothing usable; its text is for the model and the caller."""


class TokenRefused(Exception):
    """The server refused the token, or demands one and was given none."""


class KnowledgeBase:
    """A connection to the knowledge server, on which searches may overlap."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def search(self, query: str, *, top_k: int) -> list[Passage]:
        """Returns passages, best first. Raises SearchFailed."""
        try:
            answer = await self._client.call_tool("search", {"query": query, "top_k": top_k})
        except (MCPError, httpx2.HTTPError, RuntimeError) as error:
            # RuntimeError: the SDK found that structured content does not fit the server's own schema.
            said = f": {error.error.message[:200]}" if isinstance(error, MCPError) else ""
            raise SearchFailed(f"the knowledge server failed ({type(error).__name__}{said})") from error
        text = next((block.text for block in answer.content if isinstance(block, types.TextContent)), "")
        if answer.is_error:
            raise SearchFailed(text[:500] or "the knowledge server reported an error")
        try:
            return _Answer.model_validate(_document(answer.structured_content, text)).results
        except ValueError as error:  # ValidationError is one
            raise SearchFailed("the knowledge server's answer is not a list of documents") from error


@asynccontextmanager
async def connect(server: KnowledgeServer, *, traceparent: str) -> AsyncIterator[KnowledgeBase]:
    """Connects to the server. Raises TokenRefused if it refuses to connect.

    Any other failure inside is raised as an ExceptionGroup, because the SDK runs the connection in a task group.
    """
    headers = {"Authorization": f"Bearer {server.token}"} if server.token else {}
    if traceparent:
        headers["traceparent"] = traceparent
    timeout = httpx2.Timeout(SEARCH_SECONDS, connect=CONNECT_SECONDS)
    refused = connected = False

    async def note(response: httpx2.Response) -> None:
        nonlocal refused
        refused = refused or response.status_code in _REFUSALS

    try:
        async with (
            # Without retries one refused connection would end the SDK's task group, and the run with it.
            httpx2.AsyncClient(
                headers=headers,
                timeout=timeout,
                transport=httpx2.AsyncHTTPTransport(retries=2),
                event_hooks={"response": [note]},
            ) as http,
            Client(
                streamable_http_client(server.url, http_client=http),
                read_timeout_seconds=SEARCH_SECONDS,
                client_info=types.Implementation(name="quarry-assistant", version="1"),
            ) as client,
        ):
            connected = True
            yield KnowledgeBase(client)
    except ExceptionGroup as group:
        # The SDK does not report the status of a refusal, so the hook above noted it.
        if refused and not connected:
            raise TokenRefused from group
        raise


def _document(structured: Any, text: str) -> Any:
    document = structured if structured is not None else from_json(text)
    return {"results": document} if isinstance(document, list) else document


SHOWN_TO_MODEL = 6_000
"""Most characters of a document in a search result for the model."""


class AgentSearch(Part):
    query: str = Field(description="What was searched for.")
    task_id: int | None = Field(description="The task it was dispatched for; null for a search of the model's own.")
    doc_ids: list[int] = Field(description="Documents found, best first.")
    error: str | None = Field(description="Why the search failed, or null.")


@dataclass(slots=True)
class EvidenceLog:
    searches: list[AgentSearch] = field(default_factory=list)
    passages: dict[int, Passage] = field(default_factory=dict)

    @property
    def searched(self) -> bool:
        """Whether at least one search succeeded, even if it found nothing."""
        return any(search.error is None for search in self.searches)

    def record(self, query: str, found: list[Passage], *, task_id: int | None, error: str | None = None) -> None:
        ids = [passage.doc_id for passage in found]
        self.searches.append(AgentSearch(query=query, task_id=task_id, doc_ids=ids, error=error))
        for passage in found:
            held = self.passages.get(passage.doc_id)
            if held is None or (passage.score or 0) > (held.score or 0):
                self.passages[passage.doc_id] = passage


def for_model(query: str, found: list[Passage], *, task_id: int | None) -> dict[str, Any]:
    """Returns a search result as the model is shown it."""
    results = [{**passage.model_dump(), "content": passage.content[:SHOWN_TO_MODEL]} for passage in found]
    shown: dict[str, Any] = {"query": query, "results": results}
    if task_id is not None:
        shown["task_id"] = task_id
    return shown if found else {**shown, "note": "No document was found."}
