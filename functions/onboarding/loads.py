"""loads: what was loaded, by this toolset or by people."""

from datetime import datetime
from typing import Any

from pydantic import Field

from onboarding.load_check import WouldBe, counted
from operations import undo
from quarry.tool.contract import MOST_WHOLE, Args, LeanResult, Part, retrieval_tool
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve

TOOL = retrieval_tool(
    "loads",
    title="What was loaded",
    toolset="onboarding",
    description="What was loaded into this tenant, by agents or people: newest first, with counts and state.",
)


class LoadsArgs(Args):
    limit: int = Field(default=20, ge=1, le=100, description="Most of a page.")
    before: int | None = Field(default=None, ge=1, le=MOST_WHOLE, description="Only older ones: next_before.")


class Load(Part):
    load_id: int = Field(description="For load_undo.")
    kind: str = Field(description="Kind of data.")
    file: str = Field(description="Its name.")
    at: datetime = Field(description="When it began.")
    state: str = Field(description="loaded, goes on, taken out, undone, or stopped and why.")
    rows: WouldBe = Field(description="Counts.")
    can_be_undone: bool = Field(default=False, description="Whether load_undo still can.")


class LoadsResult(LeanResult):
    loads: list[Load] = Field(description="The newest first.")
    next_before: int | None = Field(default=None, description="For the rest; absent: that was all.")


def run(args: LoadsArgs, caller: Caller) -> LoadsResult:
    found = undo.ingests(caller.tenant, before=args.before, most=args.limit + 1)
    shown = [_load(row) for row in found[: args.limit]]
    return LoadsResult(loads=shown, next_before=shown[-1].load_id if len(found) > args.limit else None)


def _load(row: dict[str, Any]) -> Load:
    return Load(
        load_id=row["ingest_id"],
        kind=row["kind"],
        file=row["file"],
        at=row["started_at"],
        state=_state(row),
        rows=counted(row),
        can_be_undone=row["can_be_undone"] and row["undone_at"] is None,
    )


def _state(row: dict[str, Any]) -> str:
    if row["undone_at"]:
        return "undone"
    if row["stopped"]:
        return f"stopped: {row['stopped']}"
    if row["kind"] == "documents" and row["removed"] and not row["rows_read"]:
        return "taken out"
    return "loaded" if row["finished_at"] else "goes on"


handler = serve(TOOL, LoadsArgs, run)
