"""Documents from CSV or JSON Lines, and the passages of Markdown, text, HTML and PDF."""

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


UPSERT = SQL("""
    INSERT INTO knowledge.documents AS t (tenant, doc_id, title, content, source, version, position)
    SELECT %(tenant)s, r.doc_id, r.title, r.content, r.source, r.version, r.position
    FROM jsonb_to_recordset(%(rows)s) AS r (
        doc_id integer, title text, content text, source text, version text, position integer)
    ON CONFLICT (tenant, doc_id) DO UPDATE SET
        title = excluded.title, content = excluded.content, source = excluded.source, version = excluded.version,
        position = excluded.position, updated_at = now()
    WHERE (t.title, t.content, t.source, t.version, t.position)
        IS DISTINCT FROM (excluded.title, excluded.content, excluded.source, excluded.version, excluded.position)
    RETURNING (t.xmax = 0) AS inserted
""")

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
    upsert=UPSERT,
    table="knowledge.documents",
    after=OUTDATED,
    corpus="knowledge.documents",
    passages=True,
)
