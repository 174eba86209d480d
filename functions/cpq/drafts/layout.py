"""Lays out a letter's blocks: reads their Markdown into paragraphs of spans and tables, as Word and PDF set them."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Literal

from cpq.documents.content import FrozenModel
from cpq.drafts.blocks import Block, Grid, Note, Points, Prose, Title

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token
    from markdown_it.tree import SyntaxTreeNode

_MOST_LEVELS = 4


class Span(FrozenModel):
    text: str
    bold: bool = False
    italic: bool = False


ParagraphKind = Literal["paragraph", "heading", "bullet", "number", "note"]


class SetParagraph(FrozenModel):
    """A paragraph; ``level`` is that of a heading or the depth of a point, ``number`` that of a numbered point."""

    kind: ParagraphKind
    spans: list[Span]
    level: int = 1
    number: int = 0


class SetTable(FrozenModel):
    """A table; ``head`` may be empty, the last ``sums`` rows are totals, columns ``figures`` stand to the right."""

    kind: Literal["table"] = "table"
    head: list[list[Span]]
    rows: list[list[list[Span]]]
    figures: list[int]
    sums: int = 0


Setting = SetParagraph | SetTable


def laid_out(blocks: Sequence[Block]) -> Iterator[Setting]:
    for block in blocks:
        match block:
            case Prose():
                yield from _read(_tree(_parser().parse(block.text)))
            case Title():
                yield SetParagraph(kind="heading", spans=_spans(block.text), level=block.level)
            case Points():
                yield from (SetParagraph(kind="bullet", spans=_spans(item)) for item in block.items)
            case Note():
                yield SetParagraph(kind="note", spans=[Span(text=block.text)])
            case Grid():
                rows = [[_spans(cell) for cell in row] for row in block.rows]
                head = [_spans(cell) for cell in block.head]
                yield SetTable(head=head, rows=rows, figures=block.figures, sums=block.sums)


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # only Word and PDF need it

    return MarkdownIt("commonmark", {"html": False}).enable("table")


def _spans(text: str) -> list[Span]:
    return list(_inline(_tree(_parser().parseInline(text))))


def _tree(tokens: "Sequence[Token]") -> "Sequence[SyntaxTreeNode]":
    from markdown_it.tree import SyntaxTreeNode  # only Word and PDF need it

    return SyntaxTreeNode(tokens).children


def _inline(nodes: "Sequence[SyntaxTreeNode]", *, bold: bool = False, italic: bool = False) -> Iterator[Span]:
    for node in nodes:
        match node.type:
            case "softbreak":
                yield Span(text=" ", bold=bold, italic=italic)
            case "hardbreak":
                yield Span(text="\n")
            case _ if node.children:
                yield from _inline(
                    node.children, bold=bold or node.type == "strong", italic=italic or node.type == "em"
                )
            case _ if node.content:
                yield Span(text=node.content, bold=bold, italic=italic)


def _read(
    nodes: "Sequence[SyntaxTreeNode]", *, kind: ParagraphKind = "paragraph", number: int = 0, depth: int = 0
) -> Iterator[Setting]:
    """Yields tables, and paragraphs for all else: of that ``kind`` below ``depth`` lists."""
    for node in nodes:
        match node.type:
            case "heading":
                # One less than in Markdown, as with titles of the letter's own.
                level = min(max(int(node.tag[1]) - 1, 1), _MOST_LEVELS)
                yield SetParagraph(kind="heading", spans=list(_inline(node.children)), level=level)
            case "bullet_list":
                for item in node.children:
                    yield from _read(item.children, kind="bullet", depth=depth + 1)
            case "ordered_list":
                for place, item in enumerate(node.children, int(node.attrs.get("start", 1))):
                    yield from _read(item.children, kind="number", number=place, depth=depth + 1)
            case "table":
                head, *rows = [[list(_inline(cell.children)) for cell in row.children]
                               for part in node.children for row in part.children]  # fmt: skip
                yield SetTable(head=head, rows=rows, figures=[])
            case "fence" | "code_block":
                yield SetParagraph(kind="paragraph", spans=[Span(text=node.content.rstrip())])
            case "paragraph":
                yield SetParagraph(kind=kind, spans=list(_inline(node.children)), level=max(depth, 1), number=number)
            case _:
                yield from _read(node.children, depth=depth)
