"""A reranker over real HTTP: its order counts, and without its answer the search's own does."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from local.ports import free_port
from quotes.search_line_items import handler
from tests.deployment import Deployment, invoke
from tests.sample_rows import line, quote

MODEL = {"RERANK_MODEL": "judge-1", "RERANK_API_KEY": "sk-judge"}
QUERY = "rotary screw compressor"


@dataclass
class Reranker:
    """Prefers the longer text, and answers in the shape that it was asked in."""

    url: str = ""
    status: int = 200
    answer: Any = None
    asked: list[tuple[str, str | None, dict[str, Any]]] = field(default_factory=list)

    def judge(self, request: dict[str, Any]) -> Any:
        if self.answer is not None:
            return self.answer
        if "documents" in request:
            scored = [{"index": n, "relevance_score": len(text)} for n, text in enumerate(request["documents"])]
            return {"results": scored[::-1]}
        return [{"index": n, "score": len(text)} for n, text in enumerate(request["texts"])]


@contextmanager
def running() -> Iterator[Reranker]:
    reranker = Reranker()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            reranker.asked.append((self.path, self.headers["Authorization"], request))
            self.send_response(reranker.status)
            self.end_headers()
            self.wfile.write(json.dumps(reranker.judge(request)).encode())

        def log_message(self, *_: object) -> None:
            """pytest shows what matters."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    reranker.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield reranker
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def reranker() -> Iterator[Reranker]:
    with running() as held:
        yield held


@pytest.fixture(scope="module", autouse=True)
def lines(deployment: Deployment) -> None:
    deployment.put_quotes(*(quote(f"Q{n}") for n in range(6)))
    texts = [f"Rotary screw compressor{' with words that say nothing' * n}." for n in range(5)]
    deployment.put_lines(*(line(f"Q{n}", 1, text) for n, text in enumerate(texts)))
    deployment.put_lines(line("Q5", 1, "Short.", model="XY77"))
    deployment.embed()


def search(deployment: Deployment, url: str, query: str = QUERY, **variables: str) -> dict[str, Any]:
    with deployment.serving("quarry_read", RERANK_URL=url, **variables):
        return invoke(handler, {"query": query, "top_k": 3, "explain": True})


def numbers(answer: dict[str, Any]) -> list[str]:
    return [hit["line_item"]["quote_number"] for hit in answer["results"]]


@pytest.mark.parametrize("variables", [MODEL, {}])
def test_its_judgement_orders_the_hits(deployment: Deployment, reranker: Reranker, variables: dict[str, str]) -> None:
    answer = search(deployment, reranker.url, **variables)
    assert numbers(answer) == ["Q4", "Q3", "Q2"]
    relevances = [hit["explanation"]["relevance"] for hit in answer["results"]]
    assert relevances == sorted(relevances, reverse=True)
    assert "notice" not in answer


def test_it_is_asked_once_with_query_texts_model_and_key(deployment: Deployment, reranker: Reranker) -> None:
    search(deployment, reranker.url, **MODEL)
    [(path, key, request)] = reranker.asked
    assert (path, key, request["model"], request["query"]) == ("/v1/rerank", "Bearer sk-judge", "judge-1", QUERY)
    assert sorted(text.splitlines()[-1] for text in request["documents"])[-1].startswith("Short.")


def test_a_named_model_stays_first(deployment: Deployment, reranker: Reranker) -> None:
    assert numbers(search(deployment, reranker.url, query="XY77 compressor"))[0] == "Q5"


def test_only_the_top_is_judged(deployment: Deployment, reranker: Reranker) -> None:
    plain = search(deployment, "")
    answer = search(deployment, reranker.url, RERANK_TOP="1")
    assert numbers(answer) == numbers(plain)
    assert len(reranker.asked[0][2]["texts"]) == 1


@pytest.mark.parametrize(
    "answer",
    [
        {"results": [{"index": 99, "relevance_score": 1}]},
        {"results": [{}]},
        "nonsense",
        7,
        [{"index": 0, "score": None}],
    ],
)
def test_an_answer_of_another_shape_is_said_and_the_order_stays(
    deployment: Deployment, reranker: Reranker, answer: object
) -> None:
    reranker.answer = answer
    given = search(deployment, reranker.url, **MODEL)
    assert numbers(given) == numbers(search(deployment, ""))
    assert "Reranking is unavailable (the answer has another shape than expected)" in given["notice"]


def test_a_failing_one_is_said_and_the_order_stays(deployment: Deployment, reranker: Reranker) -> None:
    reranker.status = 503
    given = search(deployment, reranker.url, **MODEL)
    assert numbers(given) == numbers(search(deployment, ""))
    assert "HTTP 503" in given["notice"]
    assert "degraded" not in given


def test_one_that_is_not_there_is_said(deployment: Deployment) -> None:
    assert "Reranking is unavailable" in search(deployment, f"http://127.0.0.1:{free_port()}")["notice"]


def test_without_one_nothing_is_said_of_it(deployment: Deployment) -> None:
    answer = search(deployment, "")
    assert "notice" not in answer
    assert not [hit for hit in answer["results"] if "relevance" in hit["explanation"]]
