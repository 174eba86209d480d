"""draft_get: a composed letter as text, in Word or as a PDF; the customer's copy once nothing is open."""

from dataclasses import replace
from pathlib import Path
from typing import Literal, Self

from pydantic import AwareDatetime, Field, model_validator

from cpq.documents import s3, typesetting
from cpq.documents.composition import foreign_terms, in_language
from cpq.documents.content import FrozenModel, Printed, Seller
from cpq.documents.queries import language_of_house
from cpq.documents.wording import file_name, untranslated
from cpq.drafts import markdown, stored
from cpq.drafts.blocks import Grid, Letter, Points, Title, View
from cpq.drafts.composing import composed
from cpq.drafts.layout import SetParagraph, SetTable, laid_out
from cpq.drafts.markdown import LetterCopy
from cpq.drafts.stored import StoredDraft
from cpq.drafts.value import DraftId, LetterArgs
from cpq.drafts.wording import LetterWording, wording_of
from quarry.data import database
from quarry.data.aws import reached
from quarry.data.database import Connection
from quarry.data.settings import settings
from quarry.tool.contract import MOST_WHOLE, LeanResult, ResourceLink, retrieval_tool
from quarry.tool.errors import Conflict, ToolError, Unavailable, ValidationFailed
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve

TOOL = retrieval_tool(
    "draft_get",
    title="Get a letter",
    toolset="cpq",
    description="""
        A letter as text, Word or PDF. The customer's copy is refused while a field is open, a preview is not; the
        internal one has notes and sources.
    """,
)

Format = Literal["markdown", "docx", "pdf"]
CONTENT_TYPES = {"docx": s3.WORD, "pdf": s3.PDF}


class DraftGetArgs(LetterArgs):
    draft_id: DraftId = Field(description="E.g. D-2026-0001.")
    version: int | None = Field(default=None, ge=1, le=MOST_WHOLE, description="Unset: the newest.")
    view: View = Field(default="internal", description="Unset: internal; page: alone.")
    format: Format = Field(default="markdown", description="Files come as links.")
    since: int | None = Field(default=None, ge=1, le=MOST_WHOLE, description="Version: only what differs.")
    arguments: bool = Field(default=False, description="Also what draft_compose was given.")

    @model_validator(mode="after")
    def a_file_is_whole(self) -> Self:
        if self.format != "markdown" and (self.view == "page" or self.since):
            raise ValueError("a page alone and what differs are Markdown: take another view for a file")
        return self


class DraftGetResult(LeanResult):
    """A letter, or a link to it."""

    draft_id: str = Field(description="Draft.")
    version: int = Field(description="Its version.")
    customer: str = Field(description="Whom it is for.")
    open: list[str] = Field(description="Open fields.")
    letter: str | None = Field(default=None, description="As Markdown.")
    download_url: str | None = Field(default=None, description="Opens for whoever has it.")
    expires_at: AwareDatetime | None = Field(default=None, description="Of the link.")
    arguments: dict[str, object] | None = Field(default=None, description="For another version.")
    withdrawn: str | None = Field(default=None, description="Why it is not to go out.")
    notice: str | None = Field(default=None, description="What changed since, or is missing.")


def run(args: DraftGetArgs, caller: Caller) -> DraftGetResult:
    with database.transaction(caller.tenant) as connection:
        draft = stored.read(connection, draft_id=args.draft_id, version=args.version)
        letter, changed = draft.composed, None
        if not draft.asked.withdrawn:
            letter, changed = _as_of_now(connection, draft, caller.tenant)
        earlier = stored.read(connection, draft_id=args.draft_id, version=args.since) if args.since else None
        own, _ = language_of_house(connection)
    if args.view in ("customer", "preview", "page") and draft.asked.withdrawn:
        raise Conflict(
            f"{draft.id} was withdrawn: {draft.asked.withdrawn} draft_compose with an empty withdrawn brings it back."
        )
    result = DraftGetResult(
        draft_id=draft.id,
        version=draft.version,
        customer=draft.customer,
        open=[each.field for each in letter.still_open],
        arguments=draft.content if args.arguments else None,
        withdrawn=draft.asked.withdrawn or None,
    )
    if args.view == "customer":
        by_version = args.version is not None and args.format != "markdown"
        kept_back = any(each.field.startswith("finding: ") for each in letter.still_open)
        if changed and by_version and not kept_back:
            as_it_was = {"notice": f"As it was printed, when its rows were others. {changed}"}
            if had := _linked(result.model_copy(update=as_it_was), draft, caller, args):
                return had
        _require_closed(draft, letter, changed, by_version=by_version)
    layout = typesetting.published()
    wording = wording_of(Path(settings().templates_dir) / "pdf", letter.language, letter.country)
    seller = in_language(layout.seller(caller.tenant), wording.labels, own=letter.language == own)
    is_read = args.format == "markdown" and args.view == "preview"
    copy = LetterCopy(
        letter=_with_terms(letter, seller, wording, whole=not is_read),
        view=args.view, name=draft.id, version=draft.version, seller=seller, wording=wording,
        layouts=layout.folder, house_file=layout.house_file(caller.tenant), at=draft.created_at,
    )  # fmt: skip
    foreign = foreign_terms(seller, letter.language) if letter.language != own and copy.letter != letter else []
    told = filter(None, (changed, layout.unheaded(caller.tenant), untranslated(foreign, letter.language)))
    result = result.model_copy(update={"notice": " ".join(told) or None})
    if args.format == "markdown":
        text = markdown.written(copy)
        if earlier:
            before = _with_terms(earlier.composed, seller, wording, whole=not is_read)
            text = "\n".join(markdown.differing(markdown.written(replace(copy, letter=before)), text))
        return result.model_copy(update={"letter": text})
    if args.format == "docx":
        from cpq.drafts import word  # python-docx is slow to import, and only a call for a Word file needs it

        content = word.WordWriter(copy).written()
    else:
        content = _printed(copy)
    return _linked(result, draft, caller, args, content=content) or result


