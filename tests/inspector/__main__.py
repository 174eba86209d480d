"""`make inspector`: MCP Inspector's CLI lists, lints and calls every tool of a running endpoint, in both eras.

Prints a line per check. Exit code 1 when one failed, 2 when none could begin.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from local.failure import LocalError
from local.settings import read_settings
from local.stack import require
from tests.e2e.sample_calls import NEEDS_A_MODEL, ONE_CALL_OF_EACH, found, names_of
from tests.inspector.install import INSPECTOR, Outcome, run
from tests.npm import InstallError

ERAS = ("modern", "legacy")
TOOL_FAILED = 5
RESOURCES = (
    "quarry://templates/quote",
    "quarry://templates/characteristics/compressor",
    "schema://taxonomy",
    "docs://how-to-query",
    "kxhub://chunk/slow-harbour~0",
    "kxhub://chunks/by-source/kindle",
    "kxhub://chunks/by-author/Ida%20Marrow",
    "kxhub://chunks/by-tag/habits",
)
PROMPTS = {
    "draft_quote": "request=a dryer",
    "find_insights_about": "topic=attention",
    "author_deep_dive": "author=Ida Marrow",
    "tag_exploration": "tag=habits",
    "related_to_chunk": "chunk_id=slow-harbour~0",
}


class Fault(Exception):
    """What is wrong with an answer."""


@dataclass(frozen=True)
class Check:
    """``read`` says in a few words what was found in the result, or raises Fault."""

    name: str
    arguments: tuple[str, ...]
    read: Callable[[dict[str, Any], Outcome], str]
    code: int = 0
    """Inspector exits with TOOL_FAILED, and shows no result, where a tool answers with an error."""


def checks() -> Iterator[Check]:
    yield Check("tools/list, strict", ("--method", "tools/list", "--strict"), _tools)
    yield Check("resources/list", ("--method", "resources/list"), _resources)
    yield Check("prompts/list", ("--method", "prompts/list"), _prompts)
    for tool, arguments in ONE_CALL_OF_EACH.items():
        call = ("--method", "tools/call", "--tool-name", tool, "--tool-args-json", json.dumps(arguments))
        yield Check(f"tools/call {tool}", call, _answer)
    ask = (
        "--method",
        "tools/call",
        "--tool-name",
        NEEDS_A_MODEL,
        "--tool-args-json",
        json.dumps({"question": "Who?"}),
    )
    yield Check(f"tools/call {NEEDS_A_MODEL}", ask, _unavailable, TOOL_FAILED)
    for uri in RESOURCES:
        yield Check(f"read {uri}", ("--method", "resources/read", "--uri", uri), _contents)
    for name, argument in PROMPTS.items():
        prompt = ("--method", "prompts/get", "--prompt-name", name, "--prompt-args", argument)
        yield Check(f"prompts/get {name}", prompt, _messages)


def _tools(result: dict[str, Any], outcome: Outcome) -> str:
    names = [tool["name"] for tool in result["tools"]]
    if sorted(names) != names_of():
        raise Fault(f"lists {names}; the manifest has {names_of()}")
    return f"{len(names)} tools; {_last_line(outcome.stderr) or 'no remarks on schemas'}"


def _resources(result: dict[str, Any], _: Outcome) -> str:
    uris = [resource["uri"] for resource in result["resources"]]
    # Highlights are found and completed, and read through templates alone.
    fixed = [uri for uri in RESOURCES if not uri.startswith("kxhub://chunk")]
    if missing := [uri for uri in fixed if uri not in uris]:
        raise Fault(f"does not list {missing}")
    return f"{len(uris)} resources"


def _prompts(result: dict[str, Any], _: Outcome) -> str:
    names = sorted(prompt["name"] for prompt in result["prompts"])
    if names != sorted(PROMPTS):
        raise Fault(f"lists {names}; there are samples of {sorted(PROMPTS)}")
    return f"{len(names)} prompts"


def _answer(result: dict[str, Any], _: Outcome) -> str:
    structured, text = result.get("structuredContent"), result["content"][0]["text"]
    if result.get("isError") or not structured or json.loads(text) != structured:
        raise Fault(f"text and structured content do not both carry a result: {text[:200]}")
    what = found(structured)
    if not what:
        raise Fault("found nothing")
    return f"{len(what)} found" if isinstance(what, list) else "found"


def _unavailable(_: dict[str, Any], __: Outcome) -> str:
    return "a tool error without a chat model, as it should be"


def _contents(result: dict[str, Any], _: Outcome) -> str:
    return f"{len(result['contents'][0]['text'])} characters"


def _messages(result: dict[str, Any], _: Outcome) -> str:
    return f"{len(result['messages'])} messages"


def _last_line(text: str) -> str:
    return text.strip().rpartition("\n")[2]


def judged(check: Check, outcome: Outcome) -> str:
    if outcome.code != check.code:
        raise Fault(f"exit code {outcome.code}: {_last_line(outcome.stderr)[:300]}")
    try:
        return check.read(json.loads(outcome.stdout)["result"] if check.code == 0 else {}, outcome)
    except (ValueError, LookupError, TypeError, StopIteration) as fault:
        raise Fault(f"unreadable ({type(fault).__name__}: {fault}): {outcome.stdout[:200]}") from fault


def passed(check: Check, *, url: str, era: str) -> bool:
    started = time.monotonic()
    common = (url, "--transport", "http", "--protocol-era", era, "--format", "json")
    try:
        said = judged(check, run([*common, *check.arguments]))
        verdict = "ok  "
    except (Fault, subprocess.TimeoutExpired) as fault:
        said, verdict = str(fault), "FAIL"
    print(f"{verdict}  {era:<6}  {check.name:<52} {time.monotonic() - started:4.1f} s  {said}", flush=True)
    return verdict == "ok  "


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.inspector", description=__doc__)
    parser.add_argument("--url", help="the MCP endpoint, unless it is the running stack's of DATA_DIR")
    url = parser.parse_args().url
    try:
        url = url or require(read_settings().data_dir).mcp
        INSPECTOR.install()
    except (InstallError, LocalError) as failure:
        print(failure, file=sys.stderr)
        return 2
    verdicts = [passed(check, url=url, era=era) for era in ERAS for check in checks()]
    print("all checks passed" if all(verdicts) else f"{verdicts.count(False)} of {len(verdicts)} checks failed")
    return 0 if all(verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
