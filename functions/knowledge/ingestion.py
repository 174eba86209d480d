"""Documents from CSV or JSON Lines, and the passages of Markdown, text, HTML, Word and PDF."""

from psycopg.sql import SQL
from pydantic import Field

from quarry.ingestion import Kind, Row
from quarry.tool.contract import MOST_WHOLE

LONGEST_CONTENT = 16_000
"""Characters: a page of list_documents fits into Lambda's 6 MB, and the embedding covers the whole text."""


class DocumentRow(Row):
    doc_id: int = Field(ge=0, le=999_999_999)
    title: str | None = Field(default=None, min_length=1, max_length=500)
    content: str = Field(min_length=1, max_length=LONGEST_CONTENT)
    source: str | None = Field(default=None, min_length=1, max_length=1000)
    version: str | None = Field(default=None, min_length=1, max_length=100)
    position: int | None = Field(default=None, ge=0, le=MOST_WHOLE)


# Passages that the newest state of their file has no more.
OUTDATED = SQL("""
    DELETE FROM knowledge.documents d USING (
        SELECT DISTINCT ON (source) source, version FROM knowledge.documents
        WHERE tenant = %(tenant)s AND source IS NOT NULL AND version IS NOT NULL
        ORDER BY source, updated_at DESC, id DESC) AS newest
    WHERE d.tenant = %(tenant)s AND d.source = newest.source AND d.version <> newest.version
""")

DOCUMENTS = Kind(
    name="documents",
    row=DocumentRow,
    key=("doc_id",),
    table="knowledge.documents",
    after=OUTDATED,
    corpus="knowledge.documents",
    passages=True,
)
