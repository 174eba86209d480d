"""draft_compose: a letter from the page of its writer and what the rows say; kept as a draft, in versions."""

from pydantic import Field

from cpq import idempotency
from cpq.drafts import markdown, stored
from cpq.drafts.blocks import Letter
from cpq.drafts.checking import first
from cpq.drafts.composing import composed
from cpq.drafts.stored import StoredDraft
from cpq.drafts.value import MOST_CHANGES, ChangeArgs, DraftArgs, DraftId, changed, texts_of
from cpq.model import IdempotencyKey
from quarry.data import database
from quarry.data.database import Connection
from quarry.tool.contract import MOST_WHOLE, LeanResult, Part, Tool
from quarry.tool.errors import Conflict, ValidationFailed
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve

TOOL = Tool(
    name="draft_compose",
    title="Compose a letter",
    toolset="cpq",
    description=(
        "Keeps a quote letter: your page and, by id, tables, totals, proven words, compliance. "
        "With draft_id a new version: send what changes."
    ),
    read_only=False,
    destructive=False,
    idempotent=False,
    open_world=False,
)
MOST_CHANGED = 12
WITHDRAWING = frozenset(("draft_id", "withdrawn", "expected_version", "idempotency_key"))
"""Arguments that a call may have which withdraws a letter."""


class DraftComposeArgs(DraftArgs):
    draft_id: DraftId | None = Field(default=None, description="Unset: a new one.")
    changes: list[ChangeArgs] = Field(
        default=[],
        max_length=MOST_CHANGES,
        description="By path.",
    )
    expected_version: int | None = Field(default=None, ge=1, le=MOST_WHOLE, description="As read.")
    idempotency_key: IdempotencyKey = None


class OpenField(Part):
    field: str = Field(description="Name for accept_open.")
    who: str = Field(description="Who or what closes it.")
    acceptable: bool = Field(default=True, description="False: accept_open cannot close it.")


class DraftFinding(Part):
    verdict: str = Field(description="As check_draft's.")
    line: int = Field(description="Of the page, from 1.")
    text: str = Field(description="As typed.")
    do: str = Field(description="What to do.")


class DraftComposeResult(LeanResult):
    """The version that was stored, and what is left to do."""

    draft_id: str = Field(description="For draft_get.")
    version: int = Field(description="Its version.")
    open: list[OpenField] = Field(description="What keeps the customer's copy back.")
    findings: list[DraftFinding] = Field(description="Typed without a source, the gravest first.")
    more: int | None = Field(default=None, description="Further findings.")
    words: int = Field(description="Page less tables.")
    net: str | None = Field(default=None, description="Total before tax.")
    notice: str | None = Field(default=None, description="What has no label.")
    changed: list[str] = Field(default=[], description="New lines, but for texts sent whole.")


def run(args: DraftComposeArgs, caller: Caller) -> DraftComposeResult:
    with database.transaction(caller.tenant) as connection:
        return idempotency.once(
            connection,
            tool=TOOL.name,
            key=args.idempotency_key,
            args=args,
            answer=DraftComposeResult,
            write=lambda: _write(connection, args, caller),
        )


def _write(connection: Connection, args: DraftComposeArgs, caller: Caller) -> DraftComposeResult:
    before = stored.read(connection, draft_id=args.draft_id) if args.draft_id else None
    if before and args.expected_version not in (None, before.version):
        raise Conflict(
            f"{before.id} is at version {before.version}, not {args.expected_version}: somebody changed it. Read it "
            "with draft_get, then try again.",
            details={"current_version": before.version},
        )
    content = changed((before.asked if before else DraftArgs()).changed_by(args), args.changes)
    if before and content.withdrawn and not before.asked.withdrawn:
        if also := args.model_fields_set - WITHDRAWING:
            raise ValidationFailed(f"Send withdrawn without {', '.join(sorted(also))}; it is withdrawn as it is.")
        # A letter that nobody is to get needs no prices of today, so it is not composed again, whatever its rows say.
        asked, letter = before.asked.model_copy(update={"withdrawn": content.withdrawn}), before.composed
        draft_id, version = stored.write(
            connection, asked, letter, before=before, customer=before.customer, caller=caller
        )
        return DraftComposeResult(draft_id=draft_id, version=version, open=[], findings=[], words=letter.words)
    accepted = frozenset(each.field for each in args.accept_open)
    letter, remarks, composer = composed(connection, content, caller.tenant, accepted=accepted)
    draft_id, version = stored.write(
        connection, content, letter, before=before, customer=composer.grounds.customer, caller=caller
    )
    told, more = first(remarks)
    return DraftComposeResult(
        draft_id=draft_id,
        version=version,
        open=[OpenField(field=each.field, who=each.who, acceptable=each.acceptable) for each in letter.still_open],
        findings=[
            DraftFinding(verdict=each.verdict, line=each.line, text=each.text[:240], do=each.remedy[:240])
            for each in told
        ],
        more=more or None,
        words=letter.words,
        net=composer.net_told or None,
        notice=composer.notice(letter),
        changed=_changed(before, args, letter) if before else [],
    )


def _changed(before: StoredDraft, args: DraftComposeArgs, letter: Letter) -> list[str]:
    """Returns the letter's new lines except those of texts that the call has whole, so that the caller need not read
    the letter again.
    """
    known = (args,) if args.changes else (args, before.asked)
    typed = {line.strip() for one in known for _, text in texts_of(one) for line in text.split("\n")}
    then, now = (markdown.body([*one.page, *one.annex]) for one in (before.composed, letter))
    other = [line for line in markdown.differing(then, now) if line[1:].strip() not in typed]
    new = [line[1:] for line in other if line.startswith("+")]
    if not new:
        return ["lines that went"] if other else ["nothing else"]
    more = len(new) - MOST_CHANGED
    return [*new[:MOST_CHANGED], *([f"… {more} more: draft_get since {before.version}"] if more > 0 else [])]


handler = serve(TOOL, DraftComposeArgs, run)
