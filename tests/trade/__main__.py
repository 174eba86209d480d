"""`make trade`: the judged set against a deployment of its own; the table per class, failures, rankings as data."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

from tests.trade.asking import sample_deployment
from tests.trade.cases import FOLDER, Split, read_cases
from tests.trade.figures import DEPTH, Outcome, figures, outcomes_of, shortfalls, table
from tests.trade.floors import FLOORS, read_floors, write_floors
from tests.trade.rows import Corpus, read_corpus

SHOWN = 4


def main() -> int:
    arguments = _arguments()
    corpus = read_corpus()
    cases = [case for case in read_cases(arguments.folder) if arguments.split in (None, case.split)]
    if arguments.failures:
        cases = [case for case in cases if arguments.failures in (case.of, "all")]
    with sample_deployment() as deployment, deployment.serving("quarry_read", LOG_LEVEL="ERROR"):
        outcomes = outcomes_of(cases, corpus, depth=arguments.depth, explain=bool(arguments.write))
    if arguments.write:
        arguments.write.write_text("".join(json.dumps(_written(one)) + "\n" for one in outcomes), "utf-8")
    if arguments.failures:
        print("\n\n".join(failure(one) for one in outcomes if _fails(one)))
    found = figures(outcomes)
    print(table(found), *_items(outcomes, corpus), sep="\n")
    if arguments.floors:
        write_floors(found)
        print(f"{FLOORS.name} holds these figures.", file=sys.stderr)
    complete = not arguments.split and not arguments.failures and arguments.folder == FOLDER
    below = shortfalls(found, read_floors()) if complete else []
    print(*below, sep="\n", file=sys.stderr)
    return 1 if below else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.trade", description=__doc__)
    parser.add_argument(
        "--split",
        choices=get_args(Split),
        help="only the half to learn on, or to report on, or what is new",
    )
    parser.add_argument("--folder", type=Path, default=FOLDER, help="other requests, such as tests/trade/held_out")
    parser.add_argument("--failures", metavar="CLASS", help="show what fails in a class ('all': in every one)")
    parser.add_argument("--write", type=Path, metavar="FILE", help="what came for each query, as JSON lines")
    parser.add_argument("--depth", type=int, default=DEPTH, help="hits to ask for; figures are of the first ten")
    parser.add_argument("--floors", action="store_true", help="hold today's figures: writes figures.toml")
    return parser.parse_args()


def failure(outcome: Outcome) -> str:
    """The query, the first rows with grade, label and the needs they miss, and what would have been right."""
    case = outcome.judged.case
    given = f" {dict(case.given)}" if case.given else ""
    lines = [f"{case.id} {case.split} {case.of} · {case.tool}: {case.ask}{given}"]
    for hit, judgement in outcome.shown[:SHOWN]:
        sign = "!" if judgement.contradicts else " "
        score = "" if hit.score is None else f"{hit.score:.2f}"
        lines.append(f"  {judgement.grade}{sign} {hit.key} {hit.confidence} {score} {'; '.join(judgement.reasons)}")
    if not outcome.shown:
        lines.append(f"  nothing came: {outcome.answer.notice or 'no reason given'}")
    best = sorted(outcome.judged.grades, key=lambda key: -outcome.judged.grades[key])[:SHOWN]
    lines.append("  right: " + (", ".join(f"{key} ({outcome.judged.grades[key]:.0f})" for key in best) or "nothing"))
    return "\n".join(lines)


def _fails(outcome: Outcome) -> bool:
    if not outcome.satisfiable:
        return not outcome.says_so
    return not outcome.first_right or outcome.contradicted


def _items(outcomes: Sequence[Outcome], corpus: Corpus) -> list[str]:
    """How many of several items have a right row among the hits."""
    answered, wanted = 0, 0
    for outcome in (one for one in outcomes if one.judged.case.items):
        came = {hit.key for hit, _ in outcome.shown}
        sets = outcome.judged.item_keys(corpus.rows[outcome.judged.case.tool])
        wanted += len(sets)
        answered += sum(bool(keys & came) for keys in sets)
    return (
        [f"\n{answered} of {wanted} items of requests for several have a right row among the hits."] if wanted else []
    )


def _written(outcome: Outcome) -> dict[str, Any]:
    case = outcome.judged.case
    hits = [
        {
            "key": hit.key,
            "grade": outcome.judged.judgements[hit.key].grade,
            "contradicts": outcome.judged.judgements[hit.key].contradicts,
            "score": hit.score,
            "confidence": hit.confidence,
            "explanation": hit.explanation,
        }
        for hit in outcome.answer.hits
    ]
    return {
        "id": case.id,
        "class": case.of,
        "split": case.split,
        "tool": case.tool,
        "ask": case.ask,
        "given": dict(case.given),
        "grades": outcome.judged.grades,
        "notice": outcome.answer.notice,
        "hits": hits,
    }


if __name__ == "__main__":
    sys.exit(main())
