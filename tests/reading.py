"""The files that docs/architecture.md names for whoever follows a request, held to those that it runs through."""

import re
import sys
from collections import Counter
from collections.abc import Callable
from types import CodeType

from local.files import ROOT

_OURS = tuple(f"{ROOT}/{folder}/" for folder in ("functions", "layers", "proxy"))
_TOOL = sys.monitoring.DEBUGGER_ID
_NAMED = re.compile(r"`([\w/]+\.(?:py|sql))`")


def named(beginning: str) -> list[str]:
    """The files that the paragraph with this beginning names."""
    paragraphs = (ROOT / "docs" / "architecture.md").read_text("utf-8").split("\n\n")
    [found] = [paragraph for paragraph in paragraphs if paragraph.startswith(beginning)]
    return _NAMED.findall(found)


def lines_run(work: Callable[[], object]) -> Counter[str]:
    """How many lines of each of our files `work` runs; what an import runs is not among them if it was imported."""
    lines: Counter[str] = Counter()

    def note(code: CodeType, _line: int) -> object:
        if code.co_filename.startswith(_OURS):
            lines[code.co_filename.removeprefix(f"{ROOT}/")] += 1
        return sys.monitoring.DISABLE

    events = sys.monitoring.events.LINE
    sys.monitoring.use_tool_id(_TOOL, "reading")
    sys.monitoring.register_callback(_TOOL, events, note)
    sys.monitoring.restart_events()
    sys.monitoring.set_events(_TOOL, events)
    try:
        work()
    finally:
        sys.monitoring.set_events(_TOOL, 0)
        sys.monitoring.register_callback(_TOOL, events, None)
        sys.monitoring.free_tool_id(_TOOL)
    return lines


def check(beginning: str, *, most: int, share: float, work: Callable[[], object]) -> None:
    """At most so many files are named, all are run through (or there, for SQL), and hold that share of the lines."""
    files, lines = named(beginning), lines_run(work)
    assert len(files) <= most
    assert [file for file in files if not (lines[file] or (file.endswith(".sql") and (ROOT / file).exists()))] == []
    held = sum(lines[file] for file in files) / lines.total()
    missing = [(file, count) for file, count in lines.most_common() if file not in files]
    assert held >= share, f"{held:.2f} of the lines; not named are {missing[:8]}"
