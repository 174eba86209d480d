"""load_undo: takes one load back."""

from typing import get_args

from pydantic import Field

from onboarding import queries
from onboarding.load_check import LoadedKind
from operations import ingest, undo
from quarry.tool.contract import MOST_WHOLE, Args, LeanResult, Tool
from quarry.tool.errors import NotFound, PermissionDenied
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve

TOOL = Tool(
    name="load_undo",
    title="Take a load back",
    description="Takes one load back: its new rows go, fields that it changed are as before. Newest first.",
    toolset="onboarding",
    read_only=False,
    destructive=True,
    idempotent=True,
    open_world=False,
)


class LoadUndoArgs(Args):
    load_id: int = Field(ge=1, le=MOST_WHOLE, description="From load or loads.")


class LoadUndoResult(LeanResult):
    load_id: int = Field(description="As given.")
    removed: int = Field(default=0, description="Rows that it had brought.")
    restored: int = Field(default=0, description="Rows that are as before.")
    kept: list[str] = Field(default=[], description="Rows that stay, inactive, because quotes rely on them.")
    notice: str | None = Field(default=None, description="What to know.")


def run(args: LoadUndoArgs, caller: Caller) -> LoadUndoResult:
    account = queries.one_load(caller.tenant, args.load_id)
    if account is None:
        raise NotFound(f"No load {args.load_id}: loads lists them.")
    if account["kind"] not in get_args(LoadedKind):
        raise PermissionDenied(f"A person loaded these {account['kind']}; only a person takes them back: make undo.")
    if account["undone_at"] is not None:
        return LoadUndoResult(load_id=args.load_id, notice=f"It was taken back on {account['undone_at']:%Y-%m-%d}.")
    undone = undo.undo(args.load_id, tenant=caller.tenant)
    ingest.start_embedding()
    return LoadUndoResult(
        load_id=args.load_id,
        removed=undone.removed,
        restored=undone.restored,
        kept=[f"{each['table']} {' '.join(map(str, each['key'].values()))}" for each in undone.kept],
        notice=f"Look at these quotes before they go out: {undone.quotes}." if undone.quotes else None,
    )


handler = serve(TOOL, LoadUndoArgs, run)
