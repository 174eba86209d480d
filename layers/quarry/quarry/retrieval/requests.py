"""Requests as searches use them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from quarry.retrieval.corpus import Corpus
from quarry.retrieval.ranking import Candidate


@dataclass(frozen=True, slots=True)
class Reading:
    query: str
    words: str
    bounds: Mapping[str, object] = field(default_factory=dict)


def read(corpus: Corpus, query: str, *, tenant: str) -> Reading:
    return Reading(query, query)


def read_again(reading: Reading, *, named: Sequence[Mapping[str, Any]], tenant: str) -> Reading:
    return reading


def judged(candidates: Sequence[Candidate], reading: Reading) -> Sequence[Candidate]:
    return candidates
