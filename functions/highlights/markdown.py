"""Chunks as Markdown; pure."""

from collections.abc import Mapping, Sequence
from typing import Any

MOST_CHARACTERS = 60_000
"""Of passages in one collection: what a model can read at once without losing the rest of its task."""

Row = Mapping[str, Any]


def label(row: Row) -> str:
    """Title, author and place in one line."""
    author = f", {row['author']}" if row["author"] else ""
    place = f" ({row['chunk_index'] + 1} of {row['total_chunks']})" if row["total_chunks"] > 1 else ""
    return " ".join(f"{row['title']}{author}{place}".split())


def one_chunk(row: Row, *, previous: str | None, following: str | None) -> str:
    """The passage verbatim under its facts; ``previous`` and ``following`` are URIs."""
    facts = {
        "Author": row["author"],
        "Source": row["source"],
        "Category": row["category"],
        "Tags": ", ".join(row["tags"]),
        "Chunk": f"{row['chunk_index'] + 1} of {row['total_chunks']}" if row["total_chunks"] else None,
        "Marked": row["created_at"].date().isoformat(),
        "Id": f"`{row['chunk_id']}`",
        "Before": previous,
        "After": following,
    }
    lines = [f"- **{name}:** {value}" for name, value in facts.items() if value]
    return "\n".join([f"# {_line(row['title'])}", "", *lines, "", "---", "", row["full_content"], ""])


def collection(rows: Sequence[Row], *, facet: str, value: str, total: int, uris: Sequence[str]) -> str:
    """Passages verbatim, each under its label; says how many of ``total`` it leaves out."""
    sections: list[str] = []
    room = MOST_CHARACTERS
    for row, uri in zip(rows, uris, strict=True):
        room -= len(row["full_content"])
        if room < 0 and sections:
            break
        tags = f" · {', '.join(row['tags'])}" if row["tags"] else ""
        sections.append(
            f"## {label(row)}\n\n{row['created_at'].date().isoformat()} · {row['source']}{tags} · {uri}\n\n"
            f"{row['full_content']}\n"
        )
    heading = f"# Chunks by {facet}: {_line(value)}\n\n{total} chunk{'s' if total != 1 else ''}, newest first.\n"
    left = total - len(sections)
    argument = "tags" if facet == "tag" else facet
    rest = [f"Left out: the {left} oldest. search_semantic finds them with the filter `{argument}`.\n"]
    return "\n".join([heading, *sections, *(rest if left > 0 else [])])


def _line(text: str) -> str:
    return " ".join(text.split())
