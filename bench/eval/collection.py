"""A judged collection: corpus.jsonl, queries.jsonl, qrels.tsv in one folder."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
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
        """A scratch tenant of its own for this very content."""
        digest = hashlib.sha256((self.folder / "corpus.jsonl").read_bytes()).hexdigest()
        return f"eval-{digest[:12]}"

    def rows(self) -> Iterator[dict[str, Any]]:
        """The documents as rows of the kind past_quotes: its title, attributes and body are the corpus's."""
        for document in _json_lines(self.folder / "corpus.jsonl"):
            title = str(document.get("title") or "")
            text = str(document.get("text") or "") or title or "-"
            others = [
                str(value)
                for name, value in document.items()
                if name not in ("id", "title", "text") and isinstance(value, str | int | float)
            ]
            yield {
                "quote_number": str(document["id"]),
                "customer": " ".join(others)[:LONGEST_ATTRIBUTES] or "-",
                "quote_date": "2000-01-01",
                "project": title[:LONGEST_TITLE] or "-",
                "summary": text,
                "status": "open",
            }

    def queries(self) -> list[Query]:
        """Those that have a relevant document."""
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


def _json_lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            if line.strip():
                yield json.loads(line)
