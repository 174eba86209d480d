"""`make trade`: the judged set against a deployment of its own, as text or as needs; figures, failures, rankings."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any, get_args

from tests.trade.asking import RECORDED, Ask, as_recorded, as_text, outcomes_of, plain_outcomes, sample_deployment
from tests.trade.cases import FOLDER, HELD_OUT, Case, Split, read_cases
from tests.trade.oracle import as_oracle
from tests.trade.rows import Corpus, read_corpus
from tests.trades.figures import ALL, DEPTH, Outcome, failure, figures, table


def main() -> int:
    arguments = _arguments()
    corpus = read_corpus()
    cases = _cases(arguments)
    how = _how(arguments.needs, corpus)
    with sample_deployment() as deployment, deployment.serving("quarry_read", LOG_LEVEL="ERROR"):
        outcomes = outcomes_of(cases, corpus, how=how, depth=arguments.depth)
    if arguments.write:
        arguments.write.write_text("".join(json.dumps(_written(one)) + "\n" for one in outcomes), "utf-8")
    if arguments.failures:
        print("\n\n".join(failure(one) for one in outcomes if one.fails))
    found = figures(outcomes)
    if arguments.classes:
        of = {
            name: [one for one in outcomes if one.judged.kind == name] for name in {x.judged.kind for x in outcomes}
        }
        found = {name: figures(of[name])[ALL] for name in sorted(of)} | found
    print(table(found))
    if arguments.needs:
        print(f"\nThe plain judge, of the same needs:\n\n{table(figures(plain_outcomes(cases, corpus, how=how)))}")
    if len(outcomes) < len(cases):
        print(f"\n{len(cases) - len(outcomes)} of {len(cases)} cases cannot be said as these needs.", file=sys.stderr)
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.trade", description=__doc__)
    needs = "asked as needs: 'recorded' (in needs/), 'oracle' (the judge's own) or a file of them"
    parser.add_argument("--needs", metavar="FILE", help=needs)
    parser.add_argument(
        "--folder", type=Path, help="one folder of cases alone; else cases/ as text, held_out/ as needs"
    )
    parser.add_argument(
        "--split", choices=get_args(Split), help="the half to learn on, or to report on, or what is new"
    )
    parser.add_argument("--everyday", action="store_true", help="what is typed on most days, of both folders")
    parser.add_argument("--failures", metavar="CLASS", help="show what fails in a class ('all': in every one)")
    parser.add_argument("--classes", action="store_true", help="a line for each class")
    parser.add_argument("--write", type=Path, metavar="FILE", help="what came for each query, as JSON lines")
    parser.add_argument("--depth", type=int, default=DEPTH, help="rows to ask for; figures are of the first ten")
    return parser.parse_args()


def _cases(arguments: argparse.Namespace) -> list[Case]:
    default = [FOLDER, HELD_OUT] if arguments.everyday else [HELD_OUT if arguments.needs else FOLDER]
    cases = [case for folder in ([arguments.folder] if arguments.folder else default) for case in read_cases(folder)]
    return [
        case
        for case in cases
        if arguments.split in (None, case.split)
        and (case.everyday or not arguments.everyday)
        and arguments.failures in (None, "all", case.of)
    ]


def _how(needs: str | None, corpus: Corpus) -> Ask:
    match needs:
        case None:
            return as_text
        case "oracle":
            return as_oracle(corpus)
        case "recorded":
            return as_recorded(sorted(RECORDED.glob("*.jsonl")))
        case path:
            return as_recorded([Path(path)])


def _written(outcome: Outcome) -> dict[str, Any]:
    graded = outcome.judged.judgements
    hits = [
        {
            "key": hit.key,
            "grade": graded[hit.key].grade,
            "contradicts": graded[hit.key].contradicts,
            "signs": hit.signs,
            "score": hit.score,
            "confidence": hit.confidence,
        }
        for hit in outcome.answer.hits
    ]
    return {
        "request": outcome.judged.title,
        "class": outcome.judged.kind,
        "grades": dict(outcome.judged.grades),
        "needs": outcome.answer.needs,
        "unread": outcome.answer.unread,
        "notice": outcome.answer.notice,
        "hits": hits,
    }


if __name__ == "__main__":
    sys.exit(main())
