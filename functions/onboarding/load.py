"""load: stores what load_check showed, once."""

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from pydantic import Field

from onboarding import inbox, queries
from onboarding.inbox import CheckId
from onboarding.load_check import SECONDS, WouldBe, counted, holding
from operations import ingest
from operations.ingest import Invocation
from quarry.tool.contract import Args, LeanResult, Tool
from quarry.tool.errors import Conflict
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve

TOOL = Tool(
    name="load",
    title="Load what was checked",
    description="Stores what load_check showed; refused where the file changed since. Sent twice, it loads once.",
    toolset="onboarding",
    read_only=False,
    destructive=True,
    idempotent=True,
    open_world=False,
)

State = Literal["loaded", "goes on", "stopped", "refused"]


class LoadArgs(Args):
    check_id: CheckId = Field(description="From load_check.")


class LoadResult(LeanResult):
    load_id: int = Field(description="For loads and load_undo.")
    state: State = Field(description="goes on: in the background; loads tells. refused: no row was stored.")
    rows: WouldBe = Field(description="Counts so far.")
    rejects: list[str] = Field(default=[], description="The first, with their lines.")
    notice: str | None = Field(default=None, description="What to know or do.")


def run(args: LoadArgs, caller: Caller) -> LoadResult:
    check = inbox.kept_check(caller.tenant, args.check_id)
    if (done := queries.loaded(caller.tenant, args.check_id)) is not None:
        state: State = "refused" if _is_refused(done) else "loaded"
        rows = counted(dict(done))
        return LoadResult(load_id=done["ingest_id"], state=state, rows=rows, notice="It was loaded before.")
    if inbox.etag_of(caller.tenant, check.name) != check.etag:
        raise Conflict(f"'{check.name}' is not the file that was checked: check it again.")
    evidence = holding(check, caller.tenant)
    if check.mapping is not None and evidence is None:
        queries.remember(caller.tenant, check.mapping)
    until = time.monotonic() + SECONDS
    clock = Invocation(args.check_id, lambda: time.monotonic() < until, mapping=check.mapping)
    if evidence is not None:
        # Rows that an agent wrote are few, and a run in the background would not compare them with the letter.
        clock = replace(clock, may_go_on=lambda: True, holds=evidence)
    key = inbox.key_of(caller.tenant, check.name)
    report = ingest.ingest_file(
        inbox.bucket(), key, clock, tenant=caller.tenant, kind_name=check.kind, etag=check.etag
    )
    ingest.start_embedding()
    return _result(report)


def _is_refused(report: Mapping[str, Any]) -> bool:
    return bool(report["rows_read"]) and report["rejected"] == report["rows_read"]


def _result(report: dict[str, Any]) -> LoadResult:
    state: State = "stopped" if report["stopped"] else "loaded" if report["finished"] else "goes on"
    waiting = report["awaiting_embedding"]
    notice = report["stopped"] or (f"{waiting} rows are found by their words; vectors follow." if waiting else None)
    if _is_refused(report):
        state = "refused" if state == "loaded" else state
        notice = "Nothing is stored, every row was refused: mend what rejects say, and check the file again."
    rejects = [f"{each.get('place') or f'line {each["line"]}'}: {each['reason']}" for each in report["rejects"]]
    more = report["rejected"] - len(rejects)
    return LoadResult(
        load_id=report["ingest_id"],
        state=state,
        rows=counted(report),
        rejects=[*rejects, *([f"and {more} more: load_check tells all by cause"] if more > 0 else [])],
        notice=notice,
    )


handler = serve(TOOL, LoadArgs, run)
