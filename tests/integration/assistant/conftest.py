"""The real `ask` between a scripted chat model and a scripted knowledge server, all over HTTP."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from assistant.ask import handler
from quarry.data.settings import environment
from tests.deployment import fresh_environment, invoke
from tests.integration.assistant import scripted_chat, scripted_knowledge
from tests.integration.assistant.scripted_chat import ScriptedChat
from tests.integration.assistant.scripted_knowledge import ScriptedKnowledge

Ask = Callable[..., dict[str, Any]]


@pytest.fixture(scope="session")
def _chat() -> Iterator[ScriptedChat]:
    chat = ScriptedChat()
    stop = scripted_chat.serve(chat)
    yield chat
    stop.set()


@pytest.fixture
def chat(_chat: ScriptedChat) -> ScriptedChat:
    _chat.script.clear()
    _chat.asked.clear()
    return _chat


@pytest.fixture(scope="session")
def _knowledge() -> Iterator[ScriptedKnowledge]:
    knowledge = ScriptedKnowledge()
    server = scripted_knowledge.serve(knowledge)
    yield knowledge
    server.should_exit = True


@pytest.fixture
def knowledge(_knowledge: ScriptedKnowledge) -> ScriptedKnowledge:
    _knowledge.seconds = 0.0
    _knowledge.refusal = None
    _knowledge.faults.clear()
    _knowledge.searched.clear()
    _knowledge.headers.clear()
    return _knowledge


@pytest.fixture
def variables(chat: ScriptedChat, knowledge: ScriptedKnowledge) -> dict[str, str]:
    """All that `ask` is told by its environment."""
    return {
        "CHAT_API_KEY": "chat-key",
        "CHAT_MODEL": "gpt-4.1",
        "CHAT_BASE_URL": chat.url,
        "KNOWLEDGE_MCP_URL": knowledge.url,
        "DEFAULT_TENANT": "acme",
        # The embedding provider's; the chat must not use it.
        "OPENAI_BASE_URL": "http://127.0.0.1:9/embeddings",
        "OPENAI_API_KEY": "local",
    }


@pytest.fixture
def ask(variables: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Ask]:
    """The handler's answer to a question; keywords change the environment."""

    def asking(question: str, *, tenant: str = "acme", **changed: str) -> dict[str, Any]:
        for name, value in {**variables, **changed}.items():
            monkeypatch.setenv(name, value)
        environment().close()
        return invoke(handler, {"question": question}, tenant=tenant)

    with fresh_environment():
        yield asking
