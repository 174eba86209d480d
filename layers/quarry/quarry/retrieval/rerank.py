"""A second opinion on the order of the best hits, from a reranker over HTTP; off unless RERANK_URL is set."""

import json
from collections.abc import Sequence
from typing import Any

from quarry.data.credentials import rerank_key
from quarry.data.settings import Settings

LONGEST_TEXT = 8_000
"""Characters of a hit that are sent: rerankers read a few thousand tokens at most, and bill all of them."""


class RerankerDown(Exception):
    """The reranker gave no order; ``reason`` is safe to show (no key, no text)."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def relevances(query: str, texts: Sequence[str], *, settings: Settings) -> list[float | None]:
    """One score per text, comparable within this answer alone; None where the reranker left a text out.

    With RERANK_MODEL the request is Cohere's and Jina's, which vLLM and others speak too; without it, that of Hugging
    Face's text-embeddings-inference, which serves one model. Raises RerankerDown.
    """
    if not texts:
        return []
    cut = [text[:LONGEST_TEXT] for text in texts]
    body: dict[str, Any] = {"query": query, "texts": cut, "truncate": True}
    if settings.rerank_model:
        body = {"model": settings.rerank_model, "query": query, "documents": cut, "top_n": len(cut)}
    answer = _post(body, settings=settings)
    scores: list[float | None] = [None] * len(texts)
    try:
        for item in answer["results"] if isinstance(answer, dict) else answer:
            index, score = item["index"], item["relevance_score" if "relevance_score" in item else "score"]
            if not 0 <= index < len(texts):
                raise IndexError(index)
            scores[index] = float(score)
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise RerankerDown("the answer has another shape than expected") from error
    return scores


def _post(body: dict[str, Any], *, settings: Settings) -> Any:
    # Who has no reranker need not pay for the import.
    import urllib.error
    import urllib.request

    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if key := rerank_key(settings):
        headers["Authorization"] = f"Bearer {key}"
    url = f"{(settings.rerank_url or '').rstrip('/')}/rerank"
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)  # noqa: S310 - the operator's own URL
    try:
        with urllib.request.urlopen(request, timeout=settings.rerank_timeout_s) as response:  # noqa: S310
            return json.loads(response.read())
    except urllib.error.HTTPError as error:
        with error:
            raise RerankerDown(f"HTTP {error.code}") from error
    except TimeoutError as error:
        raise RerankerDown(f"no answer in {settings.rerank_timeout_s:g} s") from error
    except (OSError, ValueError) as error:
        raise RerankerDown(type(error).__name__) from error
