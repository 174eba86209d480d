"""All SQL of the knowledge toolset, and the document as its tools return it."""

from psycopg.sql import SQL
from pydantic import Field

from quarry.data import database
from quarry.retrieval import Corpus
from quarry.tool.contract import Part


class Document(Part):
    doc_id: int = Field(description="The document's number: cite it.")
    title: str | None = Field(description="Title, where the document has one.")
    content: str = Field(description="The whole text, verbatim.")


DOCUMENTS = Corpus(
    schema="knowledge",
    table="documents",
    columns=SQL("d.doc_id, d.title, d.content"),
    condition=SQL("true"),
    document=SQL("knowledge.searchable(d)"),
    # A question and the sentence that answers it may share little: 'biggest customer relationship' has a cosine of
    # 0.23 with the document that names the largest customer, below the noise of longer texts.
    gated=False,
)

PAGE = SQL("""
    SELECT doc_id, title, content FROM knowledge.documents
    WHERE tenant = %(tenant)s AND doc_id > %(after)s
    ORDER BY doc_id LIMIT %(most)s
""")


def page(tenant: str, *, after: int, most: int) -> list[Document]:
    """Documents whose number is above ``after``, in order."""
    rows = database.fetch(tenant, PAGE, {"tenant": tenant, "after": after, "most": most})
    return [Document.model_validate(row) for row in rows]