def _as_of_now(connection: Connection, draft: StoredDraft, tenant: str) -> tuple[Letter, str | None]:
    """Returns the letter as today's rows make it, and a notice of open fields that changed. Where the customer would
    read something else, or it can no longer be composed, returns the stored letter and a notice that says so.
    """
    then = draft.composed
    try:
        now, _, _ = composed(connection, draft.asked, tenant)
    except ToolError as error:
        return then, f"Its rows have changed since: {error} Compose it again."
    now = now.model_copy(update={"date": then.date})
    if not now.same_for_customer(then):
        return then, f"Prices or facts have changed since version {draft.version} was composed: compose it again."
    before = {each.field: each.who for each in then.still_open}
    told = [f"{each.field}: {each.who}" for each in now.still_open if before.get(each.field) != each.who]
    return now, "; ".join(told) or None


def _with_terms(letter: Letter, seller: Seller, wording: LetterWording, *, whole: bool) -> Letter:
    """Appends the house's terms, except those that the letter has terms of its own for. Without ``whole``, only their
    titles are listed, because they are the same in every letter. A letter without a table offers nothing.
    """
    without = {"delivery": bool(letter.delivery), "signature": not letter.to_sign}
    terms = [term for term in seller.terms if term.about is None or not without[term.about]]
    if not terms or not any(isinstance(block, Grid) for block in (*letter.page, *letter.annex)):
        return letter
    title, named = wording.say("terms"), ", ".join(term.title for term in terms)
    told = [f"**{term.title}.** {term.text}" for term in terms]
    points = Points(items=told if whole else [wording.say("terms_whole", titles=named)])
    has_own = any(isinstance(each, Title) and each.text == title for each in letter.annex)
    return letter.model_copy(update={"annex": [*letter.annex, *([] if has_own else [Title(text=title)]), points]})


def _require_closed(draft: StoredDraft, letter: Letter, changed: str | None, *, by_version: bool) -> None:
    """Raises ValidationFailed that names each open field and who can close it, Conflict where rows have changed."""
    if letter.still_open:
        named = "; ".join(f"{each.field} ({each.who})" for each in letter.still_open)
        waits = [each.field for each in letter.still_open if not each.acceptable]
        told = ["Close them with draft_compose, or accept_open those that somebody tells later."]
        if waits:
            told = told if len(waits) < len(letter.still_open) else []
            told.append(f"No accept_open closes {', '.join(waits)}; until it is done, view preview may be read.")
        raise ValidationFailed(
            f"{draft.id} version {draft.version} has open fields: {named}. {' '.join(told)}",
            details={"open": [each.model_dump(exclude={"told", "accepted"}) for each in letter.still_open]},
        )
    if changed:
        had = "No such file was printed" if by_version else "What was printed is had by version and format"
        raise Conflict(f"{changed} {had}.")


def _linked(
    result: DraftGetResult, draft: StoredDraft, caller: Caller, args: DraftGetArgs, *, content: bytes | None = None
) -> DraftGetResult | None:
    """Links to the file, which is stored first; without ``content`` to what was stored before, if anything was."""
    bucket = settings().document_bucket
    if bucket is None:
        raise Unavailable("DOCUMENT_BUCKET is not set: name the bucket that keeps the documents.")
    kind, form = CONTENT_TYPES[args.format], args.format
    key = f"{caller.tenant}/drafts/{draft.id}/v{draft.version}/{args.view}.{form}"
    which = "" if args.view == "customer" else args.view
    name = file_name(draft.customer, quote_id=draft.id, version=draft.version, which=which, ending=form)
    seconds = settings().document_url_seconds
    with reached("document store"):
        labels = {"draft": draft.id, "version": str(draft.version)}
        if content is not None:
            s3.put(bucket, key, content, metadata=labels, content_type=kind)
        size = s3.size(bucket, key) if content is None else len(content)
        if size is None:
            return None
        url, expires_at = s3.link(bucket, key, file_name=name, seconds=seconds, content_type=kind)
    told = {"download_url": url, "expires_at": expires_at}
    title = f"Letter {draft.id}, version {draft.version}, {args.view} copy"
    return result.model_copy(update=told).with_links(
        ResourceLink(uri=url, name=name, title=title, mime_type=kind, size=size)
    )


class LetterPart(FrozenModel):
    name: str
    title: str
    blocks: list[SetParagraph | SetTable]


class PrintedLetter(Printed):
    """The JSON document that the layout letter.typ reads."""

    title: str
    addressee: list[str]
    date: str
    closing: list[str]
    parts: list[LetterPart]


def _printed(copy: LetterCopy) -> bytes:
    letter = copy.letter
    document = PrintedLetter(
        language=letter.language,
        country=letter.country,
        title=copy.title,
        seller=copy.seller,
        addressee=letter.addressee,
        date=letter.date,
        closing=copy.closing,
        parts=[
            LetterPart(name=part, title=title, blocks=list(laid_out(blocks))) for part, title, blocks in copy.parts()
        ],
    )
    return typesetting.typeset(document, template="letter", layouts=copy.layouts, at=copy.at)


handler = serve(TOOL, DraftGetArgs, run)
