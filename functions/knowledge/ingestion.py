"""Documents from CSV or JSON Lines."""

from psycopg.sql import SQL
from pydantic import Field

from quarry.ingestion import Kind, Row

LONGEST_CONTENT = 16_000
"""Characters: a page of list_documents fits into Lambda's 6 MB, and the embedding covers the whole text."""


class DocumentRow(Row):
    doc_id: int = Field(ge=0, le=999_999_999)
    title: str | None = Field(default=None, min_length=1, max_length=500)
    content: str = Field(min_length=1, max_length=LONGEST_CONTENT)


UPSERT = SQL("""
    INSERT INTO knowledge.documents AS t (tenant, doc_id, title, content)
    SELECT %(tenant)s, r.doc_id, r.title, r.content
    FROM jsonb_to_recordset(%(rows)s) AS r (doc_id integer, title text, content text)
    ON CONFLICT (tenant, doc_id) DO UPDATE SET
        title = excluded.title, content = excluded.content, updated_at = now()
    WHERE (t.title, t.content) IS DISTINCT FROM (excluded.title, excluded.content)
    RETURNING (t.xmax = 0) AS inserted
""")

DOCUMENTS = Kind(name="documents", row=DocumentRow, key=("doc_id",), upsert=UPSERT, corpus="knowledge.documents")
