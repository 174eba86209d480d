"""Highlights from JSON Lines or CSV of our own and from Readwise's export."""

from functools import cached_property
from typing import Annotated, Self

from psycopg.sql import SQL
from pydantic import ConfigDict, Field, model_validator

from highlights.entries import (
    Author,
    Chunk,
    Entry,
    EntryRow,
    Id,
    Moment,
    Name,
    Tags,
    Text,
    derived_id,
    distinct_tags,
    first_number,
    pieces_of_document,
    pieces_of_highlight,
)
from quarry.ingestion import Kind

LONGEST_CHUNK = 24_000
"""Characters of a chunk that comes ready made: what is embedded of a row."""

AS_WRITTEN = ("title", "author", "source", "category", "tags", "created_at", "updated_at")
"""Fields that an entry has of its row."""

Position = Annotated[int, Field(ge=0, le=1_000_000)]


class HighlightRow(EntryRow):
    """A chunk (with chunk_index and total_chunks), a highlight of a document (with parent_doc_id only) or a whole
    document (with neither), which is cut into chunks.
    """

    id: Id
    parent_doc_id: Id | None = None
    chunk_index: Position | None = None
    total_chunks: Position | None = None
    title: Name
    author: Author | None = None
    source: Name
    category: Name | None = None
    tags: Tags = Field(default=[])
    content: Text
    created_at: Moment | None = None
    updated_at: Moment | None = None

    @model_validator(mode="after")
    def positions_are_complete(self) -> Self:
        if (self.chunk_index is None) != (self.total_chunks is None):
            raise ValueError("chunk_index and total_chunks go together")
        if self.chunk_index is not None and self.total_chunks is not None:
            if self.parent_doc_id is None:
                raise ValueError("a chunk needs its parent_doc_id")
            if self.chunk_index >= self.total_chunks:
                raise ValueError("chunk_index counts from 0 and stays below total_chunks")
            if len(self.content) > LONGEST_CHUNK:
                raise ValueError(
                    f"a chunk has at most {LONGEST_CHUNK:,} characters; give the document, it is cut here"
                )
        return self

    @cached_property
    def entry(self) -> Entry:
        return Entry(
            entry_id=self.id,
            parent_doc_id=self.parent_doc_id or self.id,
            place=self.chunk_index or 0,
            chunks=self._chunks(),
            **{name: getattr(self, name) for name in AS_WRITTEN},
        )

    def _chunks(self) -> list[Chunk]:
        if self.chunk_index is not None:
            return [
                Chunk(
                    chunk_id=self.id,
                    piece=0,
                    content=self.content,
                    chunk_index=self.chunk_index,
                    total_chunks=self.total_chunks,
                )
            ]
        if self.parent_doc_id is None or self.parent_doc_id == self.id:
            return pieces_of_document(self.id, self.content)
        return pieces_of_highlight(self.id, self.content)


class StoredEntryRow(EntryRow):
    """An entry as an export has it."""

    id: Annotated[str, Field(min_length=1, max_length=500)]
    parent_doc_id: Annotated[str, Field(min_length=1, max_length=500)]
    place: int
    title: Name
    author: Author | None = None
    source: Name
    category: Name | None = None
    tags: Tags = Field(default=[])
    created_at: Moment
    updated_at: Moment
    chunks: Annotated[list[Chunk], Field(min_length=1)]

    @cached_property
    def entry(self) -> Entry:
        fields = {name: getattr(self, name) for name in type(self).model_fields if name != "id"}
        return Entry(entry_id=self.id, **fields)


