"""quote_pdf: a priced quote as a document for the customer, kept in S3 and linked to."""

from pydantic import AwareDatetime, Field

from cpq.documents import printing, queries, s3, typesetting
from cpq.documents.composition import Edition, left_over
from cpq.documents.content import Template, Watermark
from cpq.documents.printing import edition_of
from cpq.documents.queries import StoredDocument
from cpq.documents.typesetting import Layouts
from cpq.documents.wording import NO_LABELS, DocumentLabels, english_words, file_name, untranslated
from cpq.model import ThisQuote
from cpq.pricing.outdated import outdated
from cpq.pricing.queries import quoted
from cpq.quotes.queries import newest_ids
from quarry.data import database
from quarry.data.aws import reached
from quarry.data.settings import settings
from quarry.text import alike
from quarry.tool.contract import Args, ResourceLink, Result, Tool
from quarry.tool.errors import Conflict, NotFound, Unavailable
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve

TOOL = Tool(
    name="quote_pdf",
    title="Print a quote",
    toolset="cpq",
    description=(
        "A priced quote's current version as a PDF: link, resource_link and checksum. While it needs approval it is "
        "marked DRAFT. Internal notes, margins and policies are never printed."
    ),
    read_only=False,
    destructive=False,
    idempotent=True,
    open_world=False,
)


class QuotePdfArgs(Args):
    quote_id: ThisQuote
    template: Template = Field(
        default="standard",
        description="standard: all; executive: one page of key figures; detailed: with configuration, line notes and "
        "list prices; renewal: before and now.",
    )
    include_pricing_trace: bool = Field(default=False, description="How each line was priced, too.")
    watermark: Watermark | None = Field(default=None, description="Across every page; APPROVED only once it is.")


class QuotePdfResult(Result):
    quote_id: str = Field(description="Quote id.")
    version: int = Field(description="Version that is printed.")
    pdf_generated: bool = Field(description="True: the document is in the store.")
    file_path: str = Field(description="Where it is kept, as s3://bucket/key.")
    file_size_bytes: int = Field(description="Size of the file.")
    checksum: str = Field(description="sha256: and the digest of the file, in hexadecimal.")
    template_used: Template = Field(description="Layout it was made with.")
    notice: str | None = Field(description="What is missing or not in the customer's language.")
    watermark: Watermark | None = Field(description="Printed across it; DRAFT also while approval is missing.")
    generated_at: AwareDatetime = Field(description="When it was first made.")
    download_url: str = Field(description="Link for a person or a program; whoever has it can read the document.")
    expires_at: AwareDatetime = Field(description="Until when the link works; call again for a new one.")


def run(args: QuotePdfArgs, caller: Caller) -> QuotePdfResult:
    bucket = settings().document_bucket
    if bucket is None:
        raise Unavailable("DOCUMENT_BUCKET is not set: name the bucket that keeps the documents.")
    layout = typesetting.published()
    letterhead = layout.letterhead(caller.tenant)
    with database.transaction(caller.tenant) as connection:
        version = queries.current(connection, quote_id=args.quote_id)
        if version is None:
            near = alike(args.quote_id, newest_ids(connection))
            hint = f"Nearest: {', '.join(near)}." if near else "account_search tells a customer's."
            raise NotFound(f"No quote '{args.quote_id}'. {hint}", details={"nearest": near})
        edition = edition_of(
            connection,
            version,
            template=args.template,
            watermark=args.watermark,
            with_trace=args.include_pricing_trace,
            letterhead=letterhead,
            layouts=layout.folder,
        )
        quote = quoted(connection, quote_id=version.quote_id, version=version.version)
        if (old := outdated(connection, version, quote=quote)) is not None:
            raise Conflict(f"{version.name} is not printed. {old}")
        # A quote that was sent keeps the letterhead that the customer has.
        was_sent = version.status == "sent"
        stored = queries.stored(connection, options=edition.options, in_any_letterhead=was_sent, **edition.names)
    with reached("document store"):
        if stored is None or s3.size(stored.bucket, stored.key) is None:
            stored = printing.make(edition, caller, layout=layout, bucket=bucket)
        foreign = _in_another_language(edition, layout, tenant=caller.tenant)
        told = filter(None, (layout.unheaded(caller.tenant), foreign))
        return _answer(edition, stored, notice=" ".join(told) or None)


def _answer(edition: Edition, stored: StoredDocument, *, notice: str | None) -> QuotePdfResult:
    version, seconds = edition.quote.version, settings().document_url_seconds
    name = file_name(version.account["name"], quote_id=version.quote_id, version=version.version)
    url, expires_at = s3.link(stored.bucket, stored.key, file_name=name, seconds=seconds)
    result = QuotePdfResult(
        quote_id=version.quote_id,
        version=version.version,
        pdf_generated=True,
        file_path=f"s3://{stored.bucket}/{stored.key}",
        file_size_bytes=stored.bytes,
        checksum=f"sha256:{stored.sha256}",
        template_used=edition.template,
        notice=notice,
        watermark=edition.watermark,
        generated_at=stored.generated_at,
        download_url=url,
        expires_at=expires_at,
    )
    title = f"Quotation {version.quote_id}, version {version.version}, for {version.account['name']}"
    return result.with_links(
        ResourceLink(uri=url, name=name, title=title, mime_type="application/pdf", size=stored.bytes)
    )


def _in_another_language(edition: Edition, layout: Layouts, *, tenant: str) -> str | None:
    language, asked = edition.language, edition.quote.version.account.get("language")
    if asked not in (None, language):
        return f"In {language}: there are no labels in {asked}, the customer's language; {asked}.toml adds them."
    if edition.lacks:
        return NO_LABELS.format(edition.lacks)
    left = left_over(edition, layout.seller(tenant), DocumentLabels.read(layout.folder, language))
    return untranslated([*english_words(layout.folder, language, "composed", "text"), *left], language)


handler = serve(TOOL, QuotePdfArgs, run)
