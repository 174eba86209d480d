"""A letter as a PDF, by the layout letter.typ."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from cpq.documents import typesetting
from cpq.documents.content import Seller
from cpq.drafts.layout import SetParagraph, SetTable, laid_out
from cpq.drafts.markdown import SHEET, LetterCopy
from cpq.model import Language

TEMPLATE = "letter"


class LetterPart(BaseModel):
    model_config = ConfigDict(frozen=True)

    name: Literal["page", "annex", "sheet"]
    title: str
    blocks: list[SetParagraph | SetTable]


class PrintedLetter(BaseModel):
    """What letter.typ gets as JSON."""

    model_config = ConfigDict(frozen=True)

    language: Language
    title: str
    seller: Seller
    addressee: list[str]
    date: str
    closing: list[str]
    parts: list[LetterPart]


def written(copy: LetterCopy) -> bytes:
    wording, letter = copy.wording, copy.letter
    titles = {"annex": wording.say("annex"), "sheet": SHEET}
    document = PrintedLetter(
        language=letter.language,
        title=copy.title,
        seller=copy.seller,
        addressee=letter.addressee,
        date=letter.date,
        closing=copy.closing,
        parts=[
            LetterPart.model_validate({"name": part, "title": titles.get(part, ""), "blocks": list(laid_out(blocks))})
            for part, blocks in letter.parts(copy.view)
        ],
    )
    return typesetting.typeset(document, template=TEMPLATE, layouts=copy.layouts, at=copy.at)