class ReadwiseRow(EntryRow):
    """Columns under Readwise's own headings; others, which it may add any day, are not read."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    highlight: Text = Field(alias="Highlight")
    title: Name = Field(alias="Book Title")
    author: Author | None = Field(default=None, alias="Book Author")
    amazon_id: Name | None = Field(default=None, alias="Amazon Book ID")
    note: Text | None = Field(default=None, alias="Note")
    tags: Tags = Field(default=[], alias="Tags")
    location: Name | None = Field(default=None, alias="Location")
    highlighted_at: Moment | None = Field(default=None, alias="Highlighted at")
    document_tags: Tags = Field(default=[], alias="Document tags")

    @cached_property
    def entry(self) -> Entry:
        # The export has no ids: place and text together tell two highlights of one book apart.
        entry_id = derived_id("rw", self.title, self.author, self.location, self.highlight)
        text = f"{self.highlight.strip()}\n\nNote: {self.note.strip()}" if self.note else self.highlight
        return Entry(
            entry_id=entry_id,
            parent_doc_id=derived_id("rw", self.title, self.author),
            place=first_number(self.location or ""),
            title=self.title,
            author=self.author,
            source="kindle" if self.amazon_id else "readwise",
            category="books" if self.amazon_id else None,
            tags=distinct_tags([*self.tags, *self.document_tags]),
            created_at=self.highlighted_at,
            chunks=pieces_of_highlight(entry_id, text),
        )


# A piece without a number keeps the one it has while it stays where it is; else it gets 0 of 0, which NUMBER ends.
UPSERT = SQL("""
    WITH pieces AS MATERIALIZED (
        SELECT e.*, p.chunk_id, p.piece, p.content, p.chunk_index, p.total_chunks
        FROM jsonb_to_recordset(%(rows)s) AS e (
            entry_id text, parent_doc_id text, place bigint, title text, author text, source text, category text,
            tags text[], created_at timestamptz, updated_at timestamptz, chunks jsonb)
        CROSS JOIN LATERAL jsonb_to_recordset(e.chunks) AS p (
            chunk_id text, piece integer, content text, chunk_index integer, total_chunks integer)),
    gone AS (
        DELETE FROM highlights.chunks t
        WHERE t.tenant = %(tenant)s AND t.entry_id = ANY (ARRAY(SELECT entry_id FROM pieces))
          AND t.chunk_id <> ALL (ARRAY(SELECT chunk_id FROM pieces))
        RETURNING t.entry_id, false AS inserted),
    placed AS (
        SELECT p.*, held.created_at AS held_since,
               CASE WHEN p.total_chunks IS NULL AND held.place = p.place AND held.parent_doc_id = p.parent_doc_id
                         AND p.entry_id NOT IN (SELECT entry_id FROM gone)
                    THEN ARRAY[held.chunk_index, held.total_chunks]
                    ELSE ARRAY[coalesce(p.chunk_index, 0), coalesce(p.total_chunks, 0)] END AS numbers
        FROM pieces p
        LEFT JOIN highlights.chunks held ON held.tenant = %(tenant)s AND held.chunk_id = p.chunk_id),
    written AS (
        INSERT INTO highlights.chunks AS t (
            tenant, chunk_id, parent_doc_id, chunk_index, total_chunks, title, author, source, category, tags,
            content, entry_id, place, piece, created_at, updated_at)
        SELECT %(tenant)s, p.chunk_id, p.parent_doc_id, p.numbers[1], p.numbers[2], p.title, p.author, p.source,
            p.category, p.tags, p.content, p.entry_id, p.place, p.piece,
            coalesce(p.created_at, p.held_since, now()), coalesce(p.updated_at, now())
        FROM placed p
        ON CONFLICT (tenant, chunk_id) DO UPDATE SET
            parent_doc_id = excluded.parent_doc_id, chunk_index = excluded.chunk_index,
            total_chunks = excluded.total_chunks, title = excluded.title, author = excluded.author,
            source = excluded.source, category = excluded.category, tags = excluded.tags,
            content = excluded.content, entry_id = excluded.entry_id, place = excluded.place,
            piece = excluded.piece, created_at = excluded.created_at, updated_at = excluded.updated_at
        WHERE (t.parent_doc_id, t.chunk_index, t.total_chunks, t.title, t.author, t.source, t.category, t.tags,
               t.content, t.entry_id, t.place, t.piece, t.created_at)
            IS DISTINCT FROM
              (excluded.parent_doc_id, excluded.chunk_index, excluded.total_chunks, excluded.title,
               excluded.author, excluded.source, excluded.category, excluded.tags, excluded.content,
               excluded.entry_id, excluded.place, excluded.piece, excluded.created_at)
        RETURNING t.entry_id, t.xmax = 0 AS inserted)
    SELECT bool_and(inserted) AS inserted FROM (SELECT * FROM written UNION ALL SELECT * FROM gone) AS changed
    GROUP BY entry_id
""")

NUMBER = SQL("""
    UPDATE highlights.chunks t SET chunk_index = n.chunk_index, total_chunks = n.total_chunks
    FROM (
        SELECT c.id, count(*) OVER (PARTITION BY c.parent_doc_id) AS total_chunks,
               row_number() OVER (
                   PARTITION BY c.parent_doc_id ORDER BY c.place, c.created_at, c.entry_id, c.piece
               ) - 1 AS chunk_index
        FROM highlights.chunks c
        WHERE c.tenant = %(tenant)s AND c.parent_doc_id IN (
            SELECT u.parent_doc_id FROM highlights.chunks u
            WHERE u.tenant = %(tenant)s AND u.total_chunks = 0)) AS n
    WHERE t.id = n.id AND (t.chunk_index, t.total_chunks) <> (n.chunk_index, n.total_chunks)
""")


def _kind(name: str, row: type[EntryRow], *, stored: SQL | None = None) -> Kind:
    return Kind(
        name=name,
        row=row,
        key=("entry_id",),
        upsert=UPSERT,
        by_field=False,
        table="highlights.chunks",
        stored=stored,
        replaceable=False,
        exported=stored is not None,
        after=NUMBER,
        corpus="highlights.chunks",
    )


# Whole entries, cut as they are held, whatever kind of file they came from.
STORED = SQL("""
    SELECT jsonb_build_object(
        'id', c.entry_id, 'entry_id', c.entry_id, 'parent_doc_id', c.parent_doc_id, 'place', c.place,
        'title', c.title, 'author', c.author, 'source', c.source, 'category', c.category, 'tags', c.tags,
        'created_at', c.created_at, 'updated_at', max(c.updated_at),
        'chunks', jsonb_agg(jsonb_build_object(
            'chunk_id', c.chunk_id, 'piece', c.piece, 'content', c.content, 'chunk_index', c.chunk_index,
            'total_chunks', c.total_chunks) ORDER BY c.piece)) AS content
    FROM highlights.chunks c WHERE c.tenant = %(tenant)s
    GROUP BY c.entry_id, c.parent_doc_id, c.place, c.title, c.author, c.source, c.category, c.tags, c.created_at
    ORDER BY c.entry_id
""")

HIGHLIGHT_ENTRIES = _kind("highlight_entries", StoredEntryRow, stored=STORED)
HIGHLIGHTS = _kind("highlights", HighlightRow)
READWISE = _kind("readwise", ReadwiseRow)
