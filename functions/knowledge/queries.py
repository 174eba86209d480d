"""All SQL of the knowledge toolset, and the document as its tools return it."""

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter

from psycopg.rows import DictRow
from psycopg.sql import SQL
from pydantic import Field

from quarry.data import database
from quarry.ingestion import LEVEL
from quarry.retrieval.corpus import Corpus
from quarry.tool.contract import Part


class Document(Part):
    doc_id: int = Field(description="The document's number: cite it.")
    title: str | None = Field(description="Title, where the document has one.")
    source: str | None = Field(description="The file or place it is from, where known: it may tell its date.")
    content: str = Field(description="The whole text, verbatim.")


DOCUMENTS = Corpus(
    schema="knowledge",
    table="documents",
    columns=SQL("d.doc_id, d.title, d.source, d.content"),
    # A question and the sentence that answers it may share little: 'biggest customer relationship' has a cosine of
    # 0.23 with the document that names the largest customer, below the noise of longer texts.
    gated=False,
)

# Whole documents, and files that were cut into passages, ordered by their lowest number.
PAGE = SQL("""
    WITH wholes AS (
        SELECT CASE WHEN position IS NULL OR source IS NULL THEN doc_id::text ELSE '/' || source END AS whole,
               min(doc_id) AS least, sum(length(content)) AS characters
        FROM knowledge.documents WHERE tenant = %(tenant)s
        GROUP BY 1 HAVING min(doc_id) > %(after)s
        ORDER BY least LIMIT %(most)s),
    fitting AS (
        SELECT whole, least, sum(characters) OVER (ORDER BY least) - characters <= %(characters)s AS fits FROM wholes)
    SELECT f.least, starts_with(f.whole, '/') AS cut, d.doc_id, d.title, d.source,
           CASE WHEN f.fits THEN d.content END AS content
    FROM fitting f
    JOIN knowledge.documents d ON d.tenant = %(tenant)s
        AND CASE WHEN d.position IS NULL OR d.source IS NULL THEN d.doc_id::text ELSE '/' || d.source END = f.whole
    ORDER BY f.least, d.position, d.doc_id
""")

MOST_CHARACTERS = 4_000_000
"""Most characters in a page of documents, which has at least one; a function may answer with little more."""


class WholeDocument(Document):
    passages: list[int] = Field(
        description="Numbers under which search finds the passages of a file that was cut; empty: it is one."
    )


def page(
    tenant: str, *, after: int, most: int, characters: int = MOST_CHARACTERS
) -> tuple[list[WholeDocument], bool]:
    """Returns the documents with numbers above ``after``, in order, and whether more follow."""
    rows = database.fetch(tenant, PAGE, {"after": after, "most": most + 1, "characters": characters})
    wholes = [list(group) for _, group in groupby(rows, key=itemgetter("least"))]
    shown = [group for group in wholes[:most] if group[0]["content"] is not None]
    return [_whole(group) for group in shown], len(shown) < len(wholes)


def _whole(rows: Sequence[DictRow]) -> WholeDocument:
    """Joins a file's passages again, each heading above the first passage that stands under it."""
    first = rows[0]
    if not first["cut"]:
        return WholeDocument(**{name: first[name] for name in Document.model_fields}, passages=[])
    name, *_ = (first["title"] or "").split(LEVEL)
    parts, above = list[str](), list[str]()
    for row in rows:
        headings = (row["title"] or "").split(LEVEL)[1:]
        new = next((n for n, pair in enumerate(zip(headings, above, strict=False)) if pair[0] != pair[1]), len(above))
        parts += [f"{'#' * level} {heading}" for level, heading in enumerate(headings, start=1) if level > new]
        parts.append(row["content"])
        above = headings
    return WholeDocument(
        doc_id=first["least"],
        title=name or None,
        source=first["source"],
        content="\n\n".join(parts),
        passages=[row["doc_id"] for row in rows],
    )
