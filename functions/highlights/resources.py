"""kxhub:// resources: one chunk, and the chunks of a source, an author or a tag, as Markdown from live data."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from highlights import queries
from highlights.queries import Facet
from quarry.tool.errors import NotFound
from quarry.tool.identity import Caller
from quarry.tool.resources import MOST_VALUES, LiveResource, serve_resources

MOST_CHARACTERS = 60_000
"""Most characters of passages in one collection: so much a model reads at once without losing its task."""

Row = Mapping[str, Any]


def label(row: Row) -> str:
    author = f", {row['author']}" if row["author"] else ""
    place = f" ({row['chunk_index'] + 1} of {row['total_chunks']})" if row["total_chunks"] > 1 else ""
    return " ".join(f"{row['title']}{author}{place}".split())


def one_chunk(row: Row, *, previous: str | None, following: str | None) -> str:
    """Writes the passage verbatim under its metadata; ``previous`` and ``following`` are URIs."""
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
    """Writes passages verbatim, each under its label, and how many of ``total`` are left out."""
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


MOST_IN_ONE = 100
"""Most chunks in one by-source, by-author or by-tag resource, which says how many it leaves out."""


def read_chunk(values: Mapping[str, str], caller: Caller) -> str:
    row = queries.chunk(caller.tenant, chunk_id=values["chunk_id"])
    if row is None:
        raise NotFound(f"No chunk '{values['chunk_id']}'. search_semantic and search_by_metadata give chunk ids.")
    previous, following = queries.neighbours(
        caller.tenant, parent_doc_id=row["parent_doc_id"], chunk_index=row["chunk_index"]
    )
    return one_chunk(
        row,
        previous=CHUNK.expand(chunk_id=previous) if previous else None,
        following=CHUNK.expand(chunk_id=following) if following else None,
    )


def read_facet(facet: Facet, values: Mapping[str, str], caller: Caller) -> str:
    [asked] = values.values()
    found = queries.one_value(caller.tenant, facet=facet, value=asked)
    if found is None:
        raise NotFound(queries.nobody_has(caller.tenant, facet=facet, value=asked))
    filters: Mapping[str, object] = {"tags": [asked]} if facet == "tag" else {facet: asked}
    rows = queries.newest(caller.tenant, filters=filters, limit=MOST_IN_ONE)
    uris = [CHUNK.expand(chunk_id=row["chunk_id"]) for row in rows]
    return collection(rows, facet=facet, value=found["value"], total=found["chunks"], uris=uris)


def complete_facet(facet: Facet, typed: str, caller: Caller) -> list[str]:
    return queries.matching_values(caller.tenant, facet=facet, typed=typed, limit=MOST_VALUES)


def complete_id(typed: str, caller: Caller) -> list[str]:
    return queries.matching_ids(caller.tenant, typed=typed, limit=MOST_VALUES)


def _by(facet: Facet, *, title: str, description: str) -> LiveResource:
    return LiveResource(
        uri_template=f"kxhub://chunks/by-{facet}/{{{facet}}}",
        name=f"chunks_by_{facet}",
        title=title,
        description=f"{description} Percent-encode the value (James%20Clear); case does not matter.",
        read=partial(read_facet, facet),
        complete={facet: partial(complete_facet, facet)},
    )


CHUNK = LiveResource(
    uri_template="kxhub://chunk/{chunk_id}",
    name="chunk",
    title="One chunk",
    description="A passage with its title, author, tags, place in the document and neighbours.",
    read=read_chunk,
    complete={"chunk_id": complete_id},
)
BY_FACET: dict[Facet, LiveResource] = {
    "source": _by("source", title="Chunks of a source", description="The newest passages collected from a source."),
    "author": _by("author", title="Chunks of an author", description="The newest passages by an author."),
    "tag": _by("tag", title="Chunks with a tag", description="The newest passages that carry a tag."),
}

RESOURCES = [CHUNK, *BY_FACET.values()]

handler = serve_resources("highlights", RESOURCES)
