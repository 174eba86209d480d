"""A judged collection, which is a folder of three files, and measures of a ranking by its judgements."""

import hashlib
import json
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

LONGEST_TITLE = 500
LONGEST_ATTRIBUTES = 300


@dataclass(frozen=True, slots=True)
class Query:
    """``grades`` by document id; only positive ones, a document that is not in it is taken as irrelevant."""

    id: str
    text: str
    grades: dict[str, float]


@dataclass(frozen=True, slots=True)
class Collection:
    folder: Path

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def tenant(self) -> str:
        """The scratch tenant of this content; another corpus.jsonl gets another one."""
        digest = hashlib.sha256((self.folder / "corpus.jsonl").read_bytes()).hexdigest()
        return f"eval-{digest[:12]}"

    def rows(self) -> Iterator[dict[str, Any]]:
        """The documents as rows of the kind past_quotes: its title, attributes and body are the corpus's.

        Other fields than id, title and text are attributes: found by text as such.
        """
        for document in _json_lines(self.folder / "corpus.jsonl"):
            title = str(document.get("title") or "")
            text = str(document.get("text") or "") or title or "-"
            others = [_plain(value) for name, value in document.items() if name not in ("id", "title", "text")]
            yield {
                "quote_number": str(document["id"]),
                "customer": " ".join(filter(None, others))[:LONGEST_ATTRIBUTES] or "-",
                "quote_date": "2000-01-01",
                "project": title[:LONGEST_TITLE] or "-",
                "summary": text,
                "status": "open",
                "currency": "USD",
            }

    def queries(self) -> list[Query]:
        """The queries that have a relevant document."""
        grades: dict[str, dict[str, float]] = defaultdict(dict)
        for line in (self.folder / "qrels.tsv").read_text("utf-8").splitlines():
            query, document, grade = line.split("\t")[:3]
            try:
                value = float(grade)
            except ValueError:
                continue  # a header line
            if value > 0:
                grades[query][document] = value
        queries = _json_lines(self.folder / "queries.jsonl")
        return [
            Query(str(query["id"]), str(query["text"]), grades[str(query["id"])])
            for query in queries
            if str(query["id"]) in grades
        ]


def _plain(value: object) -> str:
    """An attribute in words: lists and objects by their values."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return " ".join(filter(None, map(_plain, value)))
    return str(value) if isinstance(value, str | int | float) else ""


def _json_lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            if line.strip():
                yield json.loads(line)


DEPTH = 10


def ndcg(ranking: Sequence[str], grades: Mapping[str, float], *, depth: int = DEPTH) -> float:
    """Normalised discounted cumulative gain, with linear gain; what nobody judged counts as irrelevant."""
    gained = sum(grades.get(item, 0.0) / math.log2(place + 2) for place, item in enumerate(ranking[:depth]))
    best = sorted(grades.values(), reverse=True)[:depth]
    ideal = sum(grade / math.log2(place + 2) for place, grade in enumerate(best))
    return gained / ideal if ideal else 0.0


def recall(ranking: Sequence[str], grades: Mapping[str, float]) -> float:
    return len(set(ranking[:DEPTH]) & set(grades)) / len(grades) if grades else 0.0


def reciprocal_rank(ranking: Sequence[str], grades: Mapping[str, float]) -> float:
    return next((1 / place for place, item in enumerate(ranking[:DEPTH], start=1) if item in grades), 0.0)


def percentile(values: Sequence[float], share: float) -> float:
    """Percentile by nearest rank; ``share`` is in [0, 1]."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, math.ceil(share * len(ordered)) - 1))]


def mean(values: Sequence[float]) -> float:
    return fmean(values) if values else 0.0
