"""A letter's blocks with their Markdown read: paragraphs of runs and tables, as Word and PDF set them."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict

from cpq.drafts.blocks import Block, Grid, Note, Points, Prose, Title

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_MOST_LEVELS = 4


class _Set(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Span(_Set):
    text: str
    bold: bool = False
    italic: bool = False


class SetParagraph(_Set):
    """``level`` is that of a heading, or how deep a point stands; ``number`` is that of a numbered one."""

    kind: Literal["paragraph", "heading", "bullet", "number", "note"]
    spans: list[Span]
    level: int = 1
    number: int = 0


class SetTable(_Set):
    """``head`` may be empty; the last ``sums`` rows are totals, ``figures`` columns stand to the right."""

    kind: Literal["table"] = "table"
    head: list[list[Span]]
    rows: list[list[list[Span]]]
    figures: list[int] = []
    sums: int = 0


Setting = SetParagraph | SetTable


def laid_out(blocks: Sequence[Block]) -> Iterator[Setting]:
    for block in blocks:
        match block:
            case Prose():
                yield from _read(block.text)
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
    return [span for token in _parser().parseInline(text) for span in _of_inline(token)]


def _of_inline(token: "Token") -> Iterator[Span]:
    bold = italic = 0
    for child in token.children or ():
        match child.type:
            case "strong_open" | "strong_close":
                bold += child.nesting
            case "em_open" | "em_close":
                italic += child.nesting
            case "softbreak":
                yield Span(text=" ", bold=bold > 0, italic=italic > 0)
            case "hardbreak":
                yield Span(text="\n")
            case _ if child.content:
                yield Span(text=child.content, bold=bold > 0, italic=italic > 0)


def _read(text: str) -> Iterator[Setting]:
    """Of a table the rows, of lists their points with number and depth, of all else paragraphs."""
    lists, table, row = list[int | None](), list[list[list[Span]]](), list[list[Span]]()
    heading, in_cell = 0, False
    for token in _parser().parse(text):
        match token.type:
            case "bullet_list_open":
                lists.append(None)
            case "ordered_list_open":
                lists.append(int(token.attrGet("start") or 1) - 1)
            case "list_item_open" if lists[-1] is not None:
                lists[-1] += 1
            case "bullet_list_close" | "ordered_list_close":
                lists.pop()
            case "heading_open":
                heading = min(int(token.tag[1]), _MOST_LEVELS)
            case "heading_close":
                heading = 0
            case "table_open":
                table = []
            case "tr_open":
                row = []
            case "th_open" | "td_open":
                in_cell = True
            case "th_close" | "td_close":
                in_cell = False
            case "tr_close":
                table.append(row)
            case "table_close":
                yield SetTable(head=table[0], rows=table[1:])
                table = []
            case "inline" if in_cell:
                row.append(list(_of_inline(token)))
            case "inline":
                spans = list(_of_inline(token))
                if heading:
                    yield SetParagraph(kind="heading", spans=spans, level=heading)
                elif lists:
                    number = lists[-1]
                    kind: Literal["bullet", "number"] = "bullet" if number is None else "number"
                    yield SetParagraph(kind=kind, spans=spans, level=len(lists), number=number or 0)
                else:
                    yield SetParagraph(kind="paragraph", spans=spans)
            case "fence" | "code_block":
                yield SetParagraph(kind="paragraph", spans=[Span(text=token.content.rstrip())])
