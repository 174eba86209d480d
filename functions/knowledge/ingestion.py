"""Documents from CSV or JSON Lines, and the passages of Markdown, text, HTML, Word and PDF."""

from dataclasses import replace

from psycopg.sql import SQL, Literal
from pydantic import Field

from quarry.data import database
from quarry.ingestion import Kind, Row
from quarry.text import alike
from quarry.tool.contract import MOST_WHOLE
from quarry.tool.errors import NotFound

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

# Passages are numbered by a hash, which two of many thousand may share.
OF_ANOTHER_FILE = SQL("""
    SELECT (e.index - 1)::integer AS index,
        format('a passage of %%s has its number (%%s) by chance: rename the file', d.source, d.doc_id) AS reason
    FROM jsonb_array_elements(%(rows)s) WITH ORDINALITY AS e (value, index)
    JOIN knowledge.documents d ON d.tenant = %(tenant)s AND d.doc_id = (e.value ->> 'doc_id')::integer
    WHERE d.position IS NOT NULL AND d.source <> e.value ->> 'source'
""")

# A file by its name, whole, and a document that came as a row by its number.
NAMED = SQL("CASE WHEN d.position IS NULL OR d.source IS NULL THEN d.doc_id::text ELSE d.source END")
NAMES = SQL("SELECT DISTINCT {} AS name FROM knowledge.documents d WHERE d.tenant = %(tenant)s").format(NAMED)
TAKE_OUT = SQL("DELETE FROM knowledge.documents d WHERE d.tenant = %(tenant)s AND {} = {}")

DOCUMENTS = Kind(
    name="documents",
    row=DocumentRow,
    key=("doc_id",),
    table="knowledge.documents",
    missing=OF_ANOTHER_FILE,
    outdated=OUTDATED,
    corpus="knowledge.documents",
    passages=True,
)


def taking_out(document: str, *, tenant: str) -> Kind:
    """Returns the kind whose load without rows takes out that document. Raises NotFound."""
    names = [row["name"] for row in database.fetch(tenant, NAMES, {"tenant": tenant})]
    if document not in names:
        near = ", ".join(alike(document, names)) or "none"
        raise NotFound(f"No document '{document}'. Give a file's name as make ingests shows it; nearest: {near}.")
    # psycopg looks for placeholders in literals, too.
    return replace(DOCUMENTS, outdated=TAKE_OUT.format(NAMED, Literal(document.replace("%", "%%"))))
