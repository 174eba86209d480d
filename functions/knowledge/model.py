"""The document as the knowledge tools return it."""

from pydantic import Field

from quarry.tool.contract import Part


class Document(Part):
    doc_id: int = Field(description="The document's number: cite it.")
    title: str | None = Field(description="Title, where the document has one.")
    content: str = Field(description="The whole text, verbatim.")
